/* What a file that is not read here seems to be, in words for the person who named it. */
#ifndef HEADSCOPE_DATA_FILES_FILE_KIND_H
#define HEADSCOPE_DATA_FILES_FILE_KIND_H

#include <stddef.h>

/* "a PNG picture", "JSON", "a text", told by the first bytes; "empty" where there are none. */
const char *file_kind_words(const unsigned char *bytes, size_t size);

#endif
