/* The sequences as lines of chips: what the model reads and writes, and the text being edited. */
#include <stdlib.h>
#include <string.h>

#include "app/screen/screen_builder.h"
#include "model/base/minmax.h"
#include "model/base/utf8.h"

typedef struct Chips {
    ScreenToken *tokens; /* [capacity], in the pool */
    int count, capacity;
} Chips;

static bool chips_make(Chips *chips, ScreenBuilder *builder, int capacity) {
    *chips = (Chips){.capacity = capacity};
    chips->tokens = pool_take(builder->pool, (size_t)capacity * sizeof *chips->tokens);
    return chips->tokens != NULL;
}

static ScreenToken *chips_add(Chips *chips, const char *text) {
    if (chips->count == chips->capacity) return NULL;
    ScreenToken *token = &chips->tokens[chips->count++];
    token->text = text;
    return token;
}

/* Adds a text as chips, one for each token; a character that is not in the vocabulary becomes a
 * chip of its own. Returns false if there is one. */
static bool add_text(Chips *chips, ScreenBuilder *builder, const Vocab *vocab, const char *text) {
    bool known = true;
    int count = vocab_encode(vocab, text, NULL, chips->capacity, NULL);
    int *ids = count > 0 ? pool_take(builder->pool, (size_t)count * sizeof *ids) : NULL;
    if (ids) vocab_encode(vocab, text, ids, count, NULL);
    for (int at = 0, i = 0; text[at]; i++) {
        int length =
            ids && i < count ? (int)strlen(vocab->tokens[ids[i]]) : utf8_next(text + at, NULL);
        if (length < 1) length = 1;
        char *shown = pool_take(builder->pool, (size_t)length + 1);
        if (!shown) return false;
        memcpy(shown, text + at, (size_t)length);
        ScreenToken *token = chips_add(chips, visible_token(builder->pool, shown));
        if (!token) return false;
        token->begin = at;
        token->end = at += length;
        token->unknown = !ids && vocab_find(vocab, shown) < VOCAB_MARKS;
        known = known && !token->unknown;
    }
    return known;
}

static void add_mark(Chips *chips, const Vocab *vocab, int id) {
    ScreenToken *token = chips_add(chips, vocab->tokens[id]);
    if (token) token->mark = true;
}

/* Sets the caret if this line has it. */
static void set_caret(ScreenSequence *sequence, const ScreenExtra *extra) {
    sequence->editing = extra->editing == (int)sequence->line;
    if (!sequence->editing) return;
    sequence->caret = extra->caret;
    sequence->anchor = extra->anchor;
    sequence->composing = extra->composing;
}

/* A line of chips that belongs to no map. */
static ScreenSequence plain_line(const Chips *chips, ScreenLine line) {
    return (ScreenSequence){.line = line,
                            .tokens = chips->tokens,
                            .count = chips->count,
                            .valid_len = NONE,
                            .marked = NONE,
                            .lit = NONE,
                            .lit_query = NONE,
                            .pinned = NONE};
}

static bool is_edited(const ScreenBuilder *builder, ScreenLine line) {
    return builder->extra->editing == (int)line && builder->extra->text;
}

/* --- the source ------------------------------------------------------------------------------- */

static void mask_past(Chips *chips, int len) {
    for (int i = len; i < chips->count; i++)
        chips->tokens[i].masked = true;
}

static void build_source(ScreenBuilder *builder, ScreenSequence *sequence, int example) {
    const Model *model = &builder->session->model;
    const StateExample *set = &builder->state->examples[example];
    ScreenLine line = example ? LINE_COMPANION_SOURCE : LINE_SOURCE;
    const char *text = is_edited(builder, line) ? builder->extra->text : set->input;
    Chips chips;
    if (!chips_make(&chips, builder, (int)strlen(text) + builder->pass->source_len + 2)) return;
    bool known = add_text(&chips, builder, &model->source_vocab, text);
    if (model->config.source_end_mark) add_mark(&chips, &model->source_vocab, model->config.end_id);
    int own = chips.count, len = set->enc_len == BY_TEXT ? own : set->enc_len;
    int padded = int_max(len, builder->pass->source_len);
    bool stale = session_problem(builder->session) != NULL;
    while (known && !stale && chips.count < padded && chips.count < chips.capacity)
        add_mark(&chips, &model->source_vocab, model->config.pad_id);
    if (!stale) mask_past(&chips, len);
    *sequence = (ScreenSequence){.line = line,
                                 .name = example ? "source 2" : "source",
                                 .tip = "what the model reads: press to edit (i)",
                                 .tokens = chips.tokens,
                                 .count = chips.count,
                                 .valid_len = stale ? NONE : len,
                                 .len_changed = !stale && len != own,
                                 .len_name = "enc_valid_len",
                                 .marked = NONE};
    const char *problem = session_problem(builder->session);
    if (problem && strncmp(problem, "target", 6) != 0 && (!known || text[0] == '\0')) {
        sequence->note = visible_label(builder->pool, problem);
        sequence->note_alarm = true;
    }
    set_caret(sequence, builder->extra);
}

