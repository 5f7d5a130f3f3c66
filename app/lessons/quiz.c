#include "app/lessons/quiz.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "app/lessons/quiz_parts.h"

/* The kind at an index; NULL past the last. */
static const QuizKind *kind_at(int index) {
    static const QuizKind *const lists[] = {quiz_kinds_of_shapes, quiz_kinds_of_masks};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0] && index >= 0; i++)
        for (const QuizKind *kind = lists[i]; kind->name; kind++)
            if (index-- == 0) return kind;
    return NULL;
}

const char *quiz_kind(int index) {
    const QuizKind *kind = kind_at(index);
    return kind ? kind->name : NULL;
}

/* --- shapes ----------------------------------------------------------------------------------- */

/* Head widths whose products with the numbers of heads are easy to work with. */
static int draw_head_width(QuizDraft *draft) {
    static const int widths[] = {4, 8, 10, 16, 20, 25, 32, 64};
    return widths[quiz_between(draft, 0, (int)(sizeof widths / sizeof widths[0]) - 1)];
}

/* Draws sizes that differ where equal ones would hide a mistake. */
static QuizShapes draw_shapes(QuizDraft *draft) {
    QuizShapes s = {.batch = quiz_between(draft, 2, QUIZ_BATCH),
                    .queries = quiz_between(draft, 2, 8),
                    .heads = quiz_between(draft, 2, QUIZ_HEADS),
                    .head_width = draw_head_width(draft)};
    s.width = s.heads * s.head_width;
    do
        s.keys = quiz_between(draft, 3, 9);
    while (s.keys == s.queries);
    s.heads_before = 1;
    for (int heads = 1; heads < s.heads; heads++)
        if (s.width % heads == 0) s.heads_before = heads;
    s.site = (Site)quiz_between(draft, 0, SITE_COUNT - 1);
    s.role = (QuizRole)quiz_between(draft, 0, 2);
    s.example = quiz_between(draft, 0, s.batch - 1);
    s.column = quiz_between(draft, 0, s.width - 1);
    s.row = quiz_between(draft, 1, s.batch * s.heads - 1);
    s.element = quiz_between(draft, 0, s.head_width - 1);
    return s;
}

/* --- asking ----------------------------------------------------------------------------------- */

void quiz_ask_kind(QuizQuestion *question, uint64_t seed, int index, int kind) {
    *question = (QuizQuestion){.kind = quiz_kind(kind)};
    QuizDraft draft = {question, rng_make(seed, (uint64_t)index)};
    question->shapes = draw_shapes(&draft);
    quiz_draw_steps(&draft);
    kind_at(kind)->make(&draft);
    quiz_finish(&draft);
}

