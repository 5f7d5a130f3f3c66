#include <stdio.h>
#include <string.h>
#include <zip.h>

#include "data/arrays/arrays_parts.h"
#include "data/files/zip_library.h"

static size_t read_entry(void *from, void *bytes, size_t size) {
    size_t done = 0;
    while (done < size) {
        zip_int64_t some = zip_fread(from, (char *)bytes + done, size - done);
        if (some <= 0) break;
        done += (size_t)some;
    }
    return done;
}

static bool ends_in(const char *name, const char *ending) {
    size_t length = strlen(name), end = strlen(ending);
    return length >= end && strcmp(name + length - end, ending) == 0;
}

/* Entries that are no arrays (folders, a desktop's own notes) are passed over. */
static bool take_entry(Arrays *file, zip_t *archive, zip_uint64_t index, Error *error) {
    const char *file_name = file->memory->file_name;
    zip_stat_t status;
    if (zip_stat_index(archive, index, 0, &status) != 0 || !(status.valid & ZIP_STAT_NAME))
        return error_set(error, "%s: entry %llu of the archive is damaged", file_name,
                         (unsigned long long)index);
    if (ends_in(status.name, "data.pkl"))
        return error_set(error,
                         "%s: saved with torch.save (pickle), which can carry code and is never "
                         "read: save it with numpy.savez or safetensors",
                         file_name);
    if (!ends_in(status.name, ".npy")) return true;
    zip_file_t *entry = zip_fopen_index(archive, index, 0);
    if (!entry)
        return error_set(error, "%s: %s: cannot be unpacked: %s", file_name, status.name,
                         zip_strerror(archive));
    NpyStream stream = {read_entry, entry, status.valid & ZIP_STAT_SIZE ? status.size : 0};
    char label[400];
    size_t length = strlen(status.name) - 4;
    snprintf(label, sizeof label, "%.200s: %.*s", file_name, length < 150 ? (int)length : 150,
             status.name);
    bool good = arrays_read_npy(file, &stream, status.name, length, label, error);
    /* The checksum is found wrong only where all has been read. */
    unsigned char rest;
    if (good && zip_fread(entry, &rest, 1) < 0)
        good = error_set(error, "%s: %s: cannot be unpacked: %s; the file is damaged", file_name,
                         status.name, zip_file_strerror(entry));
    zip_fclose(entry);
    return good;
}

bool arrays_read_npz(Arrays *file, const void *bytes, size_t size, Error *error) {
    if (!zip_library_open(error)) return error_prefix(error, "%s", file->memory->file_name);
    zip_error_t reason;
    zip_error_init(&reason);
    zip_source_t *source = zip_source_buffer_create(bytes, size, 0, &reason);
    zip_t *archive = source ? zip_open_from_source(source, ZIP_RDONLY, &reason) : NULL;
    if (!archive) {
        error_set(error, "%s: is no whole zip archive: %s; the file is cut short or damaged",
                  file->memory->file_name, zip_error_strerror(&reason));
        if (source) zip_source_free(source);
        zip_error_fini(&reason);
        return false;
    }
    zip_error_fini(&reason);
    zip_int64_t count = zip_get_num_entries(archive, 0);
    bool good = true;
    for (zip_int64_t i = 0; good && i < count; i++)
        good = take_entry(file, archive, (zip_uint64_t)i, error);
    zip_discard(archive);
    return good;
}
