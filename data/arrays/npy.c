#include "data/arrays/npy.h"

#include <stdlib.h>
#include <string.h>

#include "data/arrays/array_formats.h"
#include "model/base/file_kind.h"

/* A header is a line about one array: NumPy itself reads no longer one than 10000. */
enum { HEADER_MAX = 1 << 16 };

/* Empty texts take no bytes in the file, but a newline each in memory. */
enum { EMPTY_MAX = 1 << 20 };

/* --- the literal ------------------------------------------------------------------------------ */

/* {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), } in any order. */
typedef struct Literal {
    const char *at;
} Literal;

static void skip_spaces(Literal *literal) {
    literal->at += strspn(literal->at, " \t\n");
}

static bool take(Literal *literal, char wanted) {
    skip_spaces(literal);
    if (*literal->at != wanted) return false;
    literal->at++;
    return true;
}

/* A string in either quotes, without escapes, shorter than `size`. */
static bool take_string(Literal *literal, char *string, size_t size) {
    skip_spaces(literal);
    char quote = *literal->at;
    if (quote != '\'' && quote != '"') return false;
    const char *end = strchr(++literal->at, quote);
    size_t length = end ? (size_t)(end - literal->at) : size;
    if (length >= size) return false;
    memcpy(string, literal->at, length);
    string[length] = '\0';
    literal->at = end + 1;
    return true;
}

static bool take_word(Literal *literal, const char *word) {
    skip_spaces(literal);
    size_t length = strlen(word);
    if (strncmp(literal->at, word, length) != 0) return false;
    literal->at += length;
    return true;
}

/* A whole number of at most 2^53; Python 2 wrote some with an L. */
static bool take_length(Literal *literal, int64_t *length) {
    skip_spaces(literal);
    *length = 0;
    const char *start = literal->at;
    for (; *literal->at >= '0' && *literal->at <= '9'; literal->at++) {
        *length = *length * 10 + (*literal->at - '0');
        if (*length > INT64_C(1) << 53) return false;
    }
    if (literal->at == start) return false;
    if (*literal->at == 'L') literal->at++;
    return true;
}

/* The lengths other than 0 have a product that fits: strides are made of them in any order. */
static bool take_shape(Literal *literal, NpyHeader *header) {
    if (!take(literal, '(')) return false;
    header->count = 1;
    int64_t product = 1;
    while (!take(literal, ')')) {
        int64_t length;
        if (header->rank == ARRAY_RANK || !take_length(literal, &length)) return false;
        if (length > 0 && product > (INT64_C(1) << 50) / length) return false;
        if (length > 0) product *= length;
        header->count *= length;
        header->shape[header->rank++] = length;
        if (!take(literal, ',') && !take(literal, ')')) return false;
        if (literal->at[-1] == ')') break;
    }
    return true;
}

/* --- types ------------------------------------------------------------------------------------ */

static bool number_type(NpyHeader *header, const char *code) {
    static const struct {
        const char *code;
        TensorType type;
    } types[] = {
        {"f2", TENSOR_F16}, {"f4", TENSOR_F32}, {"f8", TENSOR_F64}, {"i1", TENSOR_I8},
        {"i2", TENSOR_I16}, {"i4", TENSOR_I32}, {"i8", TENSOR_I64}, {"u1", TENSOR_U8},
        {"u2", TENSOR_U16}, {"u4", TENSOR_U32}, {"u8", TENSOR_U64}, {"b1", TENSOR_BOOL},
    };
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(code, types[i].code) == 0) {
            header->type = types[i].type;
            header->item = number_size(header->type);
            return true;
        }
    return false;
}

static bool text_type(NpyHeader *header, const char *code) {
    if (*code != 'U' && *code != 'S' && *code != 'a') return false;
    Literal rest = {code + 1};
    int64_t characters;
    if (!take_length(&rest, &characters) || *rest.at || characters > INT64_C(1) << 31) return false;
    header->is_text = true;
    header->wide = *code == 'U';
    header->characters = (size_t)characters;
    header->item = header->characters * (header->wide ? 4 : 1);
    return true;
}

/* `descr`, "<f4": byte order, kind, bytes. */
static bool read_type(NpyHeader *header, const char *descr, const char *name, Error *error) {
    const char *code = strchr("<>|=", *descr) && *descr ? descr + 1 : descr;
    header->big_endian = *descr == '>';
    if (number_type(header, code) || text_type(header, code)) return true;
    if (*code == 'O')
        return error_set(error,
                         "%s: an array of Python objects, saved with pickle, which is never read: "
                         "save it with numpy.savez of plain arrays",
                         name);
    if (*code == 'V')
        return error_set(error,
                         "%s: raw bytes (%s), as NumPy saves bfloat16: save it as float32 "
                         "(.float().numpy())",
                         name, descr);
    return error_set(error, "%s: number type %s is not read here; save it as float32", name, descr);
}

