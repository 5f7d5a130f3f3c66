/* What the value of a weight adds. */
#include <math.h>

#include "app/lessons/explain_parts.h"

enum { MOST_TERMS = 8 };

static double largest_of(const double *numbers, int count) {
    double largest = 0;
    for (int i = 0; i < count; i++)
        largest = fmax(largest, fabs(numbers[i]));
    return largest;
}

static void table_of_value(ExplainPage page) {
    const WeightStory *story = page.story;
    int chosen[MOST_TERMS], width = story->head_width;
    int shown = explain_largest(story->added, width, MOST_TERMS, chosen);
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
    int chosen[MOST_TERMS], width = story->head_width;
    int shown = explain_largest(story->added, width, MOST_TERMS, chosen);
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

/* The share of each key in the context, with their sum: of the keys that give something, so that no
 * hidden one stands among them, unless the pass gives it a weight by mistake. */
static void bars_of_shares(ExplainPage page) {
    const WeightStory *story = page.story;
    int chosen[MOST_TERMS], count = 0;
    double *shares = pool_take(page.pool, (size_t)story->keys * sizeof *shares);
    int *keys = pool_take(page.pool, (size_t)story->keys * sizeof *keys);
    if (!shares || !keys) return;
    for (int key = 0; key < story->keys; key++) {
        if (story->row[key].weight == 0 && key != story->key) continue;
        shares[count] = story->row[key].share;
        keys[count++] = key;
    }
    int shown = explain_largest(shares, count, MOST_TERMS, chosen);
    double rest = 0, top = fmax(1, largest_of(shares, count));
    for (int i = 0; i < count; i++) /* 1; 0 where there is no context */
        rest += shares[i];
    int told = 0; /* the key that is told, which is always shown */
    bool met = false;
    while (keys[told] != story->key)
        told++;
    for (int i = 0; i < shown; i++)
        met = met || chosen[i] == told;
    if (!met) chosen[shown - 1] = told;
    lesson_bars(page.maker,
                "share of each key in the head's context (how far it goes the context's way; below "
                "0 it goes against it):",
                true);
    for (int i = 0; i < shown; i++) {
        rest -= shares[chosen[i]];
        lesson_bar(page.maker, explain_key(page.pool, page.told, keys[chosen[i]]),
                   explain_over(shares[chosen[i]], top),
                   chosen[i] == told ? TONE_STRONG : TONE_PLAIN, "%+.1f %%",
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
                           page.told->config->attention_bias ? " and the bias" : ""),
               explain_over(all, top), TONE_PLAIN, "%.4f", all);
    lesson_bar(page.maker, "the stream before", explain_over(stream, top), TONE_FAINT, "%.4f",
               stream);
}

static void tell_context(ExplainPage page) {
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
    const StoryKey *told = &story->row[story->key];
    lesson_heading(page.maker, "6. What the value then adds");
    lesson_text(page.maker, TONE_PLAIN,
                "The weight %s times the value of key %s: its length %.4f becomes %.4f.",
                explain_weight(page, told->weight), explain_key(page.pool, page.told, story->key),
                told->value_length, told->added_length);
    bars_of_value(page);
    table_of_value(page);
    bars_of_shares(page);
    tell_context(page);
    lesson_text(
        page.maker, TONE_PLAIN,
        "The output projection takes the head's context through its columns (%s of "
        "%s.out_proj.weight) and adds what comes out to the stream of step %d: of what this "
        "head gives there, this key has %.1f %%.",
        explain_range(page, story->out_column, story->out_stride),
        explain_parameters(page.pool, story->id), story->lands, 100 * told->out_share);
    bars_of_stream(page);
    lesson_text(page.maker, TONE_PLAIN,
                "The stream before and what all heads add sum to what the pass has after this "
                "attention, to within %.1g%s.",
                story->out_gap,
                page.told->config->pre_norm ? "" : "; the norm comes after that sum");
}
