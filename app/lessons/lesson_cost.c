/* The lesson cost: why more heads at a fixed width cost no parameters and no operations, what they
 * do cost, and the cost of full-width heads. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/lessons/call_shape.h"
#include "app/lessons/cost_time.h"
#include "app/lessons/lesson.h"
#include "model/kernels/kernels.h"

enum { MAX_ROWS = 24, DEFAULT_ROWS = 10, MAX_WIDTH = 8192, MAX_STEPS = 8192, MAX_BATCH = 64 };

/* One number of heads, at fixed or full width. */
typedef struct CostRow {
    CostCall call;
    CostFlops formula, counted;
    bool has_count;
    double ms; /* NAN: not measured */
} CostRow;

typedef struct CostPage {
    CostCall sizes; /* without heads */
    int count;
    CostRow fixed[MAX_ROWS], full[MAX_ROWS];
    bool is_live; /* in the window: keep it short */
} CostPage;

/* --- options ------------------------------------------------------------------------------------
 */

static bool refuse_heads(int width, long heads, Error *error) {
    char divisors[CALL_DIVISORS];
    call_divisors(divisors, width);
    return error_usage(error, "--heads %ld: %ld heads do not divide the width %d; %s do", heads,
                       heads, width, divisors);
}

static bool add_heads(CostPage *page, long heads, Error *error) {
    if (heads < 1 || page->sizes.width % heads)
        return refuse_heads(page->sizes.width, heads, error);
    CostRow *row = &page->fixed[page->count];
    *row = (CostRow){.call = page->sizes};
    row->call.heads = (int)heads;
    row->call.head_width = page->sizes.width / (int)heads;
    page->full[page->count] = *row;
    page->full[page->count++].call = cost_full_width(row->call);
    return true;
}

/* "1,2,4" */
static bool read_heads(CostPage *page, const char *text, Error *error) {
    for (const char *at = text; *at || at == text;) {
        char *end;
        long heads = strtol(at, &end, 10);
        bool good = *at >= '0' && *at <= '9' && (*end == '\0' || (*end == ',' && end[1] != '\0'));
        if (!good || page->count == MAX_ROWS)
            return error_usage(error, "--heads %s: it takes up to %d whole numbers, as 1,2,4", text,
                               MAX_ROWS);
        if (!add_heads(page, heads, error)) return false;
        at = *end ? end + 1 : end;
    }
    return true;
}

/* Chooses divisors of the width, each at least 5/4 of the one before. */
static bool choose_heads(CostPage *page, Error *error) {
    int last = 0;
    for (int heads = 1; heads <= page->sizes.width && page->count < DEFAULT_ROWS; heads++) {
        if (page->sizes.width % heads || 4 * heads < 5 * last) continue;
        if (!add_heads(page, heads, error)) return false;
        last = heads;
    }
    return true;
}

static bool read_call(CostPage *page, const LessonCall *call, LessonResult *result, Error *error) {
    const char *heads = NULL;
    int keys = -1;
    CostCall *sizes = &page->sizes;
    *sizes = (CostCall){.batch = 2, .queries = 32, .width = 100};
    Option options[] = {
        {"--width", OPTION_INT, &sizes->width, "N", "of queries, keys, values and outputs", 1,
         MAX_WIDTH, false},
        {"--heads", OPTION_TEXT, &heads, "LIST", "as 1,2,4; else numbers that divide the width", 0,
         0, false},
        {"--batch", OPTION_INT, &sizes->batch, "N", "examples", 1, MAX_BATCH, false},
        {"--steps", OPTION_INT, &sizes->queries, "N", "queries", 1, MAX_STEPS, false},
        {"--keys", OPTION_INT, &keys, "N", "keys; else as many as queries", 1, MAX_STEPS, false},
        {0},
    };
    if (!lesson_parse(call, options, NULL, 0, 0, result, error)) return false;
    sizes->keys = keys > 0 ? keys : sizes->queries;
    page->is_live = call->shown != NULL;
    return heads ? read_heads(page, heads, error) : choose_heads(page, error);
}

/* --- measuring --------------------------------------------------------------------------- */

/* Counts operations, row by row, until *left (the affordable work) is used up. */
static bool count_rows(CostRow *rows, int count, double *left, Error *error) {
    for (int i = 0; i < count; i++) {
        rows[i].formula = cost_flops(rows[i].call);
        /* Multiply-adds, and rough costs of exponentials and random weights. */
        double work = (double)cost_total(rows[i].formula) / 2 +
                      40 * (double)cost_weights(rows[i].call) +
                      30 * (double)cost_parameters(rows[i].call, false);
        rows[i].has_count = work <= *left;
        if (!rows[i].has_count) continue;
        *left -= work;
        if (!cost_count(&rows[i].counted, rows[i].call, 1, error)) return false;
    }
    return true;
}

