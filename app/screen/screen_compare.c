/* The page that compares A with B, and the similarity of all heads of a site. */
#include <math.h>
#include <string.h>

#include "app/screen/screen_builder.h"

static void build_modes(ScreenBuilder *builder, ScreenCompare *compare) {
    static const ScreenButton modes[COMPARE_MODES] = {
        [COMPARE_HEADS] = {.label = "two heads",
                           .tip = "two heads of the same pass",
                           .action = "against heads"},
        [COMPARE_PLAIN] =
            {.label = "with and without",
             .tip = "what a knocked out head, a valid length, causality or a trap changes",
             .action = "against plain"},
        [COMPARE_INPUTS] = {.label = "two inputs",
                            .tip = "the same head on another input",
                            .action = "against input"},
        [COMPARE_MODELS] = {.label = "two models",
                            .tip = "the same head of another model: drop its file here, or type "
                                   ":against model FILE",
                            .action = "against model"},
        [COMPARE_SNAPSHOTS] = {.label = "two snapshots",
                               .tip = "the same head at another time of the training",
                               .action = "against snapshot"}};
    ScreenButton *buttons = pool_take(builder->pool, sizeof modes);
    if (!buttons) return;
    memcpy(buttons, modes, sizeof modes);
    buttons[builder->state->mode].on = true;
    if (builder->session->snapshots.count == 0) buttons[COMPARE_SNAPSHOTS].action = NULL;
    compare->modes = buttons;
    compare->mode_count = COMPARE_MODES;
}

static void name_sides(ScreenBuilder *builder, ScreenCompare *compare) {
    const State *state = builder->state;
    const Snapshots *snapshots = &builder->session->snapshots;
    const char *name = screen_head_name(builder, state->head);
    compare->title = pool_format(builder->pool, "%s", name);
    compare->a.title = pool_format(builder->pool, "A  %s", name);
    switch (state->mode) {
    case COMPARE_HEADS:
        compare->b.title =
            pool_format(builder->pool, "B  %s", screen_head_name(builder, state->other_head));
        compare->caption = "the same pass; click any head to make it B";
        break;
    case COMPARE_PLAIN:
        compare->b.title = pool_format(builder->pool, "B  %s as trained", name);
        compare->caption = "A is what is on show, B the model as trained; the target is the same";
        break;
    case COMPARE_INPUTS:
        compare->b.title = pool_format(builder->pool, "B  %s, other input", name);
        compare->caption = state->other[0] ? pool_format(builder->pool, "B reads \"%s\"",
                                                         visible_label(builder->pool, state->other))
                                           : "B reads another input";
        break;
    case COMPARE_MODELS:
        compare->b.title = pool_format(builder->pool, "B  %s, other model", name);
        compare->caption = pool_format(
            builder->pool, "B is of %s, with nothing changed in it; the target is the same",
            state->other[0] ? visible_label(builder->pool, state->other) : "no file yet");
        break;
    default:
        compare->b.title =
            pool_format(builder->pool, "B  %s at step %d", name,
                        state->other_snapshot >= 0 && state->other_snapshot < snapshots->count
                            ? snapshots->infos[state->other_snapshot].step
                            : 0);
        compare->caption = "the same target; B has the weights of another step";
        break;
    }
    compare->difference.title = "A − B";
}

static const char *figure(ScreenBuilder *builder, const char *name, double value) {
    return isfinite(value) ? pool_format(builder->pool, "%s %.3f", name, value)
                           : pool_format(builder->pool, "%s –", name);
}

/* Adds the figures of A and B, and the divergence of each query. */
static void add_figures(ScreenBuilder *builder, ScreenCompare *compare, const Side *a,
                        const Side *b) {
    MapComparison *figures = &builder->session->other.comparison;
    comparison_free(figures);
    if (!compare_maps(figures, a->trace, a->id, b->trace, b->id, NULL)) return;
    int queries = figures->queries;
    const char **names = pool_take(builder->pool, ((size_t)queries + 1) * sizeof *names);
    if (!names) return;
    for (int row = 0; row < queries; row++)
        names[row] = visible_token(builder->pool, a->axes->rows[row]);
    compare->row_names = names;
    compare->divergences = figures->row_divergence;
    compare->divergence_count = queries;
    if (figures->rows == 0 && figures->cells == 0) {
        compare->figures = "Nothing is compared: no query sees two keys that differ";
        return;
    }
    const char *text = pool_format(builder->pool, "%s · %s · %s · %s",
                                   figure(builder, "largest |A−B|", figures->largest),
                                   figure(builder, "mean", figures->mean),
                                   figure(builder, "correlation", figures->correlation),
                                   figure(builder, "divergence", figures->divergence));
    MapsSame same = compare_identical(a->trace, a->id, b->trace, b->id);
    bool two_heads = builder->state->mode == COMPARE_HEADS && !head_id_same(a->id, b->id);
    if (two_heads && same == MAPS_SAME)
        text = pool_format(builder->pool,
                           "%s · the same to 1e-6, which hints at a wrong split of heads", text);
    compare->figures = text;
}

