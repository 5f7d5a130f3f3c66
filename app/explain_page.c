#include "app/explain_page.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_TERMS = 8, MOST_KEYS = 16 };

/* What all parts of the page are given. */
typedef struct Page {
    LessonMaker *maker;
    Pool *pool;
    const SessionStory *told;
    const WeightStory *story;
} Page;

static const char *head_name(Page page, HeadId id) {
    return pool_format(page.pool, "%s.%d.%d", site_name(id.site), id.layer, id.head);
}

/* The page of another cell, which is then also the one that is told beside the maps. */
static const char *action_to(Page page, HeadId id, int query, int key) {
    const char *head = head_name(page, id);
    return pool_format(page.pool, "select %s; cell %d %d; lesson explain %s %d %d", head, query,
                       key, head, query, key);
}

static double largest_of(const double *numbers, int count) {
    double largest = 0;
    for (int i = 0; i < count; i++)
        largest = fmax(largest, fabs(numbers[i]));
    return largest;
}

/* A weight: exactly 0 is "0", and a small one keeps its digits. */
static const char *weight_text(Page page, double weight) {
    if (weight == 0) return "0";
    return pool_format(page.pool, fabs(weight) < 1e-4 ? "%.3e" : "%.6f", weight);
}

/* Of a bar: 0 where there is nothing to be a share of. */
static double over(double part, double whole) {
    return whole > 0 ? part / whole : 0;
}

/* --- what it is about ------------------------------------------------------------------------- */

static void tell_begin(Page page) {
    const WeightStory *story = page.story;
    lesson_title(page.maker, "One weight from the beginning: %s, query %s, key %s",
                 head_name(page, story->id), explain_query(page.pool, page.told, story->query),
                 explain_key(page.pool, page.told, story->key));
    lesson_text(page.maker, TONE_PLAIN,
                "The weight in the pass is %s. Each figure below follows from the ones before it; "
                "all are read from the pass and recomputed from there with more digits.%s",
                weight_text(page, story->pass_weight),
                story->id.site == SITE_ENCODER
                    ? ""
                    : " A decoder's step is named by what it reads and what it writes: a→b.");
    const Trap *trap = page.told->trap;
    if (story->mistaken)
        lesson_text(
            page.maker, TONE_WRONG,
            "This pass makes a mistake on purpose%s. What follows is told by the rule of the "
            "pass, not by the right one.",
            trap ? pool_format(page.pool, ": %s (%s)", trap->title, trap->mixes) : "");
}

/* --- 1 ---------------------------------------------------------------------------------------- */

/* "32 to 47": where the elements of a head lie among all. */
static const char *range_text(Page page, int first, int stride) {
    int last = first + (page.story->head_width - 1) * stride;
    if (stride == 1) return pool_format(page.pool, "%d to %d", first, last);
    return pool_format(page.pool, "%d to %d, one of %d", first, last, stride);
}

static void tell_sources(Page page) {
    static const char *const roles[STORY_ROLES] = {"query", "key", "value"};
    const WeightStory *story = page.story;
    const char *parameters = explain_parameters(page.pool, story->id);
    double gap = 0;
    lesson_heading(page.maker, "1. Where query, key and value came from");
    lesson_table(page.maker, NULL,
                 "\t~tensor\t>step\ttoken\t>vector's length\trows of in_proj_weight");
    for (int role = 0; role < STORY_ROLES; role++) {
        const StorySlice *slice = &story->slices[role];
        const char *const *names = role == STORY_QUERY ? page.told->queries : page.told->keys;
        lesson_row(page.maker, TONE_PLAIN, "%s\t%s\t%d\t%s\t%.3f\t%s", roles[role],
                   explain_source(page.pool, page.told, (StoryRole)role), slice->step,
                   explain_token(page.pool, names[slice->step]), slice->input_length,
                   range_text(page, role * story->width + slice->column, slice->stride));
        gap = fmax(gap, slice->gap);
    }
    lesson_text(
        page.maker, TONE_PLAIN,
        "Each vector of %d numbers is projected by %s.in_proj_weight; head %d of %d owns %d "
        "numbers of what comes out. Projected anew, the pass is met to within %.1g.",
        story->width, parameters, story->id.head, story->heads, story->head_width, gap);
}

/* --- 2 ---------------------------------------------------------------------------------------- */

