/* A reading of attention that another program computed: no model stands behind it. */
#ifndef HEADSCOPE_APP_EXPORT_FILE_READING_H
#define HEADSCOPE_APP_EXPORT_FILE_READING_H

#include "app/pass/reading.h"
#include "data/attention/attention_file.h"

/* Takes the trace out of `file`, whose tokens must stay; the input is the file's name, without its
 * folder, the output empty. Free with reading_free. */
bool file_reading_make(Reading *reading, AttentionFile *file, const char *path, Error *error);

#endif
