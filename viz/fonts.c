#include "viz/fonts.h"

#include <fcntl.h>
#include <fontconfig/fontconfig.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FACES_AT_MOST = 64, OPEN_AT_MOST = 128 };

typedef struct FaceFile {
    FcPattern *pattern; /* owned; file and charset lie in it */
    const char *path;
    long index; /* within a font collection */
    const FcCharSet *characters;
    bool bold;
    void *bytes; /* owned: the whole file mapped, once it is opened at some size */
    size_t size;
} FaceFile;

typedef struct OpenFont {
    Face face;
    int pixels;
    TTF_Font *font;
} OpenFont;

struct Fonts {
    FcConfig *config;     /* our own, so that it can be freed without regard to others */
    FcCharSet *absent[2]; /* [bold] what no font has, so that it is not looked for again */
    FaceFile faces[FACES_AT_MOST];
    int face_count;
    OpenFont open[OPEN_AT_MOST];
    int open_count;
    bool ttf;
};

/* The best match for a sans font, one that has `code_point` if that is not 0. NULL if none. */
static FcPattern *match(FcConfig *config, uint32_t code_point, bool bold) {
    FcPattern *wanted = FcPatternCreate();
    if (!wanted) return NULL;
    FcPatternAddString(wanted, FC_FAMILY, (const FcChar8 *)"DejaVu Sans");
    FcPatternAddString(wanted, FC_FAMILY, (const FcChar8 *)"sans-serif");
    FcPatternAddInteger(wanted, FC_WEIGHT, bold ? FC_WEIGHT_BOLD : FC_WEIGHT_REGULAR);
    FcPatternAddInteger(wanted, FC_SLANT, FC_SLANT_ROMAN);
    FcPatternAddBool(wanted, FC_SCALABLE, FcTrue);
    FcPatternAddBool(wanted, FC_COLOR, FcFalse);
    FcCharSet *characters = code_point ? FcCharSetCreate() : NULL;
    if (characters) {
        FcCharSetAddChar(characters, code_point);
        FcPatternAddCharSet(wanted, FC_CHARSET, characters);
        FcCharSetDestroy(characters);
    }
    FcConfigSubstitute(config, wanted, FcMatchPattern);
    FcDefaultSubstitute(wanted);
    FcResult result;
    FcPattern *found = FcFontMatch(config, wanted, &result);
    FcPatternDestroy(wanted);
    return found;
}

/* Takes `pattern` over as a new face; FACE_NONE (and the pattern freed) if it is not fit. */
static Face add_face(Fonts *fonts, FcPattern *pattern, uint32_t code_point, bool bold) {
    FaceFile file = {.pattern = pattern, .bold = bold};
    FcChar8 *path;
    FcCharSet *characters;
    FcBool scalable = FcTrue, color = FcFalse;
    int index = 0;
    bool fit = pattern && fonts->face_count < FACES_AT_MOST &&
               FcPatternGetString(pattern, FC_FILE, 0, &path) == FcResultMatch &&
               FcPatternGetCharSet(pattern, FC_CHARSET, 0, &characters) == FcResultMatch &&
               (!code_point || FcCharSetHasChar(characters, code_point));
    if (fit) {
        FcPatternGetInteger(pattern, FC_INDEX, 0, &index);
        FcPatternGetBool(pattern, FC_SCALABLE, 0, &scalable);
        FcPatternGetBool(pattern, FC_COLOR, 0, &color);
    }
    if (!fit || !scalable || color) {
        if (pattern) FcPatternDestroy(pattern);
        return FACE_NONE;
    }
    file.path = (const char *)path;
    file.characters = characters;
    file.index = index & 0xFFFF; /* the upper half names an instance of a variable font */
    fonts->faces[fonts->face_count] = file;
    return fonts->face_count++;
}

