/* All that reads a text from outside, under libFuzzer. The input's first byte picks the reader. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "data/models/config_json.h"
#include "data/tasks/vocab.h"
#include "model/trace/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool good, const Error *error) {
    if (!good && (!error->text[0] || strchr(error->text, '\n'))) abort();
}

static void encode(const Vocab *vocab, const char *text) {
    enum { CAPACITY = 64 };
    int ids[CAPACITY];
    Error error = {0};
    int count = vocab_encode(vocab, text, ids, CAPACITY, &error);
    check(count >= 0, &error);
    for (int i = 0; i < count; i++)
        if (ids[i] < VOCAB_MARKS || ids[i] >= vocab->size) abort();
    char *back = count >= 0 ? vocab_decode(vocab, ids, count) : NULL;
    if (back && strcmp(back, text) != 0) abort();
    free(back);
}

static void encode_fixed(const char *text) {
    static const char *const tokens[] = {"<pad>", "<s>", "</s>", "a", "b",  "ab",
                                         "abc",   " ",   "ä",    "→", "ä→", "0"};
    Vocab vocab;
    Error error = {0};
    if (!vocab_from_tokens(&vocab, tokens, sizeof tokens / sizeof tokens[0], &error)) abort();
    encode(&vocab, text);
    vocab_free(&vocab);
}

/* One token a line; the last line is also encoded. */
static void make_vocab(char *text) {
    enum { MOST = 256 };
    const char *tokens[MOST];
    int count = 0;
    for (char *line = text; line && count < MOST;) {
        char *end = strchr(line, '\n');
        if (end) *end++ = '\0';
        tokens[count++] = line;
        line = end;
    }
    Vocab vocab;
    Error error = {0};
    bool made = vocab_from_tokens(&vocab, tokens, count, &error);
    check(made, &error);
    if (made) encode(&vocab, tokens[count - 1]);
    vocab_free(&vocab);
}

static void read_config(const char *text) {
    Config config, again;
    Error error = {0};
    bool read = config_from_json(&config, text, &error);
    check(read, &error);
    if (!read) return;
    check(config_check(&config, &error), &error);
    char *written = config_to_json(&config);
    if (written && !config_from_json(&again, written, &error)) abort();
    free(written);
}

static void read_options(const char *text) {
    TrainOptions options, again;
    Error error = {0};
    bool read = train_options_from_json(&options, text, &error);
    check(read, &error);
    if (!read) return;
    check(train_options_check(&options, &error), &error);
    char *written = train_options_to_json(&options);
    if (written && !train_options_from_json(&again, written, &error)) abort();
    free(written);
}

static void parse_head(const char *text) {
    HeadId id;
    if (head_id_parse(text, &id) && (id.site >= SITE_COUNT || id.layer < 0 || id.head < 0)) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    char *text = calloc(size, 1);
    if (!text) return 0;
    memcpy(text, data + 1, size - 1);
    switch (data[0] % 5) {
    case 0:
        encode_fixed(text);
        break;
    case 1:
        make_vocab(text);
        break;
    case 2:
        read_config(text);
        break;
    case 3:
        read_options(text);
        break;
    default:
        parse_head(text);
    }
    free(text);
    return 0;
}
