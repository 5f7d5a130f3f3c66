/* Reading of typed answers. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "app/lessons/quiz.h"

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

/* Whether the comma at `text` parts thousands: after a digit, before exactly three. */
static bool parts_thousands(const char *text, const char *begin) {
    if (text == begin || !isdigit((unsigned char)text[-1])) return false;
    for (int i = 1; i <= 3; i++)
        if (!isdigit((unsigned char)text[i])) return false;
    return !isdigit((unsigned char)text[4]);
}

/* Between numbers. A multiplication sign may be the Unicode one, whose bytes are C3 97. */
static bool is_between(char c) {
    return c == '\0' ? false : strchr(" \t\r\n,;()[]{}xX*\xC3\x97", c) != NULL;
}

/* The numbers of a line; false if anything else stands in it, or if they are too many or none. */
static bool read_numbers(QuizChoice *read, const char *typed, bool thousands) {
    *read = (QuizChoice){0};
    for (const char *at = typed; *at;) {
        if (is_between(*at)) {
            at++;
            continue;
        }
        if (!isdigit((unsigned char)*at) || read->count == QUIZ_NUMBERS) return false;
        int64_t number = 0;
        for (int digits = 0; isdigit((unsigned char)*at); digits++) {
            if (digits == 18) return false;
            number = 10 * number + (*at++ - '0');
            if (thousands && *at == ',' && parts_thousands(at, typed)) at++;
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

/* Small letters and digits alone, single spaces between words; "the" and "'s" are left out. */
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

/* "X, the encoder's state" is called X and described by the rest. */
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

/* The choice of that name, or the one whose description begins so; -1 if none or several do. */
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
