#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

#include "data/arrays/array_views_parts.h"
#include "data/files/zip_library.h"

/* Smaller ones are unpacked, which also checks their sums. */
enum { MAPPED_LEAST = 1 << 20 };
static const uint64_t unpacked_most = UINT64_C(1) << 31;

/* What is unpacked of any file, and more for each byte it has: deflate packs zeros a thousandfold,
 * and weights hardly tenfold. */
enum { UNPACKED_LEAST = 1 << 28, UNPACKED_EACH = 64 };

typedef struct Archive {
    ArrayViews *file;
    const char *name;
    zip_t *zip;
    uint64_t left; /* bytes that may still be unpacked */
} Archive;

static uint64_t little(const unsigned char *bytes, int count) {
    uint64_t value = 0;
    for (int i = count - 1; i >= 0; i--)
        value = value << 8 | bytes[i];
    return value;
}

/* Where the bytes of a stored entry lie: the local headers are walked from the file's beginning, as
 * libzip does not tell. NULL where they are not side by side with their sizes, as NumPy writes
 * them; then it is unpacked. */
static const unsigned char *find_stored(const ArrayViews *file, const char *name, uint64_t size) {
    size_t at = 0, length = strlen(name);
    while (file->size - at >= 30 && memcmp(file->bytes + at, "PK\3\4", 4) == 0) {
        const unsigned char *header = file->bytes + at;
        size_t left = file->size - at - 30;
        size_t name_length = (size_t)little(header + 26, 2);
        size_t extra = (size_t)little(header + 28, 2);
        uint64_t packed = little(header + 18, 4);
        if (name_length + extra > left) return NULL;
        left -= name_length + extra;
        const unsigned char *zip64 = header + 30 + name_length;
        if (packed == 0xFFFFFFFF && extra >= 20 && little(zip64, 2) == 1)
            packed = little(zip64 + 12, 8);
        if (packed > left || (header[6] & 8)) return NULL;
        if (name_length == length && memcmp(header + 30, name, length) == 0)
            return little(header + 8, 2) == 0 && packed == size ? zip64 + extra : NULL;
        at += 30 + name_length + extra + (size_t)packed;
    }
    return NULL;
}

/* What was unpacked need not stay in memory as it lies packed in the file, too. */
static bool read_all(const ArrayViews *file, zip_file_t *entry, unsigned char *bytes, size_t size) {
    enum { SOME = 1 << 24 };
    unsigned char rest;
    for (size_t done = 0; done < size;) {
        zip_int64_t some = zip_fread(entry, bytes + done, size - done < SOME ? size - done : SOME);
        if (some <= 0) return false;
        done += (size_t)some;
        if (some == SOME) array_views_done(file);
    }
    return zip_fread(entry, &rest, 1) == 0; /* a wrong sum is told only here */
}

/* A new block with all of the entry; NULL with *error. */
static unsigned char *unpack(Archive *archive, zip_uint64_t index, const char *label, size_t size,
                             Error *error) {
    zip_file_t *entry = zip_fopen_index(archive->zip, index, 0);
    unsigned char *bytes = entry ? malloc(size + 1) : NULL;
    if (!entry)
        error_set(error, "%s: cannot be unpacked: %s", label, zip_strerror(archive->zip));
    else if (!bytes)
        error_set(error, "%s: out of memory", label);
    if (bytes && !read_all(archive->file, entry, bytes, size)) {
        error_set(error, "%s: cannot be unpacked: %s; the file is damaged", label,
                  zip_file_strerror(entry));
        free(bytes);
        bytes = NULL;
    }
    if (entry) zip_fclose(entry);
    return bytes;
}

static bool take_unpacked(Archive *archive, zip_uint64_t index, const zip_stat_t *status,
                          const char *label, Error *error) {
    /* deflate packs at most 1032 to 1: a size beyond that is a lie */
    if (status->size > archive->left || status->size / 1100 > archive->file->size)
        return error_set(error,
                         "%s: unpacked, its %llu bytes are too many for so small a file; save it "
                         "with numpy.savez",
                         label, (unsigned long long)status->size);
    archive->left -= status->size;
    unsigned char *bytes = unpack(archive, index, label, (size_t)status->size, error);
    if (!bytes) return false;
    int before = archive->file->count;
    bool good = array_views_npy(archive->file, bytes, (size_t)status->size, status->name,
                                strlen(status->name) - 4, label, error);
    if (good && archive->file->count > before)
        archive->file->views[before].owned = bytes;
    else
        free(bytes);
    return good;
}

static bool ends_in(const char *name, const char *ending) {
    size_t length = strlen(name), end = strlen(ending);
    return length >= end && strcmp(name + length - end, ending) == 0;
}

/* Entries that are no arrays (folders, a desktop's own notes) are passed over. */
static bool take_entry(Archive *archive, zip_uint64_t index, Error *error) {
    zip_stat_t status;
    const zip_uint64_t needed = ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_METHOD;
    if (zip_stat_index(archive->zip, index, 0, &status) != 0 || (status.valid & needed) != needed)
        return error_set(error, "%s: entry %llu of the archive is damaged", archive->name,
                         (unsigned long long)index);
    if (ends_in(status.name, "data.pkl"))
        return error_set(error,
                         "%s: saved with torch.save (pickle), which can carry code and is never "
                         "read: save it with numpy.savez or safetensors",
                         archive->name);
    if (!ends_in(status.name, ".npy")) return true;
    char label[400];
    size_t length = strlen(status.name) - 4;
    snprintf(label, sizeof label, "%.200s: %.*s", archive->name, length < 150 ? (int)length : 150,
             status.name);
    const unsigned char *stored = NULL;
    if (status.comp_method == ZIP_CM_STORE && status.size >= MAPPED_LEAST)
        stored = find_stored(archive->file, status.name, status.size);
    if (!stored) return take_unpacked(archive, index, &status, label, error);
    return array_views_npy(archive->file, stored, (size_t)status.size, status.name, length, label,
                           error);
}

bool array_views_npz(ArrayViews *file, const char *name, Error *error) {
    if (!zip_library_open(error)) return error_prefix(error, "%s", name);
    zip_error_t reason;
    zip_error_init(&reason);
    zip_source_t *source = zip_source_buffer_create(file->bytes, file->size, 0, &reason);
    Archive archive = {.file = file, .name = name, .left = unpacked_most};
    if (file->size < (unpacked_most - UNPACKED_LEAST) / UNPACKED_EACH)
        archive.left = UNPACKED_LEAST + UNPACKED_EACH * (uint64_t)file->size;
    archive.zip = source ? zip_open_from_source(source, ZIP_RDONLY, &reason) : NULL;
    if (!archive.zip) {
        error_set(error, "%s: is no whole zip archive: %s; the file is cut short or damaged", name,
                  zip_error_strerror(&reason));
        if (source) zip_source_free(source);
        zip_error_fini(&reason);
        return false;
    }
    zip_error_fini(&reason);
    zip_int64_t count = zip_get_num_entries(archive.zip, 0);
    bool good = true;
    for (zip_int64_t i = 0; good && i < count; i++)
        good = take_entry(&archive, (zip_uint64_t)i, error);
    zip_discard(archive.zip);
    return good;
}
