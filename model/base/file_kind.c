#include "model/base/file_kind.h"

#include <stdbool.h>
#include <string.h>

enum { TEXT_BYTES = 512 }; /* how much of a text is checked for control characters */

static const struct {
    const char *start;
    size_t length;
    FileKind kind;
    const char *words;
} starts[] = {
    {"\x89PNG\r\n\x1A\n", 8, FILE_PNG, "a PNG picture"},
    {"\x89PNG", 4, FILE_PNG_DAMAGED, "a PNG picture"},
    {"\xFF\xD8\xFF", 3, FILE_OTHER, "a JPEG picture"},
    {"GIF8", 4, FILE_OTHER, "a GIF picture"},
    {"%PDF", 4, FILE_OTHER, "a PDF"},
    {"%!PS", 4, FILE_OTHER, "PostScript"},
    {"\x1F\x8B", 2, FILE_OTHER, "a gzip archive (unpack it first)"},
    {"\x28\xB5\x2F\xFD", 4, FILE_OTHER, "a zstd archive (unpack it first)"},
    {"7z\xBC\xAF", 4, FILE_OTHER, "a 7z archive (unpack it first)"},
    {"\x89HDF", 4, FILE_OTHER, "HDF5"},
    {"GGUF", 4, FILE_OTHER, "GGUF"},
    {"\x93NUMPY", 6, FILE_NPY, "a NumPy array"},
    {"PK", 2, FILE_ZIP, "a zip archive"},
    {"\x7F"
     "ELF",
     4, FILE_OTHER, "a program"},
    {"version https://git-lfs", 23, FILE_OTHER, "a Git LFS pointer (git lfs pull gets the file)"},
    {"<svg", 4, FILE_SVG, "an SVG picture"},
    {"<?xml", 5, FILE_XML, "XML"},
    {"<!DOCTYPE", 9, FILE_OTHER, "a web page"},
    {"<html", 5, FILE_OTHER, "a web page"},
};

static bool is_pickle(const unsigned char *bytes, size_t size) {
    return bytes[0] == 0x80 && size > 1 && bytes[1] >= 2 && bytes[1] <= 5;
}

static bool is_text(const unsigned char *bytes, size_t size) {
    if (bytes[0] == 0) return false;
    for (size_t i = 0; i < size && i < TEXT_BYTES; i++)
        if (bytes[i] == 127 || (bytes[i] < ' ' && !strchr("\t\n\r\f", bytes[i]))) return false;
    return true;
}

/* Returns the kind, and sets *words; does not recognise safetensors. */
static FileKind recognise(const unsigned char *bytes, size_t size, const char **words) {
    *words = "empty";
    if (size == 0) return FILE_EMPTY;
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
        if (size >= starts[i].length && memcmp(bytes, starts[i].start, starts[i].length) == 0) {
            *words = starts[i].words;
            return starts[i].kind;
        }
    *words = "saved with pickle, which can carry code and is never read";
    if (is_pickle(bytes, size)) return FILE_PICKLE;
    *words = "of an unknown kind";
    if (!is_text(bytes, size)) return FILE_OTHER;
    bool json = bytes[0] == '{' || bytes[0] == '[';
    *words = json ? "JSON" : "a text";
    return json ? FILE_JSON : FILE_TEXT;
}

FileKind file_kind(const unsigned char *bytes, size_t size) {
    const char *words;
    FileKind kind = recognise(bytes, size, &words);
    bool certain = kind == FILE_NPY || kind == FILE_ZIP || kind == FILE_PNG || kind == FILE_SVG;
    /* The first 8 bytes are the length of the header: they may look like another format. */
    return !certain && size > 8 && bytes[8] == '{' ? FILE_SAFETENSORS : kind;
}

const char *file_kind_words(const unsigned char *bytes, size_t size) {
    const char *words;
    recognise(bytes, size, &words);
    return words;
}
