/* The right column: the head's figures, one weight, the next token, the effect of a change, similar
 * heads. */
#include <math.h>
#include <string.h>

#include "app/lessons/explain_words.h"
#include "app/screen/screen_builder.h"

enum { SECTIONS = 6, ALIKE = 3 };

static ScreenSection *add_section(ScreenBuilder *builder) {
    ScreenSection *sections = (ScreenSection *)builder->screen->sections;
    return &sections[builder->screen->section_count++];
}

static void set_lines(ScreenBuilder *builder, ScreenSection *section, const char *first,
                      const char *second) {
    const char **lines = pool_take(builder->pool, 2 * sizeof *lines);
    if (!lines) return;
    lines[0] = first;
    lines[1] = second;
    section->lines = lines;
    section->line_count = (first != NULL) + (second != NULL);
}

/* --- the head --------------------------------------------------------------------------------- */

/* What the bars of a head show, in order. */
typedef struct FigureBar {
    Figure figure;
    const char *name, *tip;
} FigureBar;

static const FigureBar figure_bars[] = {
    {FIGURE_ENTROPY, "entropy",
     "how evenly a query spreads its weight, in bits; the bar: of the most"},
    {FIGURE_LARGEST, "largest weight", "the largest weight of a query, on average"},
    {FIGURE_DISTANCE, "mean distance", "how far away, in tokens, a query looks on average"},
    {FIGURE_DIAGONAL, "diagonal", "the share on the cells from corner to corner of the cross map"},
    {FIGURE_PREVIOUS, "previous token", "the share of the weight on the token before the query"},
    {FIGURE_SELF, "itself", "the share on the query's own token"},
    {FIGURE_NEXT, "next token", "the share on the token after the query"},
    {FIGURE_FIRST, "first token", "the share on the first token"},
    {FIGURE_LAST, "last valid token", "the share on the last token that is valid"}};
enum { FIGURE_BARS = sizeof figure_bars / sizeof *figure_bars };

static ScreenBar figure_bar(ScreenBuilder *builder, const HeadFigures *figures,
                            const FigureBar *shown) {
    bool entropy = shown->figure == FIGURE_ENTROPY;
    double mean = figures->mean[shown->figure];
    ScreenBar bar = {.name = shown->name, .value = "", .share = -1, .tip = shown->tip};
    if (!isfinite(mean)) return bar;
    if (shown->figure != FIGURE_DISTANCE)
        bar.share = (float)figures->mean[entropy ? FIGURE_SPREAD : shown->figure];
    bar.value = pool_format(builder->pool, entropy ? "%.2f bits" : "%.2f", mean);
    return bar;
}

static void add_head(ScreenBuilder *builder) {
    HeadId id = builder->state->head;
    const HeadFigures *figures = session_head_figures(builder->session, id);
    const char *name = screen_head_name(builder, id);
    ScreenSection *section = add_section(builder);
    ScreenBar *bars = pool_take(builder->pool, FIGURE_BARS * sizeof *bars);
    ScreenButton *buttons = pool_take(builder->pool, 2 * sizeof *buttons);
    if (!figures || !bars || !buttons) return;
    char label[64];
    head_label(figures, id.site, label, sizeof label);
    for (int i = 0; i < FIGURE_BARS; i++)
        bars[i] = figure_bar(builder, figures, &figure_bars[i]);
    bool out = screen_is_ablated(builder, id);
    buttons[0] = (ScreenButton){
        .label = out ? "restore" : "ablate",
        .tip = out ? "puts the head back in (a)" : "knocks the head out (a)",
        .action = pool_format(builder->pool, "%s %s", out ? "restore" : "ablate", name),
        .on = out,
        .other = "restore"};
    section->title = name;
    set_lines(builder, section,
              label[0] ? pool_copy(builder->pool, label) : "no one pattern dominates", NULL);
    section->bars = bars;
    section->bar_count = FIGURE_BARS;
    section->buttons = buttons;
    section->button_count = 1;
}

/* --- one weight of it ------------------------------------------------------------------------- */

static float share_of(double part, double whole) {
    return whole > 0 ? (float)fmin(fabs(part) / whole, 1) : 0;
}

/* The largest product in the row, to which the bars are relative. */
static double largest_product(const WeightStory *story) {
    double largest = 0;
    for (int i = 0; i < story->line_count; i++)
        largest = fmax(largest, fabs(story->line[i].score) * story->divisor);
    return largest;
}