/* The kind of a question: each round uses every kind once, in a random order of its own. */
static int kind_of(uint64_t seed, int index) {
    enum { MAX_KINDS = 64 };
    int order[MAX_KINDS], kinds = 0;
    for (; kinds < MAX_KINDS && kind_at(kinds); kinds++)
        order[kinds] = kinds;
    /* the questions use the streams from 0 up */
    Rng rng = rng_make(seed, UINT64_MAX - (uint64_t)(index / kinds));
    for (int i = kinds - 1; i > 0; i--) {
        int other = (int)rng_below(&rng, (uint32_t)i + 1), kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
    return order[index % kinds];
}

void quiz_ask(QuizQuestion *question, uint64_t seed, int index) {
    quiz_ask_kind(question, seed, index, kind_of(seed, index));
}

/* --- reading typed answers ---------------------------------------------------------------------
 */

const char *quiz_form_hint(QuizForm form) {
    switch (form) {
    case QUIZ_NUMBER:
        return "as 20";
    case QUIZ_PAIR:
        return "as two numbers: 8 40";
    case QUIZ_SHAPE:
        return "as (10,4,20), 10 4 20 or 10x4x20";
    case QUIZ_LIST:
        return "as [3,3,2,2] or 3 3 2 2";
    case QUIZ_WORDS:
        break;
    }
    return "by its letter or its name";
}

/* --- numbers ---------------------------------------------------------------------------------- */

/* True if the comma at `text` separates thousands: a digit before it, exactly three after. */
static bool separates_thousands(const char *text, const char *begin) {
    if (text == begin || !isdigit((unsigned char)text[-1])) return false;
    for (int i = 1; i <= 3; i++)
        if (!isdigit((unsigned char)text[i])) return false;
    return !isdigit((unsigned char)text[4]);
}

/* True for a separator of numbers. C3 97 is the multiplication sign in UTF-8. */
static bool is_separator(char c) {
    return c == '\0' ? false : strchr(" \t\r\n,;()[]{}xX*\xC3\x97", c) != NULL;
}

/* Reads the numbers of a line; false if it holds anything else, too many numbers, or none. */
static bool read_numbers(QuizChoice *read, const char *typed, bool thousands) {
    *read = (QuizChoice){0};
    for (const char *at = typed; *at;) {
        if (is_separator(*at)) {
            at++;
            continue;
        }
        if (!isdigit((unsigned char)*at) || read->count == QUIZ_NUMBERS) return false;
        int64_t number = 0;
        for (int digits = 0; isdigit((unsigned char)*at); digits++) {
            if (digits == 18) return false;
            number = 10 * number + (*at++ - '0');
            if (thousands && *at == ',' && separates_thousands(at, typed)) at++;
        }
        read->numbers[read->count++] = number;
        if (strncmp(at, " and ", 5) == 0) at += 5;
    }
    return read->count > 0;
}

static int choice_of(const QuizQuestion *question, const QuizChoice *read) {
    for (int i = 0; i < question->choice_count; i++) {
        const QuizChoice *choice = &question->choices[i];
        if (choice->count == read->count &&
            memcmp(choice->numbers, read->numbers, (size_t)read->count * sizeof(int64_t)) == 0)
            return i;
    }
    return -1;
}

/* --- words ------------------------------------------------------------------------------------ */

/* Keeps letters, in lower case, and digits, with single spaces between words; drops "the" and "'s".
 */
static void normalise(char *to, size_t size, const char *from) {
    size_t length = 0;
    while (*from && length + 1 < size) {
        size_t word = 0;
        char letters[QUIZ_LINE];
        while (*from && !isalnum((unsigned char)*from))
            from++;
        while (isalnum((unsigned char)*from) && word + 1 < sizeof letters)
            letters[word++] = (char)tolower((unsigned char)*from++);
        letters[word] = '\0';
        if (from[0] == '\'' && from[1] == 's' && !isalnum((unsigned char)from[2])) from += 2;
        if (!word || strcmp(letters, "the") == 0) continue;
        if (length && length + 1 < size) to[length++] = ' ';
        for (size_t i = 0; i < word && length + 1 < size; i++)
            to[length++] = letters[i];
    }
    to[length] = '\0';
}

static bool begins_with(const char *text, const char *beginning) {
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

/* "X, the encoder's state" has the name X; the rest is its description. */
static bool is_called(const QuizChoice *choice, const char *typed) {
    char name[QUIZ_LINE], label[QUIZ_LINE];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(choice->label, ","), choice->label);
    normalise(label, sizeof label, name);
    return strcmp(label, typed) == 0;
}

static bool is_described(const QuizChoice *choice, const char *typed) {
    char whole[QUIZ_LINE], description[QUIZ_LINE];
    normalise(whole, sizeof whole, choice->label);
    normalise(description, sizeof description, choice->label + strcspn(choice->label, ","));
    return begins_with(whole, typed) || begins_with(description, typed);
}

/* The choice of that name, or the only one whose description begins with it; else -1. */
static int choice_named(const QuizQuestion *question, const char *typed) {
    int found = -1, count = 0;
    for (int i = 0; i < question->choice_count; i++)
        if (is_called(&question->choices[i], typed)) return i;
    for (int i = 0; i < question->choice_count; i++)
        if (strlen(typed) > 1 && is_described(&question->choices[i], typed)) {
            found = i;
            count++;
        }
    return count == 1 ? found : -1;
}

/* "a" or "1" is the first choice, ... */
static int choice_by_place(const QuizQuestion *question, const char *typed) {
    if (typed[0] == '\0' || typed[1] != '\0') return -1;
    int place = isdigit((unsigned char)typed[0]) ? typed[0] - '1' : typed[0] - 'a';
    return place >= 0 && place < question->choice_count ? place : -1;
}

QuizVerdict quiz_read(const QuizQuestion *question, const char *typed, int *choice) {
    *choice = -1;
    if (question->form == QUIZ_WORDS) {
        char words[QUIZ_LINE];
        normalise(words, sizeof words, typed);
        *choice = choice_by_place(question, words);
        if (*choice < 0 && words[0]) *choice = choice_named(question, words);
        if (*choice < 0) return QUIZ_UNREAD;
        return *choice == question->right ? QUIZ_RIGHT : QUIZ_WRONG;
    }
    QuizChoice plain, grouped;
    if (!read_numbers(&plain, typed, false)) return QUIZ_UNREAD;
    *choice = choice_of(question, &plain);
    if (*choice < 0 && read_numbers(&grouped, typed, true)) *choice = choice_of(question, &grouped);
    return *choice == question->right ? QUIZ_RIGHT : QUIZ_WRONG;
}
