/* Actions that change what is looked at, and how it looks. */
#include <math.h>
#include <string.h>

#include "app/session/session_parts.h"

static bool do_page(Session *session, const Action *action, Error *error) {
    static const char *const names[PAGE_COUNT] = {"explore", "compare", "train", "lessons"};
    int place = (int)session->state.page;
    bool found = verb_next(action->argument, PAGE_COUNT, &place);
    for (int page = 0; page < PAGE_COUNT && !found; page++)
        if (strcmp(action->argument, names[page]) == 0) place = page, found = true;
    if (!found)
        return error_usage(error, "page %.40s: it takes explore, compare, train or lessons",
                           action->argument);
    session->state.page = (ScreenPage)place;
    return true;
}

static bool do_focus(Session *session, const Action *action, Error *error) {
    return verb_switch(action, &session->state.focus_open, error);
}

static bool do_lines(Session *session, const Action *action, Error *error) {
    return verb_switch(action, &session->state.lines, error);
}

static bool do_threshold(Session *session, const Action *action, Error *error) {
    return verb_real(action, action->argument, 0, 1, &session->state.threshold, error);
}

static float bounded(float value, float least, float most) {
    return fminf(fmaxf(value, least), most);
}

static bool do_zoom(Session *session, const Action *action, Error *error) {
    State *state = &session->state;
    char words[3][VERB_WORD];
    int count;
    float zoom = state->zoom, left = state->left, top = state->top;
    if (!verb_words(action, words, 3, &count, error)) return false;
    if (count == 1 && (strcmp(words[0], "in") == 0 || strcmp(words[0], "out") == 0)) {
        float factor = strcmp(words[0], "in") == 0 ? 1.25F : 0.8F;
        float middle_x = left + 0.5F / zoom, middle_y = top + 0.5F / zoom;
        zoom = bounded(zoom * factor, 1, SCREEN_ZOOM);
        left = middle_x - 0.5F / zoom;
        top = middle_y - 0.5F / zoom;
    } else if (count == 0 || !verb_real(action, words[0], 1, (double)SCREEN_ZOOM, &zoom, error) ||
               (count > 1 && !verb_real(action, words[1], -1, 1, &left, error)) ||
               (count > 2 && !verb_real(action, words[2], -1, 1, &top, error))) {
        return count == 0 && error_usage(error, "zoom takes a number from 1 to 64, in or out");
    }
    state->zoom = zoom;
    state->left = bounded(left, 0, 1 - 1 / zoom);
    state->top = bounded(top, 0, 1 - 1 / zoom);
    return true;
}

static bool set_pin(const Action *action, const char *word, int most, int *pin, Error *error) {
    int token = NONE;
    if (strcmp(word, "off") != 0 && !verb_number(action, word, 0, most - 1, &token, error))
        return false;
    *pin = token;
    return true;
}

static bool do_pin(Session *session, const Action *action, Error *error) {
    State *state = &session->state;
    const Config *config = &session->model.config;
    char words[2][VERB_WORD];
    int count;
    if (!verb_words(action, words, 2, &count, error)) return false;
    if (count == 1 && strcmp(words[0], "off") == 0) {
        state->pinned_source = state->pinned_target = NONE;
        return true;
    }
    if (count == 2 && strcmp(words[0], "source") == 0)
        return set_pin(action, words[1], config->max_source, &state->pinned_source, error);
    if (count == 2 && strcmp(words[0], "target") == 0)
        return set_pin(action, words[1], config->max_target, &state->pinned_target, error);
    return error_usage(error, "pin %.40s: it takes source N, target N or off", action->argument);
}

static bool do_cell(Session *session, const Action *action, Error *error) {
    State *state = &session->state;
    const Config *config = &session->model.config;
    bool encoder_rows = state->head.site == SITE_ENCODER;
    bool encoder_columns = state->head.site != SITE_DECODER;
    int rows = encoder_rows ? config->max_source : config->max_target;
    int columns = encoder_columns ? config->max_source : config->max_target;
    char words[2][VERB_WORD];
    int count, row, column;
    if (!verb_words(action, words, 2, &count, error)) return false;
    if (count == 1 && strcmp(words[0], "off") == 0) {
        state->cell_row = state->cell_column = NONE;
        return true;
    }
    if (count < 2)
        return error_usage(error, "cell %.40s: it takes QUERY KEY or off", action->argument);
    if (!verb_number(action, words[0], 0, rows - 1, &row, error) ||
        !verb_number(action, words[1], 0, columns - 1, &column, error))
        return false;
    state->cell_row = row;
    state->cell_column = column;
    return true;
}

static bool do_hover(Session *session, const Action *action, Error *error) {
    State *state = &session->state;
    const Config *config = &session->model.config;
    char words[4][VERB_WORD];
    int count, row = NONE, column = NONE;
    HeadId id;
    if (!verb_words(action, words, 4, &count, error)) return false;
    state->has_hover = state->hover_pair = false;
    if (count == 1 && strcmp(words[0], "off") == 0) return true;
    if (count == 2) {
        if (!verb_head(session, action, words[0], &id, error) ||
            !verb_head(session, action, words[1], &state->hover_with, error))
            return false;
        state->has_hover = state->hover_pair = true;
        state->hover = id;
        state->hover_row = state->hover_column = NONE;
        state->hover_example = 0;
        return true;
    }
    bool companion = count == 4 && strcmp(words[3], "companion") == 0;
    if (count < 3 || (count == 4 && !companion))
        return error_usage(error, "hover takes HEAD ROW COLUMN, where - is no row or no column");
    int longest = config->max_source > config->max_target ? config->max_source : config->max_target;
    if (!verb_head(session, action, words[0], &id, error) ||
        (strcmp(words[1], "-") && !verb_number(action, words[1], 0, longest - 1, &row, error)) ||
        (strcmp(words[2], "-") && !verb_number(action, words[2], 0, longest - 1, &column, error)))
        return false;
    state->has_hover = true;
    state->hover = id;
    state->hover_row = row;
    state->hover_column = column;
    state->hover_example = companion && state->companion;
    return true;
}

