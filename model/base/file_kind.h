/* Recognises a file by its first bytes. */
#ifndef HEADSCOPE_MODEL_BASE_FILE_KIND_H
#define HEADSCOPE_MODEL_BASE_FILE_KIND_H

#include <stddef.h>

typedef enum FileKind {
    FILE_EMPTY,
    FILE_PNG,
    FILE_PNG_DAMAGED, /* its line ends were rewritten by a transfer */
    FILE_SVG,
    FILE_XML,
    FILE_NPY,
    FILE_ZIP,
    FILE_PICKLE,
    FILE_SAFETENSORS, /* or a file whose ninth byte happens to be a brace */
    FILE_JSON,
    FILE_TEXT,
    FILE_OTHER,
} FileKind;

/* How many bytes file_kind looks at. */
enum { FILE_KIND_BYTES = 64 };

FileKind file_kind(const unsigned char *bytes, size_t size);

/* The kind in words, for a message about a file that cannot be used: "a PNG picture", "JSON",
 * "a text"; "empty" if there are no bytes. Does not recognise safetensors. */
const char *file_kind_words(const unsigned char *bytes, size_t size);

#endif
