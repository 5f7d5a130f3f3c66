/* Vocabularies: building, refusing, encoding, decoding, and what an unknown character gets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/tasks/vocab.h"
#include "model/base/utf8.h"

static Vocab vocab_of(const char *characters) {
    Vocab vocab;
    Error error = {0};
    if (!vocab_from_characters(&vocab, characters, &error)) fail_msg("%s", error.text);
    return vocab;
}

static void test_characters_follow_the_marks(void **state) {
    (void)state;
    Vocab vocab = vocab_of("zäa→ ");
    static const char *const expected[] = {"<pad>", "<s>", "</s>", "z", "ä", "a", "→", " "};
    assert_int_equal(vocab.size, 8);
    for (int id = 0; id < vocab.size; id++) {
        assert_string_equal(vocab.tokens[id], expected[id]);
        assert_int_equal(vocab_find(&vocab, expected[id]), id);
    }
    assert_int_equal(vocab_find(&vocab, "b"), -1);
    assert_int_equal(vocab_find(&vocab, "za"), -1);
    assert_int_equal(vocab_find(&vocab, ""), -1);
    assert_int_equal(vocab_find(&vocab, "\xC3"), -1);
    assert_int_equal(vocab_find(&vocab, "<"), -1);
    vocab_free(&vocab);
    assert_null(vocab.tokens);
    vocab_free(&vocab);
}

static void test_only_marks(void **state) {
    (void)state;
    Vocab vocab = vocab_of("");
    Error error = {0};
    int ids[4];
    assert_int_equal(vocab.size, 3);
    assert_int_equal(vocab_encode(&vocab, "", ids, 4, &error), 0);
    assert_int_equal(vocab_encode(&vocab, "a", ids, 4, &error), -1);
    vocab_free(&vocab);
}

static void test_encode_and_decode(void **state) {
    (void)state;
    Vocab vocab = vocab_of("abcä ");
    int ids[8];
    Error error = {0};
    assert_int_equal(vocab_encode(&vocab, "cä ab", ids, 8, &error), 5);
    static const int expected[] = {5, 6, 7, 3, 4};
    assert_memory_equal(ids, expected, sizeof expected);
    assert_int_equal(vocab_encode(&vocab, "cä ab", NULL, 5, &error), 5);
    assert_int_equal(vocab_encode(&vocab, "", ids, 0, &error), 0);

    static const int marked[] = {1, 5, 0, 6, 7, 2, 3, 4, 2, 0};
    char *text = vocab_decode(&vocab, marked, 10);
    assert_string_equal(text, "cä ab");
    free(text);
    text = vocab_decode(&vocab, NULL, 0);
    assert_string_equal(text, "");
    free(text);
    vocab_free(&vocab);
}

/* Against the definition: at each place, of all tokens but the marks, the longest that fits. */
static int encode_plainly(const char *const *tokens, int size, const char *text, int *ids) {
    int count = 0;
    while (*text) {
        int best = -1;
        for (int id = 3; id < size; id++)
            if (strncmp(text, tokens[id], strlen(tokens[id])) == 0 &&
                (best < 0 || strlen(tokens[id]) > strlen(tokens[best])))
                best = id;
        if (best < 0) return -1;
        ids[count++] = best;
        text += strlen(tokens[best]);
    }
    return count;
}

