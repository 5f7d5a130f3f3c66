#include "data/files/file_kind.h"

#include <stdbool.h>
#include <string.h>

enum { LOOKED_AT = 512 };

static const struct {
    const char *start;
    size_t length;
    const char *words;
} starts[] = {
    {"\x89PNG", 4, "a PNG picture"},
    {"\xFF\xD8\xFF", 3, "a JPEG picture"},
    {"GIF8", 4, "a GIF picture"},
    {"%PDF", 4, "a PDF"},
    {"%!PS", 4, "PostScript"},
    {"\x1F\x8B", 2, "a gzip archive (unpack it first)"},
    {"\x28\xB5\x2F\xFD", 4, "a zstd archive (unpack it first)"},
    {"7z\xBC\xAF", 4, "a 7z archive (unpack it first)"},
    {"\x89HDF", 4, "HDF5"},
    {"GGUF", 4, "GGUF"},
    {"\x93NUMPY", 6, "a NumPy array"},
    {"PK", 2, "a zip archive"},
    {"\x7F"
     "ELF",
     4, "a program"},
    {"version https://git-lfs", 23, "a Git LFS pointer (git lfs pull gets the file)"},
    {"<svg", 4, "an SVG picture"},
    {"<?xml", 5, "XML"},
    {"<!DOCTYPE", 9, "a web page"},
    {"<html", 5, "a web page"},
};

static bool is_text(const unsigned char *bytes, size_t size) {
    if (bytes[0] == 0) return false;
    for (size_t i = 0; i < size && i < LOOKED_AT; i++)
        if (bytes[i] == 127 || (bytes[i] < ' ' && !strchr("\t\n\r\f", bytes[i]))) return false;
    return true;
}

const char *file_kind_words(const unsigned char *bytes, size_t size) {
    if (size == 0) return "empty";
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
        if (size >= starts[i].length && memcmp(bytes, starts[i].start, starts[i].length) == 0)
            return starts[i].words;
    if (bytes[0] == 0x80 && size > 1 && bytes[1] >= 2 && bytes[1] <= 5)
        return "saved with pickle, which can carry code and is never read";
    if (!is_text(bytes, size)) return "of an unknown kind";
    return bytes[0] == '{' || bytes[0] == '[' ? "JSON" : "a text";
}
