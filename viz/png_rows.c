/* Our pictures are runs: of one colour along a row, and of rows that are the same. So matches are
 * sought at the starts of runs alone, and rows like the one above are not looked at. */
#include "viz/png_rows.h"

#include "viz/deflater.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { FILTER_NONE = 0, FILTER_UP = 2 }; /* PNG 1.2, section 6 */

/* A hash has so many values; of places with the same one so many are tried. */
enum { HASH_BITS = 12, TRIES = 16, ENOUGH = 86, NEAR = 4096 };

/* Rows that are longer than this many pixels are filtered where that leaves fewer runs, shorter
 * ones where it leaves far fewer: of those the last ten and more lie in deflate's window, where
 * their letters and cells come again, and they are best left as they are. */
enum { SHORT_ROW = 1365 };

enum { ADLER_BASE = 65521 }; /* RFC 1950 */

/* The last rows that were not like the one above, in a ring: what lies in deflate's window. A place
 * is a pixel in one of them. */
typedef struct Place {
    uint16_t slot, x;
} Place;

enum { LATEST_BYTES = (1 << HASH_BITS) * sizeof(Place) };

struct PngRows {
    Deflater deflater;
    int width;
    size_t row_size; /* with its filter's number */
    size_t written;  /* bytes before deflating */
    uint32_t adler;
    int slot, slots;
    unsigned char *kept; /* [slots,row_size], and some bytes to compare past the end */
    size_t *positions;   /* [slots] where each began among those written */
    Place *latest;       /* [1 << HASH_BITS] the last place with that hash ... */
    Place *before;       /* [slots,width] and the one before a place */
    uint16_t *starts;    /* [width + 1] of the runs of the row, and its end */
    int runs;
};

/* GCC makes vector code of such loops only from -O3 on. */
#if defined(__GNUC__) && !defined(__clang__)
#define VECTOR_CODE __attribute__((optimize("O3")))
#else
#define VECTOR_CODE
#endif

/* Bytes that differ from those a pixel before: a measure of how many runs there are. Counted in
 * lanes of a byte, which make vectors. */
VECTOR_CODE static int count_changes(const unsigned char *row, int size) {
    enum { LANES = 32, ROUNDS = 255 };
    int count = 0, i = 3;
    while (i + LANES <= size) {
        unsigned char lanes[LANES] = {0};
        for (int round = 0; round < ROUNDS && i + LANES <= size; round++, i += LANES)
            for (int lane = 0; lane < LANES; lane++)
                lanes[lane] = (unsigned char)(lanes[lane] + (row[i + lane] != row[i + lane - 3]));
        for (int lane = 0; lane < LANES; lane++)
            count += lanes[lane];
    }
    for (; i < size; i++)
        count += row[i] != row[i - 3];
    return count;
}

VECTOR_CODE static void subtract(const unsigned char *restrict row,
                                 const unsigned char *restrict above, int size,
                                 unsigned char *restrict out) {
    for (int i = 0; i < size; i++)
        out[i] = (unsigned char)(row[i] - above[i]);
}

static unsigned char *slot_bytes(const PngRows *rows, int slot) {
    return rows->kept + (size_t)slot * rows->row_size;
}

/* Puts the row, filtered, into the next slot; its pixels there. */
static const unsigned char *keep_row(PngRows *rows, const unsigned char *row,
                                     const unsigned char *above) {
    rows->slot = rows->slot + 1 < rows->slots ? rows->slot + 1 : 0;
    rows->positions[rows->slot] = rows->written;
    unsigned char *kept = slot_bytes(rows, rows->slot);
    int size = 3 * rows->width;
    kept[0] = FILTER_NONE;
    if (above) {
        int many = rows->width > SHORT_ROW ? 1 : 8;
        subtract(row, above, size, kept + 1);
        if (many * count_changes(kept + 1, size) < count_changes(row, size)) kept[0] = FILTER_UP;
    }
    if (kept[0] == FILTER_NONE) memcpy(kept + 1, row, (size_t)size);
    return kept + 1;
}

static inline uint32_t pixel_at(const unsigned char *pixels, int x) {
    const unsigned char *at = pixels + 3 * x;
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16;
}

/* How many pixels are the same from two places on, `most` at most. Reads in words, up to seven
 * bytes past the end. */
static inline int same_pixels(const unsigned char *one, const unsigned char *other, int most) {
    int bytes = 3 * most, at = 0;
    for (; at < bytes; at += 8) {
        uint64_t a, b;
        memcpy(&a, one + at, sizeof a);
        memcpy(&b, other + at, sizeof b);
        if (a != b) break;
    }
    while (at < bytes && one[at] == other[at])
        at++;
    return at < bytes ? at / 3 : most;
}

static void find_runs(PngRows *rows, const unsigned char *pixels) {
    int count = 0;
    for (int x = 0; x < rows->width; count++) {
        const unsigned char *pixel = pixels + 3 * (size_t)x;
        rows->starts[count] = (uint16_t)x;
        x += 1 + same_pixels(pixel + 3, pixel, rows->width - x - 1);
    }
    rows->runs = count;
    rows->starts[count] = (uint16_t)rows->width;
}