/* The slices one below the other: a column is an element. */
static void draw_slices(Page page) {
    static const char *const names[] = {"query", "key", "product"};
    const WeightStory *story = page.story;
    int width = story->head_width;
    float *values = pool_take(page.pool, 3 * (size_t)width * sizeof *values);
    if (!values) return;
    double top = 0;
    for (int i = 0; i < width; i++) {
        double query = story->slices[STORY_QUERY].values[i],
               key = story->slices[STORY_KEY].values[i];
        values[i] = (float)query;
        values[width + i] = (float)key;
        values[2 * width + i] = (float)(query * key);
        top = fmax(top, fmax(fmax(fabs(query), fabs(key)), fabs(query * key)));
    }
    lesson_maps(page.maker, NULL, 1);
    lesson_map(page.maker, &(LessonMap){.title = "the head's slices, element by element",
                                        .rows = 3,
                                        .columns = width,
                                        .values = values,
                                        .top = top > 0 ? (float)top : 1,
                                        .diverging = true,
                                        .row_names = names,
                                        .marked_row = -1,
                                        .marked_column = -1});
}

static void tell_products(Page page) {
    const WeightStory *story = page.story;
    int width = story->head_width, shown = width > MOST_TERMS + 1 ? MOST_TERMS : width;
    double rest = story->product, top = fabs(story->product);
    lesson_heading(page.maker, "2. Query times key");
    draw_slices(page);
    for (int i = 0; i < shown; i++)
        rest -= story->terms[i].product;
    top = fmax(top, fmax(fabs(story->terms[0].product), shown < width ? fabs(rest) : 0));
    lesson_bars(page.maker, "query × key, those that matter most first:", true);
    for (int i = 0; i < shown; i++) {
        StoryTerm term = story->terms[i];
        lesson_bar(
            page.maker,
            pool_format(page.pool, "element %d: %.4f × %.4f", term.element, term.query, term.key),
            over(term.product, top), TONE_PLAIN, "%+.4f", term.product);
    }
    if (shown < width)
        lesson_bar(page.maker, pool_format(page.pool, "the other %d together", width - shown),
                   over(rest, top), TONE_FAINT, "%+.4f", rest);
    lesson_bar(page.maker, pool_format(page.pool, "sum of all %d products", width),
               over(story->product, top), TONE_STRONG, "%+.4f", story->product);
}

/* --- 3 ---------------------------------------------------------------------------------------- */

static void tell_score(Page page) {
    const WeightStory *story = page.story;
    double root = sqrt((double)story->head_width);
    bool right = fabs(story->divisor - root) < 1e-9 * root;
    double top = fmax(fabs(story->product), fabs(story->score));
    lesson_heading(page.maker, "3. Divided by the root of the head's width");
    if (right)
        lesson_text(
            page.maker, TONE_PLAIN,
            "The head is %d wide, and the root of %d is %.4f. Products of wider heads sum to "
            "larger numbers; divided so, scores keep their size whatever the width.",
            story->head_width, story->head_width, story->divisor);
    else
        lesson_text(page.maker, TONE_WRONG,
                    "This pass divides by %.4f, where the root of the head's width %d is %.4f.",
                    story->divisor, story->head_width, root);
    lesson_bars(page.maker, NULL, true);
    lesson_bar(page.maker, "sum of products", over(story->product, top), TONE_PLAIN, "%+.4f",
               story->product);
    lesson_bar(page.maker, pool_format(page.pool, "score: that / %.4f", story->divisor),
               over(story->score, top), TONE_STRONG, "%+.4f", story->score);
}

/* --- 4 ---------------------------------------------------------------------------------------- */

static void tell_mask(Page page) {
    const WeightStory *story = page.story;
    const StoryMask *mask = &story->mask;
    lesson_heading(page.maker, "4. The mask's verdict");
    lesson_text(page.maker, mask->seen == mask->right ? TONE_STRONG : TONE_WRONG, "%s.",
                explain_verdict(page.pool, page.told));
    if (mask->end <= mask->first)
        lesson_text(page.maker, TONE_PLAIN, "Query %d sees no key at all.", story->query);
    else
        lesson_text(page.maker, TONE_PLAIN, "Query %d sees keys %d to %d of %d.", story->query,
                    mask->first, mask->end - 1, story->keys);
}

/* --- 5 ---------------------------------------------------------------------------------------- */

/* Of a line of scores, those to be shown: all, or those with the largest weights and the one that
 * is told, in order. */
typedef struct Shown {
    bool *keys; /* [count] */
    int count, left_out;
} Shown;

