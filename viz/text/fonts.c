#include "viz/text/fonts.h"

#include <fontconfig/fontconfig.h>
#include <stdlib.h>
#include <unistd.h>

enum { FACES_MAX = 64, OPEN_MAX = 128 };

typedef struct FaceFile {
    const char *path;
    long index;         /* within a font collection */
    FcPattern *pattern; /* owned, the path lies in it; NULL: the path is one of `usual` */
    bool bold;
    FontFile *file; /* owned; NULL until it is needed */
} FaceFile;

typedef struct OpenFont {
    Face face;
    int pixels;
    Font *font;
} OpenFont;

struct Fonts {
    FT_Library library;
    FcConfig *config;     /* not the global one, so that it can be freed; NULL until it is needed */
    FcCharSet *absent[2]; /* [bold] characters that no font has */
    FaceFile faces[FACES_MAX];
    int face_count;
    OpenFont open[OPEN_MAX];
    int open_count;
};

/* The usual places of DejaVu Sans. They save loading fontconfig's configuration and caches, which
 * takes longer than drawing a sheet. */
static const struct {
    const char *regular, *bold;
} usual[] = {
    {"/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf", /* Debian */
     "/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf"},
    {"/usr/share/fonts/dejavu-sans-fonts/DejaVuSans.ttf", /* Fedora */
     "/usr/share/fonts/dejavu-sans-fonts/DejaVuSans-Bold.ttf"},
    {"/usr/share/fonts/TTF/DejaVuSans.ttf", /* Arch */
     "/usr/share/fonts/TTF/DejaVuSans-Bold.ttf"},
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

/* Adds `pattern` as a new face, which owns it; FACE_NONE (and the pattern freed) if it is unusable.
 */
static Face add_face(Fonts *fonts, FcPattern *pattern, uint32_t code_point, bool bold) {
    FcChar8 *path;
    FcCharSet *characters;
    FcBool scalable = FcTrue, color = FcFalse;
    int index = 0;
    bool fit = pattern && fonts->face_count < FACES_MAX &&
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
    fonts->faces[fonts->face_count] =
        (FaceFile){.path = (const char *)path,
                   .index = index & 0xFFFF, /* the upper half names one of a variable font */
                   .pattern = pattern,
                   .bold = bold};
    return fonts->face_count++;
}

static bool start_fontconfig(Fonts *fonts) {
    if (fonts->config) return true;
    fonts->config = FcInitLoadConfigAndFonts();
    for (int bold = 0; fonts->config && bold < 2; bold++)
        if (!fonts->absent[bold]) fonts->absent[bold] = FcCharSetCreate();
    return fonts->config && fonts->absent[0] && fonts->absent[1];
}

/* Does nothing if the environment chooses other fonts. */
static bool add_usual(Fonts *fonts) {
    bool chosen = getenv("FONTCONFIG_FILE") || getenv("FONTCONFIG_PATH");
    for (size_t i = 0; !chosen && i < sizeof usual / sizeof *usual; i++) {
        if (access(usual[i].regular, R_OK) != 0 || access(usual[i].bold, R_OK) != 0) continue;
        fonts->faces[0] = (FaceFile){.path = usual[i].regular};
        fonts->faces[1] = (FaceFile){.path = usual[i].bold, .bold = true};
        fonts->face_count = 2;
        return true;
    }
    return false;
}

static bool add_matches(Fonts *fonts) {
    return start_fontconfig(fonts) &&
           add_face(fonts, match(fonts->config, 0, false), 0, false) != FACE_NONE &&
           add_face(fonts, match(fonts->config, 0, true), 0, true) != FACE_NONE;
}

Fonts *fonts_make(Error *error) {
    Fonts *fonts = calloc(1, sizeof *fonts);
    if (!fonts || FT_Init_FreeType(&fonts->library) != 0) {
        error_set(error, "out of memory for the fonts");
        free(fonts);
        return NULL;
    }
    if (add_usual(fonts) || add_matches(fonts)) return fonts;
    error_set(error, "no font found; install one, such as the package fonts-dejavu-core");
    fonts_free(fonts);
    return NULL;
}

static void close_all(Fonts *fonts) {
    for (int index = 0; index < fonts->open_count; index++)
        font_close(fonts->open[index].font);
    fonts->open_count = 0;
}

static void free_face(FaceFile *face) {
    font_file_close(face->file);
    if (face->pattern) FcPatternDestroy(face->pattern);
}

void fonts_free(Fonts *fonts) {
    if (!fonts) return;
    close_all(fonts);
    for (int face = 0; face < fonts->face_count; face++)
        free_face(&fonts->faces[face]);
    for (int bold = 0; bold < 2; bold++)
        if (fonts->absent[bold]) FcCharSetDestroy(fonts->absent[bold]);
    if (fonts->config) FcConfigDestroy(fonts->config);
    FT_Done_FreeType(fonts->library);
    free(fonts);
}

/* The face's file, opened; NULL with *error. */
static FontFile *file_of(Fonts *fonts, Face face, Error *error) {
    FaceFile *entry = &fonts->faces[face];
    if (!entry->file)
        entry->file = font_file_open(fonts->library, entry->path, entry->index, error);
    return entry->file;
}

bool fonts_face_has(Fonts *fonts, Face face, uint32_t code_point) {
    const FontFile *file = file_of(fonts, face, NULL);
    return file && font_file_has(file, code_point);
}

Face fonts_face_for(Fonts *fonts, uint32_t code_point, bool bold) {
    for (Face face = 0; face < fonts->face_count; face++)
        if (fonts->faces[face].bold == bold && fonts_face_has(fonts, face, code_point)) return face;
    if (!start_fontconfig(fonts) || FcCharSetHasChar(fonts->absent[bold], code_point))
        return FACE_NONE;
    Face face = add_face(fonts, match(fonts->config, code_point, bold), code_point, bold);
    /* fontconfig also reads some old character tables */
    if (face != FACE_NONE && file_of(fonts, face, NULL) &&
        !fonts_face_has(fonts, face, code_point)) {
        free_face(&fonts->faces[--fonts->face_count]);
        face = FACE_NONE;
    }
    if (face == FACE_NONE) FcCharSetAddChar(fonts->absent[bold], code_point);
    return face;
}

Font *fonts_open(Fonts *fonts, Face face, int pixels, Error *error) {
    for (int index = 0; index < fonts->open_count; index++)
        if (fonts->open[index].face == face && fonts->open[index].pixels == pixels)
            return fonts->open[index].font;
    if (fonts->open_count == OPEN_MAX) close_all(fonts);
    FontFile *file = file_of(fonts, face, error);
    Font *font = file ? font_open(file, pixels, error) : NULL;
    if (font) fonts->open[fonts->open_count++] = (OpenFont){face, pixels, font};
    return font;
}