static bool time_rows(CostPage *page, Error *error) {
    CostCall calls[2 * MAX_ROWS];
    double ms[2 * MAX_ROWS];
    for (int i = 0; i < page->count; i++) {
        calls[i] = page->fixed[i].call;
        calls[page->count + i] = page->full[i].call;
    }
    CostEffort effort = page->is_live ? (CostEffort){5, 1e6, 1.2e9} : (CostEffort){11, 4e6, 2e10};
    if (!cost_times(ms, calls, 2 * page->count, effort, error)) return false;
    for (int i = 0; i < page->count; i++) {
        page->fixed[i].ms = ms[i];
        /* With one head both calls are the same: use one time. */
        page->full[i].ms = page->full[i].call.heads == 1 ? ms[i] : ms[page->count + i];
    }
    return true;
}

static bool work_out(CostPage *page, Error *error) {
    double left = page->is_live ? 6e7 : 8e8;
    return count_rows(page->fixed, page->count, &left, error) &&
           count_rows(page->full, page->count, &left, error) && time_rows(page, error);
}

/* --- figures ---------------------------------------------------------------------------------- */

/* "10,240,000", in the pool. */
static const char *grouped(LessonMaker *maker, long number) {
    char digits[32], text[48];
    int length = snprintf(digits, sizeof digits, "%ld", number), to = 0;
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0) text[to++] = ',';
        text[to++] = digits[i];
    }
    text[to] = '\0';
    return pool_copy(lesson_pool(maker), text);
}

static const char *bytes_text(LessonMaker *maker, long bytes) {
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    int unit = 0;
    for (; value >= 1024 && unit < 4; unit++)
        value /= 1024;
    return pool_format(lesson_pool(maker), "%.4g %s", value, units[unit]);
}

static const char *counted_text(LessonMaker *maker, const CostRow *row) {
    return row->has_count ? grouped(maker, cost_total(row->counted)) : "-";
}

/* A time as a ratio to that of the first row. */
static const char *ratio_text(LessonMaker *maker, const CostPage *page, const CostRow *row) {
    if (isnan(row->ms) || isnan(page->fixed[0].ms)) return "-";
    return pool_format(lesson_pool(maker), "%.2f", row->ms / page->fixed[0].ms);
}

static const char *heads_text(LessonMaker *maker, int heads) {
    return pool_format(lesson_pool(maker), "%d head%s", heads, heads == 1 ? "" : "s");
}

static double largest_ratio(const CostRow *rows, int count, double first) {
    double largest = 0;
    for (int i = 0; i < count; i++)
        if (!isnan(rows[i].ms)) largest = fmax(largest, rows[i].ms / first);
    return largest;
}

/* --- the page --------------------------------------------------------------------------------- */

static void show_why(LessonMaker *maker, const CostPage *page) {
    CostCall one = page->fixed[0].call;
    lesson_text(
        maker, TONE_PLAIN,
        "Multi-head attention has four projections: to queries, keys and values, and of the "
        "output. The heads share the %d columns out among them: H heads of %d / H columns "
        "stand side by side in %d columns again. So each projection is %d x %d, whatever the "
        "heads, and the four have 4 x %d x %d = %s parameters (and %s more with biases).",
        one.width, one.width, one.width, one.width, one.width, one.width, one.width,
        grouped(maker, cost_parameters(one, false)),
        grouped(maker, cost_parameters(one, true) - cost_parameters(one, false)));
    lesson_text(
        maker, TONE_PLAIN,
        "Scores take a product of each query with each key in every head, over %d / H "
        "columns: H x %d / H = %d multiplications and additions a pair, whatever the heads. "
        "The mix of values takes as many.",
        one.width, one.width, one.width);
}

static bool same_flops(CostFlops a, CostFlops b) {
    return a.query == b.query && a.key == b.key && a.value == b.value && a.output == b.output &&
           a.scores == b.scores && a.mix == b.mix;
}