Fonts *fonts_make(Error *error) {
    Fonts *fonts = calloc(1, sizeof *fonts);
    if (!fonts) {
        error_set(error, "out of memory for the fonts");
        return NULL;
    }
    fonts->config = FcInitLoadConfigAndFonts();
    fonts->absent[0] = FcCharSetCreate();
    fonts->absent[1] = FcCharSetCreate();
    bool found = fonts->config && fonts->absent[0] && fonts->absent[1] &&
                 add_face(fonts, match(fonts->config, 0, false), 0, false) != FACE_NONE &&
                 add_face(fonts, match(fonts->config, 0, true), 0, true) != FACE_NONE;
    if (!found)
        error_set(error, "no font found; install one, such as the package fonts-dejavu-core");
    fonts->ttf = found && TTF_Init() == 0;
    if (fonts->ttf) return fonts;
    if (found) error_set(error, "SDL_ttf does not start: %s", TTF_GetError());
    fonts_free(fonts);
    return NULL;
}

void fonts_close_all(Fonts *fonts) {
    for (int index = 0; index < fonts->open_count; index++)
        TTF_CloseFont(fonts->open[index].font);
    fonts->open_count = 0;
}

void fonts_free(Fonts *fonts) {
    if (!fonts) return;
    fonts_close_all(fonts);
    for (int face = 0; face < fonts->face_count; face++) {
        if (fonts->faces[face].bytes) munmap(fonts->faces[face].bytes, fonts->faces[face].size);
        FcPatternDestroy(fonts->faces[face].pattern);
    }
    for (int bold = 0; bold < 2; bold++)
        if (fonts->absent[bold]) FcCharSetDestroy(fonts->absent[bold]);
    if (fonts->config) FcConfigDestroy(fonts->config);
    if (fonts->ttf) TTF_Quit();
    free(fonts);
}

bool fonts_face_has(const Fonts *fonts, Face face, uint32_t code_point) {
    return FcCharSetHasChar(fonts->faces[face].characters, code_point);
}

Face fonts_face_for(Fonts *fonts, uint32_t code_point, bool bold) {
    for (Face face = 0; face < fonts->face_count; face++)
        if (fonts->faces[face].bold == bold && fonts_face_has(fonts, face, code_point)) return face;
    if (FcCharSetHasChar(fonts->absent[bold], code_point)) return FACE_NONE;
    Face face = add_face(fonts, match(fonts->config, code_point, bold), code_point, bold);
    if (face == FACE_NONE) FcCharSetAddChar(fonts->absent[bold], code_point);
    return face;
}

/* All sizes share one map of the file: FreeType reads in many small steps, and each would be a call
 * into the system; and of a font, few pages are read at all. */
static void map_file(FaceFile *file) {
    struct stat status;
    int number = open(file->path, O_RDONLY);
    if (number < 0) return;
    if (fstat(number, &status) == 0 && status.st_size > 0 && status.st_size <= INT_MAX) {
        void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, number, 0);
        file->bytes = bytes == MAP_FAILED ? NULL : bytes;
        file->size = (size_t)status.st_size;
    }
    close(number);
}

static TTF_Font *open_font(FaceFile *file, int pixels, Error *error) {
    if (!file->bytes) map_file(file);
    SDL_RWops *stream = file->bytes ? SDL_RWFromConstMem(file->bytes, (int)file->size) : NULL;
    TTF_Font *font = stream ? TTF_OpenFontIndexRW(stream, 1, pixels, file->index) : NULL;
    if (!font) error_set(error, "%s: cannot be read as a font (%s)", file->path, TTF_GetError());
    return font;
}

TTF_Font *fonts_open(Fonts *fonts, Face face, int pixels, Error *error) {
    for (int index = 0; index < fonts->open_count; index++)
        if (fonts->open[index].face == face && fonts->open[index].pixels == pixels)
            return fonts->open[index].font;
    if (fonts->open_count == OPEN_AT_MOST) fonts_close_all(fonts);
    TTF_Font *font = open_font(&fonts->faces[face], pixels, error);
    if (!font) return NULL;
    /* Fits stems to the rows of pixels alone, so that widths stay true at every size. */
    TTF_SetFontHinting(font, TTF_HINTING_LIGHT_SUBPIXEL);
    fonts->open[fonts->open_count++] = (OpenFont){face, pixels, font};
    return font;
}