static Shown choose(Page page, const double *sizes, int count, int told) {
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

static const char *line_name(Page page, int place) {
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

static void table_of_line(Page page, Shown shown) {
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
                       weight_text(page, at->pass_weight));
        } else {
            lesson_row(page.maker, tone, "%s\t%.4f\t%s\t%s\t%s", line_name(page, i), at->masked,
                       weight_text(page, at->exponential), weight_text(page, at->weight),
                       weight_text(page, at->pass_weight));
        }
        if (shown.keys[i] && story->axis == SOFTMAX_KEYS)
            lesson_row_action(page.maker, action_to(page, story->id, story->query, i));
    }
    if (shown.left_out)
        lesson_row(page.maker, TONE_FAINT, "the other %d\t\t%.6f\t%.6f", shown.left_out,
                   exponentials, weights);
    lesson_row(page.maker, TONE_STRONG, "sum\t\t%.6f\t%.6f", story->sum, sum);
}

static void bars_of_line(Page page, Shown shown, bool scores) {
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
            lesson_bar(page.maker, line_name(page, i), over(at->masked, top), tone, "%+.4f",
                       at->masked);
        else
            lesson_bar(page.maker, line_name(page, i), at->weight, tone,
                       hidden ? "hidden: 0" : "%.4f", at->weight);
    }
}

/* What other programs make of a row that sees nothing. */
static void tell_empty(Page page) {
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

static void tell_softmax(Page page) {
    static const char *const lines[] = {[SOFTMAX_KEYS] = "the row of the query, over its keys",
                                        [SOFTMAX_QUERIES] = "the column of the key, over all "
                                                            "queries: not over the keys",
                                        [SOFTMAX_HEADS] = "the heads: not over the keys"};
    const WeightStory *story = page.story;
    lesson_heading(page.maker, "5. The softmax");
    double *sizes = pool_take(page.pool, (size_t)story->line_count * sizeof *sizes);
    if (!sizes) return;
    for (int i = 0; i < story->line_count; i++)
        sizes[i] = story->line[i].masked == -INFINITY ? -1e-9 : story->line[i].weight;
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
                weight_text(page, story->exponential), story->sum,
                weight_text(page, story->exponential / story->sum));
    if (!story->mask.seen)
        lesson_text(
            page.maker, TONE_WRONG,
            "The key is hidden all the same: what this pass does to hidden keys leaves it a "
            "weight of %s.",
            weight_text(page, story->weight));
    lesson_text(page.maker, TONE_PLAIN,
                "The pass has %s; over all of these, its weights are within %.1g of the ones "
                "computed here.",
                weight_text(page, story->pass_weight), story->gap);
}

/* --- 6 ---------------------------------------------------------------------------------------- */

static void table_of_value(Page page) {
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

static void bars_of_value(Page page) {
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
                   over(story->added[chosen[i]], top), TONE_PLAIN, "%+.4f",
                   story->added[chosen[i]]);
}

/* The share of each key in the context, with their sum. */
static void bars_of_shares(Page page) {
    const WeightStory *story = page.story;
    int chosen[MOST_TERMS];
    double *shares = pool_take(page.pool, (size_t)story->keys * sizeof *shares);
    if (!shares) return;
    for (int key = 0; key < story->keys; key++)
        shares[key] = story->row[key].share;
    int shown = explain_largest(shares, story->keys, MOST_TERMS, chosen);
    double rest = 0, top = fmax(1, largest_of(shares, story->keys));
    for (int key = 0; key < story->keys; key++) /* 1; 0 where there is no context */
        rest += shares[key];
    bool met = false;
    for (int i = 0; i < shown; i++)
        met = met || chosen[i] == story->key;
    if (!met) chosen[shown - 1] = story->key;
    lesson_bars(page.maker,
                "share of each key in the head's context (how far it goes the context's way; below "
                "0 it goes against it):",
                true);
    for (int i = 0; i < shown; i++) {
        rest -= shares[chosen[i]];
        lesson_bar(page.maker, explain_key(page.pool, page.told, chosen[i]),
                   over(shares[chosen[i]], top), chosen[i] == story->key ? TONE_STRONG : TONE_PLAIN,
                   "%+.1f %%", 100 * shares[chosen[i]]);
    }
    if (shown < story->keys)
        lesson_bar(page.maker, pool_format(page.pool, "the other %d together", story->keys - shown),
                   over(rest, top), TONE_FAINT, "%+.1f %%", 100 * rest);
}