void screen_build_unread(ScreenBuilder *builder) {
    Screen *screen = builder->screen;
    bool edited = is_edited(builder, LINE_SOURCE);
    const char *text = edited ? builder->extra->text : builder->state->examples[0].input;
    Chips chips;
    if (!chips_make(&chips, builder, (int)strlen(text) + 1)) return;
    add_text(&chips, builder, &builder->session->model.source_vocab, text);
    ScreenSequence *sequence = &screen->sequences[screen->sequence_count++];
    *sequence = plain_line(&chips, LINE_SOURCE);
    sequence->name = "source";
    sequence->tip = "what the model reads: press to edit (i)";
    set_caret(sequence, builder->extra);
}

/* --- the target ------------------------------------------------------------------------------- */

const char *screen_decoded(ScreenBuilder *builder, int example) {
    const Decoded *decoded = &builder->pass->world.examples[example].decoded;
    const Vocab *vocab = &builder->session->model.target_vocab;
    char *text = vocab_decode(vocab, decoded->tokens, decoded->length);
    const char *shown = text ? pool_copy(builder->pool, visible_label(builder->pool, text)) : "";
    free(text);
    return shown;
}

/* Sets the note after the line: whether the target is forced, and what the changed model would
 * write. */
static void note_target(ScreenBuilder *builder, ScreenSequence *sequence, int example) {
    const Pass *pass = builder->pass;
    const StateExample *set = &builder->state->examples[example];
    const Decoded *anew = &pass->world.examples[example].decoded;
    const Vocab *vocab = &builder->session->model.target_vocab;
    bool whole = set->target && set->whole;
    if (whole && !pass->changed) {
        sequence->note = "forced; an empty line sets it free";
    } else if (pass->changed) {
        char *text = vocab_decode(vocab, anew->tokens, anew->length);
        bool same = text && strcmp(text, pass->examples[example].output) == 0;
        if (text)
            sequence->note = same && !whole
                                 ? "still writes the same"
                                 : pool_format(builder->pool, "%s %s",
                                               whole ? "forced; free it now writes" : "now writes",
                                               visible_label(builder->pool, text));
        free(text);
    } else if (set->target) {
        sequence->note = "begins as forced; the model writes the rest";
    }
}

/* Adds the target tokens, marks included. */
static void add_written(Chips *chips, ScreenBuilder *builder, int example) {
    const Model *model = &builder->session->model;
    const PassExample *shown = &builder->pass->examples[example];
    int at = 0;
    for (int t = 0; t < shown->target_count; t++) {
        int id = shown->target.tokens[t];
        const char *text = model->target_vocab.tokens[id];
        ScreenToken *token = chips_add(chips, visible_token(builder->pool, text));
        if (!token) return;
        token->mark = id < VOCAB_MARKS;
        token->forced = t < shown->forced_count;
        if (token->mark) continue;
        token->begin = at;
        token->end = at += (int)strlen(text);
    }
}

/* True if this target is the text that cannot be read. */
static bool is_broken(const ScreenBuilder *builder, const StateExample *set) {
    const Model *model = &builder->session->model;
    const char *problem = session_problem(builder->session);
    return problem && strncmp(problem, "target", 6) == 0 && set->target &&
           vocab_encode(&model->target_vocab, set->target, NULL, model->config.max_target, NULL) <
               0;
}