static void test_longest_match(void **state) {
    (void)state;
    static const char *const tokens[] = {"<pad>", "<s>", "</s>", "b",   "abc", "a",  "ab",
                                         "ä",     "äö",  "ö",    "öäö", "<",   "s>", "abcabd"};
    enum { SIZE = sizeof tokens / sizeof tokens[0], MOST = 64 };
    static const char *const texts[] = {"abab",   "abcab",     "abcabc", "abcabd", "abcabab", "aab",
                                        "äöäöäö", "öäöä",      "<s>",    "ä",      "a<s>b",   "c",
                                        "abcc",   "abcabcabd", "</s>",   "<pad>"};
    Vocab vocab;
    Error error = {0};
    assert_true(vocab_from_tokens(&vocab, tokens, SIZE, &error));
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        int ids[MOST], expected[MOST];
        int count = encode_plainly(tokens, SIZE, texts[i], expected);
        assert_int_equal(vocab_encode(&vocab, texts[i], ids, MOST, &error), count);
        if (count > 0) assert_memory_equal(ids, expected, (size_t)count * sizeof *ids);
    }
    /* The text of a mark is text: "<" and "s>" here, never id 1. */
    int ids[2];
    assert_int_equal(vocab_encode(&vocab, "<s>", ids, 2, &error), 2);
    assert_int_equal(ids[0], 11);
    assert_int_equal(vocab_find(&vocab, "<s>"), 1);
    vocab_free(&vocab);
}

static void test_many_tokens(void **state) {
    (void)state;
    enum { SIZE = 5000 };
    static char texts[SIZE][12];
    const char *tokens[SIZE];
    for (int id = 0; id < SIZE; id++) {
        snprintf(texts[id], sizeof texts[id], "t%d", (id * 7919) % SIZE);
        tokens[id] = texts[id];
    }
    Vocab vocab;
    Error error = {0};
    assert_true(vocab_from_tokens(&vocab, tokens, SIZE, &error));
    for (int id = 0; id < SIZE; id++)
        assert_int_equal(vocab_find(&vocab, texts[id]), id);
    vocab_free(&vocab);
}

static void assert_refused(const char *const *tokens, int size, const char *words) {
    Vocab vocab;
    Error error = {0};
    assert_false(vocab_from_tokens(&vocab, tokens, size, &error));
    assert_int_equal(error.kind, ERROR_FAILED);
    if (!strstr(error.text, words)) fail_msg("%s", error.text);
    assert_null(vocab.tokens);
    assert_false(vocab_from_tokens(&vocab, tokens, size, NULL));
}

static void test_refused_vocabularies(void **state) {
    (void)state;
    assert_refused((const char *[]){"<pad>", "<s>", "</s>", "a", ""}, 5, "token 4 is empty");
    assert_refused((const char *[]){"<pad>", "<s>", "</s>", "\xC3"}, 4, "token 3 is not UTF-8");
    assert_refused((const char *[]){"<pad>", "<s>", "</s>", "ab", "b", "ab"}, 6, "\"ab\" more");
    assert_refused((const char *[]){"<pad>", "<s>", "</s>", "<s>"}, 4, "\"<s>\" more");
    assert_refused((const char *[]){"<s>", "<s>", "</s>", "a"}, 4, "\"<s>\" more");
    assert_refused((const char *[]){"<pad>", "<s>"}, 2, "too small");
    Vocab vocab;
    Error error = {0};
    assert_false(vocab_from_characters(&vocab, "abca", &error));
    assert_non_null(strstr(error.text, "\"a\" more than once"));
    assert_false(vocab_from_characters(&vocab, "ab\xFF", &error));
    assert_non_null(strstr(error.text, "not UTF-8"));
    assert_null(vocab.tokens);
}

static void assert_not_encoded(const Vocab *vocab, const char *text, int capacity,
                               const char *expected) {
    Error error = {0};
    assert_int_equal(vocab_encode(vocab, text, NULL, capacity, &error), -1);
    assert_int_equal(error.kind, ERROR_USAGE);
    assert_string_equal(error.text, expected);
    assert_int_equal(vocab_encode(vocab, text, NULL, capacity, NULL), -1);
}

