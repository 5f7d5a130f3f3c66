/* Dumps of attention as somebody may have saved them, made from bytes: any of the names that are
 * read, in shapes that agree but for some mistakes, and options of the call. What is read must be
 * judged without a read outside, and what is refused must be refused in one line. */
#ifndef HEADSCOPE_TESTS_FUZZ_HELPER_DUMP_H
#define HEADSCOPE_TESTS_FUZZ_HELPER_DUMP_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/check/dump.h"

#define HELPER __attribute__((unused)) static

enum { RANDOM_HEADER = 8192, RANDOM_NUMBERS = 1 << 14, RANDOM_AXES = 6 };

typedef struct RandomBytes {
    const uint8_t *at;
    size_t left;
} RandomBytes;

/* The next byte, below `most`; 0 past the end. */
HELPER int random_below(RandomBytes *bytes, int most) {
    if (bytes->left == 0) return 0;
    bytes->left--;
    return *bytes->at++ % most;
}

/* The letters of app/check/dump_readings.c, one of several ways. */
typedef struct RandomPart {
    const char *name;
    const char *ways[5];
    int way_count;
} RandomPart;

static const RandomPart random_parts[] = {
    {"x_query", {"BQW", "QW", "QBW"}, 3},
    {"x_key_value", {"BKW", "KW", "KBW"}, 3},
    {"w_q", {"WW"}, 1},
    {"w_k", {"WW"}, 1},
    {"w_v", {"WW"}, 1},
    {"w_o", {"WW"}, 1},
    {"b_q", {"W"}, 1},
    {"b_k", {"W"}, 1},
    {"b_v", {"W"}, 1},
    {"b_o", {"W"}, 1},
    {"in_proj_weight", {"TW"}, 1},
    {"in_proj_bias", {"T"}, 1},
    {"query", {"BHQD", "BQW", "FQD", "HQD", "QW"}, 5},
    {"key", {"BHKD", "BKW", "FKD", "HKD", "KW"}, 5},
    {"value", {"BHKD", "BKW", "FKD", "HKD", "KW"}, 5},
    {"weights", {"BHQK", "FQK", "BQK", "HQK", "BHKQ"}, 5},
    {"context", {"BHQD", "BQW", "FQD", "HQD", "QW"}, 5},
    {"output", {"BQW", "QW"}, 2},
    {"valid_lens", {"B", "BQ", ""}, 3},
    {"heads", {""}, 1},
    {"causal", {""}, 1},
};

typedef struct RandomFile {
    char header[RANDOM_HEADER];
    double numbers[RANDOM_NUMBERS];
    size_t count;
} RandomFile;

HELPER int random_length(const int sizes[5], char letter) {
    int b = sizes[0], h = sizes[1], q = sizes[2], k = sizes[3], d = sizes[4];
    switch (letter) {
    case 'B':
        return b;
    case 'H':
        return h;
    case 'Q':
        return q;
    case 'K':
        return k;
    case 'D':
        return d;
    case 'W':
        return h * d;
    case 'T':
        return 3 * h * d;
    default:
        return b * h;
    }
}

HELPER double random_number(RandomBytes *bytes, const char *name, const int sizes[5],
                            uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    if (strcmp(name, "causal") == 0) return random_below(bytes, 2);
    if (strcmp(name, "heads") == 0) return random_below(bytes, 8) ? sizes[1] : 3;
    if (strcmp(name, "valid_lens") == 0) return random_below(bytes, sizes[3] + 1);
    if (*seed >> 20 == 7) return *seed & 1024 ? (double)NAN : (double)INFINITY;
    return ((double)(*seed >> 16) - 32768) / 16384;
}

/* Adds a part; its shape is right, or, of a wild dump, may have an axis changed, dropped or added.
 */
HELPER void random_add(RandomFile *file, RandomBytes *bytes, const RandomPart *part,
                       const int sizes[5], bool wild) {
    bool first = !wild && sizes[0] > 1 && random_below(bytes, 8);
    const char *axes = part->ways[first ? 0 : random_below(bytes, part->way_count)];
    int shape[RANDOM_AXES], rank = 0, change = wild ? random_below(bytes, 24) : 0;
    size_t numbers = 1;
    for (; *axes; axes++)
        shape[rank++] = random_length(sizes, *axes);
    int axis = rank ? random_below(bytes, rank) : 0;
    if (change == 1 && rank) shape[axis] += 1 + random_below(bytes, 3);
    if (change == 2 && rank) shape[axis] -= random_below(bytes, 2);
    if (change == 3 && rank) rank--;
    if (change == 4) shape[rank++] = 1 + random_below(bytes, 3);
    for (int i = 0; i < rank; i++)
        numbers *= (size_t)shape[i];
    if (file->count + numbers > RANDOM_NUMBERS) return;
    size_t used = strlen(file->header);
    used += (size_t)snprintf(file->header + used, RANDOM_HEADER - used,
                             "%s\"%s\":{\"dtype\":\"F64\",\"shape\":[", used > 1 ? "," : "",
                             part->name);
    for (int i = 0; i < rank; i++)
        used += (size_t)snprintf(file->header + used, RANDOM_HEADER - used, "%s%d", i ? "," : "",
                                 shape[i]);
    snprintf(file->header + used, RANDOM_HEADER - used, "],\"data_offsets\":[%zu,%zu]}",
             8 * file->count, 8 * (file->count + numbers));
    uint32_t seed = (uint32_t)random_below(bytes, 256);
    bool ones = random_below(bytes, 8) == 0;
    for (size_t i = 0; i < numbers; i++)
        file->numbers[file->count++] = ones ? 1 : random_number(bytes, part->name, sizes, &seed);
}