static void show_flat(LessonMaker *maker, const CostPage *page) {
    lesson_heading(maker, "What more heads do not cost");
    lesson_table(maker,
                 "Floating point operations, 2mnk a product of [m,k] and [k,n], masked parts "
                 "included:",
                 ">heads\t>columns each\t>parameters\t>projections\t>scores\t>mix\t>together\t"
                 ">counted");
    int counted = 0;
    bool agree = true, flat = true;
    for (int i = 0; i < page->count; i++) {
        const CostRow *row = &page->fixed[i];
        const CostFlops *f = &row->formula;
        lesson_row(maker, TONE_PLAIN, "%d\t%d\t%s\t%s\t%s\t%s\t%s\t%s", row->call.heads,
                   row->call.head_width, grouped(maker, cost_parameters(row->call, false)),
                   grouped(maker, cost_projections(*f)), grouped(maker, f->scores),
                   grouped(maker, f->mix), grouped(maker, cost_total(*f)),
                   counted_text(maker, row));
        counted += row->has_count;
        agree = agree && (!row->has_count || same_flops(row->counted, *f));
        flat = flat && cost_total(*f) == cost_total(page->fixed[0].formula);
    }
    if (counted)
        lesson_text(
            maker, agree ? TONE_GOOD : TONE_WRONG,
            "Counted as the plain kernel runs, each multiplication and addition in its "
            "loops, with all keys visible so that nothing is skipped: %s by formula in %d of "
            "%d rows%s.",
            agree ? "the same as" : "not the same as", counted, page->count,
            flat && agree && counted > 1 ? ", and the same for every number of heads" : "");
    if (counted < page->count)
        lesson_text(
            maker, TONE_FAINT,
            "\"-\" is not counted, as that would take too long here: fewer steps, a smaller "
            "batch or fewer numbers of heads are.");
}

static void show_time_text(LessonMaker *maker, const CostPage *page) {
    const CostRow *first = &page->fixed[0], *last = NULL;
    for (int i = 1; i < page->count; i++)
        if (!isnan(page->fixed[i].ms)) last = &page->fixed[i];
    if (isnan(first->ms)) {
        lesson_text(maker, TONE_FAINT,
                    "The time is not measured, as that would take too long here: fewer steps or a "
                    "smaller batch are.");
        return;
    }
    lesson_text(
        maker, TONE_PLAIN,
        "One call with %s takes %.3g ms on this machine (%s kernel, one thread).%s",
        heads_text(maker, first->call.heads), first->ms, kernels_in_use()->name,
        last ? pool_format(lesson_pool(maker),
                           " With %s it takes %.2f times as long, for the same products: the "
                           "softmax has %.4g times as many exponentials, and narrow heads "
                           "leave the products less to do at once.",
                           heads_text(maker, last->call.heads), last->ms / first->ms,
                           (double)cost_weights(last->call) / (double)cost_weights(first->call))
             : "");
}

static void show_growing(LessonMaker *maker, const CostPage *page) {
    CostCall one = page->sizes;
    lesson_heading(maker, "What they do cost");
    lesson_text(maker, TONE_PLAIN,
                "Each head has a map of its own: %d x H x %d x %d weights, an exponential and %zu "
                "bytes each.",
                one.batch, one.queries, one.keys, sizeof(float));
    lesson_table(maker, NULL, ">heads\t>weights\t>bytes of weights\t>time, as a ratio");
    long max = 0;
    for (int i = 0; i < page->count; i++) {
        const CostRow *row = &page->fixed[i];
        lesson_row(maker, TONE_PLAIN, "%d\t%s\t%s\t%s", row->call.heads,
                   grouped(maker, cost_weights(row->call)),
                   bytes_text(maker, cost_weight_bytes(row->call)), ratio_text(maker, page, row));
        if (cost_weight_bytes(row->call) > max) max = cost_weight_bytes(row->call);
    }
    show_time_text(maker, page);
    lesson_bars(maker, "Bytes of weights:", false);
    for (int i = 0; i < page->count; i++) {
        CostCall call = page->fixed[i].call;
        lesson_bar(maker, heads_text(maker, call.heads),
                   (double)cost_weight_bytes(call) / (double)max, TONE_PLAIN, "%s",
                   bytes_text(maker, cost_weight_bytes(call)));
    }
    double largest = largest_ratio(page->fixed, page->count, page->fixed[0].ms);
    if (isnan(page->fixed[0].ms)) return;
    lesson_bars(maker, "Time, as a ratio to the first:", false);
    for (int i = 0; i < page->count; i++) {
        const CostRow *row = &page->fixed[i];
        if (isnan(row->ms)) continue;
        lesson_bar(maker, heads_text(maker, row->call.heads), row->ms / page->fixed[0].ms / largest,
                   TONE_PLAIN, "%s", ratio_text(maker, page, row));
    }
}