/* Of a run: its pixel and its length. */
static unsigned hash_run(const PngRows *rows, const unsigned char *pixels, int run) {
    int start = rows->starts[run], end = rows->starts[run + 1];
    uint32_t hash = pixel_at(pixels, start) * 0x9E3779B1U + (uint32_t)(end - start);
    hash ^= hash >> 15;
    return hash * 0x9E3779B1U >> (32 - HASH_BITS);
}

static void remember(PngRows *rows, unsigned hash, int x) {
    rows->before[(size_t)rows->slot * (size_t)rows->width + (size_t)x] = rows->latest[hash];
    rows->latest[hash] = (Place){(uint16_t)rows->slot, (uint16_t)x};
}

typedef struct Match {
    int pixels;
    size_t distance; /* bytes */
    Place place;
} Match;

/* The longest match of those that are tried; the nearest of equal ones. What a place says may be
 * out of date, its slot taken by another row: then other pixels are compared, and no harm is done.
 */
static Match find_match(const PngRows *rows, const unsigned char *pixels, unsigned hash, int x) {
    Match best = {0};
    Place place = rows->latest[hash];
    size_t here = rows->written + 1 + 3 * (size_t)x;
    for (int tries = 0; tries < TRIES; tries++) {
        size_t there = rows->positions[place.slot] + 1 + 3 * (size_t)place.x;
        if (there >= here || here - there > DEFLATER_WINDOW) break;
        int most = rows->width - (x > place.x ? x : place.x);
        const unsigned char *old = slot_bytes(rows, place.slot) + 1 + 3 * (size_t)place.x;
        const unsigned char *now = pixels + 3 * (size_t)x;
        /* no better one if it differs where the best one ends */
        size_t past = 3 * (size_t)best.pixels;
        if (most > best.pixels && memcmp(old + past, now + past, 3) == 0) {
            int length = same_pixels(old, now, most);
            if (length > best.pixels) best = (Match){length, here - there, place};
            if (length >= ENOUGH) break;
        }
        place = rows->before[(size_t)place.slot * (size_t)rows->width + place.x];
    }
    return best;
}

/* What is not written yet: some bytes as they are, and a match, which may go on into the pixel
 * after it. */
typedef struct Pending {
    size_t literals; /* bytes before the match, which are not in it */
    size_t length;   /* of the match in bytes; 0: none */
    size_t distance;
} Pending;

/* Writes it; it ends at `end`. */
static void put_pending(PngRows *rows, const Pending *pending, const unsigned char *end) {
    const unsigned char *byte = end - pending->length - pending->literals;
    for (size_t i = 0; i < pending->literals; i++)
        deflater_literal(&rows->deflater, byte[i]);
    if (pending->length)
        deflater_run(&rows->deflater, pending->length, (unsigned)pending->distance);
}

/* How many of the pixel's bytes the match before it has as well. */
static size_t shared_bytes(const unsigned char *pixel, const Pending *pending, size_t before) {
    if (!pending->length || pending->distance > before) return 0;
    const unsigned char *old = pixel - pending->distance;
    return pixel[0] != old[0] ? 0 : pixel[1] != old[1] ? 1 : 2;
}

/* A pixel, and then itself again and again. */
static void put_run(PngRows *rows, const unsigned char *pixels, int start, int end,
                    Pending *pending) {
    const unsigned char *pixel = pixels + 3 * (size_t)start;
    size_t shared = shared_bytes(pixel, pending, 3 * (size_t)start);
    pending->length += shared;
    put_pending(rows, pending, pixel + shared);
    *pending = (Pending){3 - shared, 3 * (size_t)(end - start - 1), 3};
}

/* Whether a match saves something over a run: it covers more, or it is near. */
static bool worth(const Match *match, int run) {
    return match->pixels > run || (match->pixels == run && (run == 1 || match->distance <= NEAR));
}

/* Where what comes before the match stands before its other place as well, the match begins there.
 */
static void put_match(PngRows *rows, const unsigned char *pixels, const Match *match,
                      Pending *pending) {
    const unsigned char *old = slot_bytes(rows, match->place.slot) + 1 + 3 * (size_t)match->place.x;
    size_t most = 3 * (size_t)match->place.x + 1, length = 3 * (size_t)match->pixels;
    size_t run = pending->distance == 3 ? pending->length : 0, whole = run + pending->literals;
    if (pending->distance == 3 && whole <= most &&
        memcmp(old - whole, pixels - whole, whole) == 0) {
        *pending = (Pending){0, whole + length, match->distance};
    } else if (run && run <= most && memcmp(old - run, pixels - run, run) == 0) {
        *pending = (Pending){pending->literals, run + length, match->distance};
    } else {
        put_pending(rows, pending, pixels);
        *pending = (Pending){0, length, match->distance};
    }
}

