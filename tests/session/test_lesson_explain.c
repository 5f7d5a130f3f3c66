/* The page of one weight: the figures that it prints follow from one another and are those of the
 * story; what it says of hidden keys, empty rows and heads that are out; words that it refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/lessons/lesson.h"
#include "app/page/lesson_print.h"
#include "app/session/session_inside.h"
#include "model/base/rng.h"
#include "tests/session/helper_session.h"

enum { D = 12 }; /* more than the page lists one by one */

static bool move(void *context, const ParamInfo *info, real **tensor) {
    for (long i = 0; !info->held_at_zero && i < param_size(info); i++)
        (*tensor)[i] += (real)(0.8 * rng_uniform(context) - 0.4);
    return true;
}

/* As helper_session's, with heads of D. */
static Session *make_session(bool pre_norm) {
    Model model = {.config = config_default()};
    Error error = {0};
    Config *config = &model.config;
    assert_true(vocab_from_characters(&model.source_vocab, "abcdefgh ", &error));
    assert_true(vocab_from_characters(&model.target_vocab, "abcdefgh ", &error));
    config->width = 2 * D;
    config->heads = 2;
    config->ffn_width = 16;
    config->pre_norm = config->final_norm = config->attention_bias = pre_norm;
    config->max_source = config->max_target = 40;
    config->source_vocab = config->target_vocab = model.source_vocab.size;
    assert_true(config_check(config, &error) && params_make(&model.params, config, &error));
    params_init(&model.params, config, 3);
    Rng rng = rng_make(3, 1000);
    params_place(&model.params, config, move, &rng);
    Session *session = session_make(&model, "", &error);
    if (!session) fail_msg("%s", error.text);
    return session;
}

/* --- the printed page ------------------------------------------------------------------------- */

static char *print(Session *session, const char *words, Error *error) {
    char copy[128], *argv[8], *text = NULL;
    size_t size = 0;
    int argc = 0;
    snprintf(copy, sizeof copy, "%s", words);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    Command command = {lesson_explain.name, lesson_explain.arguments, lesson_explain.help, NULL};
    session_refresh(session);
    ShownPass shown = session_shown(session);
    LessonCall call = {.command = &command, .argc = argc, .argv = argv, .shown = &shown};
    LessonResult result = {0};
    LessonMaker *maker = lesson_maker();
    assert_non_null(maker);
    bool good = lesson_explain.make(maker, &call, &result, error);
    if (good) {
        FILE *stream = open_memstream(&text, &size);
        assert_true(stream && lesson_print(stream, lesson_finish(maker, error), error));
        assert_int_equal(fclose(stream), 0);
    }
    lesson_free(maker);
    return text;
}

static char *page_of(Session *session, const char *words) {
    Error error = {0};
    char *text = print(session, words, &error);
    if (!text) fail_msg("%s: %s", words, error.text);
    return text;
}

static void refuses(Session *session, const char *words, const char *named) {
    Error error = {0};
    char *text = print(session, words, &error);
    assert_null(text);
    assert_int_equal(error.kind, ERROR_USAGE);
    if (!strstr(error.text, named)) fail_msg("%s: %s", words, error.text);
}

/* Where the text goes on after these words. */
static const char *after(const char *text, const char *words) {
    const char *found = strstr(text, words);
    if (!found) fail_msg("\"%s\" does not stand in:\n%s", words, text);
    return found + strlen(words);
}

static double number_after(const char *text, const char *words) {
    const char *from = after(text, words);
    char *end;
    double number = strtod(from, &end);
    if (end == from) fail_msg("no number stands after \"%s\"", words);
    return number;
}

static void says(const char *text, const char *words) {
    after(text, words);
}

static void near(double a, double b, double allowed) {
    if (!(fabs(a - b) <= allowed)) fail_msg("%.9g is not %.9g to %g", a, b, allowed);
}

/* --- its figures ------------------------------------------------------------------------------ */

#define DIGIT 5e-5 /* the last of four decimals, rounded */

/* query × key: each product by its factors, all of them to their sum. */
static void check_products(const char *text, const WeightStory *story) {
    const char *at = after(text, "those that matter most first:\n");
    double sum = 0;
    int place = 0, element, used;
    double query, key, product;
    for (; sscanf(at, "element %d: %lf × %lf %lf%n", &element, &query, &key, &product, &used) == 4;
         place++) {
        assert_int_equal(element, story->terms[place].element);
        near(query, story->terms[place].query, DIGIT);
        near(key, story->terms[place].key, DIGIT);
        near(product, query * key, 2 * DIGIT * (1 + fabs(query) + fabs(key)));
        sum += product;
        at = strchr(at, '\n') + 1;
    }
    assert_int_equal(place, 8);
    sum += number_after(at, "the other 4 together");
    near(number_after(at, "sum of all 12 products"), sum, 12 * DIGIT);
    near(number_after(at, "sum of all 12 products"), story->product, DIGIT);
}

