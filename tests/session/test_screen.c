/* The screen in known states: sequences, maps, sections, status. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/doctor/traps.h"
#include "tests/session/helper_screen.h"
#include "tests/session/helper_session.h"

static const Screen *screen_of(Session *session, ScreenExtra frame) {
    Error error = {0};
    const Screen *screen = screen_build(session, &frame, &error);
    if (!screen) fail_msg("%s", error.text);
    helper_check_screen(screen);
    return screen;
}

static const Screen *screen_after(Session *session, const char *actions) {
    helper_apply(session, actions);
    return screen_of(session, (ScreenExtra){.editing = -1});
}

static void assert_holds(const char *text, const char *part) {
    assert_non_null(text);
    if (!strstr(text, part)) fail_msg("\"%s\" does not hold \"%s\"", text, part);
}

/* The chips as one text, each with its flags: ^ mark, ~ masked, ! forced, . faint, ? unknown. */
static void assert_chips(const ScreenSequence *sequence, const char *wanted) {
    char text[512] = "";
    for (int i = 0; i < sequence->count; i++) {
        const ScreenToken *token = &sequence->tokens[i];
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s%s%s%s%s%s", i ? " " : "", token->text,
                 token->mark ? "^" : "", token->masked ? "~" : "", token->forced ? "!" : "",
                 token->faint ? "." : "", token->unknown ? "?" : "");
    }
    assert_string_equal(text, wanted);
}

/* --- the lines -------------------------------------------------------------------------------- */

static void test_chips(void **state) {
    (void)state;
    Session *session = helper_session((HelperModel){0});
    const Screen *screen = screen_after(session, "input abc; target xy");
    assert_int_equal(screen->sequence_count, 2);
    const ScreenSequence *source = &screen->sequences[0], *target = &screen->sequences[1];
    assert_int_equal(source->line, LINE_SOURCE);
    assert_int_equal(target->line, LINE_TARGET);
    assert_chips(source, "a b c </s>^");
    assert_chips(target, "<s>^ x! y! </s>^!");
    assert_int_equal(source->valid_len, 4);
    assert_int_equal(target->valid_len, 3);
    assert_false(source->len_changed || target->len_changed);
    assert_string_equal(source->len_name, "enc_valid_len");
    assert_null(source->note);
    assert_holds(target->note, "forced");
    screen = screen_after(session, "target; prefix x");
    assert_true(screen->sequences[1].tokens[1].forced);
    assert_false(screen->sequences[1].tokens[2].forced);
    screen = screen_after(session, "companion de; target z");
    assert_int_equal(screen->sequence_count, 4);
    assert_int_equal(screen->sequences[2].line, LINE_COMPANION_SOURCE);
    assert_chips(&screen->sequences[2], "d e </s>^ <pad>^~");
    assert_chips(&screen->sequences[3], "<s>^ z! </s>^!");
    session_free(session);
}

static void test_chip_bytes(void **state) {
    (void)state;
    Session *session = helper_session((HelperModel){.characters = "aä→ "});
    const Screen *screen = screen_after(session, "input aä→ a; target →ä");
    static const int begins[] = {0, 1, 3, 6, 7}, target_ends[] = {0, 3, 5};
    assert_chips(&screen->sequences[0], "a ä → ␣ a </s>^");
    for (int i = 0; i < 5; i++)
        assert_int_equal(screen->sequences[0].tokens[i].begin, begins[i]);
    assert_int_equal(screen->sequences[0].tokens[4].end, 8);
    for (int i = 0; i < 3; i++)
        assert_int_equal(screen->sequences[1].tokens[i].end, target_ends[i]);
    session_free(session);
}

static void test_masked_chips(void **state) {
    (void)state;
    Session *session = helper_session((HelperModel){0});
    const Screen *screen = screen_after(session, "input abc; target xyz; enc_len 2; dec_len 1");
    assert_chips(&screen->sequences[0], "a b c~ </s>^~");
    assert_chips(&screen->sequences[1], "<s>^ x~! y~! z~! </s>^!");
    assert_int_equal(screen->sequences[0].valid_len, 2);
    assert_true(screen->sequences[0].len_changed && screen->sequences[1].len_changed);
    screen = screen_after(session, "enc_len 6; dec_len 6");
    assert_chips(&screen->sequences[0], "a b c </s>^ <pad>^ <pad>^");
    assert_int_equal(screen->sequences[1].valid_len, 6);
    assert_int_equal(screen->sequences[1].count, 6);
    session_free(session);
}