/* --- the header ------------------------------------------------------------------------------- */

static bool read_literal(NpyHeader *header, const char *text, const char *name, Error *error) {
    Literal literal = {text};
    char key[16], descr[32];
    bool has_descr = false, has_order = false, has_shape = false;
    if (!take(&literal, '{')) return error_set(error, "%s: the array's header is damaged", name);
    while (!take(&literal, '}')) {
        bool good = take_string(&literal, key, sizeof key) && take(&literal, ':');
        if (good && strcmp(key, "descr") == 0 && !has_descr) {
            if (take(&literal, '['))
                return error_set(error,
                                 "%s: a table with named columns: save each column as an array of "
                                 "its own",
                                 name);
            good = has_descr = take_string(&literal, descr, sizeof descr);
        } else if (good && strcmp(key, "fortran_order") == 0 && !has_order) {
            header->fortran = take_word(&literal, "True");
            good = has_order = header->fortran || take_word(&literal, "False");
        } else if (good && strcmp(key, "shape") == 0 && !has_shape) {
            good = has_shape = take_shape(&literal, header);
        } else {
            good = false;
        }
        if (!good) return error_set(error, "%s: the array's header is damaged", name);
        take(&literal, ',');
    }
    skip_spaces(&literal);
    if (*literal.at || !has_descr || !has_order || !has_shape)
        return error_set(error, "%s: the array's header is damaged", name);
    return read_type(header, descr, name, error);
}

static bool check_size(const NpyHeader *header, uint64_t left, const char *name, Error *error) {
    if (!header->item && header->count > EMPTY_MAX)
        return error_set(error, "%s: too large: %lld texts without a letter", name,
                         (long long)header->count);
    uint64_t items = header->item ? left / header->item : UINT64_MAX;
    if (items >= (uint64_t)header->count) return true;
    return error_set(error, "%s: %llu of %lld values; the file is cut short", name,
                     (unsigned long long)items, (long long)header->count);
}

static bool read_header(NpyHeader *header, NpyStream *stream, const char *name, Error *error) {
    unsigned char start[12];
    *header = (NpyHeader){0};
    if (stream->read(stream->from, start, 10) != 10 || memcmp(start, "\x93NUMPY", 6) != 0)
        return error_set(error, "%s: not a NumPy array", name);
    size_t used = 10, length = start[8] | (size_t)start[9] << 8;
    if (start[6] < 1 || start[6] > 3)
        return error_set(error, "%s: version %d of the npy format is not known", name, start[6]);
    if (start[6] > 1) {
        if (stream->read(stream->from, start + 10, 2) != 2)
            return error_set(error, "%s: the array's header is cut short", name);
        length |= (size_t)start[10] << 16 | (size_t)start[11] << 24;
        used = 12;
    }
    if (length > HEADER_MAX)
        return error_set(error, "%s: an array's header of %zu bytes; the file is damaged", name,
                         length);
    char *text = calloc(length + 1, 1);
    if (!text) return error_set(error, "%s: out of memory", name);
    bool good = stream->read(stream->from, text, length) == length;
    if (!good)
        error_set(error, "%s: the array's header is cut short", name);
    else if (strlen(text) != length)
        good = error_set(error, "%s: the array's header is damaged", name);
    good = good && read_literal(header, text, name, error);
    free(text);
    used += length;
    return good && check_size(header, stream->size > used ? stream->size - used : 0, name, error);
}

/* --- texts --------------------------------------------------------------------------------------
 */

/* `code` as UTF-8, at most 4 bytes, after which `out` goes on. */
static char *put_code(char *out, uint32_t code) {
    if (code == 0 || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) code = 0xFFFD;
    if (code < 0x80) {
        *out++ = (char)code;
    } else if (code < 0x800) {
        *out++ = (char)(0xC0 | code >> 6);
    } else if (code < 0x10000) {
        *out++ = (char)(0xE0 | code >> 12);
    } else {
        *out++ = (char)(0xF0 | code >> 18);
        *out++ = (char)(0x80 | (code >> 12 & 63));
    }
    if (code >= 0x800) *out++ = (char)(0x80 | (code >> 6 & 63));
    if (code >= 0x80) *out++ = (char)(0x80 | (code & 63));
    return out;
}

