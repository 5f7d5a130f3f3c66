#include "app/window/window_frame.h"

#include <stdlib.h>

#include "app/cli/places.h"
#include "app/window/saved_state.h"
#include "data/files/output.h"
#include "model/base/clock.h"
#include "viz/canvas/picture_png.h"
#include "viz/draw/draw_screen.h"

float frame_logical(const Session *session, float units) {
    return units / session_state(session)->text_scale;
}

void frame_forget(Frame *frame) {
    hits_clear(&frame->hits);
    frame->screen = NULL;
}

void frame_free(Frame *frame) {
    hits_free(&frame->hits);
    raster_free(frame->raster);
    text_free(frame->text);
    *frame = (Frame){0};
}

bool frame_begin(Frame *frame, Error *error) {
    if (!frame->text) frame->text = text_make(error);
    return frame->text != NULL;
}

static bool fit(Frame *frame, const Session *session, FrameSize size, Error *error) {
    float width = frame_logical(session, (float)size.width);
    float height = frame_logical(session, (float)size.height);
    float scale = size.scale * session_state(session)->text_scale;
    if (!frame_begin(frame, error)) return false;
    if (frame->raster) return raster_resize(frame->raster, width, height, scale, error);
    frame->raster = raster_make(width, height, scale, frame->text, error);
    return frame->raster != NULL;
}

bool frame_draw(Frame *frame, Session *session, const ScreenExtra *extra, FrameSize size,
                Error *error) {
    frame_forget(frame);
    if (!fit(frame, session, size, error)) return false;
    const Screen *screen = screen_build(session, extra, error);
    if (!screen) return false;
    frame->screen_at = clock_ms();
    Canvas *canvas = raster_canvas(frame->raster);
    draw_screen(canvas, screen, frame_logical(session, (float)size.width),
                frame_logical(session, (float)size.height), &frame->hits);
    frame->screen = screen;
    return canvas_ok(canvas, error);
}

static bool write_png(const Frame *frame, const SavedState *saved, const char *path, Error *error) {
    char size_text[SAVED_STATE_SIZE_TEXT];
    PictureText texts[SAVED_STATE_TEXTS];
    unsigned char *bytes = NULL;
    size_t length = 0;
    int count = saved_state_texts(saved, size_text, texts);
    bool good =
        picture_png_encode(raster_surface(frame->raster), texts, count, &bytes, &length, error) &&
        output_write(path, bytes, length, error);
    free(bytes);
    return good;
}

bool frame_save(Frame *frame, Session *session, const ScreenExtra *extra, FrameSize size,
                const char *command, const char *path, Error *error) {
    char *actions = session_picture_recipe(session);
    if (!actions) return error_set(error, "out of memory");
    SavedState saved = {.actions = actions,
                        .hash = session_model(session)->hash,
                        .file = places_name(session_path(session)),
                        .command = command,
                        .width = size.width,
                        .height = size.height,
                        .scale = size.scale};
    bool good =
        frame_draw(frame, session, extra, size, error) && write_png(frame, &saved, path, error);
    free(actions);
    return good;
}
