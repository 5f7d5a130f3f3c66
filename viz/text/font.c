#include "viz/text/font.h"

#include FT_GLYPH_H

#include <fcntl.h>
#include <hb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct FontFile {
    void *bytes; /* the whole file, mapped */
    size_t size;
    FT_Face face;
    int pixels; /* the size that `face` has now; 0: none yet */
    hb_face_t *shapes;
    hb_buffer_t *buffer; /* for one text at a time */
};

/* FreeType reads in many small steps, each of which would be a system call, and touches few pages.
 */
static bool map_file(FontFile *file, const char *path) {
    struct stat status;
    int number = open(path, O_RDONLY);
    if (number < 0) return false;
    if (fstat(number, &status) == 0 && status.st_size > 0) {
        void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, number, 0);
        file->bytes = bytes == MAP_FAILED ? NULL : bytes;
        file->size = (size_t)status.st_size;
    }
    close(number);
    return file->bytes != NULL;
}

static bool open_face(FontFile *file, FT_Library library, long index) {
    bool opened =
        FT_New_Memory_Face(library, file->bytes, (FT_Long)file->size, index, &file->face) == 0;
    if (!opened) file->face = NULL;
    return opened && FT_IS_SCALABLE(file->face);
}

/* HarfBuzz's objects are never NULL: if memory ends, they are empty objects. */
static void open_shapes(FontFile *file, long index) {
    hb_blob_t *blob =
        hb_blob_create(file->bytes, (unsigned)file->size, HB_MEMORY_MODE_READONLY, NULL, NULL);
    file->shapes = hb_face_create(blob, (unsigned)index);
    hb_blob_destroy(blob);
    file->buffer = hb_buffer_create();
}

FontFile *font_file_open(FT_Library library, const char *path, long index, Error *error) {
    FontFile *file = calloc(1, sizeof *file);
    if (!file) {
        error_set(error, "out of memory for a font");
        return NULL;
    }
    if (map_file(file, path) && open_face(file, library, index)) {
        open_shapes(file, index);
        return file;
    }
    error_set(error, "%s: cannot be read as a font", path);
    font_file_close(file);
    return NULL;
}

void font_file_close(FontFile *file) {
    if (!file) return;
    hb_buffer_destroy(file->buffer); /* NULL is fine, also to the next one */
    hb_face_destroy(file->shapes);
    if (file->face) FT_Done_Face(file->face);
    if (file->bytes) munmap(file->bytes, file->size);
    free(file);
}

bool font_file_has(const FontFile *file, uint32_t code_point) {
    return FT_Get_Char_Index(file->face, code_point) != 0;
}

/* --- a size of the file ---------------------------------------------------------------------- */

enum { GLYPH_BUCKETS = 64 };

/* A cached outline of a glyph, hinted for the size: the same few glyphs are drawn again and again,
 * at different subpixel positions. */
typedef struct Glyph {
    struct Glyph *next;
    unsigned index;
    FT_Glyph outline;
    int left, top;   /* from the pen to the first column, and up to the first row */
    int width, rows; /* at any subpixel position */
} Glyph;

struct Font {
    FontFile *file;
    int pixels;
    int ascent, height;
    hb_font_t *shaper;
    Glyph *glyphs[GLYPH_BUCKETS];
};

/* Positions are in 64ths of a pixel. */
static int whole_pixels(int position) {
    return (position & -64) / 64;
}

static int ceil_pixels(FT_Long position) {
    return whole_pixels((int)position + 63);
}

/* All sizes share the file's face, so that its tables are read once. */
static bool choose_size(FontFile *file, int pixels) {
    if (file->pixels == pixels) return true;
    file->pixels = FT_Set_Char_Size(file->face, 0, pixels * 64, 0, 0) == 0 ? pixels : 0;
    return file->pixels == pixels;
}

static hb_font_t *new_shaper(const FontFile *file) {
    hb_font_t *shaper = hb_font_create(file->shapes);
    const FT_Size_Metrics *size = &file->face->size->metrics;
    uint64_t units = file->face->units_per_EM;
    hb_font_set_scale(shaper, (int)(((uint64_t)size->x_scale * units + 0x8000) >> 16),
                      (int)(((uint64_t)size->y_scale * units + 0x8000) >> 16));
    return shaper;
}

Font *font_open(FontFile *file, int pixels, Error *error) {
    Font *font = calloc(1, sizeof *font);
    if (!font || !choose_size(file, pixels)) {
        error_set(error,
                  font ? "a font cannot be scaled to %d pixels"
                       : "out of memory for a font of %d pixels",
                  pixels);
        free(font);
        return NULL;
    }
    FT_Face face = file->face;
    FT_Fixed scale = face->size->metrics.y_scale;
    *font = (Font){.file = file,
                   .pixels = pixels,
                   .ascent = ceil_pixels(FT_MulFix(face->ascender, scale)),
                   .height = ceil_pixels(FT_MulFix(face->ascender - face->descender, scale)),
                   .shaper = new_shaper(file)};
    return font;
}

void font_close(Font *font) {
    if (!font) return;
    for (int bucket = 0; bucket < GLYPH_BUCKETS; bucket++) {
        Glyph *next;
        for (Glyph *glyph = font->glyphs[bucket]; glyph; glyph = next) {
            next = glyph->next;
            FT_Done_Glyph(glyph->outline);
            free(glyph);
        }
    }
    hb_font_destroy(font->shaper);
    free(font);
}