static void test_chips_while_stepping(void **state) {
    (void)state;
    Session *session = helper_session((HelperModel){0});
    const Screen *screen = screen_after(session, "input abc; target xyz; step 2");
    assert_chips(&screen->sequences[1], "<s>^ x! y! z!. </s>^!.");
    assert_int_equal(screen->sequences[1].marked, 2);
    screen = screen_after(session, "companion ab; target q; step 4"); /* it ended before */
    assert_int_equal(screen->sequences[1].marked, 4);
    assert_int_equal(screen->sequences[3].marked, -1);
    session_free(session);
}

static void test_unreadable_chips(void **state) {
    (void)state;
    Session *session = helper_session((HelperModel){0});
    screen_after(session, "input abc");
    const Screen *screen = screen_after(session, "input \"a%b\xff\n;\"");
    assert_chips(&screen->sequences[0], "a %? b \\xFF? U+000A? ;? </s>^");
    assert_true(screen->sequences[0].note_alarm && screen->notice_alarm);
    assert_holds(screen->sequences[0].note, "'%'");
    assert_holds(screen->notice, "'%'");
    assert_int_equal(trace_shape(screen->overview.trace, SITE_ENCODER).keys, 4); /* still abc's */
    screen = screen_after(session, "input abc; target xyz; target x%");
    assert_chips(&screen->sequences[1], "<s>^ x %?");
    assert_holds(screen->sequences[1].note, "target: ");
    assert_true(screen->sequences[1].note_alarm);
    assert_int_equal(screen->sequences[1].valid_len, -1);
    assert_chips(&screen->sequences[0], "a b c </s>^");
    assert_null(screen->sequences[0].note);
    screen_after(session, "target xy; companion ab; target y");
    screen = screen_after(session, "target y%"); /* the one at fault */
    assert_chips(&screen->sequences[1], "<s>^ x! y! </s>^!");
    assert_false(screen->sequences[1].note_alarm);
    assert_chips(&screen->sequences[3], "<s>^ y %?");
    assert_true(screen->sequences[3].note_alarm);
    session_free(session);
    session = helper_session((HelperModel){0}); /* before the first pass: the text is shown */
    screen = screen_after(session, "input a%");
    assert_chips(&screen->sequences[0], "a %? </s>^");
    assert_holds(screen->notice, "'%'");
    assert_non_null(screen->overview.trace);
    assert_holds(screen->world, "The maps are still those of \"a\"");
    session_free(session);
}

static void test_edited_line(void **state) {
    (void)state;
    Session *session = helper_session((HelperModel){0});
    helper_apply(session, "input abc");
    const Screen *screen = screen_of(
        session,
        (ScreenExtra){
            .editing = LINE_SOURCE, .text = "abcd", .caret = 4, .anchor = 1, .composing = "e"});
    assert_chips(&screen->sequences[0], "a b c d </s>^");
    assert_true(screen->sequences[0].editing);
    assert_false(screen->sequences[1].editing);
    assert_int_equal(screen->sequences[0].caret, 4);
    assert_int_equal(screen->sequences[0].anchor, 1);
    assert_string_equal(screen->sequences[0].composing, "e");
    session_free(session);
}

static void test_lit_and_pinned(void **state) {
    (void)state;
    Session *session = helper_session((HelperModel){0});
    helper_apply(session, "input abc; target xyz; pin source 1; pin target 2");
    const Screen *screen = screen_after(session, "hover cross.0.0 2 1");
    const ScreenSequence *source = &screen->sequences[0], *target = &screen->sequences[1];
    assert_int_equal(source->lit, 1);
    assert_int_equal(source->lit_query, -1);
    assert_int_equal(target->lit_query, 2);
    assert_int_equal(target->lit, -1);
    assert_int_equal(source->pinned, 1);
    assert_int_equal(target->pinned, 2);
    const ScreenMap *map = &screen->panels.maps[0]; /* of cross.1 */
    assert_int_equal(map->lit_row, 2);
    assert_int_equal(map->lit_column, 1);
    assert_int_equal(map->pinned_row, 2);
    assert_int_equal(map->pinned_column, 1);
    screen = screen_after(session, "hover encoder.0.0 - 2; pin target 9");
    assert_int_equal(screen->sequences[0].lit, 2);
    assert_int_equal(screen->sequences[0].lit_query, -1);
    assert_int_equal(screen->panels.maps[0].lit_row, -1);
    assert_int_equal(screen->panels.maps[0].lit_column, -1);
    assert_int_equal(screen->panels.maps[0].pinned_row, -1); /* the target has no such token */
    session_free(session);
}