static void bars_of_stream(Page page) {
    const WeightStory *story = page.story;
    int width = story->width;
    double head = weight_story_length(story->out_head, width),
           all = weight_story_length(story->out_all, width),
           stream = weight_story_length(story->stream, width),
           added = weight_story_length(story->out_added, width);
    double top = fmax(fmax(head, all), fmax(stream, added));
    lesson_bars(page.maker, "lengths after the output projection, in the stream:", false);
    lesson_bar(page.maker, "this value by this weight", over(added, top), TONE_STRONG, "%.4f",
               added);
    lesson_bar(page.maker, "the whole head", over(head, top), TONE_PLAIN, "%.4f", head);
    lesson_bar(page.maker,
               pool_format(page.pool, "all %d heads%s", story->heads,
                           page.told->config->attention_bias ? " and the bias" : ""),
               over(all, top), TONE_PLAIN, "%.4f", all);
    lesson_bar(page.maker, "the stream before", over(stream, top), TONE_FAINT, "%.4f", stream);
}

static void tell_context(Page page) {
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

static void tell_value(Page page) {
    const WeightStory *story = page.story;
    const StoryKey *told = &story->row[story->key];
    lesson_heading(page.maker, "6. What the value then adds");
    lesson_text(page.maker, TONE_PLAIN,
                "The weight %s times the value of key %s: its length %.4f becomes %.4f.",
                weight_text(page, told->weight), explain_key(page.pool, page.told, story->key),
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
        range_text(page, story->out_column, story->out_stride),
        explain_parameters(page.pool, story->id), story->lands, 100 * told->out_share);
    bars_of_stream(page);
    lesson_text(page.maker, TONE_PLAIN,
                "The stream before and what all heads add sum to what the pass has after this "
                "attention, to within %.1g%s.",
                story->out_gap,
                page.told->config->pre_norm ? "" : "; the norm comes after that sum");
}

/* --- where to go on --------------------------------------------------------------------------- */

static void button(Page page, const char *label, const char *tip, int query, int key) {
    if (query < 0 || key < 0 || query >= page.story->queries || key >= page.story->keys) return;
    lesson_button(page.maker, label, false, tip, "%s", action_to(page, page.story->id, query, key));
}

static void add_buttons(Page page) {
    const WeightStory *story = page.story;
    HeadId id = story->id;
    int best = 0;
    for (int key = 1; key < story->keys; key++)
        if (story->row[key].weight > story->row[best].weight) best = key;
    lesson_buttons(page.maker, NULL);
    button(page, "query before", "the same key, seen by the query before", story->query - 1,
           story->key);
    button(page, "next query", "the same key, seen by the next query", story->query + 1,
           story->key);
    button(page, "key before", "the key before it in this row", story->query, story->key - 1);
    button(page, "next key", "the key after it in this row", story->query, story->key + 1);
    if (best != story->key)
        button(page, "largest of the row", "the key that this query looks at most", story->query,
               best);
    id.head = (id.head + 1) % story->heads;
    if (story->heads > 1)
        lesson_button(page.maker, "next head", false, "the same cell of the next head", "%s",
                      action_to(page, id, story->query, story->key));
    lesson_button(page.maker, "see the map", false, "the head with this cell pinned",
                  "page explore; select %s; cell %d %d", head_name(page, story->id), story->query,
                  story->key);
}

/* The softmax left the key out: nothing more is to be told of it but what the query sees instead.
 */
static void tell_hidden(Page page) {
    const WeightStory *story = page.story;
    lesson_heading(page.maker, "5. Here the story ends");
    if (!story->taking_part) {
        tell_empty(page);
        return;
    }
    lesson_text(
        page.maker, TONE_PLAIN,
        "A hidden key takes no part in the softmax. Its weight is exactly 0, its value adds "
        "nothing, and its score, %.4f, is of no account: it is not even computed in the "
        "pass. This is what the query sees instead:",
        story->score);
    double *sizes = pool_take(page.pool, (size_t)story->line_count * sizeof *sizes);
    if (!sizes) return;
    for (int i = 0; i < story->line_count; i++)
        sizes[i] = story->line[i].weight;
    Shown shown = choose(page, sizes, story->line_count, story->place);
    if (shown.keys) bars_of_line(page, shown, false);
}

void explain_page(LessonMaker *maker, const SessionStory *told) {
    Page page = {maker, lesson_pool(maker), told, &told->story};
    tell_begin(page);
    add_buttons(page);
    tell_sources(page);
    tell_products(page);
    tell_score(page);
    tell_mask(page);
    if (told->story.line[told->story.place].masked == -INFINITY) {
        tell_hidden(page);
        return;
    }
    tell_softmax(page);
    tell_value(page);
}
