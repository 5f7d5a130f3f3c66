#include "data/tasks/vocab.h"

#include <assert.h>
#include <cjson/cJSON.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/files/json_text.h"
#include "model/base/utf8.h"

static int compare_entries(const void *a, const void *b) {
    return strcmp(((const VocabEntry *)a)->token, ((const VocabEntry *)b)->token);
}

/* Sorts the tokens, refuses repeated ones, and drops the marks from what a text can match. */
static bool index_tokens(Vocab *vocab, Error *error) {
    VocabEntry *entries = vocab->entries;
    for (int id = 0; id < vocab->size; id++)
        entries[id] = (VocabEntry){vocab->tokens[id], id};
    qsort(entries, (size_t)vocab->size, sizeof *entries, compare_entries);
    for (int i = 1; i < vocab->size; i++) {
        if (strcmp(entries[i].token, entries[i - 1].token) != 0) continue;
        char quote[UTF8_QUOTE_SIZE];
        utf8_quote(quote, entries[i].token);
        return error_set(error, "the vocabulary has the token %s more than once", quote);
    }
    int kept = 0;
    for (int i = 0; i < vocab->size; i++)
        if (entries[i].id >= VOCAB_MARKS) entries[kept++] = entries[i];
    for (int byte = 0, i = 0; byte <= 256; byte++) {
        while (i < kept && (unsigned char)entries[i].token[0] < byte)
            i++;
        vocab->first[byte] = i;
    }
    return true;
}

/* Checks the tokens one by one and sums up the bytes that they need, their NULs included. */
static bool measure_tokens(const char *const *tokens, int size, size_t *bytes, Error *error) {
    if (size < VOCAB_MARKS)
        return error_set(error,
                         "a vocabulary of %d tokens is too small; it begins with three marks: "
                         "padding, start and end",
                         size);
    for (int id = 0; id < size; id++) {
        if (!tokens[id][0]) return error_set(error, "the vocabulary's token %d is empty", id);
        if (!utf8_valid(tokens[id]))
            return error_set(error, "the vocabulary's token %d is not UTF-8", id);
        *bytes += strlen(tokens[id]) + 1;
    }
    return true;
}

bool vocab_from_tokens(Vocab *vocab, const char *const *tokens, int size, Error *error) {
    *vocab = (Vocab){0};
    size_t bytes = 0;
    if (!measure_tokens(tokens, size, &bytes, error)) return false;
    size_t count = (size_t)size;
    Vocab made = {.size = size};
    made.tokens = malloc(count * sizeof *made.tokens + bytes);
    made.entries = malloc(count * sizeof *made.entries);
    if (!made.tokens || !made.entries) {
        vocab_free(&made);
        return error_set(error, "out of memory for a vocabulary of %d tokens", size);
    }
    char *text = (char *)(made.tokens + count);
    for (int id = 0; id < size; id++) {
        size_t length = strlen(tokens[id]) + 1;
        made.tokens[id] = memcpy(text, tokens[id], length);
        text += length;
        if (id >= VOCAB_MARKS && tokens[id][utf8_next(tokens[id], NULL)]) made.longer++;
    }
    if (!index_tokens(&made, error)) {
        vocab_free(&made);
        return false;
    }
    *vocab = made;
    return true;
}

bool vocab_from_characters(Vocab *vocab, const char *characters, Error *error) {
    enum { CHARACTER_SIZE = 5 };
    *vocab = (Vocab){0};
    if (!utf8_valid(characters)) return error_set(error, "the vocabulary is not UTF-8");
    size_t most = strlen(characters) + VOCAB_MARKS;
    const char **tokens = malloc(most * sizeof *tokens);
    char(*texts)[CHARACTER_SIZE] = malloc(most * sizeof *texts);
    int size = 0;
    if (tokens && texts) {
        tokens[size++] = "<pad>";
        tokens[size++] = "<s>";
        tokens[size++] = "</s>";
        for (int length; (length = utf8_next(characters, NULL)) > 0; characters += length) {
            memcpy(texts[size], characters, (size_t)length);
            texts[size][length] = '\0';
            tokens[size] = texts[size];
            size++;
        }
    }
    bool made = size > 0 ? vocab_from_tokens(vocab, tokens, size, error)
                         : error_set(error, "out of memory for a vocabulary");
    free(texts);
    free(tokens);
    return made;
}