/* --- the world on show ------------------------------------------------------------------------ */

static void test_changes_line(void **state) {
    (void)state;
    static const HelperStep worlds[] = {
        {"ablate cross.1.0", "cross.1.0 is out (zero)"},
        {"ablate cross.1.0; ablate encoder.0.1", "encoder.0.1, cross.1.0 are out (zero)"},
        {"ablate cross.1.0 mean; ablate encoder.0.1",
         "encoder.0.1 is out (zero) · cross.1.0 is out (mean output over this text alone)"},
        {"ablate cross.0; ablate cross.1; ablate encoder.0.0; ablate encoder.1.1",
         "encoder.0.0, encoder.1.1, cross.0.0, cross.0.1 and 2 more are out (zero)"},
        {"enc_len 2", "enc_valid_len is 2, not 4"},
        {"dec_len 1", "dec_valid_len is 1, not 3"},
        {"companion ab; target z; enc_len 1", "enc_valid_len of example 2 is 1, not 3"},
        {"causal off", "causality is off: the model never trained so"},
        {"trap one-reshape", "trap one-reshape: heads split with one reshape · log-probability"},
        {"trap tiled-lens",
         "valid lengths tiled instead of repeated, which changes nothing here: "},
        {"trap empty-nan", "which changes nothing here: every query sees at least one key"},
        {"trap no-scale; causal off", "trap no-scale: scores not scaled · causality is off"},
    };
    for (size_t i = 0; i < sizeof worlds / sizeof worlds[0]; i++) {
        Session *session = helper_session((HelperModel){0});
        const Screen *screen = screen_after(session, "input abc; target xy");
        assert_null(screen->world);
        screen = screen_after(session, worlds[i].actions);
        assert_holds(screen->world, worlds[i].wanted);
        assert_holds(screen->world, " · log-probability of the same target changed by ");
        assert_int_equal(screen->world_button_count, 3);
        screen = screen_after(session, "plain");
        assert_null(screen->world);
        session_free(session);
    }
}

/* The texts about causality agree with the map: query q sees keys 0 to q. */
static void test_causality_texts(void **state) {
    (void)state;
    Session *session = helper_session((HelperModel){0});
    const Screen *screen = screen_after(session, "input abc; target xyz");
    const Trace *trace = helper_session_pass(session)->world.examples[0].trace;
    for (int query = 0; query < 4; query++)
        assert_int_equal(trace_key_len(trace, (HeadId){SITE_DECODER, 0, 0}, query), query + 1);
    bool found = false;
    for (int i = 0; i < screen->control_count; i++) {
        if (strcmp(screen->controls[i].label, "causal") != 0) continue;
        assert_holds(screen->controls[i].tip, "itself and those before it");
        found = true;
    }
    assert_true(found);
    session_free(session);
    Model model = helper_model((HelperModel){0});
    trap_mistakes(model.config.mistakes, trap_find("no-causal"));
    session = session_make(&model, "", NULL);
    screen = screen_after(session, "input abc; target xyz; causal off");
    assert_holds(screen->world, "causality is off, as it was in training");
    session_free(session);
}

static void test_target_of_a_changed_model(void **state) {
    (void)state;
    Session *session = helper_session((HelperModel){0});
    const Screen *screen = screen_after(session, "input abcdef; enc_len 1");
    const Pass *pass = helper_session_pass(session);
    char *anew =
        vocab_decode(&session_model(session)->target_vocab, pass->world.examples[0].decoded.tokens,
                     pass->world.examples[0].decoded.length);
    bool same = strcmp(anew, pass->examples[0].output) == 0;
    assert_holds(screen->sequences[1].note, same ? "still writes" : anew);
    bool found = false;
    for (int i = 0; i < screen->section_count; i++) {
        const ScreenSection *section = &screen->sections[i];
        if (strcmp(section->title, "the change") != 0) continue;
        found = true;
        char wanted[64];
        double before = world_log_prob(&pass->plain, 0, pass->steps);
        double after = world_log_prob(&pass->world, 0, pass->steps);
        snprintf(wanted, sizeof wanted, "%s by %.3f, from %.3f to %.3f",
                 after < before ? "falls" : "rises", fabs(after - before), before, after);
        assert_holds(section->lines[0], wanted);
        assert_holds(section->lines[1], anew);
    }
    assert_true(found);
    free(anew);
    session_free(session);
}