static int weight_bars(ScreenBuilder *builder, const WeightStory *story, ScreenBar *bars) {
    const StoryKey *key = &story->row[story->key];
    double largest = largest_product(story);
    int count = 0;
    bars[count++] = (ScreenBar){
        .name = "query · key",
        .value = pool_format(builder->pool, "%+.3f", story->product),
        .share = share_of(story->product, largest),
        .tip = "the head's slices of both, multiplied and summed; the bar: of the row's largest"};
    bars[count++] = (ScreenBar){.name = pool_format(builder->pool, "/ %.3g", story->divisor),
                                .value = pool_format(builder->pool, "%+.3f", story->score),
                                .share = share_of(story->score, largest),
                                .tip = "the score: divided by the root of the head's width"};
    if (story->line[story->place].masked == -INFINITY) return count;
    bars[count++] = (ScreenBar){
        .name = "exponential",
        .value = pool_format(builder->pool, "%.3g", story->exponential),
        .share = (float)story->exponential,
        .tip = "the softmax begins: less the row's largest score, and the exponential of that"};
    bars[count++] = (ScreenBar){.name = pool_format(builder->pool, "/ sum %.3g", story->sum),
                                .value = pool_format(builder->pool, "%.3g", story->weight),
                                .share = (float)story->weight,
                                .tip = "the weight: divided by the sum of the row's exponentials"};
    bars[count++] =
        (ScreenBar){.name = "of the output",
                    .value = pool_format(builder->pool, "%.1f %%", 100 * key->share),
                    .share = (float)fmin(fmax(key->share, 0), 1),
                    .second = true,
                    .tip = "what weight times value has of the head's context, along it"};
    return count;
}

static void add_weight(ScreenBuilder *builder) {
    enum { BARS = 5, BUTTONS = 2 };
    const PassStory *pass_story = session_cell_story(builder->session);
    if (!pass_story) return;
    const WeightStory *story = &pass_story->story;
    ScreenBar *bars = pool_take(builder->pool, BARS * sizeof *bars);
    ScreenButton *buttons = pool_take(builder->pool, BUTTONS * sizeof *buttons);
    if (!bars || !buttons) return;
    ScreenSection *section = add_section(builder);
    buttons[0] = (ScreenButton){.label = "all steps",
                                .tip = "this weight from the beginning (w, or a double click)",
                                .action = pool_format(builder->pool, "lesson explain %s %d %d",
                                                      screen_head_name(builder, story->id),
                                                      story->query, story->key)};
    bool is_nan = isnan(story->pass_weight);
    section->title = is_nan ? "one weight: NaN"
                            : pool_format(builder->pool, "one weight: %.3g", story->pass_weight);
    set_lines(builder, section,
              pool_format(builder->pool, "query %s, key %s",
                          explain_query(builder->pool, pass_story, story->query),
                          explain_key(builder->pool, pass_story, story->key)),
              story->mask.seen && story->mask.right
                  ? pool_format(builder->pool, "seen: the query sees keys %d to %d",
                                story->mask.first, story->mask.end - 1)
                  : pool_format(builder->pool, "%s.", explain_verdict(builder->pool, pass_story)));
    section->bars = bars;
    section->bar_count = is_nan ? 0 : weight_bars(builder, story, bars);
    section->buttons = buttons;
    section->button_count = 1;
}

/* --- the next token --------------------------------------------------------------------------- */

/* The step whose candidates are shown: the newest while stepping, else the one under the pointer,
 * the pinned one, that of the explained cell, or the last. */
static int shown_step(const ScreenBuilder *builder, int example) {
    const State *state = builder->state;
    int steps = builder->pass->steps;
    bool hovers = state->has_hover && state->hover.site != SITE_ENCODER &&
                  state->hover_example == example && state->hover_row >= 0;
    if (state->step > 0) return steps - 1;
    if (hovers && state->hover_row < steps) return state->hover_row;
    if (state->pinned_target >= 0 && state->pinned_target < steps) return state->pinned_target;
    if (state->head.site != SITE_ENCODER && state->cell_row >= 0 && state->cell_row < steps)
        return state->cell_row;
    return steps - 1;
}

