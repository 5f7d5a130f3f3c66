/* The checks that run a block again on a changed call. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/minmax.h"
#include "model/base/rng.h"
#include "model/doctor/acceptance.h"

/* A call whose sources are changed: in example b, all steps from from[b] on. */
typedef struct Change {
    AcceptanceCall call;
    double *sources; /* owned: x_query and, unless it is the same, x_key_value */
    int *from;       /* [B] owned */
    bool queries;    /* x_query is changed as well as x_key_value */
} Change;

static void change_free(Change *change) {
    free(change->sources);
    free(change->from);
}

static bool change_make(Change *change, const AcceptanceCall *call, Error *error) {
    AttentionSizes n = call->sizes;
    size_t width = (size_t)n.heads * (size_t)n.head_width;
    size_t queries = (size_t)n.batch * (size_t)n.queries * width;
    bool self = call->x_query == call->x_key_value;
    size_t keys = self ? 0 : (size_t)n.batch * (size_t)n.keys * width;
    *change = (Change){.call = *call, .queries = self};
    change->sources = malloc((queries + keys) * sizeof *change->sources);
    change->from = malloc((size_t)n.batch * sizeof *change->from);
    if (!change->sources || !change->from) {
        change_free(change);
        return error_set(error, "out of memory for another run");
    }
    memcpy(change->sources, call->x_query, queries * sizeof(double));
    memcpy(change->sources + queries, call->x_key_value, keys * sizeof(double));
    change->call.x_query = change->sources;
    change->call.x_key_value = change->sources + (self ? 0 : queries);
    return true;
}

/* Adds normal noise with a deviation of 4 to the changed steps. */
static void change_apply(Change *change) {
    AttentionSizes n = change->call.sizes;
    long width = (long)n.heads * n.head_width;
    Rng rng = rng_make(1, 0);
    double *keys = change->sources + (change->call.x_key_value - change->call.x_query);
    for (int b = 0; b < n.batch; b++) {
        for (long i = change->from[b] * width; i < n.keys * width; i++)
            keys[b * n.keys * width + i] += 4 * rng_normal(&rng);
        for (long i = change->from[b] * width;
             keys != change->sources && change->queries && i < n.queries * width; i++)
            change->sources[b * n.queries * width + i] += 4 * rng_normal(&rng);
    }
}

/* The block under test, and its answer to the unchanged call. */
typedef struct Block {
    AcceptanceRun *run;
    const void *context;
    const AcceptanceReference *reference;
    AcceptanceAnswer before;
} Block;

/* True if the query of this output row is unchanged and sees a key. */
static bool is_compared(const Change *change, const Block *block, int b, int t) {
    AttentionSizes n = change->call.sizes;
    return (!change->queries || t < change->from[b]) &&
           block->reference->visible[b * n.queries + t] > 0;
}

/* Finds the largest change of output where it must not change. */
static bool compare(AcceptanceFinding *finding, Change *change, const Block *block, Error *error) {
    AttentionSizes n = change->call.sizes;
    int width = n.heads * n.head_width;
    AcceptanceAnswer after = {0};
    change_apply(change);
    if (!block->run(block->context, &after, &change->call, error)) return false;
    *finding = (AcceptanceFinding){.place = NO_PLACE};
    double largest = 0;
    for (int b = 0; b < n.batch; b++)
        for (int t = 0; t < n.queries; t++)
            for (int i = 0; i < width && is_compared(change, block, b, t); i++) {
                long at = ((long)b * n.queries + t) * width + i;
                double was = block->before.output.numbers[at];
                double gap = fabs(after.output.numbers[at] - was);
                if (isnan(gap)) gap = INFINITY;
                largest = fmax(largest, fabs(was));
                if (finding->of++ && gap <= finding->value) continue;
                finding->value = gap;
                finding->place = (DoctorPlace){b, -1, t, -1};
            }
    finding->allowed = acceptance_allowed(after.output.precision, width, largest);
    finding->state = !finding->of                         ? ACCEPT_NOT_CHECKED
                     : finding->value <= finding->allowed ? ACCEPT_PASSED
                                                          : ACCEPT_FAILED;
    if (!finding->of) finding->why = "no query is left that must stay as it is";
    acceptance_answer_free(&after);
    return true;
}

/* --- which steps are changed ------------------------------------------------------------------ */

/* Changes the keys that no query of their example sees. Returns false if there are none. */
static bool change_padding(Change *change, const AcceptanceReference *reference) {
    AttentionSizes n = change->call.sizes;
    bool any = false;
    for (int b = 0; b < n.batch; b++) {
        change->from[b] = 0;
        for (int t = 0; t < n.queries; t++) {
            int seen = reference->visible[b * n.queries + t];
            if (seen > change->from[b]) change->from[b] = seen;
        }
        any = any || change->from[b] < n.keys;
    }
    return any;
}

/* Changes all of the last example. */
static bool change_example(Change *change) {
    AttentionSizes n = change->call.sizes;
    change->queries = true;
    for (int b = 0; b < n.batch; b++)
        change->from[b] = b == n.batch - 1 ? 0 : int_max(n.keys, n.queries);
    return n.batch > 1;
}

/* Changes the later half of the steps of each example. */
static bool change_future(Change *change) {
    AttentionSizes n = change->call.sizes;
    change->queries = true;
    for (int b = 0; b < n.batch; b++)
        change->from[b] = (n.queries + 1) / 2;
    return change->call.mask.causal && n.queries > 1;
}

static bool check_change(AcceptanceFinding *finding, AcceptanceCheck check, const Block *block,
                         const AcceptanceCall *call, Error *error) {
    Change change;
    if (!change_make(&change, call, error)) return false;
    bool any = check == ACCEPT_PADDING    ? change_padding(&change, block->reference)
               : check == ACCEPT_EXAMPLES ? change_example(&change)
                                          : change_future(&change);
    bool good = true;
    *finding = (AcceptanceFinding){.place = NO_PLACE};
    finding->why = check == ACCEPT_PADDING    ? "no key is hidden from all queries"
                   : check == ACCEPT_EXAMPLES ? "there is one example"
                                              : "this call is not causal";
    if (any) good = compare(finding, &change, block, error);
    change_free(&change);
    return good;
}

bool acceptance_check_runs(AcceptanceReport *report, const AcceptanceCall *call,
                           const AcceptanceReference *reference, AcceptanceRun *run,
                           const void *context, Error *error) {
    Block block = {.run = run, .context = context, .reference = reference};
    if (!run(context, &block.before, call, error)) return false;
    bool good = true;
    for (int check = ACCEPT_ONE_RUN; good && check < ACCEPT_CHECKS; check++)
        good = check_change(&report->findings[check], (AcceptanceCheck)check, &block, call, error);
    acceptance_answer_free(&block.before);
    return good;
}
