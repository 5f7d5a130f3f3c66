#include <stdlib.h>

#include "app/commands/command_text.h"
#include "app/commands/commands.h"
#include "app/session/verbs.h"
#include "app/window/opening.h"
#include "app/window/window_frame.h"

typedef struct ShotCall {
    OpeningRequest request;
    const char *size_text, *actions, *output, *command;
    double scale;
    FrameSize size;
    Session *session;
    Frame frame;
    bool wrote; /* an action did */
} ShotCall;

/* Nothing is drawn of texts that the model cannot read. */
static bool can_draw(ShotCall *call, Error *error) {
    session_refresh(call->session);
    const char *problem = session_problem(call->session);
    return !problem || error_usage(error, "%s", problem);
}

static bool write_picture(ShotCall *call, const char *argument, bool sheet, Error *error) {
    char name[FRAME_NAME];
    ScreenExtra extra = {.editing = -1};
    FrameCall file = {&call->frame, call->session, &extra, call->size, call->command};
    if (!can_draw(call, error)) return false;
    call->wrote = true;
    return sheet ? frame_do_sheet(&file, argument, name, error)
                 : frame_do_save(&file, argument, name, error);
}

static bool act(void *context, const Action *action, Error *error) {
    const char *argument = action->text ? action->text : "";
    bool sheet = action->verb == VERB_SHEET;
    if (sheet || action->verb == VERB_SAVE) return write_picture(context, argument, sheet, error);
    return error_usage(error, "%s: only the window does that, headscope view",
                       verb_at(action->verb)->help.verb);
}

static bool draw(ShotCall *call, Error *error) {
    ScreenExtra extra = {.editing = -1};
    session_set_host(call->session, (SessionHost){act, call});
    if (call->actions && !session_apply_text(call->session, call->actions, error)) return false;
    if (!can_draw(call, error)) return false;
    if (call->output)
        return frame_save(&call->frame, call->session, &extra, call->size, call->command,
                          call->output, error);
    return call->wrote ||
           error_usage(error, "say where to write: -o a.png, or save a.png among the actions");
}

/* The size that is asked for, else the picture's, else that of a window. */
static bool choose_size(ShotCall *call, const Opening *opening, bool scale_given, Error *error) {
    call->size = opening->size;
    if (call->size.width == 0) call->size = (FrameSize){1280, 800, 1};
    if (call->size_text || scale_given) call->size.scale = (float)call->scale;
    if (!(call->size.scale >= 0.5F && call->size.scale <= 8))
        return error_usage(error, "--scale %g: it takes a number from 0.5 to 8", call->scale);
    return !call->size_text || opening_size(call->size_text, &call->size, error);
}

bool command_shot(const Command *command, int argc, char **argv, Error *error) {
    ShotCall call = {.scale = 1};
    Option options[] = {
        {"--input", OPTION_TEXT, &call.request.input, "TEXT", "what the model reads", 0, 0, false},
        {"--do", OPTION_TEXT, &call.actions, "ACTIONS",
         "as in \"step 4; ablate cross.1.2\"; headscope view --actions lists them", 0, 0, false},
        {"-o", OPTION_TEXT, &call.output, "FILE.png", "the picture to write", 0, 0, false},
        {"--size", OPTION_TEXT, &call.size_text, "WxH", "of the window: 1280x800, or the picture's",
         0, 0, false},
        {"--theme", OPTION_TEXT, &call.request.theme, "light|dark", "the look", 0, 0, false},
        {"--force", OPTION_FLAG, &call.request.force, NULL,
         "a picture's state on another model than its own", 0, 0, false},
        {"--scale", OPTION_NUMBER, &call.scale, "X", "pixels for each of its units, 0.5 to 8", 0, 0,
         false},
        {0},
    };
    enum { SCALE = 6 };
    ParseResult parsed =
        options_parse(command, options, &call.request.file, 1, 1, argc, argv, error);
    if (parsed != PARSE_DONE) return parsed == PARSE_HELP;
    char *typed = command_text("headscope shot", options, argc, argv);
    call.command = typed;
    Opening opening = {0};
    bool done = typed && (!call.output || frame_is_png(call.output, error)) &&
                opening_make(&opening, &call.request, error) &&
                choose_size(&call, &opening, options[SCALE].given, error);
    call.session = opening.session;
    done = done && draw(&call, error);
    frame_free(&call.frame);
    session_free(call.session);
    free(typed);
    return done;
}