static void check_score(const char *text, const WeightStory *story) {
    const char *at = after(text, "3. Divided by");
    double sum = number_after(at, "sum of products"), root = number_after(at, "score: that / ");
    char *end;
    strtod(after(at, "score: that / "), &end);
    double score = strtod(end, NULL);
    near(root * root, D, 1e-3);
    near(score, sum / root, 2 * DIGIT);
    near(score, story->score, DIGIT);
}

/* The table's rows are those of the story, and their exponentials and weights have its sums. */
static void check_softmax(const char *text, const WeightStory *story) {
    const char *at = strchr(after(text, "weight  in the pass"), '\n') + 1;
    double exponentials = 0, weights = 0, exponential, weight, pass, score, largest, sum;
    for (int key = 0, named; key < story->keys; key++, at = strchr(at, '\n') + 1) {
        assert_int_equal(sscanf(at, "%d", &named), 1);
        assert_int_equal(named, key);
        const StoryScore *line = &story->line[key];
        if (!line->seen) {
            assert_memory_equal(after(at, "hidden") + strspn(after(at, "hidden"), " "), "0  ", 3);
            continue;
        }
        const char *cells = after(after(at, "\""), "\"");
        assert_int_equal(sscanf(cells, "%lf %lf %lf %lf", &score, &exponential, &weight, &pass), 4);
        near(score, line->score, DIGIT);
        near(exponential, line->exponential, 1e-6);
        near(weight, line->weight, 1e-6);
        near(pass, line->pass_weight, 1e-6);
        exponentials += exponential;
        weights += weight;
    }
    assert_int_equal(sscanf(at, "sum %lf %lf", &sum, &weight), 2);
    near(sum, exponentials, 1e-6 * story->keys);
    near(weight, weights, 1e-6 * story->keys);
    near(weight, 1, 1e-6);
    at = after(at, ": exp(");
    assert_int_equal(sscanf(at, "%lf − %lf) = %lf, over the sum %lf, is the weight %lf", &score,
                            &largest, &exponential, &sum, &weight),
                     5);
    near(exponential, exp(score - largest), 3 * DIGIT * exponential + 1e-6);
    near(weight, exponential / sum, 2e-6);
    near(weight, story->pass_weight, 2e-6);
}

static void check_value(const char *text, const WeightStory *story) {
    const char *at = after(text, "6. What the value then adds");
    double weight, length, added, shares = 0, share;
    int key;
    assert_int_equal(sscanf(after(at, "The weight "), "%lf", &weight), 1);
    assert_int_equal(sscanf(after(at, "its length "), "%lf becomes %lf", &length, &added), 2);
    near(added, weight * length, 2 * DIGIT);
    near(length, weight_story_length(story->slices[STORY_VALUE].values, D), DIGIT);
    for (const char *line = strchr(strstr(at, "against it):"), '\n') + 1; *line != '\n';
         line = strchr(line, '\n') + 1) {
        const char *figure = sscanf(line, "%d", &key) == 1 ? after(after(line, "\""), "\"")
                                                           : after(line, "together");
        assert_int_equal(sscanf(figure, "%lf %%", &share), 1);
        shares += share;
    }
    near(shares, 100, 0.05 * (story->keys + 1));
    near(number_after(at, "this value by this weight"),
         weight_story_length(story->out_added, 2 * D), DIGIT);
    near(number_after(at, "the whole head"), weight_story_length(story->out_head, 2 * D), DIGIT);
    near(number_after(at, "the stream before"), weight_story_length(story->stream, 2 * D), DIGIT);
}

static void check_cell(Session *session, HeadId id, int query, int key) {
    PassStory told;
    Error error;
    char words[64];
    snprintf(words, sizeof words, "%s.%d.%d %d %d", site_name(id.site), id.layer, id.head, query,
             key);
    session_refresh(session);
    ShownPass shown = session_shown(session);
    if (!pass_story_make(&told, &shown, id, query, key, &error)) fail_msg("%s", error.text);
    const WeightStory *story = &told.story;
    char *text = page_of(session, words);
    near(number_after(text, "The weight in the pass is "), story->pass_weight, 1e-6);
    check_products(text, story);
    check_score(text, story);
    if (story->mask.seen) {
        says(text, "Seen: ");
        check_softmax(text, story);
        check_value(text, story);
    } else {
        says(text, "Hidden: ");
        says(text, "5. Here the story ends");
        assert_null(strstr(text, "6. "));
    }
    free(text);
    pass_story_free(&told);
}