static void build_difference(ScreenBuilder *builder, ScreenCompare *compare, const Side *a,
                             const Side *b) {
    const char *reason = NULL;
    if (!session_can_subtract(builder->session, a, b, &reason)) {
        compare->refusal = reason;
        return;
    }
    compare->difference = compare->a;
    compare->difference.first = false;
    compare->difference.minus = b->trace;
    compare->difference.minus_id = b->id;
    compare->difference.title = "A − B";
    add_figures(builder, compare, a, b);
    /* The scale covers all cells that are drawn, padding included. */
    float reach = screen_largest_difference(&compare->difference);
    compare->reach = reach > 0 ? screen_round_reach(reach) : 1;
}

/* --- likeness --------------------------------------------------------------------------------- */

static int index_of(const ScreenSimilarity *shown, HeadId id) {
    for (int i = 0; i < shown->count; i++)
        if (head_id_same(shown->ids[i], id)) return i;
    return NONE;
}

static void add_notes(ScreenBuilder *builder, ScreenSimilarity *shown,
                      const Similarity *similarity) {
    enum { NOTES = 4, PAIRS = 3 };
    const char **notes = pool_take(builder->pool, NOTES * sizeof *notes);
    if (!notes) return;
    int count = 0;
    if (similarity->uninformative)
        notes[count++] =
            "Nothing is compared: no query sees two keys that differ, so any two heads "
            "look the same here.";
    else if (similarity->same_count == 0)
        notes[count++] = "No two heads are the same (to 1e-6, where keys differ). That alone does "
                         "not prove the split right.";
    for (int i = 0; i < similarity->same_count && i < PAIRS; i++) {
        HeadPair pair = similarity->same[i];
        notes[count++] =
            pool_format(builder->pool, "%s and %s are the same: a hint at a wrong split",
                        screen_head_name(builder, similarity->heads[pair.a]),
                        screen_head_name(builder, similarity->heads[pair.b]));
    }
    if (similarity->same_count > PAIRS)
        notes[count - 1] = pool_format(builder->pool, "... and %d more pairs are the same",
                                       similarity->same_count - PAIRS + 1);
    shown->notes = notes;
    shown->note_count = count;
}

static void build_similarity(ScreenBuilder *builder) {
    const State *state = builder->state;
    ScreenSimilarity *shown = &builder->screen->compare.similarity;
    const Similarity *similarity = session_similarity(builder->session, state->head.site);
    shown->title = pool_format(builder->pool, "all %s heads, alike ones together",
                               site_name(state->head.site));
    if (!similarity) {
        static const char *const too_many[] = {
            "This site has too many heads to lay all beside all"};
        shown->notes = too_many;
        shown->note_count = 1;
        return;
    }
    int count = similarity->count;
    float *values = pool_take(builder->pool, (size_t)count * (size_t)count * sizeof *values);
    HeadId *ids = pool_take(builder->pool, (size_t)count * sizeof *ids);
    if (!values || !ids) return;
    for (int row = 0; row < count; row++) {
        ids[row] = similarity->heads[similarity->order[row]];
        for (int column = 0; column < count; column++)
            values[row * count + column] =
                similarity->values[similarity->order[row] * count + similarity->order[column]];
    }
    shown->values = values;
    shown->ids = ids;
    shown->count = count;
    shown->first = index_of(shown, state->head);
    shown->second = state->mode == COMPARE_HEADS ? index_of(shown, state->other_head) : NONE;
    shown->lit_row = state->hover_pair ? index_of(shown, state->hover) : NONE;
    shown->lit_column = state->hover_pair ? index_of(shown, state->hover_with) : NONE;
    add_notes(builder, shown, similarity);
}

void screen_build_compare(ScreenBuilder *builder) {
    ScreenCompare *compare = &builder->screen->compare;
    Side a, b;
    const char *reason = NULL;
    build_modes(builder, compare);
    compare->reach = 1;
    bool both = session_sides(builder->session, builder->state->head, screen_example(builder), &a,
                              &b, &reason);
    compare->a = screen_side_map(builder, &a);
    compare->a.first = true;
    if (both) {
        compare->b = screen_side_map(builder, &b);
        compare->b.second = true;
        CompareMode mode = builder->state->mode;
        compare->b.struck =
            mode != COMPARE_PLAIN && mode != COMPARE_MODELS && screen_is_ablated(builder, b.id);
        build_difference(builder, compare, &a, &b);
    } else {
        compare->refusal = pool_copy(builder->pool, visible_label(builder->pool, reason));
    }
    compare->a.struck = screen_is_ablated(builder, a.id);
    name_sides(builder, compare);
    build_similarity(builder);
}