void vocab_free(Vocab *vocab) {
    free(vocab->tokens);
    free(vocab->entries);
    *vocab = (Vocab){0};
}

/* The first of the entries lo..hi-1 whose byte `at` is at least `byte`; they agree before it. */
static int lower_bound(const VocabEntry *entries, int lo, int hi, int at, int byte) {
    while (lo < hi) {
        int middle = lo + (hi - lo) / 2;
        if ((unsigned char)entries[middle].token[at] < byte)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

/* The longest token that `text` begins with, marks aside: its id and length, or -1. The entries
 * that share a growing beginning with the text are a shrinking range of the sorted ones. */
static int longest_match(const Vocab *vocab, const char *text, int *length) {
    const VocabEntry *entries = vocab->entries;
    int lo = vocab->first[(unsigned char)text[0]];
    int hi = vocab->first[(unsigned char)text[0] + 1];
    int id = -1;
    for (int at = 1; lo < hi; at++) {
        if (!entries[lo].token[at]) {
            id = entries[lo].id;
            *length = at;
        }
        int byte = (unsigned char)text[at];
        if (!byte) break;
        lo = lower_bound(entries, lo, hi, at, byte);
        hi = lower_bound(entries, lo, hi, at, byte + 1);
    }
    return id;
}

int vocab_find(const Vocab *vocab, const char *token) {
    int length = 0;
    int id = longest_match(vocab, token, &length);
    if (id >= 0 && !token[length]) return id;
    for (id = 0; id < VOCAB_MARKS && id < vocab->size; id++)
        if (strcmp(vocab->tokens[id], token) == 0) return id;
    return -1;
}

/* A token of one character. */
typedef struct Character {
    int entry;
    uint32_t code;
} Character;

/* The first one among the entries from `entry` on; false if there is none. */
static bool find_character(const Vocab *vocab, int entry, Character *found) {
    for (; entry < vocab->size - VOCAB_MARKS; entry++) {
        const char *token = vocab->entries[entry].token;
        int length = utf8_next(token, &found->code);
        found->entry = entry;
        if (!token[length]) return true;
    }
    return false;
}

/* True if a range may run over both: two digits, two letters of one case, two beyond ASCII. A
 * range such as `+-/` would be mistaken for three signs. */
static bool same_range(uint32_t a, uint32_t b) {
    static const uint32_t ranges[][2] = {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}, {0x80, 0x10FFFF}};
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
        if (a >= ranges[i][0] && a <= ranges[i][1]) return b >= ranges[i][0] && b <= ranges[i][1];
    return false;
}

/* The last of the characters that follow `from` without a gap; `from` itself for fewer than three,
 * which are no range. */
static Character range_end(const Vocab *vocab, Character from) {
    Character last = from, next;
    while (find_character(vocab, last.entry + 1, &next) && next.code == last.code + 1 &&
           same_range(from.code, next.code))
        last = next;
    return last.code - from.code < 2 ? from : last;
}

static void show_character(char *out, size_t size, const Vocab *vocab, Character character) {
    if (character.code == ' ')
        snprintf(out, size, "space");
    else if (utf8_visible(character.code))
        snprintf(out, size, "%s", vocab->entries[character.entry].token);
    else
        snprintf(out, size, "U+%04X", (unsigned)character.code);
}

/* The single characters of the vocabulary, as in `space + 0-9 a-z`; cut short where `out` ends. */
static void list_characters(const Vocab *vocab, char *out, size_t size) {
    size_t used = 0;
    Character from, to;
    out[0] = '\0';
    for (int entry = 0; find_character(vocab, entry, &from); entry = to.entry + 1) {
        to = range_end(vocab, from);
        char first[12], last[12], item[32];
        show_character(first, sizeof first, vocab, from);
        show_character(last, sizeof last, vocab, to);
        bool range = to.entry > from.entry;
        snprintf(item, sizeof item, "%s%s%s%s", used ? " " : "", first, range ? "-" : "",
                 range ? last : "");
        /* Room is kept for the ellipsis. */
        if (used + strlen(item) + sizeof " …" > size) {
            snprintf(out + used, size - used, " …");
            return;
        }
        memcpy(out + used, item, strlen(item) + 1);
        used += strlen(item);
    }
}

static int characters_between(const char *from, const char *to) {
    int count = 0;
    for (; from < to; from += utf8_next(from, NULL))
        count++;
    return count;
}

static void report_unknown(const Vocab *vocab, const char *text, const char *at, Error *error) {
    char name[UTF8_NAME_SIZE], quote[UTF8_QUOTE_SIZE], known[216], longer[48] = "";
    int position = characters_between(text, at) + 1;
    utf8_name(name, at);
    utf8_quote(quote, text);
    if (utf8_next(at, NULL) < 0) {
        error_usage(error, "%s is not UTF-8: %s stands where character %d should; save it as UTF-8",
                    quote, name, position);
        return;
    }
    list_characters(vocab, known, sizeof known);
    if (vocab->longer > 0)
        snprintf(longer, sizeof longer, " and %d longer token%s", vocab->longer,
                 vocab->longer > 1 ? "s" : "");
    error_usage(error, "%s, character %d of %s, is unknown to the model; it knows: %s%s", name,
                position, quote, known, longer);
}

int vocab_encode(const Vocab *vocab, const char *text, int *ids, int capacity, Error *error) {
    long count = 0;
    for (const char *at = text; *at; count++) {
        int length = 0;
        int id = longest_match(vocab, at, &length);
        if (id < 0) {
            report_unknown(vocab, text, at, error);
            return -1;
        }
        if (ids && count < capacity) ids[count] = id;
        at += length;
    }
    if (count > capacity) {
        char quote[UTF8_QUOTE_SIZE];
        utf8_quote(quote, text);
        error_usage(error, "%s has %ld %s; the model takes at most %d", quote, count,
                    vocab->longer > 0 ? "tokens" : "characters", capacity);
        return -1;
    }
    return (int)count;
}

char *vocab_decode(const Vocab *vocab, const int *ids, int count) {
    size_t bytes = 1;
    for (int i = 0; i < count; i++) {
        assert(ids[i] >= 0 && ids[i] < vocab->size);
        if (ids[i] >= VOCAB_MARKS) bytes += strlen(vocab->tokens[ids[i]]);
    }
    char *text = malloc(bytes);
    if (!text) return NULL;
    char *end = text;
    for (int i = 0; i < count; i++) {
        if (ids[i] < VOCAB_MARKS) continue;
        size_t length = strlen(vocab->tokens[ids[i]]);
        memcpy(end, vocab->tokens[ids[i]], length);
        end += length;
    }
    *end = '\0';
    return text;
}

/* --- JSON ---------------------------------------------------------------------------------------
 */

char *vocab_to_json(const Vocab *vocab) {
    cJSON *list = cJSON_CreateStringArray((const char *const *)vocab->tokens, vocab->size);
    char *text = list ? cJSON_PrintUnformatted(list) : NULL;
    cJSON_Delete(list);
    return text;
}

bool vocab_from_json(Vocab *vocab, const char *text, const char *key, Error *error) {
    *vocab = (Vocab){0};
    cJSON *list = json_text_parse(text);
    int size = cJSON_GetArraySize(list);
    const char **tokens = calloc((size_t)size + 1, sizeof *tokens);
    bool good = cJSON_IsArray(list) && tokens;
    int count = 0;
    const cJSON *item;
    if (good) {
        cJSON_ArrayForEach(item, list) {
            good = good && cJSON_IsString(item);
            tokens[count++] = item->valuestring;
        }
    }
    if (good)
        good = vocab_from_tokens(vocab, tokens, size, error) || error_prefix(error, "%s", key);
    else
        error_set(error, "%s: no JSON list of texts in the metadata", key);
    free(tokens);
    cJSON_Delete(list);
    return good;
}
