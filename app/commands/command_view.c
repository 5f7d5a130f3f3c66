#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/commands/command_text.h"
#include "app/commands/commands.h"
#include "app/window/opening.h"
#include "app/window/window.h"

static const char hint[] = "click any head · type into the source · a knocks the head out, z puts "
                           "it back · c compares two · ? lists the keys";

static void print_actions(void) {
    const ActionHelp *action;
    puts("Actions, as --do, --script and the key : take them; several are parted by `;`.\n");
    for (int i = 0; (action = session_action_help(i)); i++)
        printf("  %s %s\n      %s\n", action->verb, action->arguments, action->help);
}

typedef struct ViewCall {
    OpeningRequest request;
    const char *size, *script, *actions, *command, *frames;
    Kept kept;
} ViewCall;

static bool look_as_set(Session *session, const ViewCall *call, Error *error) {
    Action looks[SETTINGS_LOOKS];
    settings_looks(&call->kept.settings, looks);
    bool good = session_apply(session, looks, SETTINGS_LOOKS, error);
    session_forget_steps(session);
    return good;
}

/* A size that is asked for is the person's own, other than that of a picture. */
static bool set_size(ViewCall *call, WindowCall *window, Error *error) {
    if (!opening_size(call->size, &window->size, error)) return false;
    call->kept.settings.width = window->size.width;
    call->kept.settings.height = window->size.height;
    return true;
}

static bool open_window(ViewCall *call, Error *error) {
    Opening opening;
    const char *problem = call->kept.problem.text;
    Settings *settings = &call->kept.settings;
    WindowCall window = {.settings = settings,
                         .stored = &call->kept.stored,
                         .problem = problem[0] ? problem : NULL,
                         .settings_path = call->kept.settings_path,
                         .last_path = call->kept.last_path,
                         .command = call->command,
                         .actions = call->actions,
                         .hint = hint,
                         .frames = call->frames};
    call->request.last_path = call->kept.last_path;
    call->request.last = settings->model;
    if (call->script && !script_read(&window.script, call->script, error)) return false;
    bool good = opening_make(&opening, &call->request, error);
    if (good) window.size = opening.size; /* as the picture was */
    good = good && (!call->size || set_size(call, &window, error)) &&
           (!call->request.theme || theme_parse(call->request.theme, &settings->theme)) &&
           ((!opening.first && !opening.last) || look_as_set(opening.session, call, error)) &&
           script_check(&window.script, settings, opening.session, error);
    if (good) {
        session_forget_steps(opening.session);
        window.first_start = !call->kept.known && opening.first && !call->script;
        if (opening.note[0]) fprintf(stderr, "headscope: %s\n", opening.note);
        if (opening.note[0]) window.problem = opening.note;
        window.set_aside = opening.lost;
        window.session = opening.session;
        good = window_run(&window, error);
    } else {
        session_free(opening.session);
    }
    script_free(&window.script);
    return good;
}

bool command_view(const Command *command, int argc, char **argv, Error *error) {
    ViewCall call = {0};
    bool actions = false;
    Option options[] = {
        {"--input", OPTION_TEXT, &call.request.input, "TEXT", "what the model reads", 0, 0, false},
        {"--do", OPTION_TEXT, &call.actions, "ACTIONS",
         "done at the start, as in \"step 4; ablate cross.1.2\"", 0, 0, false},
        {"--script", OPTION_TEXT, &call.script, "FILE",
         "states to step through with PageDown, a line each: name: actions", 0, 0, false},
        {"--size", OPTION_TEXT, &call.size, "WxH", "of the window", 0, 0, false},
        {"--theme", OPTION_TEXT, &call.request.theme, "light|dark", "the look", 0, 0, false},
        {"--frames", OPTION_TEXT, &call.frames, "FILE",
         "for measuring: what each picture took, a line each (bench/README.md)", 0, 0, false},
        {"--force", OPTION_FLAG, &call.request.force, NULL,
         "open a picture's state on another model than its own", 0, 0, false},
        {"--actions", OPTION_FLAG, &actions, NULL, "list all actions, and no more", 0, 0, false},
        {0},
    };
    ParseResult parsed =
        options_parse(command, options, &call.request.file, 0, 1, argc, argv, error);
    if (parsed != PARSE_DONE) return parsed == PARSE_HELP;
    if (actions) {
        if (argc > 1)
            return error_usage(error, "--actions lists them, and takes nothing beside it");
        print_actions();
        return true;
    }
    char *typed = command_text("headscope view", options, argc, argv);
    call.command = typed;
    kept_read(&call.kept);
    bool done = typed ? open_window(&call, error) : error_set(error, "out of memory");
    kept_free(&call.kept);
    free(typed);
    return done;
}
