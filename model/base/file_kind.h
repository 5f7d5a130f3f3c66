/* What a file seems to be, told by its first bytes: the one place that knows how files begin. */
#ifndef HEADSCOPE_MODEL_BASE_FILE_KIND_H
#define HEADSCOPE_MODEL_BASE_FILE_KIND_H

#include <stddef.h>

typedef enum FileKind {
    FILE_EMPTY,
    FILE_PNG,
    FILE_PNG_DAMAGED, /* as a transfer that rewrites line ends leaves it */
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

/* As many bytes tell the kind. */
enum { FILE_KIND_BYTES = 64 };

FileKind file_kind(const unsigned char *bytes, size_t size);

/* The same in words for the person who named a file that cannot be used: "a PNG picture", "JSON",
 * "a text"; "empty" where there are no bytes. Does not tell safetensors. */
const char *file_kind_words(const unsigned char *bytes, size_t size);

#endif
