/* NumPy's .npz: a zip of .npy arrays. Entries that are stored and large stay where they lie in the
 * file; the others are unpacked. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

#include "data/arrays/array_formats.h"
#include "data/arrays/npy.h"
#include "data/files/zip_library.h"
#include "model/base/file_kind.h"
#include "model/base/minmax.h"

/* Smaller ones are unpacked, which also checks their sums. */
enum { STORED_MIN = 1 << 20 };

/* What is unpacked of any file whose numbers have no other bound, and more for each byte it has:
 * deflate packs zeros a thousandfold, and weights hardly tenfold. */
enum { UNPACKED_MIN = 1 << 28, UNPACKED_EACH = 64 };
static const uint64_t unpacked_max = UINT64_C(1) << 31;

typedef struct Archive {
    Arrays *file;
    zip_t *zip;
    uint64_t left; /* bytes that may still be unpacked */
} Archive;

/* --- stored entries --------------------------------------------------------------------------- */

static uint64_t little(const unsigned char *bytes, int count) {
    uint64_t value = 0;
    for (int i = count - 1; i >= 0; i--)
        value = value << 8 | bytes[i];
    return value;
}

/* Where the bytes of a stored entry lie: the local headers are walked from the file's beginning, as
 * libzip does not tell. NULL where they are not side by side with their sizes, as NumPy writes
 * them; then it is unpacked. */