/* --- maps ------------------------------------------------------------------------------------- */

static void test_panels(void **state) {
    (void)state;
    Session *session = helper_session((HelperModel){0});
    const Screen *screen = screen_after(session, "input abc; target xy");
    assert_string_equal(screen->panels.title, "cross-attention, layer 1");
    assert_holds(screen->panels.caption, "decoder (reads → writes)");
    assert_int_equal(screen->panels.count, 2);
    assert_string_equal(screen->panels.maps[0].title, "head 0");
    assert_string_equal(screen->panels.maps[1].title, "head 1");
    assert_string_equal(screen->panels.maps[1].action, "select cross.1.1");
    assert_true(screen->panels.maps[0].first && !screen->panels.maps[1].first);
    assert_int_equal(screen->panels.maps[0].rows, 3);
    assert_int_equal(screen->panels.maps[0].columns, 4);
    screen =
        screen_after(session, "select encoder.0.1; ablate; ablate encoder.0.0 mean; companion de");
    assert_string_equal(screen->panels.title, "encoder self-attention, layer 0");
    assert_int_equal(screen->panels.count, 4); /* both examples */
    assert_string_equal(screen->panels.maps[2].title, "head 0, example 2");
    assert_int_equal(screen->panels.maps[2].example, 1);
    assert_true(screen->panels.maps[1].struck && screen->panels.maps[3].struck);
    assert_string_equal(screen->panels.maps[0].note, "out (mean output)");
    assert_string_equal(screen->panels.maps[1].note, "out (zero)");
    assert_true(screen->overview.struck[SITE_ENCODER][0]);
    assert_false(screen->overview.struck[SITE_CROSS][0]);
    assert_string_equal(screen->focus.title, "encoder.0.1 as lines");
    screen = screen_after(session, "focus on");
    assert_string_equal(screen->focus.title, "encoder.0.1");
    session_free(session);
}

/* Rows that the decoder has not reached are labelled, and have no cells. */
static void test_unwritten_rows(void **state) {
    (void)state;
    Session *session = helper_session((HelperModel){0});
    const Screen *screen = screen_after(session, "input abc; target xyz; step 2");
    const ScreenMap *map = &screen->panels.maps[0];
    assert_int_equal(map->rows, 4);
    assert_int_equal(trace_shape(map->trace, SITE_CROSS).queries, 2);
    assert_int_equal(map->pinned_row, 1); /* the newest */
    session_free(session);
}

static void test_difference_in_panels(void **state) {
    (void)state;
    Session *session = helper_session((HelperModel){0});
    const Screen *screen = screen_after(session, "input abc; target xy; against plain; difference");
    assert_null(screen->panels.maps[0].minus);
    assert_holds(screen->panels.caption, "no difference: Nothing is changed");
    screen = screen_after(session, "ablate encoder.0.0");
    assert_ptr_equal(screen->panels.maps[0].minus,
                     helper_session_pass(session)->plain.examples[0].trace);
    assert_holds(screen->panels.caption, "the model as trained");
    screen = screen_after(session, "plain; against input ab");
    assert_null(screen->panels.maps[0].minus);
    assert_holds(screen->panels.caption, "different sizes");
    screen = screen_after(session, "against cross.0.1");
    assert_holds(screen->panels.caption, "cross.0.1");
    assert_int_equal(screen->panels.maps[1].minus_id.layer, 0);
    session_free(session);
}

/* --- the side column -------------------------------------------------------------------------- */

static const ScreenBar *bar_of(const ScreenSection *section, const char *name) {
    for (int i = 0; i < section->bar_count; i++)
        if (strcmp(section->bars[i].name, name) == 0) return &section->bars[i];
    fail_msg("no bar %s", name);
    return NULL;
}