static bool do_theme(Session *session, const Action *action, Error *error) {
    int place = (int)session->state.theme;
    if (!action->has_argument || verb_next(action->argument, THEME_COUNT, &place)) {
        session->state.theme =
            action->has_argument ? (ThemeName)place : (ThemeName)((place + 1) % THEME_COUNT);
        return true;
    }
    return theme_parse(action->argument, &session->state.theme) ||
           error_usage(error, "theme %.40s: it takes light or dark", action->argument);
}

static bool do_colormap(Session *session, const Action *action, Error *error) {
    int place = (int)session->state.colormap;
    const char *text = action->has_argument ? action->argument : "next";
    if (verb_next(text, COLORMAP_COUNT, &place)) {
        session->state.colormap = (ColorMap)place;
        return true;
    }
    return colormap_parse(text, &session->state.colormap) ||
           error_usage(error, "colormap %.40s: it takes viridis, cividis, magma or grey", text);
}

static bool do_scale(Session *session, const Action *action, Error *error) {
    bool *largest = &session->state.scale_largest;
    if (!action->has_argument)
        *largest = !*largest;
    else if (strcmp(action->argument, "largest") == 0)
        *largest = true;
    else if (strcmp(action->argument, "one") == 0)
        *largest = false;
    else
        return error_usage(error, "scale %.40s: it takes one or largest", action->argument);
    return true;
}

static bool do_text_scale(Session *session, const Action *action, Error *error) {
    float *scale = &session->state.text_scale;
    const char *text = action->argument;
    float by = strcmp(text, "larger") == 0 ? 1.1F : strcmp(text, "smaller") == 0 ? 1 / 1.1F : 0;
    if (by == 0)
        return verb_real(action, text, (double)TEXT_SCALE_LEAST, (double)TEXT_SCALE_MOST, scale,
                         error);
    *scale = bounded(roundf(*scale * by * 100) / 100, TEXT_SCALE_LEAST, TEXT_SCALE_MOST);
    return true;
}

static bool do_present(Session *session, const Action *action, Error *error) {
    return verb_switch(action, &session->state.presentation, error);
}

static bool do_help(Session *session, const Action *action, Error *error) {
    return verb_switch(action, &session->state.help, error);
}

static bool do_undo(Session *session, const Action *action, Error *error) {
    return verb_alone(action, error) && session_undo(session, error);
}

static bool do_redo(Session *session, const Action *action, Error *error) {
    return verb_alone(action, error) && session_redo(session, error);
}

const Verb verbs_of_look[] = {
    {.help = {"page", "explore|compare|train|lessons", "which page is shown"},
     .reach = REACH_STATE,
     .apply = do_page},
    {.help = {"focus", "on|off", "the selected head alone, large"},
     .reach = REACH_STATE,
     .apply = do_focus},
    {.help = {"lines", "on|off", "the selected head as lines between tokens"},
     .reach = REACH_STATE,
     .apply = do_lines},
    {.help = {"threshold", "X", "weights below it have no line, 0 to 1"},
     .reach = REACH_STATE,
     .apply = do_threshold},
    {.help = {"zoom", "X [LEFT TOP]|in|out",
              "of the large head; left and top are shares of the map"},
     .reach = REACH_STATE,
     .apply = do_zoom},
    {.help = {"pin", "source N|target N|off", "marks a token's row or column in every map"},
     .reach = REACH_STATE,
     .apply = do_pin},
    {.help = {"cell", "QUERY KEY|off",
              "the cell of the selected head whose weight is told beside the maps"},
     .reach = REACH_STATE,
     .apply = do_cell},
    {.help = {"hover", "HEAD ROW COLUMN [companion]|HEAD HEAD|off", "what lies under the pointer"},
     .reach = REACH_STATE,
     .apply = do_hover,
     .transient = true},
    {.help = {"theme", "light|dark|next", "the look"}, .reach = REACH_STATE, .apply = do_theme},
    {.help = {"colormap", "NAME|next", "viridis, cividis, magma or grey"},
     .reach = REACH_STATE,
     .apply = do_colormap},
    {.help = {"scale", "one|largest",
              "where the colour scale ends: at 1, or at the largest weight of the site"},
     .reach = REACH_STATE,
     .apply = do_scale},
    {.help = {"text_scale", "X|larger|smaller", "the size of everything, 0.5 to 4"},
     .reach = REACH_STATE,
     .apply = do_text_scale},
    {.help = {"present", "on|off", "for a projector: the side columns away, the panels larger"},
     .reach = REACH_STATE,
     .apply = do_present},
    {.help = {"help", "on|off", "the list of keys"}, .reach = REACH_STATE, .apply = do_help},
    {.help = {"undo", "", "the state before"},
     .reach = REACH_STATE,
     .apply = do_undo,
     .transient = true,
     .travels = true},
    {.help = {"redo", "", "the state after"},
     .reach = REACH_STATE,
     .apply = do_redo,
     .transient = true,
     .travels = true},
    {.apply = NULL},
};
