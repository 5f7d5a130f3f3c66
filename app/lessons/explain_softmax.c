/* The row of a weight through the softmax. */
#include <float.h>
#include <math.h>

#include "app/lessons/explain_parts.h"

enum { MOST_KEYS = 16 };

/* Of a line of scores, those to be shown: all, or those with the largest weights and the one that
 * is told, in order. */
typedef struct Shown {
    bool *keys; /* [count] */
    int count, left_out;
} Shown;

static Shown choose(ExplainPage page, const double *sizes, int count, int told) {
    Shown shown = {pool_take(page.pool, ((size_t)count + 1) * sizeof(bool)), count, 0};
    int chosen[MOST_KEYS];
    if (!shown.keys) return (Shown){0};
    bool all = count <= MOST_KEYS + 1;
    int taken = all ? 0 : explain_largest(sizes, count, MOST_KEYS, chosen);
    for (int i = 0; i < taken; i++)
        shown.keys[chosen[i]] = true;
    shown.keys[told] = true;
    for (int i = 0; i < count; i++) {
        shown.keys[i] = shown.keys[i] || all;
        shown.left_out += !shown.keys[i];
    }
    return shown;
}

/* What is shown first: the largest weights, and any that takes part before one that is hidden. */
static double *sizes_of(ExplainPage page) {
    const WeightStory *story = page.story;
    double *sizes = pool_take(page.pool, (size_t)story->line_count * sizeof *sizes);
    for (int i = 0; sizes && i < story->line_count; i++)
        sizes[i] = story->line[i].masked == -INFINITY ? 0 : fmax(story->line[i].weight, DBL_MIN);
    return sizes;
}

static const char *line_name(ExplainPage page, int place) {
    const StoryScore *at = &page.story->line[place];
    switch (page.story->axis) {
    case SOFTMAX_QUERIES:
        return explain_query(page.pool, page.told, at->query);
    case SOFTMAX_HEADS:
        return pool_format(page.pool, "head %d", at->head);
    case SOFTMAX_KEYS:
        break;
    }
    return explain_key(page.pool, page.told, at->key);
}

static void table_of_line(ExplainPage page, Shown shown) {
    const WeightStory *story = page.story;
    double exponentials = 0, weights = 0, sum = 0;
    static const char *const moves[] = {
        [SOFTMAX_KEYS] = "key", [SOFTMAX_QUERIES] = "query", [SOFTMAX_HEADS] = "head"};
    lesson_table(page.maker, NULL,
                 pool_format(page.pool, "%s\t>score\t>exp(score − largest)\t>weight\t>in the pass",
                             moves[story->axis]));
    for (int i = 0; i < shown.count; i++) {
        const StoryScore *at = &story->line[i];
        LessonTone tone = i == story->place ? TONE_STRONG : at->seen ? TONE_PLAIN : TONE_FAINT;
        sum += at->weight;
        if (!shown.keys[i]) {
            exponentials += at->exponential;
            weights += at->weight;
        } else if (at->masked == -INFINITY) {
            lesson_row(page.maker, tone, "%s\t(%.4f)\thidden\t0\t%s", line_name(page, i), at->score,
                       explain_weight(page, at->pass_weight));
        } else {
            lesson_row(page.maker, tone, "%s\t%.4f\t%s\t%s\t%s", line_name(page, i), at->masked,
                       explain_weight(page, at->exponential), explain_weight(page, at->weight),
                       explain_weight(page, at->pass_weight));
        }
        if (shown.keys[i] && story->axis == SOFTMAX_KEYS)
            lesson_row_action(page.maker, explain_action_to(page, story->id, story->query, i));
    }
    if (shown.left_out)
        lesson_row(page.maker, TONE_FAINT, "the other %d\t\t%.6f\t%.6f", shown.left_out,
                   exponentials, weights);
    lesson_row(page.maker, TONE_STRONG, "sum\t\t%.6f\t%.6f", story->sum, sum);
}