/* A figure that is undefined at a site is blank, not 0. */
static void test_blank_figures(void **state) {
    (void)state;
    static const char *const own[] = {"previous token", "itself", "next token", "mean distance"};
    Session *session = helper_session((HelperModel){0});
    const Screen *screen = screen_after(session, "input abc; target xyz");
    assert_string_equal(screen->sections[0].title, "cross.1.0");
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
        assert_string_equal(bar_of(&screen->sections[0], own[i])->value, "");
        assert_true(bar_of(&screen->sections[0], own[i])->share < 0);
    }
    assert_true(bar_of(&screen->sections[0], "diagonal")->share >= 0);
    screen = screen_after(session, "site encoder");
    assert_string_equal(bar_of(&screen->sections[0], "diagonal")->value, "");
    assert_true(bar_of(&screen->sections[0], "previous token")->share >= 0);
    assert_true(bar_of(&screen->sections[0], "previous token")->value[0] != '\0');
    session_free(session);
}

/* A head without figures shows why, not that no pattern dominates. */
static void test_head_without_figures(void **state) {
    (void)state;
    Session *session = helper_session((HelperModel){0});
    const Screen *screen = screen_after(session, "input abc; target xyz; enc_len 0");
    assert_string_equal(screen->sections[0].title, "cross.1.0");
    assert_string_equal(screen->sections[0].lines[0], "sees no key");
    screen = screen_after(session, "site encoder");
    assert_string_equal(screen->sections[0].lines[0], "sees no key");
    screen = screen_after(session, "enc_len 1");
    assert_string_equal(screen->sections[0].lines[0], "sees one key alone");
    screen = screen_after(session, "plain; step 1; site decoder");
    assert_string_equal(screen->sections[0].lines[0], "sees one key alone");
    const ScreenSection *alike = &screen->sections[screen->section_count - 1];
    assert_string_equal(alike->title, "most alike");
    assert_int_equal(alike->bar_count, 0);
    assert_holds(alike->lines[0], "no row to compare");
    session_free(session);
}

static void test_candidates_of_a_step(void **state) {
    (void)state;
    Session *session = helper_session((HelperModel){0});
    const Screen *screen = screen_after(session, "input abc; target xyz");
    assert_string_equal(screen->sections[1].title, "query 3: next token");
    assert_holds(screen->sections[1].lines[0], "reads z; the target has </s>");
    screen = screen_after(session, "pin target 0");
    assert_string_equal(screen->sections[1].title, "query 0: next token");
    screen = screen_after(session, "hover cross.0.0 1 0");
    assert_string_equal(screen->sections[1].title, "query 1: next token");
    screen = screen_after(session, "step 3");
    assert_string_equal(screen->sections[1].title, "query 2: next token");
    const Candidate *list =
        helper_session_pass(session)->world.examples[0].candidates + 2 * (long)WORLD_CANDIDATES;
    assert_int_equal(screen->sections[1].bar_count, WORLD_CANDIDATES);
    for (int i = 0; i < WORLD_CANDIDATES; i++) {
        assert_string_equal(screen->sections[1].bars[i].name,
                            session_model(session)->target_vocab.tokens[list[i].token]);
        assert_true(screen->sections[1].bars[i].share == (float)list[i].probability);
    }
    session_free(session);
}

/* --- one weight ------------------------------------------------------------------------------- */

static bool has_weight(const Screen *screen) {
    return strncmp(screen->sections[1].title, "one weight: ", 12) == 0;
}

