/* The buttons beside the sequences, and the line that lists the changes to the model as trained. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/cli/trap_option.h"
#include "app/lessons/trap_study.h"
#include "app/pass/head_study.h"
#include "app/screen/screen_builder.h"

enum { CONTROLS = 16, HEADS_NAMED = 4 };

static void add(ScreenBuilder *builder, ScreenButton button) {
    ScreenButton *controls = (ScreenButton *)builder->screen->controls; /* [CONTROLS] */
    if (builder->screen->control_count < CONTROLS)
        controls[builder->screen->control_count++] = button;
}

static void add_lengths(ScreenBuilder *builder) {
    const PassExample *shown = &builder->pass->examples[screen_example(builder)];
    const StateExample *set = &builder->state->examples[screen_example(builder)];
    add(builder,
        (ScreenButton){.label = pool_format(builder->pool, "enc_valid_len %d", shown->enc_len),
                       .tip = "how many source tokens are seen: drag its handle, or , and . ; "
                              "press: as the text gives it",
                       .action = "enc_len auto",
                       .on = set->enc_len != BY_TEXT});
    add(builder,
        (ScreenButton){.label = pool_format(builder->pool, "dec_valid_len %d", shown->dec_len),
                       .tip = "how many target tokens are seen: drag its handle, or < and > ; "
                              "press: as the text gives it",
                       .action = "dec_len auto",
                       .on = set->dec_len != BY_TEXT});
}

static void add_step(ScreenBuilder *builder) {
    const Pass *pass = builder->pass;
    add(builder,
        (ScreenButton){.label = "◂", .tip = "one step back ([)", .action = "step previous"});
    add(builder,
        (ScreenButton){.label = builder->state->step
                                    ? pool_format(builder->pool, "step %d of %d", pass->steps,
                                                  pass->target_len)
                                    : pool_format(builder->pool, "all %d steps", pass->target_len),
                       .tip = "how many tokens the decoder has read; press: all of them",
                       .action = "step all",
                       .on = builder->state->step > 0,
                       .other = pool_format(builder->pool, "step %d of %d", pass->target_len,
                                            pass->target_len)});
    add(builder, (ScreenButton){.label = "▸", .tip = "one step on (])", .action = "step next"});
    add(builder, (ScreenButton){.label = builder->extra->playing ? "pause" : "play",
                                .tip = "steps the decoder by itself (space)",
                                .action = "play",
                                .on = builder->extra->playing,
                                .other = "pause"});
}

void screen_build_controls(ScreenBuilder *builder) {
    builder->screen->controls = pool_take(builder->pool, CONTROLS * sizeof(ScreenButton));
    if (!builder->screen->controls) return;
    bool causal = !builder->state->not_causal;
    add_lengths(builder);
    add(builder,
        (ScreenButton){.label = causal ? "causal" : "not causal",
                       .tip = "whether a target token sees itself and those before it alone (k)",
                       .action = "causal",
                       .on = !causal,
                       .other = "not causal"});
    add(builder, (ScreenButton){.label = "trap",
                                .tip = "silent mistakes, shown and switched on in this model (F2)",
                                .action = "lesson traps",
                                .on = builder->state->trap != NONE});
    add(builder, (ScreenButton){.label = "companion",
                                .tip = "a second example beside the first, a batch of two (b)",
                                .action = "companion",
                                .on = builder->state->companion});
    if (builder->state->companion) {
        bool second = builder->state->example == 1;
        add(builder,
            (ScreenButton){.label = second ? "example 2" : "example 1",
                           .tip = "the one that keys and figures are about; press: the other (e)",
                           .action = second ? "example 0" : "example 1",
                           .on = true});
    }
    add_step(builder);
}

/* --- changes to the model ----------------------------------------------------------------------
 */

static const char *join(ScreenBuilder *builder, const char *text, const char *part) {
    return text[0] ? pool_format(builder->pool, "%s · %s", text, part) : part;
}

/* "cross.1.2 and cross.1.3 are out (zero)". */
static const char *ablated_heads(ScreenBuilder *builder, Knockout knockout, const char *how) {
    const Config *config = &builder->session->model.config;
    const char *names = "";
    int out = 0;
    for (int site = 0; site < SITE_COUNT; site++)
        for (int layer = 0; layer < state_layers(config, (Site)site); layer++)
            for (int head = 0; head < config->heads; head++) {
                HeadId id = {(Site)site, layer, head};
                if (builder->state->knockouts[state_place(config, id)] != knockout) continue;
                const char *name = screen_head_name(builder, id);
                if (++out <= HEADS_NAMED)
                    names = out == 1 ? name : pool_format(builder->pool, "%s, %s", names, name);
            }
    if (out == 0) return NULL;
    if (out > HEADS_NAMED)
        names = pool_format(builder->pool, "%s and %d more", names, out - HEADS_NAMED);
    return pool_format(builder->pool, "%s %s out (%s)", names, out == 1 ? "is" : "are", how);
}