static bool load_glyph(const Font *font, unsigned index, Glyph *glyph) {
    FT_Face face = font->file->face;
    if (!choose_size(font->file, font->pixels)) return false;
    if (FT_Load_Glyph(face, index, FT_LOAD_TARGET_LIGHT) != 0) return false;
    if (FT_Get_Glyph(face->glyph, &glyph->outline) != 0) return false;
    FT_BBox box;
    FT_Glyph_Get_CBox(glyph->outline, FT_GLYPH_BBOX_PIXELS, &box);
    glyph->index = index;
    glyph->left = (int)box.xMin;
    glyph->top = (int)box.yMax;
    glyph->width = (int)(box.xMax - box.xMin) + 1; /* 1: a subpixel shift to the right */
    glyph->rows = (int)(box.yMax - box.yMin);
    return true;
}

/* Belongs to the font; NULL if it cannot be loaded. */
static const Glyph *glyph_of(Font *font, unsigned index) {
    Glyph **bucket = &font->glyphs[index % GLYPH_BUCKETS], *glyph;
    for (glyph = *bucket; glyph; glyph = glyph->next)
        if (glyph->index == index) return glyph;
    glyph = malloc(sizeof *glyph);
    if (!glyph || !load_glyph(font, index, glyph)) {
        free(glyph);
        return NULL;
    }
    glyph->next = *bucket;
    *bucket = glyph;
    return glyph;
}

/* Shapes the text into the buffer of the font's file; returns the number of glyphs. */
static unsigned shape(const Font *font, const FontText *text) {
    hb_buffer_t *buffer = font->file->buffer;
    hb_buffer_clear_contents(buffer);
    hb_buffer_set_direction(buffer, text->backwards ? HB_DIRECTION_RTL : HB_DIRECTION_LTR);
    hb_buffer_set_script(buffer, (hb_script_t)text->script);
    hb_buffer_add_utf8(buffer, text->whole, -1, (unsigned)(text->start - text->whole),
                       (int)text->length);
    hb_shape(font->shaper, buffer, NULL, 0);
    return hb_buffer_get_length(buffer);
}

typedef struct Placed {
    const Glyph *glyph;
    int x, y; /* of the pen, from the text's start at the font's ascent; 64ths, y downwards */
} Placed;

/* The bounding box of all glyphs, in pixels. */
typedef struct Extent {
    int left, right, top, bottom;
} Extent;

static bool place(Font *font, unsigned count, Placed *placed, Extent *extent) {
    hb_buffer_t *buffer = font->file->buffer;
    const hb_glyph_info_t *infos = hb_buffer_get_glyph_infos(buffer, NULL);
    const hb_glyph_position_t *positions = hb_buffer_get_glyph_positions(buffer, NULL);
    int x = 0, y = font->ascent * 64;
    *extent = (Extent){.bottom = font->height};
    for (unsigned i = 0; i < count; i++) {
        const Glyph *glyph = glyph_of(font, infos[i].codepoint);
        if (!glyph) return false;
        placed[i] = (Placed){glyph, x + positions[i].x_offset, y - positions[i].y_offset};
        x += positions[i].x_advance;
        y += positions[i].y_advance;
        int left = whole_pixels(placed[i].x) + glyph->left;
        int top = whole_pixels(placed[i].y) - glyph->top;
        if (left < extent->left) extent->left = left;
        if (left + glyph->width > extent->right) extent->right = left + glyph->width;
        if (top < extent->top) extent->top = top;
        if (top + glyph->rows > extent->bottom) extent->bottom = top + glyph->rows;
    }
    if (whole_pixels(x) > extent->right) extent->right = whole_pixels(x);
    return true;
}

/* Adds a glyph's bitmap with its upper left corner at (left,top). Overlapping coverage is combined
 * by bitwise or, which is never less than either. */
static void lay(TextImage *image, const FT_Bitmap *bitmap, int left, int top) {
    int first = left < 0 ? -left : 0, width = (int)bitmap->width;
    int end = left + width > image->width ? image->width - left : width;
    for (int row = 0; row < (int)bitmap->rows; row++) {
        if (top + row < 0 || top + row >= image->height) continue;
        const unsigned char *from = bitmap->buffer + row * bitmap->pitch;
        unsigned char *to = image->coverage + (top + row) * image->width + left;
        for (int x = first; x < end; x++)
            to[x] |= from[x];
    }
}

static bool draw(TextImage *image, const Placed *placed, const Extent *extent) {
    FT_Glyph picture = placed->glyph->outline;
    FT_Vector part = {placed->x & 63, 0};
    if (FT_Glyph_To_Bitmap(&picture, FT_RENDER_MODE_NORMAL, &part, 0) != 0) return false;
    const FT_BitmapGlyph drawn = (FT_BitmapGlyph)picture;
    lay(image, &drawn->bitmap, whole_pixels(placed->x) + drawn->left - extent->left,
        whole_pixels(placed->y) - drawn->top - extent->top);
    FT_Done_Glyph(picture);
    return true;
}

bool font_render(Font *font, const FontText *text, TextImage *image, Error *error) {
    unsigned count = shape(font, text);
    Placed *placed = malloc((count + 1) * sizeof *placed);
    Extent extent;
    *image = (TextImage){0};
    bool good = placed && place(font, count, placed, &extent);
    if (good) {
        image->ascent = font->ascent - extent.top;
        image->width = extent.right - extent.left;
        image->height = extent.bottom - extent.top;
        image->coverage = calloc((size_t)image->width * (size_t)image->height + 1, 1);
    }
    good = good && image->coverage;
    for (unsigned i = 0; good && i < count; i++)
        if (placed[i].glyph->rows > 0) good = draw(image, &placed[i], &extent);
    free(placed);
    if (good) return true;
    free(image->coverage);
    return error_set(error, "a text cannot be drawn: its font is damaged, or memory ends");
}
