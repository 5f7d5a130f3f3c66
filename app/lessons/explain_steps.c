/* The last steps of the page of a weight: softmax and value. */
#include "app/lessons/explain_words.h"

#include <float.h>
#include <math.h>

enum { MAX_KEYS = 16, MAX_TERMS = 8 }; /* how many are shown */

/* --- 5: the softmax ----------------------------------------------------------------------------
 */

/* Which entries of a line of scores are shown: all of them, or the ones with the largest weights
 * and the explained one. */
typedef struct ShownKeys {
    bool *keys; /* [count] */
    int count, left_out;
} ShownKeys;

static ShownKeys choose(ExplainPage page, const double *sizes, int count, int required) {
    ShownKeys shown = {pool_take(page.pool, ((size_t)count + 1) * sizeof(bool)), count, 0};
    int chosen[MAX_KEYS];
    if (!shown.keys) return (ShownKeys){0};
    bool all = count <= MAX_KEYS + 1;
    int taken = all ? 0 : explain_largest(sizes, count, MAX_KEYS, chosen);
    for (int i = 0; i < taken; i++)
        shown.keys[chosen[i]] = true;
    shown.keys[required] = true;
    for (int i = 0; i < count; i++) {
        shown.keys[i] = shown.keys[i] || all;
        shown.left_out += !shown.keys[i];
    }
    return shown;
}

/* Sort keys for `choose`: the weights, where a visible key of weight 0 precedes a hidden one. */
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
        return explain_query(page.pool, page.pass, at->query);
    case SOFTMAX_HEADS:
        return pool_format(page.pool, "head %d", at->head);
    case SOFTMAX_KEYS:
        break;
    }
    return explain_key(page.pool, page.pass, at->key);
}

static void table_of_line(ExplainPage page, ShownKeys shown) {
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

static void bars_of_line(ExplainPage page, ShownKeys shown, bool scores) {
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

/* Explains a row without visible keys, and what other programs return for it. */
static void add_empty(ExplainPage page) {
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
        add_empty(page);
        return;
    }
    lesson_text(page.maker, TONE_PLAIN,
                "It goes over %s. The largest score, %.4f, is taken off each first, which changes "
                "no weight and keeps the exponentials at 1 or below.",
                lines[story->axis], story->largest);
    ShownKeys shown = choose(page, sizes, story->line_count, story->place);
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
        add_empty(page);
        return;
    }
    lesson_text(
        page.maker, TONE_PLAIN,
        "A hidden key takes no part in the softmax. Its weight is exactly 0, its value adds "
        "nothing, and its score, %.4f, is of no account. This is what %s instead:",
        story->score, story->axis == SOFTMAX_KEYS ? "the query sees" : "takes part");
    double *sizes = sizes_of(page);
    if (!sizes) return;
    ShownKeys shown = choose(page, sizes, story->line_count, story->place);
    if (!shown.keys) return;
    for (int i = 0; i < shown.count; i++)
        shown.keys[i] = shown.keys[i] && story->line[i].masked != -INFINITY;
    bars_of_line(page, shown, false);
}

/* --- 6: what the value adds --------------------------------------------------------------------
 */

static double largest_of(const double *numbers, int count) {
    double largest = 0;
    for (int i = 0; i < count; i++)
        largest = fmax(largest, fabs(numbers[i]));
    return largest;
}

static void table_of_value(ExplainPage page) {
    const WeightStory *story = page.story;
    int chosen[MAX_TERMS], width = story->head_width;
    int shown = explain_largest(story->added, width, MAX_TERMS, chosen);
    const double *value = story->row[story->key].value;
    lesson_table(
        page.maker,
        shown < width
            ? pool_format(page.pool, "the %d of %d elements that it adds most to:", shown, width)
            : "element by element:",
        "element\t>value\t>weight × value\t>other keys\t>the head's context");
    for (int i = 0; i < shown; i++) {
        int at = chosen[i];
        lesson_row(page.maker, TONE_PLAIN, "%d\t%.4f\t%+.4f\t%+.4f\t%+.4f", at, value[at],
                   story->added[at], story->context[at] - story->added[at], story->context[at]);
    }
}

static void bars_of_value(ExplainPage page) {
    const WeightStory *story = page.story;
    int chosen[MAX_TERMS], width = story->head_width;
    int shown = explain_largest(story->added, width, MAX_TERMS, chosen);
    double top = largest_of(story->context, width);
    top = fmax(top, largest_of(story->added, width));
    lesson_bars(page.maker,
                pool_format(page.pool,
                            "weight × value, element by element (the largest of the head's "
                            "context is %.4f):",
                            largest_of(story->context, width)),
                true);
    for (int i = 0; i < shown; i++)
        lesson_bar(page.maker,
                   pool_format(page.pool, "element %d: %.4f × %.4f", chosen[i], story->weight,
                               story->row[story->key].value[chosen[i]]),
                   explain_over(story->added[chosen[i]], top), TONE_PLAIN, "%+.4f",
                   story->added[chosen[i]]);
}

