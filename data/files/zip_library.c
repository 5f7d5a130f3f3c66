#include "data/files/zip_library.h"

#include <zip.h>

#include "model/base/late.h"

#define ZIP_FUNCTIONS(VALUE, NOTHING)                                                              \
    VALUE(zip_t *, zip_open_from_source, (zip_source_t * source, int flags, zip_error_t *error),   \
          (source, flags, error))                                                                  \
    VALUE(int, zip_close, (zip_t * archive), (archive))                                            \
    NOTHING(zip_discard, (zip_t * archive), (archive))                                             \
    VALUE(const char *, zip_strerror, (zip_t * archive), (archive))                                \
    NOTHING(zip_error_init, (zip_error_t * error), (error))                                        \
    NOTHING(zip_error_fini, (zip_error_t * error), (error))                                        \
    VALUE(const char *, zip_error_strerror, (zip_error_t * error), (error))                        \
    VALUE(zip_int64_t, zip_get_num_entries, (zip_t * archive, zip_flags_t flags),                  \
          (archive, flags))                                                                        \
    VALUE(int, zip_stat_index,                                                                     \
          (zip_t * archive, zip_uint64_t index, zip_flags_t flags, zip_stat_t * status),           \
          (archive, index, flags, status))                                                         \
    VALUE(zip_file_t *, zip_fopen_index, (zip_t * archive, zip_uint64_t index, zip_flags_t flags), \
          (archive, index, flags))                                                                 \
    VALUE(zip_int64_t, zip_fread, (zip_file_t * file, void *bytes, zip_uint64_t size),             \
          (file, bytes, size))                                                                     \
    VALUE(int, zip_fclose, (zip_file_t * file), (file))                                            \
    VALUE(const char *, zip_file_strerror, (zip_file_t * file), (file))                            \
    VALUE(zip_int64_t, zip_file_add,                                                               \
          (zip_t * archive, const char *name, zip_source_t *source, zip_flags_t flags),            \
          (archive, name, source, flags))                                                          \
    VALUE(int, zip_file_set_dostime,                                                               \
          (zip_t * archive, zip_uint64_t index, zip_uint16_t time, zip_uint16_t date,              \
           zip_flags_t flags),                                                                     \
          (archive, index, time, date, flags))                                                     \
    VALUE(int, zip_set_file_compression,                                                           \
          (zip_t * archive, zip_uint64_t index, zip_int32_t method, zip_uint32_t flags),           \
          (archive, index, method, flags))                                                         \
    VALUE(zip_source_t *, zip_source_buffer,                                                       \
          (zip_t * archive, const void *bytes, zip_uint64_t size, int freed),                      \
          (archive, bytes, size, freed))                                                           \
    VALUE(zip_source_t *, zip_source_buffer_create,                                                \
          (const void *bytes, zip_uint64_t size, int freed, zip_error_t *error),                   \
          (bytes, size, freed, error))                                                             \
    NOTHING(zip_source_free, (zip_source_t * source), (source))                                    \
    NOTHING(zip_source_keep, (zip_source_t * source), (source))                                    \
    VALUE(int, zip_source_stat, (zip_source_t * source, zip_stat_t * status), (source, status))    \
    VALUE(int, zip_source_open, (zip_source_t * source), (source))                                 \
    VALUE(int, zip_source_close, (zip_source_t * source), (source))                                \
    VALUE(zip_int64_t, zip_source_read, (zip_source_t * source, void *bytes, zip_uint64_t size),   \
          (source, bytes, size))

LATE_LIBRARY(open_library, ZIP_FUNCTIONS, HEADSCOPE_LATE_ZIP, "zip", "Reads and writes .npz files",
             "recommended")

bool zip_library_open(Error *error) {
    return open_library(error) || error_prefix(error, "zip archives need libzip");
}
