#include "data/files/numbers.h"

#include "model/base/floats.h"
#include "model/base/minmax.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
    size_t size;
    bool whole;
} types[TENSOR_TYPES] = {
    [TENSOR_F32] = {4, false},  [TENSOR_F64] = {8, false}, [TENSOR_F16] = {2, false},
    [TENSOR_BF16] = {2, false}, [TENSOR_I8] = {1, true},   [TENSOR_I16] = {2, true},
    [TENSOR_I32] = {4, true},   [TENSOR_I64] = {8, true},  [TENSOR_U8] = {1, true},
    [TENSOR_U16] = {2, true},   [TENSOR_U32] = {4, true},  [TENSOR_U64] = {8, true},
    [TENSOR_BOOL] = {1, true},
};

size_t number_size(TensorType type) {
    return types[type].size;
}

bool number_is_whole(TensorType type) {
    return types[type].whole;
}

/* IEEE 754's binary16. */
static double half_value(uint64_t bits) {
    int exponent = (int)(bits >> 10 & 31), fraction = (int)(bits & 1023);
    double sign = bits >> 15 ? -1 : 1;
    if (exponent == 0) return sign * ldexp(fraction, -24);
    if (exponent == 31) return fraction ? (double)NAN : sign * (double)INFINITY;
    return sign * ldexp(fraction + 1024, exponent - 25);
}

static double single_value(uint64_t bits) {
    uint32_t word = (uint32_t)bits;
    float value;
    memcpy(&value, &word, sizeof value);
    return (double)value;
}

static double double_value(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Two's complement of `size` bytes. */
static double signed_value(uint64_t bits, size_t size) {
    uint64_t sign = UINT64_C(1) << (8 * size - 1);
    if (!(bits & sign)) return (double)bits;
    return -(double)((~bits & (sign - 1)) + 1);
}

double number_at(const unsigned char *bytes, TensorType type, bool big_endian) {
    size_t size = types[type].size;
    uint64_t bits = 0;
    for (size_t i = 0; i < size; i++)
        bits = bits << 8 | bytes[big_endian ? i : size - 1 - i];
    switch (type) {
    case TENSOR_F32:
        return single_value(bits);
    case TENSOR_F64:
        return double_value(bits);
    case TENSOR_F16:
        return half_value(bits);
    case TENSOR_BF16:
        return single_value(bits << 16);
    case TENSOR_I8:
    case TENSOR_I16:
    case TENSOR_I32:
    case TENSOR_I64:
        return signed_value(bits, size);
    case TENSOR_BOOL:
        return bits != 0;
    default:
        return (double)bits;
    }
}

/* --- many at once ----------------------------------------------------------------------------- */

bool numbers_host_is_little(void) {
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1;
}

/* Contiguous numbers in the byte order of this machine. */
static void read_native(float *out, const unsigned char *bytes, TensorType type, size_t count) {
    switch (type) {
    case TENSOR_F32:
        memcpy(out, bytes, count * sizeof *out);
        return;
    case TENSOR_F64:
        SIMD_PICK(floats_from_doubles)(out, bytes, count);
        return;
    case TENSOR_F16:
        SIMD_PICK(floats_from_halves)(out, bytes, count);
        return;
    case TENSOR_BF16:
        SIMD_PICK(floats_from_bfloats)(out, bytes, count);
        return;
    default:
        break;
    }
    for (size_t i = 0; i < count; i++)
        out[i] = (float)number_at(bytes + i * types[type].size, type, !numbers_host_is_little());
}

/* Copies numbers that lie `step` bytes apart into a contiguous array, swapping bytes if `swap`. */
static void gather(unsigned char *out, const unsigned char *bytes, ptrdiff_t step, size_t size,
                   bool swap, size_t count) {
    for (size_t i = 0; i < count; i++, bytes += step, out += size) {
        uint64_t eight;
        uint32_t four;
        uint16_t two;
        switch (size) {
        case 8:
            memcpy(&eight, bytes, size);
            if (swap) eight = __builtin_bswap64(eight);
            memcpy(out, &eight, size);
            break;
        case 4:
            memcpy(&four, bytes, size);
            if (swap) four = __builtin_bswap32(four);
            memcpy(out, &four, size);
            break;
        case 2:
            memcpy(&two, bytes, size);
            if (swap) two = __builtin_bswap16(two);
            memcpy(out, &two, size);
            break;
        default:
            *out = *bytes;
        }
    }
}

void numbers_read(float *out, const unsigned char *bytes, TensorType type, bool big_endian,
                  ptrdiff_t stride, size_t count) {
    enum { SOME = 128 };
    unsigned char gathered[8 * SOME];
    bool swap = big_endian == numbers_host_is_little();
    size_t size = types[type].size;
    if (stride == 1 && !swap) {
        read_native(out, bytes, type, count);
        return;
    }
    for (size_t done = 0; done < count; done += SOME) {
        size_t some = size_min(count - done, SOME);
        gather(gathered, bytes + (ptrdiff_t)(done * size) * stride, (ptrdiff_t)size * stride, size,
               swap, some);
        read_native(out + done, gathered, type, some);
    }
}

void numbers_shape_text(const int64_t *shape, int rank, char *text) {
    size_t used = (size_t)snprintf(text, SHAPE_TEXT, "(");
    for (int i = 0; i < rank && used < SHAPE_TEXT; i++)
        used += (size_t)snprintf(text + used, SHAPE_TEXT - used, i ? ", %lld" : "%lld",
                                 (long long)shape[i]);
    if (used < SHAPE_TEXT) snprintf(text + used, SHAPE_TEXT - used, ")");
}