static void build_target(ScreenBuilder *builder, ScreenSequence *sequence, int example) {
    const Pass *pass = builder->pass;
    const Model *model = &builder->session->model;
    const PassExample *shown = &pass->examples[example];
    const StateExample *set = &builder->state->examples[example];
    ScreenLine line = example ? LINE_COMPANION_TARGET : LINE_TARGET;
    const char *problem = session_problem(builder->session);
    bool broken = is_broken(builder, set);
    size_t room = set->target ? strlen(set->target) : 0;
    Chips chips;
    if (!chips_make(&chips, builder, (int)room + 2 * model->config.max_target + 4)) return;
    add_mark(&chips, &model->target_vocab, model->config.start_id);
    if (broken)
        add_text(&chips, builder, &model->target_vocab, set->target);
    else
        add_written(&chips, builder, example);
    int reads = chips.count - 1;
    int len = set->dec_len == BY_TEXT ? reads : set->dec_len;
    while (!broken && chips.count < len) {
        add_mark(&chips, &model->target_vocab, model->config.pad_id);
    }
    bool stepping = builder->state->step > 0 && !broken;
    for (int i = 0; i < chips.count; i++) {
        chips.tokens[i].masked = i >= len && i < reads;
        chips.tokens[i].faint = stepping && i > pass->steps;
    }
    *sequence =
        (ScreenSequence){.line = line,
                         .name = example ? "target 2" : "target",
                         .tip = "what the model writes: type to force its beginning (u)",
                         .tokens = chips.tokens,
                         .count = chips.count,
                         .valid_len = broken ? NONE : len,
                         .len_changed = !broken && len != shown->target_count,
                         .len_name = "dec_valid_len",
                         .marked = stepping && pass->steps < chips.count ? pass->steps : NONE};
    if (broken) {
        sequence->note = visible_label(builder->pool, problem);
        sequence->note_alarm = true;
    } else {
        note_target(builder, sequence, example);
    }
    set_caret(sequence, builder->extra);
}

/* --- the other input of a comparison ---------------------------------------------------------- */

static void build_other(ScreenBuilder *builder, ScreenSequence *sequence) {
    const Model *model = &builder->session->model;
    bool edited = is_edited(builder, LINE_OTHER_SOURCE);
    const char *text = edited ? builder->extra->text : builder->state->other;
    Chips chips;
    if (!chips_make(&chips, builder, (int)strlen(text) + 2)) return;
    bool known = add_text(&chips, builder, &model->source_vocab, text);
    *sequence = plain_line(&chips, LINE_OTHER_SOURCE);
    sequence->name = "source of B";
    sequence->tip = "the input that B reads: press to edit";
    if (!text[0]) sequence->note = "press here and type the other input";
    if (!known) {
        sequence->note = "the model cannot read the marked characters";
        sequence->note_alarm = true;
    }
    set_caret(sequence, builder->extra);
}

/* --- what is lit and pinned ------------------------------------------------------------------- */

static void set_marks(const ScreenBuilder *builder, ScreenSequence *source, ScreenSequence *target,
                      int example) {
    const State *state = builder->state;
    source->lit = source->lit_query = target->lit = target->lit_query = NONE;
    source->pinned = state->pinned_source < source->count ? state->pinned_source : NONE;
    target->pinned = state->pinned_target < target->count ? state->pinned_target : NONE;
    if (!state->has_hover || state->hover_example != example) return;
    Site site = state->hover.site;
    ScreenSequence *queries = site == SITE_ENCODER ? source : target;
    ScreenSequence *keys = site == SITE_DECODER ? target : source;
    queries->lit_query = state->hover_row < queries->count ? state->hover_row : NONE;
    keys->lit = state->hover_column < keys->count ? state->hover_column : NONE;
}

void screen_build_sequences(ScreenBuilder *builder) {
    Screen *screen = builder->screen;
    for (int example = 0; example < builder->pass->count; example++) {
        ScreenSequence *source = &screen->sequences[screen->sequence_count++];
        ScreenSequence *target = &screen->sequences[screen->sequence_count++];
        build_source(builder, source, example);
        build_target(builder, target, example);
        set_marks(builder, source, target, example);
    }
    if (builder->state->page == PAGE_COMPARE && builder->state->mode == COMPARE_INPUTS)
        build_other(builder, &screen->sequences[screen->sequence_count++]);
}