static const char *lengths_set(ScreenBuilder *builder) {
    const char *text = "";
    for (int i = 0; i < builder->pass->count; i++) {
        const PassExample *shown = &builder->pass->examples[i];
        const char *whose = i ? " of example 2" : "";
        if (shown->enc_len != shown->source_count)
            text = join(builder, text,
                        pool_format(builder->pool, "enc_valid_len%s is %d, not %d", whose,
                                    shown->enc_len, shown->source_count));
        if (shown->dec_len != shown->target_count)
            text = join(builder, text,
                        pool_format(builder->pool, "dec_valid_len%s is %d, not %d", whose,
                                    shown->dec_len, shown->target_count));
    }
    return text;
}

/* Describes the trap that is switched on, or that the model was trained with; NULL if there is
 * none. */
static const char *trap_text(ScreenBuilder *builder) {
    const Config *config = &builder->session->model.config;
    int chosen = builder->state->trap;
    if (chosen == TRAP_RIGHT)
        return pool_format(builder->pool,
                           "the attention is put right: the model was trained with %s",
                           trap_option_name(config));
    const MistakeKind *trap = chosen == NONE ? trap_of(config->mistakes) : mistake_kind(chosen);
    if (!trap)
        return config_mistaken(config) ? "the model was trained with mistakes of its own" : NULL;
    const char *why =
        trap_idle_in_pass(trap, builder->pass, config, builder->state->not_causal, builder->pool);
    return pool_format(builder->pool, "%s %s: %s%s%s",
                       chosen == NONE ? "trained with the trap" : "trap", trap->name, trap->title,
                       why ? ", which changes nothing here: " : "", why ? why : "");
}

/* Warns that the maps belong to an earlier text. False if they are current. */
static bool build_stale(ScreenBuilder *builder) {
    if (!session_problem(builder->session)) return false;
    const PassExample *shown = &builder->pass->examples[0];
    const char *text = "";
    for (int s = 0; s < shown->source_count; s++)
        if (strcmp(shown->source[s], "</s>") != 0)
            text = pool_format(builder->pool, "%s%s", text, shown->source[s]);
    builder->screen->world =
        pool_format(builder->pool,
                    "The maps are still those of \"%s\": what stands above cannot "
                    "be read",
                    visible_label(builder->pool, text));
    return true;
}

void screen_build_world(ScreenBuilder *builder) {
    if (build_stale(builder)) return;
    static const ScreenButton buttons[] = {
        {.label = "compare",
         .tip = "side by side with the model as trained",
         .action = "compare plain"},
        {.label = "difference",
         .tip = "what it changes in every head (d)",
         .action = "against plain; difference"},
        {.label = "as trained", .tip = "puts everything back", .action = "plain; snapshot off"},
    };
    const Session *session = builder->session;
    const char *zero = ablated_heads(builder, KNOCKOUT_ZERO, "zero");
    char over[96];
    head_means_name(over, sizeof over, &session->model, builder->pass->count);
    const char *mean = ablated_heads(builder, KNOCKOUT_MEAN,
                                     pool_format(builder->pool, "mean output over %s", over));
    const char *lengths = lengths_set(builder);
    const char *trap = trap_text(builder);
    const char *text = trap ? trap : "";
    if (zero) text = join(builder, text, zero);
    if (mean) text = join(builder, text, mean);
    if (lengths[0]) text = join(builder, text, lengths);
    if (builder->state->not_causal)
        text = join(builder, text,
                    session->model.config.mistakes[SITE_DECODER].causal == CAUSAL_MISSING
                        ? "causality is off, as it was in training"
                        : "causality is off: the model never trained so, and early steps see later "
                          "tokens");
    if (builder->state->snapshot != NONE && builder->state->snapshot < session->snapshots.count)
        text = join(builder, text,
                    pool_format(builder->pool, "weights of step %d of the training",
                                session->snapshots.infos[builder->state->snapshot].step));
    if (builder->pass->changed) {
        double before, after;
        pass_log_probs(builder->pass, screen_example(builder), &before, &after);
        text = join(builder, text,
                    isnan(after - before)
                        ? "the log-probability of the same target is not a number (NaN)"
                        : pool_format(builder->pool,
                                      "log-probability of the same target changed by %+.3f",
                                      after - before));
    }
    if (!text[0]) return;
    builder->screen->world = text;
    /* A snapshot alone is not compared here, but on the training page. */
    int first = builder->pass->changed ? 0 : 2;
    ScreenButton *shown = pool_take(builder->pool, sizeof buttons);
    if (!shown) return;
    memcpy(shown, buttons, sizeof buttons);
    shown[1].on = builder->state->difference;
    builder->screen->world_buttons = shown + first;
    builder->screen->world_button_count = (int)(sizeof buttons / sizeof buttons[0]) - first;
}