static uint32_t character_at(const unsigned char *bytes, size_t index, const NpyHeader *header) {
    if (!header->wide) return bytes[index];
    const unsigned char *at = bytes + 4 * index;
    uint32_t code = 0;
    for (int i = 0; i < 4; i++)
        code = code << 8 | at[header->big_endian ? i : 3 - i];
    return code;
}

/* One text without the zeros that fill it up. A text alone may have lines; among others they would
 * look like more texts. Bytes are taken as they are: they are mostly UTF-8 already. */
static char *put_text(char *out, const unsigned char *bytes, const NpyHeader *header) {
    size_t characters = header->characters;
    while (characters > 0 && character_at(bytes, characters - 1, header) == 0)
        characters--;
    for (size_t i = 0; i < characters; i++) {
        uint32_t code = character_at(bytes, i, header);
        if (code == '\n' && header->count > 1) code = ' ';
        if (header->wide || code == 0)
            out = put_code(out, code);
        else
            *out++ = (char)code;
    }
    return out;
}

/* --- the array -------------------------------------------------------------------------------- */

/* The texts of the array, parted by newlines, in the file's order; NULL without memory. */
static char *make_texts(const NpyHeader *header, const unsigned char *bytes) {
    size_t count = (size_t)header->count;
    /* A character takes at most 4 bytes (in S, an inner zero becomes 3), a text a newline. */
    char *texts = malloc(count * (4 * header->characters + 1) + 1), *out = texts;
    for (size_t i = 0; texts && i < count; i++) {
        if (i > 0) *out++ = '\n';
        out = put_text(out, bytes + i * header->item, header);
    }
    if (texts) *out = '\0';
    return texts;
}

static bool is_large_text(const NpyHeader *header) {
    return header->count > ARRAY_TEXT_STRINGS ||
           (uint64_t)header->count * header->item > ARRAY_TEXT_BYTES;
}

Array *npy_begin(Arrays *file, NpyHeader *header, NpyStream *stream, const char *name,
                 size_t length, const char *label, Error *error) {
    Array *array = arrays_add(file, name, length, error);
    if (!array || !read_header(header, stream, label, error)) return NULL;
    array_set_shape(array, header->shape, header->rank, header->fortran);
    array->type = header->type;
    array->big_endian = header->big_endian;
    array->is_text = header->is_text;
    bool loads = file->left >= 0;
    header->skipped = header->is_text && !loads && is_large_text(header);
    int64_t each = header->is_text ? (int64_t)header->characters + 1 : 1;
    int64_t amount = header->count > INT64_MAX / each ? INT64_MAX : header->count * each;
    return arrays_take(file, array, amount, error) ? array : NULL;
}

bool npy_end(Array *array, const NpyHeader *header, const unsigned char *bytes, const char *label,
             Error *error) {
    array->bytes = header->is_text ? NULL : bytes;
    if (!header->is_text || header->skipped) return true;
    array->text = make_texts(header, bytes);
    return array->text || error_set(error, "%s: out of memory", label);
}

typedef struct BytesLeft {
    const unsigned char *at;
    size_t size;
} BytesLeft;

static size_t read_bytes(void *from, void *bytes, size_t size) {
    BytesLeft *left = from;
    if (size > left->size) size = left->size;
    if (size) memcpy(bytes, left->at, size);
    left->at += size;
    left->size -= size;
    return size;
}

bool npy_add(Arrays *file, const unsigned char *bytes, size_t size, const char *name, size_t length,
             const char *label, Error *error) {
    BytesLeft left = {bytes, size};
    NpyStream stream = {read_bytes, &left, size};
    NpyHeader header;
    Array *array = npy_begin(file, &header, &stream, name, length, label, error);
    return array && npy_end(array, &header, left.at, label, error);
}

/* --- the format ------------------------------------------------------------------------------- */

static bool sniff(const unsigned char *bytes, size_t size) {
    return file_kind(bytes, size) == FILE_NPY;
}

/* "folder/maps.npy" is named "maps". */
static bool open_file(Arrays *file, Error *error) {
    const char *slash = strrchr(file->file_name, '/'), *name = slash ? slash + 1 : file->file_name;
    size_t length = strlen(name);
    if (length > 4 && strcmp(name + length - 4, ".npy") == 0) length -= 4;
    return npy_add(file, file->bytes, file->size, name, length, file->file_name, error);
}

const ArrayFormat array_format_npy = {".npy", sniff, open_file};
