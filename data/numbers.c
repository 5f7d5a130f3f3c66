#include "data/numbers.h"

#include <math.h>
#include <stdint.h>
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
