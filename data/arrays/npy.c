#include "data/arrays/npy.h"

#include <stdlib.h>
#include <string.h>

/* A header is a line about one array: NumPy itself reads no longer one than 10000. */
enum { HEADER_MOST = 1 << 16, CHUNK = 1 << 16 };

/* Texts without a letter take no place in the file, but a newline each here. */
enum { EMPTY_MOST = 1 << 20 };

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
        if (header->rank == NPY_RANK || !take_length(literal, &length)) return false;
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
    int64_t letters;
    if (!take_length(&rest, &letters) || *rest.at || letters > INT64_C(1) << 31) return false;
    header->is_text = true;
    header->wide = *code == 'U';
    header->letters = (size_t)letters;
    header->item = header->letters * (header->wide ? 4 : 1);
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
    if (!header->item && header->count > EMPTY_MOST)
        return error_set(error, "%s: too large: %lld texts without a letter", name,
                         (long long)header->count);
    uint64_t items = header->item ? left / header->item : UINT64_MAX;
    if (items >= (uint64_t)header->count) return true;
    return error_set(error, "%s: %llu of %lld values; the file is cut short", name,
                     (unsigned long long)items, (long long)header->count);
}

bool npy_read_header(NpyHeader *header, NpyStream *stream, const char *name, Error *error) {
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
    if (length > HEADER_MOST)
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

/* --- numbers and texts ------------------------------------------------------------------------ */

/* Where the next number of a file in Fortran order (the first axis runs fastest) belongs. */
typedef struct Walk {
    int64_t index[NPY_RANK], stride[NPY_RANK], at;
} Walk;

static Walk walk_begin(const NpyHeader *header) {
    Walk walk = {0};
    int64_t stride = 1;
    for (int axis = header->rank - 1; axis >= 0; axis--) {
        walk.stride[axis] = stride;
        stride *= header->shape[axis];
    }
    return walk;
}

static void walk_on(Walk *walk, const NpyHeader *header) {
    if (!header->fortran) {
        walk->at++;
        return;
    }
    for (int axis = 0; axis < header->rank; axis++) {
        walk->at += walk->stride[axis];
        if (++walk->index[axis] < header->shape[axis]) return;
        walk->at -= walk->stride[axis] * header->shape[axis];
        walk->index[axis] = 0;
    }
}

static bool cut_short(const char *name, Error *error) {
    return error_set(error, "%s: the numbers end too early; the file is damaged", name);
}

bool npy_read_numbers(double *numbers, const NpyHeader *header, NpyStream *stream, const char *name,
                      Error *error) {
    unsigned char *chunk = malloc(CHUNK);
    if (!chunk) return error_set(error, "%s: out of memory", name);
    Walk walk = walk_begin(header);
    bool good = true;
    for (int64_t done = 0; good && done < header->count;) {
        int64_t some = (int64_t)(CHUNK / header->item);
        if (some > header->count - done) some = header->count - done;
        size_t bytes = (size_t)some * header->item;
        good = stream->read(stream->from, chunk, bytes) == bytes || cut_short(name, error);
        for (int64_t i = 0; good && i < some; i++, walk_on(&walk, header))
            numbers[walk.at] =
                number_at(chunk + (size_t)i * header->item, header->type, header->big_endian);
        done += some;
    }
    free(chunk);
    return good;
}

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

static uint32_t letter_at(const unsigned char *bytes, size_t index, const NpyHeader *header) {
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
    size_t letters = header->letters;
    while (letters > 0 && letter_at(bytes, letters - 1, header) == 0)
        letters--;
    for (size_t i = 0; i < letters; i++) {
        uint32_t code = letter_at(bytes, i, header);
        if (code == '\n' && header->count > 1) code = ' ';
        if (header->wide || code == 0)
            out = put_code(out, code);
        else
            *out++ = (char)code;
    }
    return out;
}

char *npy_read_texts(const NpyHeader *header, NpyStream *stream, const char *name, Error *error) {
    size_t count = (size_t)header->count;
    /* A letter takes at most 4 bytes (of S, a zero within becomes 3), a text a newline. */
    char *texts = malloc(count * (4 * header->letters + 1) + 1), *out = texts;
    unsigned char *item = malloc(count ? header->item + 1 : 1);
    bool good = texts && item;
    if (!good) error_set(error, "%s: out of memory", name);
    for (size_t i = 0; good && i < count; i++) {
        good = stream->read(stream->from, item, header->item) == header->item ||
               cut_short(name, error);
        if (!good) break;
        if (i > 0) *out++ = '\n';
        out = put_text(out, item, header);
    }
    free(item);
    if (good) {
        *out = '\0';
        return texts;
    }
    free(texts);
    return NULL;
}