/* A long match is written in parts; where the last one lies in a run, that is better continued. The
 * bytes that are cut off; `run` of the match's last ones repeat the pixel before. */
static size_t cut_tail(Pending *pending, size_t run) {
    size_t rest = pending->length % DEFLATER_LONGEST;
    if (pending->length <= DEFLATER_LONGEST || rest < 3 || rest > run) return 0;
    pending->length -= rest;
    return rest;
}

static void put_pixels(PngRows *rows, const unsigned char *pixels) {
    Pending pending = {1, 0, 3}; /* the filter's number */
    for (int run = 0; run < rows->runs;) {
        int start = rows->starts[run], end = rows->starts[run + 1];
        unsigned hash = hash_run(rows, pixels, run);
        Match match = find_match(rows, pixels, hash, start);
        remember(rows, hash, start);
        run++;
        if (!worth(&match, end - start)) {
            put_run(rows, pixels, start, end, &pending);
            continue;
        }
        put_match(rows, pixels + 3 * (size_t)start, &match, &pending);
        int past = start + match.pixels;
        for (; run < rows->runs && rows->starts[run] < past; run++)
            remember(rows, hash_run(rows, pixels, run), rows->starts[run]);
        size_t rest = cut_tail(&pending, 3 * (size_t)(past - rows->starts[run - 1] - 1));
        end = rows->starts[run];
        if (end > past || rest) {
            put_pending(rows, &pending, pixels + 3 * (size_t)past - rest);
            pending = (Pending){0, rest + 3 * (size_t)(end - past), 3};
        }
    }
    put_pending(rows, &pending, pixels + 3 * (size_t)rows->width);
}

static void put_row(PngRows *rows, const unsigned char *row, const unsigned char *above) {
    const unsigned char *pixels = keep_row(rows, row, above);
    find_runs(rows, pixels);
    put_pixels(rows, pixels);
    rows->adler = (uint32_t)adler32(rows->adler, pixels - 1, (uInt)rows->row_size);
    rows->written += rows->row_size;
}

/* One like the one above: its filter's number, and zeros. */
static void put_same_row(PngRows *rows) {
    size_t zeros = rows->row_size - 1;
    deflater_literal(&rows->deflater, FILTER_UP);
    for (int byte = 0; byte < 3; byte++)
        deflater_literal(&rows->deflater, 0);
    if (zeros > 3) deflater_run(&rows->deflater, zeros - 3, 3);
    uint32_t low = ((rows->adler & 0xFFFF) + FILTER_UP) % ADLER_BASE;
    uint64_t high = (rows->adler >> 16) + (uint64_t)low * (1 + zeros);
    rows->adler = (uint32_t)(high % ADLER_BASE) << 16 | low;
    rows->written += rows->row_size;
}

PngRows *png_rows_make(int width) {
    PngRows *rows = calloc(1, sizeof *rows);
    if (!rows) return NULL;
    size_t row_size = 3 * (size_t)width + 1, slots = DEFLATER_WINDOW / row_size + 2;
    *rows = (PngRows){.width = width,
                      .row_size = row_size,
                      .slots = (int)slots,
                      .kept = calloc(slots * row_size + 8, 1),
                      .positions = calloc(slots, sizeof *rows->positions),
                      .latest = malloc(LATEST_BYTES),
                      .before = calloc(slots * (size_t)width, sizeof *rows->before),
                      .starts = malloc(((size_t)width + 1) * sizeof *rows->starts)};
    if (deflater_begin(&rows->deflater) && rows->kept && rows->positions && rows->latest &&
        rows->before && rows->starts)
        return rows;
    png_rows_free(rows);
    return NULL;
}

void png_rows_free(PngRows *rows) {
    if (!rows) return;
    deflater_free(&rows->deflater);
    free(rows->kept);
    free(rows->positions);
    free(rows->latest);
    free(rows->before);
    free(rows->starts);
    free(rows);
}

/* Forgets all rows. The first one comes into the first slot: an empty hash leads there. */
static void restart(PngRows *rows) {
    deflater_restart(&rows->deflater);
    memset(rows->latest, 0, LATEST_BYTES);
    rows->slot = rows->slots - 1;
    rows->written = 0;
    rows->adler = 1;
}

bool png_rows_put(PngRows *rows, const Surface *surface, int first, int end,
                  const unsigned char *above) {
    restart(rows);
    for (int y = first; y < end; y++) {
        const unsigned char *row = surface_row(surface, y);
        if (above && memcmp(row, above, rows->row_size - 1) == 0)
            put_same_row(rows);
        else
            put_row(rows, row, above);
        above = row;
    }
    deflater_flush(&rows->deflater);
    return !rows->deflater.failed;
}

PngRowsResult png_rows_result(const PngRows *rows) {
    return (PngRowsResult){rows->deflater.bytes, rows->deflater.size, rows->written, rows->adler};
}