HELPER DumpOptions random_options(RandomBytes *bytes, const int sizes[5]) {
    static const char *const sites[] = {NULL, NULL, "self", "encoder", "decoder", "cross"};
    static const char *const layouts[] = {NULL, NULL, NULL, "BTW", "BHTD", "FTD"};
    static const char *const lens[] = {NULL, NULL, NULL, "2", "2,1", "1,2,3"};
    DumpOptions options = {.heads = random_below(bytes, 2) ? sizes[1] : 0};
    options.site = sites[random_below(bytes, 6)];
    options.layout = layouts[random_below(bytes, 6)];
    options.valid_lens = lens[random_below(bytes, 6)];
    int causal = random_below(bytes, 6);
    options.causal = causal == 1;
    options.unmasked = causal == 2;
    return options;
}

HELPER void random_must(bool always) {
    if (!always) abort();
}

HELPER void random_check_place(const Dump *dump, DoctorPlace place) {
    AttentionSizes n = dump->sizes;
    random_must(place.example < n.batch && place.head < (n.heads > 0 ? n.heads : 1));
    random_must(place.query < n.queries && place.key < n.keys);
}

/* Returns whether the dump was read and judged. */
HELPER bool random_examine(Arrays *arrays, const DumpOptions *options) {
    DumpFile file;
    Diagnosis diagnosis = {0};
    Error error = {0};
    if (!dump_read(&file, arrays, "f", options, &error)) {
        random_must(error.kind == ERROR_USAGE && strncmp(error.text, "f: ", 3) == 0);
        random_must(error.text[3] && !strchr(error.text, '\n'));
        return false;
    }
    bool judged = doctor_examine(&diagnosis, &file.dump, &error);
    random_must(judged || (error.kind == ERROR_USAGE && error.text[0]));
    for (int i = 0; judged && i < STAGES; i++)
        random_check_place(&file.dump, diagnosis.stages[i].place);
    for (int i = 0; judged && i < diagnosis.remark_count; i++)
        random_check_place(&file.dump, diagnosis.remarks[i].place);
    diagnosis_free(&diagnosis);
    dump_close(&file);
    return judged;
}

/* One dump of these bytes, through the reader and the doctor. */
HELPER bool random_dump(const uint8_t *data, size_t size) {
    RandomBytes bytes = {data, size};
    int sizes[5];
    for (int i = 0; i < 5; i++)
        sizes[i] = 1 + random_below(&bytes, i == 3 ? 6 : 4);
    if (random_below(&bytes, 2)) sizes[3] = sizes[2];
    DumpOptions options = random_options(&bytes, sizes);
    RandomFile *file = malloc(sizeof *file);
    if (!file) return false;
    strcpy(file->header, "{");
    file->count = 0;
    bool stacked = random_below(&bytes, 4) == 0;
    bool wild = random_below(&bytes, 3) == 0;
    int share = 1 + random_below(&bytes, 4); /* of 5 */
    for (size_t i = 0; i < sizeof random_parts / sizeof random_parts[0]; i++) {
        const char *name = random_parts[i].name;
        bool of_stack = strncmp(name, "in_proj", 7) == 0,
             of_three = strchr("wb", name[0]) && name[1] == '_' && name[2] != 'o';
        if (stacked ? of_three : of_stack) continue;
        if (random_below(&bytes, 5) < share)
            random_add(file, &bytes, &random_parts[i], sizes, wild);
    }
    strcat(file->header, "}");
    size_t length = strlen(file->header), whole = 8 + length + 8 * file->count;
    uint8_t *image = calloc(whole, 1);
    bool judged = false;
    Arrays arrays;
    Error error = {0};
    for (int i = 0; image && i < 4; i++)
        image[i] = (uint8_t)(length >> (8 * i) & 255);
    if (image) memcpy(image + 8, file->header, length);
    if (image) memcpy(image + 8 + length, file->numbers, 8 * file->count);
    if (image && arrays_from_bytes(&arrays, "f", image, whole, 1 << 20, &error))
        judged = random_examine(&arrays, &options);
    free(image);
    free(file);
    return judged;
}

#endif