static void test_figures_follow(void **state) {
    (void)state;
    for (int pre = 0; pre < 2; pre++) {
        Session *session = make_session(pre);
        helper_apply(session, "input ab cd; target hga");
        for (int site = 0; site < SITE_COUNT; site++)
            for (int layer = 0; layer < 2; layer++)
                for (int query = 0; query < 4; query++)
                    for (int key = 0; key < 4; key++)
                        check_cell(session, (HeadId){(Site)site, layer, (query + key) % 2}, query,
                                   key);
        session_free(session);
    }
}

/* --- its words -------------------------------------------------------------------------------- */

static void test_sources(void **state) {
    (void)state;
    Session *session = make_session(false), *pre = make_session(true);
    helper_apply(session, "input ab cd; target hga");
    helper_apply(pre, "input ab cd; target hga");
    char *text = page_of(session, "cross.1.1 2 3");
    says(text, "One weight from the beginning: cross.1.1, query 2 \"g→a\", key 3 \"c\"");
    says(text, "decoder.layers.1.multihead_attn.in_proj_weight");
    const char *query = after(text, "\nquery"), *key = after(text, "\nkey  ");
    says(query, "the decoder's stream after its");
    says(query, "12 to 23");
    says(key, "the encoder's output");
    says(key, "36 to 47");
    says(after(text, "\nvalue"), "60 to 71");
    says(text, "columns (12 to 23 of");
    free(text);
    text = page_of(session, "encoder.0.0 1 2");
    says(text, "the source's embeddings with ");
    says(text, "key 2 \"␣\"");
    free(text);
    text = page_of(pre, "decoder.1.0 1 0");
    says(text, "what norm1 of decoder layer 1 made ");
    says(text, "of the output of decoder layer 0");
    says(text, "all 2 heads and the bias");
    free(text);
    text = page_of(pre, "cross.0.0 1 0");
    says(text, "what norm2 of decoder layer 0 made ");
    says(text, "the encoder's output, after its");
    free(text);
    session_free(session);
    session_free(pre);
}

static void test_changed_passes(void **state) {
    (void)state;
    Session *session = make_session(false);
    helper_apply(session, "input ab cd; target hga; enc_len 3; dec_len 2");
    char *text = page_of(session, "cross.0.1 1 4");
    says(text, "The weight in the pass is 0.");
    says(text, "Hidden: the valid length of the keys is 3, so key 4 is past it");
    says(text, "Query 1 sees keys 0 to 2 of 6");
    free(text);
    text = page_of(session, "decoder.0.1 0 3");
    says(text, "Hidden twice over");
    free(text);
    helper_apply(session, "causal off");
    text = page_of(session, "decoder.0.1 0 1");
    says(text, "the site is not causal");
    says(text, "6. What the value then adds");
    free(text);
    helper_apply(session, "enc_len 0");
    text = page_of(session, "cross.0.1 1 4");
    says(text, "Query 1 sees no key at all");
    says(text, "D2L's masked softmax would give a uniform row of 1/6 = 0.1667");
    free(text);
    helper_apply(session, "plain; ablate cross.0.1");
    text = page_of(session, "cross.0.1 1 4");
    says(text, "But the head is knocked out: zeros stand instead");
    free(text);
    helper_apply(session, "ablate cross.0.1 mean");
    text = page_of(session, "cross.0.1 1 4");
    says(text, "But the head is knocked out: its mean output stands");
    free(text);
    helper_apply(session, "plain; step 2");
    text = page_of(session, "decoder.1.0 1 1");
    says(text, "Query 1 sees keys 0 to 1 of 2");
    free(text);
    session_free(session);
}

/* Keys that are hidden give nothing: they stand in no list of what the query sees or of what gives.
 */
static void test_hidden_keys_are_not_listed(void **state) {
    (void)state;
    Session *session = make_session(false);
    helper_apply(session, "input ab cd; target hgah");
    char *text = page_of(session, "decoder.0.1 1 0"), *section, *end;
    section = strdup(after(text, "share of each key"));
    end = strstr(section, "All weights times");
    assert_non_null(end);
    *end = '\0';
    says(section, "\n0 \"<s>\"");
    says(section, "\n1 \"h\"");
    assert_null(strstr(section, "\n2 "));
    assert_null(strstr(section, "the other"));
    free(section);
    free(text);
    text = page_of(session, "decoder.0.1 1 3");
    const char *seen = after(text, "This is what the query sees instead:");
    says(seen, "0 \"<s>\"");
    assert_null(strstr(seen, "hidden"));
    free(text);
    /* A mistake that leaves hidden keys a weight makes them give something. */
    helper_apply(session, "trap mask-leaks");
    text = page_of(session, "decoder.0.1 1 0");
    says(after(text, "share of each key"), "\n2 \"g\"");
    free(text);
    session_free(session);
}