static const unsigned char *find_stored(const Arrays *file, const char *name, uint64_t size) {
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

/* --- unpacked entries ------------------------------------------------------------------------- */

/* An entry being unpacked; the pages of the file that were read are dropped. */
typedef struct Entry {
    const Arrays *file;
    zip_file_t *zip;
} Entry;

static size_t read_entry(void *from, void *bytes, size_t size) {
    enum { CHUNK = 1 << 24 };
    const Entry *entry = from;
    size_t done = 0;
    while (done < size) {
        size_t chunk = size_min(size - done, CHUNK);
        zip_int64_t some = zip_fread(entry->zip, (char *)bytes + done, chunk);
        if (some <= 0) break;
        done += (size_t)some;
        if (some == CHUNK) arrays_drop_pages(entry->file);
    }
    return done;
}

static bool damaged(const Entry *entry, const char *name, Error *error) {
    return error_set(error, "%s: %s: cannot be unpacked: %s; the file is damaged",
                     entry->file->file_name, name, zip_file_strerror(entry->zip));
}

/* Unpacks the numbers or characters after the header into a new block. */
static bool unpack_body(Entry *entry, Array *array, const NpyHeader *header, const char *name,
                        const char *label, Error *error) {
    size_t size = header->skipped ? 0 : (size_t)header->count * header->item;
    unsigned char *bytes = malloc(size + 1), rest;
    if (!bytes) return error_set(error, "%s: out of memory", label);
    /* libzip reports a wrong checksum only past the end. */
    bool good = (read_entry(entry, bytes, size) == size && zip_fread(entry->zip, &rest, 1) >= 0) ||
                damaged(entry, name, error);
    good = good && npy_end(array, header, bytes, label, error);
    if (good && array->bytes)
        array->owned = bytes;
    else
        free(bytes);
    return good;
}

/* Unpacks the numbers of a loaded array chunk by chunk into doubles, so that they are never in
 * memory twice. */
static bool load_body(Entry *entry, Array *array, const NpyHeader *header, const char *name,
                      const char *label, Error *error) {
    enum { CHUNK = 1 << 16 };
    unsigned char chunk[CHUNK], rest;
    double *numbers = array_room(array);
    if (!numbers) return error_set(error, "%s: out of memory", label);
    array->numbers = numbers;
    for (int64_t done = 0, some; done < array->count; done += some) {
        some = CHUNK / (int64_t)header->item;
        if (some > array->count - done) some = array->count - done;
        size_t bytes = (size_t)some * header->item;
        Array part = {.type = array->type, .big_endian = array->big_endian, .count = 1};
        array_set_shape(&part, &some, 1, false);
        part.bytes = chunk;
        if (read_entry(entry, chunk, bytes) != bytes) return damaged(entry, name, error);
        array_read_double(&part, numbers + done);
    }
    return zip_fread(entry->zip, &rest, 1) >= 0 || damaged(entry, name, error);
}

static bool add_unpacked(Archive *archive, zip_uint64_t index, const zip_stat_t *status,
                         const char *label, Error *error) {
    Arrays *file = archive->file;
    /* deflate compresses at most 1032 to 1, so a larger size is wrong */
    if (file->left < 0 && (status->size > archive->left || status->size / 1100 > file->size))
        return error_set(error,
                         "%s: unpacked, its %llu bytes are too many for so small a file; save it "
                         "with numpy.savez",
                         label, (unsigned long long)status->size);
    archive->left -= status->size;
    Entry entry = {file, zip_fopen_index(archive->zip, index, 0)};
    if (!entry.zip)
        return error_set(error, "%s: %s: cannot be unpacked: %s", file->file_name, status->name,
                         zip_strerror(archive->zip));
    NpyStream stream = {read_entry, &entry, status->size};
    NpyHeader header;
    Array *array =
        npy_begin(file, &header, &stream, status->name, strlen(status->name) - 4, label, error);
    bool in_order = !header.fortran || header.rank < 2;
    bool good = array && (file->left >= 0 && !header.is_text && in_order
                              ? load_body(&entry, array, &header, status->name, label, error)
                              : unpack_body(&entry, array, &header, status->name, label, error));
    zip_fclose(entry.zip);
    return good;
}

/* --- the archive ------------------------------------------------------------------------------ */

static bool ends_in(const char *name, const char *ending) {
    size_t length = strlen(name), end = strlen(ending);
    return length >= end && strcmp(name + length - end, ending) == 0;
}

/* Entries that are no arrays, such as folders, are skipped. */
static bool add_entry(Archive *archive, zip_uint64_t index, Error *error) {
    const char *file_name = archive->file->file_name;
    zip_stat_t status;
    const zip_uint64_t needed = ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_METHOD;
    if (zip_stat_index(archive->zip, index, 0, &status) != 0 || (status.valid & needed) != needed)
        return error_set(error, "%s: entry %llu of the archive is damaged", file_name,
                         (unsigned long long)index);
    if (ends_in(status.name, "data.pkl"))
        return error_set(error,
                         "%s: saved with torch.save (pickle), which can carry code and is never "
                         "read: save it with numpy.savez or safetensors",
                         file_name);
    if (!ends_in(status.name, ".npy")) return true;
    char label[400];
    size_t length = strlen(status.name) - 4;
    snprintf(label, sizeof label, "%.200s: %.*s", file_name, length < 150 ? (int)length : 150,
             status.name);
    const unsigned char *stored = NULL;
    if (status.comp_method == ZIP_CM_STORE && status.size >= STORED_MIN && archive->file->left < 0)
        stored = find_stored(archive->file, status.name, status.size);
    if (!stored) return add_unpacked(archive, index, &status, label, error);
    return npy_add(archive->file, stored, (size_t)status.size, status.name, length, label, error);
}

static bool open_file(Arrays *file, Error *error) {
    if (!zip_library_open(error)) return error_prefix(error, "%s", file->file_name);
    zip_error_t reason;
    zip_error_init(&reason);
    zip_source_t *source = zip_source_buffer_create(file->bytes, file->size, 0, &reason);
    Archive archive = {.file = file, .left = unpacked_max};
    if (file->size < (unpacked_max - UNPACKED_MIN) / UNPACKED_EACH)
        archive.left = UNPACKED_MIN + UNPACKED_EACH * (uint64_t)file->size;
    archive.zip = source ? zip_open_from_source(source, ZIP_RDONLY, &reason) : NULL;
    if (!archive.zip) {
        error_set(error, "%s: is no whole zip archive: %s; the file is cut short or damaged",
                  file->file_name, zip_error_strerror(&reason));
        if (source) zip_source_free(source);
        zip_error_fini(&reason);
        return false;
    }
    zip_error_fini(&reason);
    zip_int64_t count = zip_get_num_entries(archive.zip, 0);
    bool good = true;
    for (zip_int64_t i = 0; good && i < count; i++)
        good = add_entry(&archive, (zip_uint64_t)i, error);
    zip_discard(archive.zip);
    return good;
}

static bool sniff(const unsigned char *bytes, size_t size) {
    return file_kind(bytes, size) == FILE_ZIP;
}

const ArrayFormat array_format_npz = {".npz", sniff, open_file};
