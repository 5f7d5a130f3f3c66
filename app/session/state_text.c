/* The recipe of a state: its text form. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/lessons/lesson.h"
#include "app/pass/state.h"
#include "app/session/action.h"
#include "model/analysis/traps.h"

typedef struct Recipe {
    char *text; /* owned */
    size_t length, capacity;
    bool failed;
} Recipe;

static void append(Recipe *recipe, const char *text) {
    size_t length = strlen(text);
    if (recipe->length + length + 1 > recipe->capacity) {
        size_t capacity = 2 * (recipe->length + length) + 64;
        char *grown = realloc(recipe->text, capacity);
        recipe->failed = recipe->failed || !grown;
        if (!grown) return;
        recipe->text = grown;
        recipe->capacity = capacity;
    }
    memcpy(recipe->text + recipe->length, text, length + 1);
    recipe->length += length;
}

__attribute__((format(printf, 2, 3))) static void add(Recipe *recipe, const char *format, ...) {
    char action[128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(action, sizeof action, format, arguments);
    va_end(arguments);
    if (recipe->length) append(recipe, "; ");
    append(recipe, action);
}

static void add_text(Recipe *recipe, const char *verb, const char *text) {
    char *quoted = action_quote(text);
    recipe->failed = recipe->failed || !quoted;
    if (!quoted) return;
    add(recipe, "%s ", verb);
    append(recipe, quoted);
    free(quoted);
}

/* As short as it can be read back exactly. */
static void add_real(Recipe *recipe, const char *verb, float value) {
    for (int digits = 1; digits <= 9; digits++) {
        char text[32];
        snprintf(text, sizeof text, "%.*g", digits, (double)value);
        if (strtof(text, NULL) != value && digits < 9) continue;
        add(recipe, "%s %s", verb, text);
        return;
    }
}

/* The words before a text belong to the argument, and are quoted with it. */
static void add_words(Recipe *recipe, const char *verb, const char *words, const char *text) {
    size_t size = strlen(words) + strlen(text) + 2;
    char *argument = malloc(size);
    recipe->failed = recipe->failed || !argument;
    if (!argument) return;
    snprintf(argument, size, "%s %s", words, text);
    add_text(recipe, verb, argument);
    free(argument);
}

static void add_head(Recipe *recipe, const char *verb, HeadId id, const char *rest) {
    add(recipe, "%s %s.%d.%d%s", verb, site_name(id.site), id.layer, id.head, rest);
}

static void add_example(Recipe *recipe, const StateExample *example) {
    add_text(recipe, "input", example->input);
    if (example->target) add_text(recipe, example->whole ? "target" : "prefix", example->target);
    if (example->enc_len != BY_TEXT) add(recipe, "enc_len %d", example->enc_len);
    if (example->dec_len != BY_TEXT) add(recipe, "dec_len %d", example->dec_len);
}

static void add_pass(Recipe *recipe, const State *state, const Config *config) {
    add_example(recipe, &state->examples[0]);
    if (state->companion) {
        add(recipe, "companion on"); /* a text after it could be one of its words */
        add_example(recipe, &state->examples[1]);
        if (state->example == 0) add(recipe, "example 0");
    }
    if (state->not_causal) add(recipe, "causal off");
    if (state->trap != NONE)
        add(recipe, "trap %s", state->trap == TRAP_RIGHT ? "none" : trap_at(state->trap)->name);
    for (int site = 0; site < SITE_COUNT; site++)
        for (int layer = 0; layer < state_layers(config, (Site)site); layer++)
            for (int head = 0; head < config->heads; head++) {
                HeadId id = {(Site)site, layer, head};
                int knockout = state->knockouts[state_place(config, id)];
                if (knockout)
                    add_head(recipe, "ablate", id, knockout == KNOCKOUT_MEAN ? " mean" : "");
            }
    if (state->snapshot != NONE) add(recipe, "snapshot %d", state->snapshot);
    if (state->step) add(recipe, "step %d", state->step);
}

static void add_comparison(Recipe *recipe, const State *state, StateText what) {
    bool left_out = what == STATE_PICTURE && state->mode == COMPARE_MODELS;
    switch (left_out ? COMPARE_HEADS : state->mode) {
    case COMPARE_HEADS:
        add_head(recipe, "against", state->other_head, "");
        break;
    case COMPARE_PLAIN:
        add(recipe, "against plain");
        break;
    case COMPARE_INPUTS:
        add_words(recipe, "against", "input", state->other);
        break;
    case COMPARE_MODELS:
        add_words(recipe, "against", "model", state->other);
        break;
    default:
        add(recipe, "against snapshot %d", state->other_snapshot);
        break;
    }
    if (state->difference && !left_out) add(recipe, "difference on");
}

/* The words of the lesson, or its name alone where they name a file that is not to be told. */
static void add_lesson(Recipe *recipe, const State *state, StateText what) {
    char name[64];
    bool whole = what != STATE_PICTURE || !lesson_names_file(state->lesson);
    snprintf(name, sizeof name, "%.*s", (int)strcspn(state->lesson, " \t"), state->lesson);
    add_text(recipe, "lesson", whole ? state->lesson : name);
}

static void add_look(Recipe *recipe, const State *state, StateText what) {
    static const char *const pages[PAGE_COUNT] = {"explore", "compare", "train", "lessons"};
    add_head(recipe, "select", state->head, "");
    add_comparison(recipe, state, what);
    bool lesson = state->lesson[0] != '\0'; /* which opens its page */
    if (lesson) add_lesson(recipe, state, what);
    if (state->page != (lesson ? PAGE_LESSONS : PAGE_EXPLORE))
        add(recipe, "page %s", pages[state->page]);
    if (state->page == PAGE_LESSONS && state->lesson_scroll > 0)
        add(recipe, "scroll %d", state->lesson_scroll);
    if (state->focus_open) add(recipe, "focus on");
    if (state->lines) add(recipe, "lines on");
    if (state->threshold != THRESHOLD_DEFAULT) add_real(recipe, "threshold", state->threshold);
    if (state->zoom > 1)
        add(recipe, "zoom %.9g %.9g %.9g", (double)state->zoom, (double)state->left,
            (double)state->top);
    if (state->pinned_source != NONE) add(recipe, "pin source %d", state->pinned_source);
    if (state->pinned_target != NONE) add(recipe, "pin target %d", state->pinned_target);
    if (state->cell_row != NONE) add(recipe, "cell %d %d", state->cell_row, state->cell_column);
    if (state->theme != THEME_LIGHT) add(recipe, "theme %s", theme_name(state->theme));
    if (state->colormap != COLORMAP_VIRIDIS)
        add(recipe, "colormap %s", colormap_name(state->colormap));
    if (state->scale_largest) add(recipe, "scale largest");
    if (state->text_scale != 1) add_real(recipe, "text_scale", state->text_scale);
    if (state->presentation) add(recipe, "present on");
    if (state->help) add(recipe, "help on");
}

/* A row or a column, or that there is none. */
static void add_place(Recipe *recipe, int place) {
    char text[16] = " -";
    if (place != NONE) snprintf(text, sizeof text, " %d", place);
    append(recipe, text);
}

char *state_text(const State *state, const Config *config, StateText what) {
    bool hover = what != STATE_STEP;
    Recipe recipe = {0};
    add_pass(&recipe, state, config);
    add_look(&recipe, state, what);
    if (hover && state->has_hover && state->hover_pair) {
        char rest[64];
        snprintf(rest, sizeof rest, " %s.%d.%d", site_name(state->hover_with.site),
                 state->hover_with.layer, state->hover_with.head);
        add_head(&recipe, "hover", state->hover, rest);
    } else if (hover && state->has_hover) {
        add_head(&recipe, "hover", state->hover, "");
        add_place(&recipe, state->hover_row);
        add_place(&recipe, state->hover_column);
        if (state->hover_example) append(&recipe, " companion");
    }
    if (!recipe.failed) return recipe.text;
    free(recipe.text);
    return NULL;
}