static void test_unknown_character(void **state) {
    (void)state;
    Vocab vocab = vocab_of("9876543210 ,./-+abdefxyABCäöüæçè");
    const char *known = "is unknown to the model; it knows: space + , - . / 0-9 A-C a b d-f x y ä "
                        "æ-è ö ü";
    char expected[512];
    snprintf(expected, sizeof expected, "'q', character 3 of \"abq9\", %s", known);
    assert_not_encoded(&vocab, "abq9", 8, expected);
    snprintf(expected, sizeof expected, "'ß' (U+00DF), character 4 of \"äöüß\", %s", known);
    assert_not_encoded(&vocab, "äöüß", 8, expected);
    snprintf(expected, sizeof expected, "U+0009, character 2 of \"aU+0009b\", %s", known);
    assert_not_encoded(&vocab, "a\tb", 8, expected);
    vocab_free(&vocab);

    vocab = vocab_of("abc\n");
    assert_not_encoded(&vocab, "a b", 8,
                       "a space, character 2 of \"a b\", is unknown to the model; it knows: "
                       "U+000A a-c");
    vocab_free(&vocab);
}

static void test_not_utf8(void **state) {
    (void)state;
    Vocab vocab = vocab_of("abcä");
    assert_not_encoded(&vocab, "aä\xFFz", 8,
                       "\"aä\\xFFz\" is not UTF-8: the byte \\xFF stands where character 3 "
                       "should; save it as UTF-8");
    assert_not_encoded(&vocab, "ab\xC3", 8,
                       "\"ab\\xC3\" is not UTF-8: the byte \\xC3 stands where character 3 should; "
                       "save it as UTF-8");
    assert_not_encoded(&vocab, "\xC0\x80", 8,
                       "\"\\xC0\\x80\" is not UTF-8: the byte \\xC0 stands where character 1 "
                       "should; save it as UTF-8");
    vocab_free(&vocab);
}

static void test_too_long(void **state) {
    (void)state;
    Vocab vocab = vocab_of("abcä");
    int ids[3] = {-7, -7, -7};
    Error error = {0};
    assert_int_equal(vocab_encode(&vocab, "abcä", ids, 2, &error), -1);
    assert_int_equal(ids[2], -7);
    assert_not_encoded(&vocab, "abcä", 3, "\"abcä\" has 4 characters; the model takes at most 3");
    vocab_free(&vocab);
    static const char *const tokens[] = {"<pad>", "<s>", "</s>", "a", "ab"};
    assert_true(vocab_from_tokens(&vocab, tokens, 5, &error));
    assert_not_encoded(&vocab, "aba", 1, "\"aba\" has 2 tokens; the model takes at most 1");
    assert_not_encoded(&vocab, "x", 1,
                       "'x', character 1 of \"x\", is unknown to the model; it knows: a and 1 "
                       "longer token");
    vocab_free(&vocab);
}

/* A vocabulary too large to list is cut short, and the message stays whole. */
static void test_long_list_is_cut(void **state) {
    (void)state;
    char characters[3 * 1000 + 1] = "";
    for (unsigned i = 0, code = 0x4E00; i < 1000; i++, code += 2) {
        char character[] = {(char)(0xE0 | code >> 12), (char)(0x80 | (code >> 6 & 0x3F)),
                            (char)(0x80 | (code & 0x3F)), '\0'};
        memcpy(characters + 3 * i, character, sizeof character);
    }
    Vocab vocab = vocab_of(characters);
    Error error = {0};
    assert_int_equal(vocab_encode(&vocab, "a", NULL, 8, &error), -1);
    size_t length = strlen(error.text);
    assert_true(length < 400);
    assert_string_equal(error.text + length - strlen(" …"), " …");
    assert_true(utf8_valid(error.text));
    vocab_free(&vocab);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_characters_follow_the_marks),
        cmocka_unit_test(test_only_marks),
        cmocka_unit_test(test_encode_and_decode),
        cmocka_unit_test(test_longest_match),
        cmocka_unit_test(test_many_tokens),
        cmocka_unit_test(test_refused_vocabularies),
        cmocka_unit_test(test_unknown_character),
        cmocka_unit_test(test_not_utf8),
        cmocka_unit_test(test_too_long),
        cmocka_unit_test(test_long_list_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