/* Told by the rule of the pass, and said so. */
static void test_mistaken_passes(void **state) {
    (void)state;
    Session *session = make_session(false);
    helper_apply(session, "input ab cd; target hga; trap no-causal");
    char *text = page_of(session, "decoder.1.0 0 2");
    says(text, "This pass makes a mistake on purpose: ");
    says(text, "Seen, by a mistake that this pass makes: here the query sees keys 0 to 3");
    says(text, "would not see");
    says(text, "6. What the value then adds");
    free(text);
    helper_apply(session, "trap no-scale");
    text = page_of(session, "cross.0.0 1 2");
    says(text, "This pass divides by 1.0000, where the root of the head's width 12 is 3.4641");
    near(number_after(text, "is the weight "), number_after(text, "The weight in the pass is "),
         2e-6);
    free(text);
    helper_apply(session, "trap softmax-queries");
    text = page_of(session, "cross.0.0 1 2");
    says(text, "the column of the key, over all queries");
    near(number_after(text, "is the weight "), number_after(text, "The weight in the pass is "),
         2e-6);
    free(text);
    helper_apply(session, "trap one-reshape");
    text = page_of(session, "cross.0.1 1 2"); /* 2 heads: from the second half of the steps */
    says(after(text, "\nquery"), "12 to 23");
    free(text);
    helper_apply(session, "trap off");
    text = page_of(session, "cross.0.1 1 2");
    assert_null(strstr(text, "mistake"));
    free(text);
    session_free(session);
}

/* More keys than are listed: the largest and the one that is told, in order, and the rest. */
static void test_long_rows(void **state) {
    (void)state;
    Session *session = make_session(false);
    helper_apply(session, "input abcdefghabcdefghabcdefghabcd");
    char *text = page_of(session, "encoder.0.0 20 7");
    const char *at = strchr(after(text, "weight  in the pass"), '\n') + 1;
    int rows = 0, before = -1, key, others;
    double sum = 0, exponential;
    for (; sscanf(at, "%d", &key) == 1; at = strchr(at, '\n') + 1, rows++) {
        assert_true(key > before);
        before = key;
        assert_int_equal(sscanf(after(after(at, "\""), "\""), "%*f %lf", &exponential), 1);
        sum += exponential;
    }
    assert_true(rows == 16 || rows == 17);
    assert_int_equal(sscanf(at, "the other %d %lf", &others, &exponential), 2);
    assert_int_equal(others + rows, 29); /* with </s> */
    near(number_after(at, "\nsum"), sum + exponential, 28e-6);
    free(text);
    session_free(session);
}

static void test_words(void **state) {
    (void)state;
    Session *session = make_session(false);
    helper_apply(session, "input ab cab; target hgah");
    char *text = page_of(session, "cross.0.0 <s> c"), *same = page_of(session, "cross.0.0 0 3");
    assert_string_equal(text, same);
    free(text);
    free(same);
    int query, key;
    char words[64];
    HeadId id = {SITE_DECODER, 1, 1};
    session_refresh(session);
    ShownPass shown = session_shown(session);
    pass_story_first(&shown, id, &query, &key);
    assert_true(query > 0); /* the first query sees one key alone */
    snprintf(words, sizeof words, "decoder.1.1 %d %d", query, key);
    text = page_of(session, "decoder.1.1");
    same = page_of(session, words);
    assert_string_equal(text, same);
    free(text);
    free(same);
    refuses(session, "cross.2.0 0 0", "the model has no cross.2.0");
    refuses(session, "cross.0.9 0 0", "2 heads");
    refuses(session, "cross.0.0 9 0", "query 9: the decoder has 5 tokens");
    refuses(session, "cross.0.0 0 7", "key 7: the encoder has 7 tokens");
    refuses(session, "decoder.0.0 0 7", "key 7: the decoder has 5 tokens");
    refuses(session, "cross.0.0 0 z", "no token of the source is that");
    refuses(session, "cross.0.0 0 b", "2 tokens are that, among them 1 and 5");
    refuses(session, "cross.0.0 h 0", "2 tokens are that");
    refuses(session, "cross.0.0 1", "say both");
    refuses(session, "cross 1 1", "is no head");
    refuses(session, "cross.0.0 0 0 0", "one word too many");
    refuses(session, "--input a", "no such option");
    session_free(session);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_figures_follow),  cmocka_unit_test(test_sources),
        cmocka_unit_test(test_changed_passes),  cmocka_unit_test(test_hidden_keys_are_not_listed),
        cmocka_unit_test(test_mistaken_passes), cmocka_unit_test(test_long_rows),
        cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
