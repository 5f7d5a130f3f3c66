#include "app/check/dump_readings.h"

#include <stdio.h>
#include <string.h>

#define TIME_FIRST                                                                                 \
    "it looks like [steps, batch, width] (batch_first=False): save %s.transpose(0, 1)"
#define HEADS_LAST                                                                                 \
    "it looks like [batch, steps, heads, width/heads], as before the transpose: save "             \
    "%s.transpose(1, 2)"

/* Tensors of keys have the readings of those of queries with K for Q. */
static const AxesReading source_readings[] = {
    {.axes = "BQW"},
    {.axes = "QW", .one = true},
    {.axes = "QBW", .mend = TIME_FIRST},
    {0},
};
static const AxesReading key_source_readings[] = {
    {.axes = "BKW"},
    {.axes = "KW", .one = true},
    {.axes = "KBW", .mend = TIME_FIRST},
    {0},
};
static const AxesReading query_readings[] = {
    {.axes = "BHQD", .split = true},
    {.axes = "BQW", .layout = "BTW"},
    {.axes = "FQD", .split = true, .layout = "FTD"},
    {.axes = "HQD", .split = true, .one = true, .layout = "BHTD"},
    {.axes = "QW", .one = true},
    {.axes = "QBW", .mend = TIME_FIRST},
    {.axes = "BQHD", .split = true, .mend = HEADS_LAST},
    {0},
};
static const AxesReading key_readings[] = {
    {.axes = "BHKD", .split = true},
    {.axes = "BKW", .layout = "BTW"},
    {.axes = "FKD", .split = true, .layout = "FTD"},
    {.axes = "HKD", .split = true, .one = true, .layout = "BHTD"},
    {.axes = "KW", .one = true},
    {.axes = "KBW", .mend = TIME_FIRST},
    {.axes = "BKHD", .split = true, .mend = HEADS_LAST},
    {0},
};
static const AxesReading weights_readings[] = {
    {.axes = "BHQK"},
    {.axes = "FQK", .layout = "FTD"},
    {.axes = "BQK", .averaged = true, .layout = "BTW"},
    {.axes = "HQK", .one = true, .layout = "BHTD"},
    {.axes = "QK", .one = true, .averaged = true},
    {.axes = "BHKQ", .transposed = true},
    {.axes = "FKQ", .transposed = true, .layout = "FTD"},
    {.axes = "BKQ", .transposed = true, .averaged = true, .layout = "BTW"},
    {.axes = "KQ", .transposed = true, .one = true, .averaged = true},
    {0},
};
static const AxesReading square_readings[] = {{.axes = "WW"}, {0}};
static const AxesReading bias_readings[] = {{.axes = "W"}, {0}};
static const AxesReading lens_readings[] = {
    {.axes = "B"}, {.axes = "BQ"}, {.axes = "", .one = true}, {0}};

static const AxesReading *const readings_of[SHAPED] = {
    [DUMP_X_QUERY] = source_readings, [DUMP_X_KEY_VALUE] = key_source_readings,
    [DUMP_W_Q] = square_readings,     [DUMP_W_K] = square_readings,
    [DUMP_W_V] = square_readings,     [DUMP_W_O] = square_readings,
    [DUMP_B_Q] = bias_readings,       [DUMP_B_K] = bias_readings,
    [DUMP_B_V] = bias_readings,       [DUMP_B_O] = bias_readings,
    [DUMP_QUERY] = query_readings,    [DUMP_KEY] = key_readings,
    [DUMP_VALUE] = key_readings,      [DUMP_WEIGHTS] = weights_readings,
    [DUMP_CONTEXT] = query_readings,  [DUMP_OUTPUT] = source_readings,
    [SHAPED_LENS] = lens_readings,
};

static const int order[SHAPED] = {
    DUMP_X_QUERY, DUMP_X_KEY_VALUE, DUMP_QUERY,   DUMP_KEY,     DUMP_VALUE, DUMP_W_Q,
    DUMP_W_K,     DUMP_W_V,         DUMP_W_O,     DUMP_B_Q,     DUMP_B_K,   DUMP_B_V,
    DUMP_B_O,     DUMP_OUTPUT,      DUMP_WEIGHTS, DUMP_CONTEXT, SHAPED_LENS};

const AxesReading *dump_readings(int tensor) {
    return readings_of[tensor];
}

int dump_reading_order(int index) {
    return order[index];
}

bool dump_check_ranks(const Shaped shaped[SHAPED], Error *error) {
    for (int i = 0; i < SHAPED; i++) {
        if (!shaped[i].name) continue;
        bool fits = false;
        char readings[120] = "";
        for (const AxesReading *reading = readings_of[i]; reading->axes; reading++) {
            fits = fits || (int)strlen(reading->axes) == shaped[i].rank;
            if (reading->mend || reading->transposed) continue;
            size_t used = strlen(readings);
            snprintf(readings + used, sizeof readings - used, "%s[%s]", used ? ", " : "",
                     reading->axes);
        }
        if (!fits)
            return error_usage(error, "%s %s: it has %d ax%ss; it is read as one of %s",
                               shaped[i].name, shaped[i].text, shaped[i].rank,
                               shaped[i].rank == 1 ? "i" : "e", readings);
        for (int axis = 0; axis < shaped[i].rank; axis++) {
            if (shaped[i].shape[axis] == 0)
                return error_usage(error, "%s %s: it is empty: there is nothing to check",
                                   shaped[i].name, shaped[i].text);
            if (shaped[i].shape[axis] > 1 << 20)
                return error_usage(error, "%s %s: axis %d is too long: at most %d are read",
                                   shaped[i].name, shaped[i].text, axis, 1 << 20);
        }
    }
    return true;
}