static void add_candidates(ScreenBuilder *builder) {
    int example = screen_example(builder), step = shown_step(builder, example);
    const WorldExample *world = &builder->pass->world.examples[example];
    const PassExample *shown = &builder->pass->examples[example];
    char **tokens = builder->session->model.target_vocab.tokens;
    ScreenSection *section = add_section(builder);
    ScreenBar *bars = pool_take(builder->pool, WORLD_CANDIDATES * sizeof *bars);
    if (!bars) return;
    for (int i = 0; i < world->candidate_count; i++) {
        Candidate candidate = world->candidates[step * WORLD_CANDIDATES + i];
        bars[i] = (ScreenBar){.name = visible_token(builder->pool, tokens[candidate.token]),
                              .value = pool_format(builder->pool, "%.3f", candidate.probability),
                              .share = (float)candidate.probability,
                              .second = true};
    }
    bool is_nan = isnan(world->candidates[step * WORLD_CANDIDATES].probability);
    section->title = pool_format(builder->pool, "query %d: next token", step);
    set_lines(builder, section,
              pool_format(builder->pool, "reads %s; the target has %s",
                          visible_token(builder->pool, shown->reads[step]),
                          visible_token(builder->pool, shown->writes[step])),
              is_nan ? "The probabilities are not numbers (NaN)." : NULL);
    section->bars = bars;
    section->bar_count = is_nan ? 0 : world->candidate_count;
}

/* --- what a change does ----------------------------------------------------------------------- */

static void add_change(ScreenBuilder *builder) {
    const Pass *pass = builder->pass;
    if (!pass->changed) return;
    int example = screen_example(builder);
    double before, after;
    pass_log_probs(pass, example, &before, &after);
    ScreenSection *section = add_section(builder);
    section->title = "the change";
    set_lines(builder, section,
              isnan(after - before)
                  ? "same target: a log-probability is not a number (NaN)"
                  : pool_format(
                        builder->pool, "same target: log-probability %s by %.3f, from %.3f to %.3f",
                        after < before ? "falls" : "rises", fabs(after - before), before, after),
              pool_format(builder->pool, "decoded anew: %s", screen_decoded(builder, example)));
    ScreenButton *button = pool_take(builder->pool, sizeof *button);
    if (!button) return;
    *button = (ScreenButton){
        .label = "as trained", .tip = "puts everything back", .action = "plain; snapshot off"};
    section->buttons = button;
    section->button_count = 1;
}

/* --- who is alike ----------------------------------------------------------------------------- */

static void add_alike(ScreenBuilder *builder) {
    HeadId id = builder->state->head;
    const Similarity *similarity = session_similarity(builder->session, id.site);
    int self = similarity ? similarity_place(similarity, id) : NONE;
    if (self == NONE || similarity->count < 2) return;
    ScreenBar *bars = pool_take(builder->pool, ALIKE * sizeof *bars);
    int chosen[ALIKE], count = 0;
    if (!bars) return;
    const float *row = similarity->values + (long)self * similarity->count;
    while (count < ALIKE && count < similarity->count - 1) {
        int best = NONE;
        for (int i = 0; i < similarity->count; i++) {
            bool taken = i == self || isnan(row[i]);
            for (int j = 0; j < count; j++)
                taken = taken || chosen[j] == i;
            if (!taken && (best == NONE || row[i] > row[best])) best = i;
        }
        if (best == NONE) break;
        const char *name = screen_head_name(builder, similarity->heads[best]);
        bars[count] = (ScreenBar){
            .name = name,
            .value = pool_format(builder->pool, "%.2f", (double)row[best]),
            .share = row[best],
            .tip = "1 less the Jensen-Shannon divergence of the rows; press: compare the two",
            .action =
                pool_format(builder->pool, "compare %s %s", screen_head_name(builder, id), name)};
        chosen[count++] = best;
    }
    ScreenSection *section = add_section(builder);
    section->title = "most alike";
    if (count == 0)
        set_lines(builder, section, "no row to compare: no query sees two keys that differ", NULL);
    section->bars = bars;
    section->bar_count = count;
}

void screen_build_side(ScreenBuilder *builder) {
    builder->screen->sections = pool_take(builder->pool, SECTIONS * sizeof(ScreenSection));
    if (!builder->screen->sections) return;
    add_head(builder);
    add_weight(builder);
    add_candidates(builder);
    add_change(builder);
    add_alike(builder);
}