static void test_one_weight(void **state) {
    (void)state;
    Session *session = helper_session((HelperModel){0});
    const Screen *screen = screen_after(session, "input abc; target xyz; select cross.0.1");
    assert_false(has_weight(screen));
    screen = screen_after(session, "cell 2 1");
    assert_true(has_weight(screen));
    const Trace *trace = helper_session_pass(session)->world.examples[0].trace;
    HeadId id = {SITE_CROSS, 0, 1};
    double weight = (double)trace_cell(trace, id, 2, 1, NULL);
    const ScreenSection *section = &screen->sections[1];
    char text[64];
    snprintf(text, sizeof text, "one weight: %.3g", weight);
    assert_string_equal(section->title, text);
    assert_string_equal(section->lines[0], "query 2 \"y→z\", key 1 \"b\"");
    assert_string_equal(section->lines[1], "seen: the query sees keys 0 to 3");
    assert_string_equal(section->buttons[0].action, "lesson explain cross.0.1 2 1");
    assert_int_equal(section->bar_count, 5);
    assert_true(fabs((double)section->bars[3].share - weight) < 1e-6);
    double product = atof(section->bars[0].value), score = atof(section->bars[1].value);
    assert_true(fabs(product / 2 - score) < 2e-3); /* heads are 4 wide */
    assert_string_equal(screen->sections[2].title, "query 2: next token");
    for (int head = 0; head < 2; head++) {
        assert_int_equal(screen->panels.maps[head].pinned_row, 2);
        assert_int_equal(screen->panels.maps[head].pinned_column, 1);
    }
    screen = screen_after(session, "select cross.0.0"); /* the same cell of the next head */
    snprintf(text, sizeof text, "one weight: %.3g",
             (double)trace_cell(trace, (HeadId){SITE_CROSS, 0, 0}, 2, 1, NULL));
    assert_string_equal(screen->sections[1].title, text);
    screen = screen_after(session, "enc_len 1");
    assert_string_equal(screen->sections[1].title, "one weight: 0");
    assert_holds(screen->sections[1].lines[1], "Hidden: the valid length of the keys is 1");
    assert_int_equal(screen->sections[1].bar_count, 2);
    screen = screen_after(session, "enc_len auto; step 2"); /* the row is not written yet */
    assert_false(has_weight(screen));
    screen = screen_after(session, "step all");
    assert_true(has_weight(screen));
    screen = screen_after(session, "select decoder.0.0");
    assert_false(has_weight(screen));
    screen = screen_after(session, "companion cab; cell 1 1"); /* of the edited example */
    assert_true(has_weight(screen));
    assert_int_equal(screen->panels.maps[0].pinned_row, -1);
    assert_int_equal(screen->panels.maps[2].pinned_row, 1);
    session_free(session);
}

/* --- the rest --------------------------------------------------------------------------------- */

static void test_status(void **state) {
    (void)state;
    Session *session = helper_session((HelperModel){0});
    const Screen *screen = screen_after(session, "input abc; target xyz");
    assert_string_equal(screen->status, "abc → xyz");
    screen = screen_after(session, "hover cross.1.1 1 2");
    char wanted[96];
    HeadId id = {SITE_CROSS, 1, 1};
    float weight =
        trace_cell(helper_session_pass(session)->world.examples[0].trace, id, 1, 2, NULL);
    snprintf(wanted, sizeof wanted,
             "cross.1.1 · query 1: reads x, writes y · key 2: c · weight %.3g", (double)weight);
    assert_string_equal(screen->status, wanted);
    screen = screen_after(session, "hover decoder.0.0 0 2");
    assert_holds(screen->status, "key 2: y · masked");
    screen = screen_after(session, "hover encoder.0.0 3 -");
    assert_string_equal(screen->status, "encoder.0.0 · query 3: </s>");
    screen = screen_after(session, "step 1; hover cross.0.0 2 0");
    assert_holds(screen->status, "not written yet");
    screen = screen_after(session, "step all; page compare; hover cross.0.0 1 2");
    assert_holds(screen->status, "A − B");
    session_free(session);
}

static void test_notices(void **state) {
    (void)state;
    Session *session = helper_session((HelperModel){0});
    helper_apply(session, "input abc");
    const Screen *screen = screen_of(session, (ScreenExtra){.editing = -1, .notice = "saved"});
    assert_string_equal(screen->notice, "saved");
    assert_false(screen->notice_alarm);
    helper_apply(session, "input %");
    screen = screen_of(session, (ScreenExtra){.editing = -1});
    assert_holds(screen->notice, "'%'");
    assert_true(screen->notice_alarm);
    screen = screen_of(session, (ScreenExtra){.editing = -1, .notice = "saved"});
    assert_string_equal(screen->notice, "saved");
    screen = screen_of(
        session,
        (ScreenExtra){.editing = -1, .prompt = "step ", .prompt_caret = 5, .tip = "a tip"});
    assert_string_equal(screen->prompt, "step ");
    assert_int_equal(screen->prompt_caret, 5);
    assert_string_equal(screen->tip, "a tip");
    session_free(session);
}