static void show_full(LessonMaker *maker, const CostPage *page) {
    const CostRow *last = &page->full[page->count - 1], *beside = &page->fixed[page->count - 1];
    lesson_heading(maker, "If every head had the full width (UDL, problem 12.5)");
    lesson_table(maker, NULL,
                 ">heads\t>columns each\t>parameters\t>operations\t>counted\t>bytes of weights\t"
                 ">time, as a ratio");
    for (int i = 0; i < page->count; i++) {
        const CostRow *row = &page->full[i];
        lesson_row(maker, TONE_PLAIN, "%d\t%d\t%s\t%s\t%s\t%s\t%s", row->call.heads,
                   row->call.head_width, grouped(maker, cost_parameters(row->call, false)),
                   grouped(maker, cost_total(row->formula)), counted_text(maker, row),
                   bytes_text(maker, cost_weight_bytes(row->call)), ratio_text(maker, page, row));
    }
    lesson_text(maker, TONE_PLAIN,
                "With %s of %d columns the projections are %d x %s: %.4g times the parameters and "
                "%.4g times the operations of %s of %d, for maps of the same number and size. That "
                "is why a head is given width / heads.",
                heads_text(maker, last->call.heads), last->call.head_width, last->call.width,
                grouped(maker, (long)last->call.heads * last->call.head_width),
                (double)cost_parameters(last->call, false) /
                    (double)cost_parameters(beside->call, false),
                (double)cost_total(last->formula) / (double)cost_total(beside->formula),
                heads_text(maker, beside->call.heads), beside->call.head_width);
    bool whole = true;
    for (int i = 0; i < page->count; i++)
        whole = whole && page->full[i].has_count && !isnan(page->full[i].ms);
    if (!whole)
        lesson_text(maker, TONE_FAINT,
                    "\"-\" is not counted or measured, as that would take too long here%s.",
                    page->is_live ? "; `headscope cost` in a terminal takes longer" : "");
    long max = 1;
    for (int i = 0; i < page->count; i++)
        if (cost_parameters(page->full[i].call, false) > max)
            max = cost_parameters(page->full[i].call, false);
    lesson_bars(maker, "Parameters, shared width and full width:", false);
    for (int i = 0; i < page->count; i++)
        for (int full = 0; full < 2; full++) {
            CostCall call = full ? page->full[i].call : page->fixed[i].call;
            if (full && call.heads == 1) continue; /* the same */
            long parameters = cost_parameters(call, false);
            lesson_bar(maker,
                       pool_format(lesson_pool(maker), "%s of %d", heads_text(maker, call.heads),
                                   call.head_width),
                       (double)parameters / (double)max, full ? TONE_WRONG : TONE_GOOD, "%s",
                       grouped(maker, parameters));
        }
}

static void show_buttons(LessonMaker *maker) {
    lesson_buttons(maker, NULL);
    lesson_button(maker, "D2L's toy", false, "width 100, batch 2, 4 queries, 6 keys", "%s",
                  "lesson cost --width 100 --batch 2 --steps 4 --keys 6");
    lesson_button(maker, "long", false, "the weights outgrow all else", "%s",
                  "lesson cost --width 64 --batch 1 --steps 128 --heads 1,2,4,8,16");
    lesson_button(maker, "Vaswani 2017", false, "width 512, 8 heads", "%s",
                  "lesson cost --width 512 --batch 1 --steps 8 --heads 1,8");
}

static bool make(LessonMaker *maker, const LessonCall *call, LessonResult *result, Error *error) {
    CostPage page = {0};
    if (!read_call(&page, call, result, error)) return result->only_help;
    if (!work_out(&page, error)) return false;
    CostCall sizes = page.sizes;
    lesson_title(maker, "What heads cost: width %d, batch %d, %d queries, %d keys", sizes.width,
                 sizes.batch, sizes.queries, sizes.keys);
    show_why(maker, &page);
    show_flat(maker, &page);
    show_growing(maker, &page);
    show_full(maker, &page);
    show_buttons(maker);
    return true;
}

const Lesson lesson_cost = {
    .name = "cost",
    .title = "Cost of heads",
    .arguments = "[--width N] [--heads LIST] [--batch N] [--steps N] [--keys N]",
    .help = "Says why more heads at a fixed width cost no parameters, and what they do cost.",
    .make = make,
};
