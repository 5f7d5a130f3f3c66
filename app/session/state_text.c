#include "app/session/state_text.h"

#include <stdlib.h>
#include <string.h>

#include "app/lessons/lesson_list.h"
#include "app/session/verbs.h"
#include "model/doctor/traps.h"

typedef struct RecipeWriter {
    FILE *stream;
    bool begun, failed;
} RecipeWriter;

static void add(RecipeWriter *writer, Action action) {
    if (writer->begun) fputs("; ", writer->stream);
    writer->begun = true;
    writer->failed = !verb_print(writer->stream, &action) || writer->failed;
}

static void add_number(RecipeWriter *writer, VerbId verb, double number) {
    add(writer, action_number(verb, number));
}

static void add_word(RecipeWriter *writer, VerbId verb, Word word) {
    add(writer, action_word(verb, word));
}

static void add_text(RecipeWriter *writer, VerbId verb, Word word, const char *text) {
    add(writer, (Action){.verb = verb, .word = word, .text = text});
}

static void add_example(RecipeWriter *writer, const StateExample *example) {
    add_text(writer, VERB_INPUT, WORD_NONE, example->input);
    if (example->target)
        add_text(writer, example->whole ? VERB_TARGET : VERB_PREFIX, WORD_NONE, example->target);
    if (example->enc_len != BY_TEXT) add_number(writer, VERB_ENC_LEN, example->enc_len);
    if (example->dec_len != BY_TEXT) add_number(writer, VERB_DEC_LEN, example->dec_len);
}

static void add_knockouts(RecipeWriter *writer, const State *state, const Config *config) {
    for (int place = 0; place < state_heads(config); place++) {
        int knockout = state->knockouts[place];
        if (knockout)
            add(writer, (Action){.verb = VERB_ABLATE,
                                 .word = knockout == KNOCKOUT_MEAN ? WORD_MEAN : WORD_NONE,
                                 .heads = 1,
                                 .head = {state_head(config, place)}});
    }
}

static void add_pass(RecipeWriter *writer, const State *state, const Config *config) {
    add_example(writer, &state->examples[0]);
    if (state->companion) {
        /* Not `companion TEXT`: TEXT could be a word such as "off". */
        add_word(writer, VERB_COMPANION, WORD_ON);
        add_example(writer, &state->examples[1]);
        if (state->example == 0) add_number(writer, VERB_EXAMPLE, 0);
    }
    if (state->not_causal) add_word(writer, VERB_CAUSAL, WORD_OFF);
    if (state->trap != NONE)
        add_text(writer, VERB_TRAP, WORD_NONE,
                 state->trap == TRAP_RIGHT ? "none" : mistake_kind(state->trap)->name);
    add_knockouts(writer, state, config);
    if (state->snapshot != NONE) add_number(writer, VERB_SNAPSHOT, state->snapshot);
    if (state->step) add_number(writer, VERB_STEP, state->step);
}

static void add_comparison(RecipeWriter *writer, const State *state, StateText what) {
    bool left_out = what == STATE_PICTURE && state->mode == COMPARE_MODELS;
    switch (left_out ? COMPARE_HEADS : state->mode) {
    case COMPARE_HEADS:
        add(writer, action_head(VERB_AGAINST, state->other_head));
        break;
    case COMPARE_PLAIN:
        add_word(writer, VERB_AGAINST, WORD_PLAIN);
        break;
    case COMPARE_INPUTS:
        add_text(writer, VERB_AGAINST, WORD_INPUT, state->other);
        break;
    case COMPARE_MODELS:
        add_text(writer, VERB_AGAINST, WORD_MODEL, state->other);
        break;
    default:
        add(writer, (Action){.verb = VERB_AGAINST,
                             .word = WORD_SNAPSHOT,
                             .numbers = 1,
                             .number = {state->other_snapshot}});
        break;
    }
    if (state->difference && !left_out) add_word(writer, VERB_DIFFERENCE, WORD_ON);
}

/* The words of the lesson; for a picture only its name if the words name a file. */
static void add_lesson(RecipeWriter *writer, const State *state, StateText what) {
    char name[64];
    bool whole = what != STATE_PICTURE || !lesson_names_file(state->lesson);
    snprintf(name, sizeof name, "%.*s", (int)strcspn(state->lesson, " \t"), state->lesson);
    add_text(writer, VERB_LESSON, WORD_NONE, whole ? state->lesson : name);
}

static void add_flag(RecipeWriter *writer, VerbId verb, bool on) {
    if (on) add_word(writer, verb, WORD_ON);
}

static void add_pin(RecipeWriter *writer, Word word, int token) {
    if (token != NONE)
        add(writer, (Action){.verb = VERB_PIN, .word = word, .numbers = 1, .number = {token}});
}

static void add_look(RecipeWriter *writer, const State *state, StateText what) {
    add(writer, action_head(VERB_SELECT, state->head));
    add_comparison(writer, state, what);
    bool lesson = state->lesson[0] != '\0'; /* which opens its page */
    if (lesson) add_lesson(writer, state, what);
    if (state->page != (lesson ? PAGE_LESSONS : PAGE_EXPLORE))
        add_number(writer, VERB_PAGE, state->page);
    if (state->page == PAGE_LESSONS && state->lesson_scroll > 0)
        add_number(writer, VERB_SCROLL, state->lesson_scroll);
    add_flag(writer, VERB_FOCUS, state->focus_open);
    add_flag(writer, VERB_LINES, state->lines);
    if (state->threshold != THRESHOLD_DEFAULT)
        add_number(writer, VERB_THRESHOLD, (double)state->threshold);
    if (state->zoom > 1)
        add(writer,
            (Action){.verb = VERB_ZOOM,
                     .numbers = 3,
                     .number = {(double)state->zoom, (double)state->left, (double)state->top}});
    add_pin(writer, WORD_SOURCE, state->pinned_source);
    add_pin(writer, WORD_TARGET, state->pinned_target);
    if (state->cell_row != NONE)
        add(writer, (Action){.verb = VERB_CELL,
                             .numbers = 2,
                             .number = {state->cell_row, state->cell_column}});
    if (state->theme != THEME_LIGHT) add_number(writer, VERB_THEME, state->theme);
    if (state->colormap != COLORMAP_VIRIDIS) add_number(writer, VERB_COLORMAP, state->colormap);
    if (state->scale_largest) add_word(writer, VERB_SCALE, WORD_LARGEST);
    if (state->text_scale != 1) add_number(writer, VERB_TEXT_SCALE, (double)state->text_scale);
    add_flag(writer, VERB_PRESENT, state->presentation);
    add_flag(writer, VERB_HELP, state->help);
}

static void add_hover(RecipeWriter *writer, const State *state) {
    Action hover = {.verb = VERB_HOVER,
                    .heads = state->hover_pair ? 2 : 1,
                    .head = {state->hover, state->hover_with}};
    if (!state->hover_pair) {
        hover.numbers = 2;
        hover.number[0] = state->hover_row;
        hover.number[1] = state->hover_column;
        if (state->hover_example) hover.word = WORD_COMPANION;
    }
    add(writer, hover);
}

char *state_text(const State *state, const Config *config, StateText what) {
    char *text = NULL;
    size_t size = 0;
    RecipeWriter writer = {.stream = open_memstream(&text, &size)};
    if (!writer.stream) return NULL;
    add_pass(&writer, state, config);
    add_look(&writer, state, what);
    if (what != STATE_STEP && state->has_hover) add_hover(&writer, state);
    bool good = fclose(writer.stream) == 0 && !writer.failed;
    if (good) return text;
    free(text);
    return NULL;
}