/* The share of each key in the context. Keys of weight 0 are left out, so a hidden key appears only
 * if the pass gives it a weight by mistake. */
static void bars_of_shares(ExplainPage page) {
    const WeightStory *story = page.story;
    int chosen[MAX_TERMS], count = 0;
    double *shares = pool_take(page.pool, (size_t)story->keys * sizeof *shares);
    int *keys = pool_take(page.pool, (size_t)story->keys * sizeof *keys);
    if (!shares || !keys) return;
    for (int key = 0; key < story->keys; key++) {
        if (story->row[key].weight == 0 && key != story->key) continue;
        shares[count] = story->row[key].share;
        keys[count++] = key;
    }
    int shown = explain_largest(shares, count, MAX_TERMS, chosen);
    double rest = 0, top = fmax(1, largest_of(shares, count));
    for (int i = 0; i < count; i++) /* 1; 0 where there is no context */
        rest += shares[i];
    int explained = 0; /* index of the explained key, which is always shown */
    bool met = false;
    while (keys[explained] != story->key)
        explained++;
    for (int i = 0; i < shown; i++)
        met = met || chosen[i] == explained;
    if (!met) chosen[shown - 1] = explained;
    lesson_bars(page.maker,
                "share of each key in the head's context (how far it goes the context's way; below "
                "0 it goes against it):",
                true);
    for (int i = 0; i < shown; i++) {
        rest -= shares[chosen[i]];
        lesson_bar(page.maker, explain_key(page.pool, page.pass, keys[chosen[i]]),
                   explain_over(shares[chosen[i]], top),
                   chosen[i] == explained ? TONE_STRONG : TONE_PLAIN, "%+.1f %%",
                   100 * shares[chosen[i]]);
    }
    if (shown < count)
        lesson_bar(page.maker, pool_format(page.pool, "the other %d together", count - shown),
                   explain_over(rest, top), TONE_FAINT, "%+.1f %%", 100 * rest);
}

static void bars_of_stream(ExplainPage page) {
    const WeightStory *story = page.story;
    int width = story->width;
    double head = weight_story_length(story->out_head, width),
           all = weight_story_length(story->out_all, width),
           stream = weight_story_length(story->stream, width),
           added = weight_story_length(story->out_added, width);
    double top = fmax(fmax(head, all), fmax(stream, added));
    lesson_bars(page.maker, "lengths after the output projection, in the stream:", false);
    lesson_bar(page.maker, "this value by this weight", explain_over(added, top), TONE_STRONG,
               "%.4f", added);
    lesson_bar(page.maker, "the whole head", explain_over(head, top), TONE_PLAIN, "%.4f", head);
    lesson_bar(page.maker,
               pool_format(page.pool, "all %d heads%s", story->heads,
                           page.pass->config->attention_bias ? " and the bias" : ""),
               explain_over(all, top), TONE_PLAIN, "%.4f", all);
    lesson_bar(page.maker, "the stream before", explain_over(stream, top), TONE_FAINT, "%.4f",
               stream);
}

static void add_context(ExplainPage page) {
    const WeightStory *story = page.story;
    if (story->knockout)
        lesson_text(page.maker, TONE_WRONG,
                    "But the head is knocked out: %s instead of this context, so that this weight "
                    "adds nothing to the stream. What it would add is shown.",
                    story->knockout == KNOCKOUT_MEAN ? "its mean output stands" : "zeros stand");
    else
        lesson_text(page.maker, TONE_PLAIN,
                    "All weights times their values sum to the head's context; the pass has it to "
                    "within %.1g.",
                    story->context_gap);
}

void explain_value(ExplainPage page) {
    const WeightStory *story = page.story;
    const StoryKey *key = &story->row[story->key];
    lesson_heading(page.maker, "6. What the value then adds");
    lesson_text(page.maker, TONE_PLAIN,
                "The weight %s times the value of key %s: its length %.4f becomes %.4f.",
                explain_weight(page, key->weight), explain_key(page.pool, page.pass, story->key),
                key->value_length, key->added_length);
    bars_of_value(page);
    table_of_value(page);
    bars_of_shares(page);
    add_context(page);
    lesson_text(
        page.maker, TONE_PLAIN,
        "The output projection takes the head's context through its columns (%s of "
        "%s.out_proj.weight) and adds what comes out to the stream of step %d: of what this "
        "head gives there, this key has %.1f %%.",
        explain_range(page, story->out_column, story->out_stride),
        explain_parameters(page.pool, story->id), story->lands, 100 * key->out_share);
    bars_of_stream(page);
    lesson_text(page.maker, TONE_PLAIN,
                "The stream before and what all heads add sum to what the pass has after this "
                "attention, to within %.1g%s.",
                story->out_gap,
                page.pass->config->pre_norm ? "" : "; the norm comes after that sum");
}
