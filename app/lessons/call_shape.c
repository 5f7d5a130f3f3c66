#include "app/lessons/call_shape.h"

#include "model/base/minmax.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Appends to a buffer of `room` bytes, truncating. */
static void append(char *text, size_t room, const char *format, ...) {
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, room - used, format, arguments);
    va_end(arguments);
}

void call_divisors(char *text, int width) {
    enum { LEFT = 20 }; /* for one more and the dots */
    text[0] = '\0';
    for (int count = 1; count <= width; count++) {
        if (width % count != 0) continue;
        bool full = strlen(text) + LEFT > CALL_DIVISORS;
        append(text, CALL_DIVISORS, full ? ", ..." : count > 1 ? ", %d" : "%d", count);
        if (full) return;
    }
}

bool call_head_width(int *head_width, int width, int heads, Error *error) {
    *head_width = width / heads;
    if (width % heads == 0) return true;
    char divisors[CALL_DIVISORS];
    call_divisors(divisors, width);
    return error_usage(error,
                       "--heads %d does not divide the width %d, and each head takes an equal part "
                       "of it; these do: %s",
                       heads, width, divisors);
}

/* --- valid lengths ------------------------------------------------------------------------------
 */

/* Reads up to `most` integers separated by commas; returns how many, -1 if malformed. */
static int read_numbers(int *numbers, int max, const char *text) {
    int count = 0;
    for (;; text++) {
        char *end;
        if (*text < '0' || *text > '9') return -1;
        errno = 0;
        long number = strtol(text, &end, 10);
        if (errno || number > 1000000000L) return -1;
        if (count < max) numbers[count] = (int)number;
        count++;
        text = end;
        if (*text == '\0') return count;
        if (*text != ',') return -1;
    }
}

/* Up to three different lengths, none 0, that differ visibly when only a few steps are drawn. */
static void make_up(int *lens, int batch, int keys) {
    int max = keys > 7 ? keys / 2 : keys > 3 ? 3 : keys > 1 ? keys - 1 : 1;
    int kinds = int_min(max, 3);
    for (int b = 0; b < batch; b++)
        lens[b] = max - b % kinds * (max / 3 > 1 ? max / 3 : 1);
}

bool call_lens(const int **lens, Pool *pool, const char *text, int batch, int keys, Error *error) {
    *lens = NULL;
    if (text && strcmp(text, "none") == 0) return true;
    int *numbers = pool_take(pool, (size_t)batch * sizeof *numbers);
    if (!numbers) return error_set(error, "out of memory for the valid lengths");
    *lens = numbers;
    if (!text) {
        make_up(numbers, batch, keys);
        return true;
    }
    int count = read_numbers(numbers, batch, text);
    if (count < 0)
        return error_usage(error,
                           "--valid-lens %s: it takes whole numbers parted by commas, one for each "
                           "example, such as 3,2; or none",
                           text);
    if (count != batch)
        return error_usage(error,
                           "--valid-lens %s: %d given for a batch of %d; there must be one for "
                           "each example",
                           text, count, batch);
    for (int b = 0; b < batch; b++)
        if (numbers[b] > keys)
            return error_usage(error, "--valid-lens %s: %d is more than the %d keys there are",
                               text, numbers[b], keys);
    return true;
}

/* --- as text ------------------------------------------------------------------------------------
 */

const char *call_dims(Pool *pool, int count, ...) {
    char text[120] = "(";
    va_list dims;
    va_start(dims, count);
    for (int i = 0; i < count; i++)
        append(text, sizeof text, i ? ",%d" : "%d", va_arg(dims, int));
    va_end(dims);
    append(text, sizeof text, count == 1 ? ",)" : ")");
    return pool_copy(pool, text);
}

const char *call_list(Pool *pool, const int *numbers, long count, int room) {
    char text[1024] = "[";
    for (long i = 0; i < count; i++) {
        char number[24];
        int length = snprintf(number, sizeof number, i ? ",%d" : "%d", numbers[i]);
        if (i && (int)strlen(text) + length > room)
            return pool_format(pool, "%s, ... %ld in all]", text, count);
        append(text, sizeof text, "%s", number);
    }
    return pool_format(pool, "%s]", text);
}

const char *call_lens_text(Pool *pool, const int *lens, int batch) {
    if (!lens) return "none";
    size_t room = (size_t)batch * 12 + 1;
    char *text = pool_take(pool, room);
    for (int b = 0; text && b < batch; b++)
        append(text, room, b ? ",%d" : "%d", lens[b]);
    return text ? text : "";
}