static const ScreenButton *control(const Screen *screen, const char *action) {
    for (int i = 0; i < screen->control_count; i++)
        if (strcmp(screen->controls[i].action, action) == 0) return &screen->controls[i];
    fail_msg("no control %s", action);
    return NULL;
}

static void test_controls(void **state) {
    (void)state;
    Session *session = helper_session((HelperModel){0});
    const Screen *screen = screen_after(session, "input abc; target xyz");
    assert_string_equal(control(screen, "enc_len auto")->label, "enc_valid_len 4");
    assert_false(control(screen, "enc_len auto")->on || control(screen, "causal")->on);
    assert_string_equal(control(screen, "step all")->label, "all 4 steps");
    screen = screen_after(session, "enc_len 2; causal off; step 2; companion b; target xyz");
    assert_string_equal(control(screen, "step all")->label, "step 2 of 4");
    assert_true(control(screen, "step all")->on && control(screen, "companion")->on);
    assert_string_equal(control(screen, "causal")->label, "not causal");
    assert_false(control(screen, "enc_len auto")->on); /* of the companion, which is being edited */
    screen = screen_after(session, "example 0; page train; theme dark; present");
    assert_string_equal(control(screen, "enc_len auto")->label, "enc_valid_len 2");
    assert_true(control(screen, "enc_len auto")->on && screen->tabs[PAGE_TRAIN].on);
    assert_false(screen->tabs[PAGE_EXPLORE].on);
    assert_true(screen->theme == THEME_DARK && screen->presentation);
    assert_holds(screen->train.title, "No snapshots");
    session_free(session);
}

/* Everything that can be pressed has a valid action. */
static void do_buttons(Session *session, const ScreenButton *buttons, int count) {
    for (int i = 0; i < count; i++) {
        Error error = {0};
        if (!buttons[i].action || session_apply_text(session, buttons[i].action, &error)) continue;
        /* Some actions are handled by the host. */
        if (!strstr(error.text, "nobody")) fail_msg("%s: %s", buttons[i].action, error.text);
    }
}

static void test_presses_are_actions(void **state) {
    (void)state;
    Session *session = helper_session((HelperModel){0});
    for (int page = 0; page < PAGE_COUNT; page++) {
        Screen kept = *screen_after(session, "input abc; target xyz; ablate; focus on");
        do_buttons(session, kept.tabs, kept.tab_count);
        do_buttons(session, kept.controls, kept.control_count);
        do_buttons(session, kept.world_buttons, kept.world_button_count);
        do_buttons(session, kept.focus.buttons, kept.focus.button_count);
        do_buttons(session, kept.train.buttons, kept.train.button_count);
        do_buttons(session, kept.compare.modes, kept.compare.mode_count);
        for (int i = 0; i < kept.section_count; i++) {
            do_buttons(session, kept.sections[i].buttons, kept.sections[i].button_count);
            for (int j = 0; j < kept.sections[i].bar_count; j++)
                if (kept.sections[i].bars[j].action)
                    helper_apply(session, kept.sections[i].bars[j].action);
        }
        for (int i = 0; i < kept.panels.count; i++)
            helper_apply(session, kept.panels.maps[i].action);
        helper_apply(session, "page next");
    }
    session_free(session);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chips),
        cmocka_unit_test(test_chip_bytes),
        cmocka_unit_test(test_masked_chips),
        cmocka_unit_test(test_chips_while_stepping),
        cmocka_unit_test(test_unreadable_chips),
        cmocka_unit_test(test_edited_line),
        cmocka_unit_test(test_lit_and_pinned),
        cmocka_unit_test(test_changes_line),
        cmocka_unit_test(test_causality_texts),
        cmocka_unit_test(test_target_of_a_changed_model),
        cmocka_unit_test(test_panels),
        cmocka_unit_test(test_unwritten_rows),
        cmocka_unit_test(test_difference_in_panels),
        cmocka_unit_test(test_blank_figures),
        cmocka_unit_test(test_head_without_figures),
        cmocka_unit_test(test_candidates_of_a_step),
        cmocka_unit_test(test_one_weight),
        cmocka_unit_test(test_status),
        cmocka_unit_test(test_notices),
        cmocka_unit_test(test_controls),
        cmocka_unit_test(test_presses_are_actions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
