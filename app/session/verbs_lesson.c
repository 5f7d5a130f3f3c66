/* Actions about the lessons: which one is open, with which words, and how far it is scrolled. */
#include <stdlib.h>
#include <string.h>

#include "app/lessons/lesson.h"
#include "app/session/session_parts.h"

/* The name in "shapes --heads 4", or the first lesson's; NULL where there are none. */
static const Lesson *lesson_of(const char *words) {
    char name[VERB_WORD] = "";
    size_t length = strcspn(words, " \t");
    if (length == 0) return lesson_at(0);
    if (length >= sizeof name) return NULL;
    memcpy(name, words, length);
    return lesson_find(name);
}

static int place_of(const Lesson *lesson, int *count) {
    int place = 0;
    for (*count = 0; lesson_at(*count); ++*count)
        if (lesson_at(*count) == lesson) place = *count;
    return place;
}

static bool open_lesson(Session *session, const char *words, Error *error) {
    State *state = &session->state;
    if (!state_set_text(&state->lesson, words)) return error_set(error, "out of memory");
    state->page = PAGE_LESSONS;
    state->lesson_scroll = 0;
    return true;
}

static bool do_lesson(Session *session, const Action *action, Error *error) {
    State *state = &session->state;
    const char *words = action->argument;
    int count, place = place_of(lesson_of(state->lesson), &count);
    if (!*words || strcmp(words, "toggle") == 0) {
        bool leaves = *words && state->page == PAGE_LESSONS;
        state->page = leaves ? PAGE_EXPLORE : PAGE_LESSONS;
        return true;
    }
    if (count > 0 && verb_next(words, count, &place))
        return open_lesson(session, lesson_at(place)->name, error);
    if (lesson_of(words)) return open_lesson(session, words, error);
    return error_usage(error,
                       "lesson %.40s: there is no such lesson; F2 shows them all, headscope --help "
                       "lists them",
                       words);
}

static bool do_scroll(Session *session, const Action *action, Error *error) {
    return verb_number(action, action->argument, 0, LESSON_SCROLL_MOST,
                       &session->state.lesson_scroll, error);
}

static bool names_lesson_file(const Action *action) {
    return lesson_names_file(action->argument);
}

const Verb verbs_of_lesson[] = {
    {.help = {"lesson", "NAME [words]|next|previous|toggle",
              "a lesson, with the words that its command takes"},
     .reach = REACH_WORDS,
     .names_file = names_lesson_file,
     .apply = do_lesson},
    {.help = {"scroll", "N", "so many pixels of the lesson's page are above what is shown"},
     .reach = REACH_STATE,
     .apply = do_scroll},
    {.apply = NULL},
};
