#include "viz/text/font_parts.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* FreeType reads in many small steps, and each would be a call into the system; and of a font, few
 * pages are read at all. */
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

/* HarfBuzz's objects are never NULL: for lack of memory they are empty ones. */
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