static void bars_of_line(ExplainPage page, Shown shown, bool scores) {
    const WeightStory *story = page.story;
    double top = 0;
    for (int i = 0; i < shown.count; i++)
        if (story->line[i].masked != -INFINITY) top = fmax(top, fabs(story->line[i].masked));
    lesson_bars(page.maker,
                scores ? "scores:"
                       : "weights, each exponential over their sum (bars of the exponentials would "
                         "have the same lengths):",
                scores);
    for (int i = 0; i < shown.count; i++) {
        const StoryScore *at = &story->line[i];
        bool hidden = at->masked == -INFINITY;
        LessonTone tone = i == story->place ? TONE_STRONG : hidden ? TONE_FAINT : TONE_PLAIN;
        if (!shown.keys[i]) continue;
        if (scores && hidden)
            lesson_bar(page.maker, line_name(page, i), 0, tone, "hidden");
        else if (scores)
            lesson_bar(page.maker, line_name(page, i), explain_over(at->masked, top), tone, "%+.4f",
                       at->masked);
        else
            lesson_bar(page.maker, line_name(page, i), at->weight, tone,
                       hidden ? "hidden: 0" : "%.4f", at->weight);
    }
}

/* What other programs make of a row that sees nothing. */
static void tell_empty(ExplainPage page) {
    const WeightStory *story = page.story;
    lesson_text(page.maker, TONE_PLAIN,
                "There is nothing to sum over: no key is seen. The weights are %s here, and the "
                "head gives %s. D2L's masked softmax would give a uniform row of 1/%d = %.4f; "
                "PyTorch, which fills scores with -inf, a row of NaN.",
                isnan(story->weight) ? "NaN"
                : story->weight > 0  ? "uniform"
                                     : "0",
                isnan(story->weight) ? "NaN"
                : story->weight > 0  ? "the values' mean"
                                     : "nothing",
                story->keys, 1.0 / story->keys);
}

void explain_softmax(ExplainPage page) {
    static const char *const lines[] = {[SOFTMAX_KEYS] = "the row of the query, over its keys",
                                        [SOFTMAX_QUERIES] = ("the column of the key, over all "
                                                             "queries: not over the keys"),
                                        [SOFTMAX_HEADS] = "the heads: not over the keys"};
    const WeightStory *story = page.story;
    lesson_heading(page.maker, "5. The softmax");
    double *sizes = sizes_of(page);
    if (!sizes) return;
    if (!story->taking_part) {
        tell_empty(page);
        return;
    }
    lesson_text(page.maker, TONE_PLAIN,
                "It goes over %s. The largest score, %.4f, is taken off each first, which changes "
                "no weight and keeps the exponentials at 1 or below.",
                lines[story->axis], story->largest);
    Shown shown = choose(page, sizes, story->line_count, story->place);
    if (!shown.keys) return;
    bars_of_line(page, shown, true);
    table_of_line(page, shown);
    bars_of_line(page, shown, false);
    lesson_text(page.maker, TONE_STRONG,
                "%s: exp(%.4f − %.4f) = %s, over the sum %.6f, is the weight %s.",
                line_name(page, story->place), story->line[story->place].masked, story->largest,
                explain_weight(page, story->exponential), story->sum,
                explain_weight(page, story->exponential / story->sum));
    if (!story->mask.seen)
        lesson_text(
            page.maker, TONE_WRONG,
            "The key is hidden all the same: what this pass does to hidden keys leaves it a "
            "weight of %s.",
            explain_weight(page, story->weight));
    lesson_text(page.maker, TONE_PLAIN,
                "The pass has %s; over all of these, its weights are within %.1g of the ones "
                "computed here.",
                explain_weight(page, story->pass_weight), story->gap);
}

void explain_hidden(ExplainPage page) {
    const WeightStory *story = page.story;
    lesson_heading(page.maker, "5. Here the story ends");
    if (!story->taking_part) {
        tell_empty(page);
        return;
    }
    lesson_text(
        page.maker, TONE_PLAIN,
        "A hidden key takes no part in the softmax. Its weight is exactly 0, its value adds "
        "nothing, and its score, %.4f, is of no account. This is what %s instead:",
        story->score, story->axis == SOFTMAX_KEYS ? "the query sees" : "takes part");
    double *sizes = sizes_of(page);
    if (!sizes) return;
    Shown shown = choose(page, sizes, story->line_count, story->place);
    if (!shown.keys) return;
    for (int i = 0; i < shown.count; i++)
        shown.keys[i] = shown.keys[i] && story->line[i].masked != -INFINITY;
    bars_of_line(page, shown, false);
}
