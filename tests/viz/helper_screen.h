/* A whole screen for the tests of the window's views: a model of any size with its tokens, two
 * sequences, controls, sections. */
#ifndef HEADSCOPE_TESTS_VIZ_HELPER_SCREEN_H
#define HEADSCOPE_TESTS_VIZ_HELPER_SCREEN_H

#include "tests/viz/helper_recorder.h"

enum { STAGE_PANELS = 16 };

/* How large the model on show is. */
typedef struct StageSize {
    int layers, heads, source, target; /* target: steps */
} StageSize;

typedef struct Stage {
    Fixture fixture;
    Screen screen;
    ScreenToken source[FIXTURE_TOKENS], target[FIXTURE_TOKENS];
    ScreenMap maps[STAGE_PANELS];
    char titles[STAGE_PANELS][24];
    bool struck[64 * 64];
    Recorder recorder;
    HitList hits;
} Stage;

static const ScreenButton stage_tabs[] = {
    {"Explore", "the heads", "page explore", true, NULL},
    {"Compare", "two maps", "page compare", false, NULL},
    {"Train", "heads as they form", "page train", false, NULL}};
static const ScreenButton stage_controls[] = {
    {"enc_valid_len 9", "tip", "enc_len auto", false, NULL},
    {"dec_valid_len 11", "tip", "dec_len auto", false, NULL},
    {"causal", "tip", "causal", false, NULL},
    {"companion", "tip", "companion", true, NULL},
    {"step 4 of 7", "tip", "step all", true, NULL},
    {"play", "tip", "play", false, NULL}};
static const ScreenButton stage_world[] = {{"compare", "tip", "compare plain", false, NULL},
                                           {"as trained", "tip", "plain", false, NULL}};
static const char *const stage_lines[] = {
    "reads the letter that it will write, in four of five steps of this input",
    "a second line that says a little more"};
static const ScreenBar stage_bars[] = {
    {.name = "entropy", .value = "0.41 bits", .share = 0.2F, .tip = "how evenly"},
    {.name = "mean distance", .value = "", .share = -1},
    {.name = "cross.1.0", .value = "0.91", .share = 0.91F, .action = "select cross.1.0"}};
static const ScreenSection stage_sections[] = {
    {"cross.0.1", stage_lines, 2, stage_bars, 3, stage_controls, 1},
    {"step 4: next token", NULL, 0, stage_bars, 3, NULL, 0},
    {"what the change does", stage_lines, 2, NULL, 0, stage_controls, 4},
    {"most alike", stage_lines, 1, stage_bars, 3, NULL, 0}};

/* Tokens t0, t1, ... whose text is all of them one after the other. */
static inline void stage_tokens(Stage *stage, ScreenToken *tokens, int count) {
    for (int index = 0, at = 0; index < count; index++) {
        tokens[index] = (ScreenToken){.text = stage->fixture.tokens[index], .begin = at};
        tokens[index].end = at += (int)strlen(tokens[index].text);
    }
}

static inline ScreenSequence stage_sequence(const char *name, const ScreenToken *tokens,
                                            int count) {
    return (ScreenSequence){.name = name,
                            .tip = "what it is",
                            .tokens = tokens,
                            .count = count,
                            .valid_len = count,
                            .len_name = "valid_len",
                            .marked = -1,
                            .lit = -1,
                            .lit_query = -1,
                            .pinned = -1};
}

static inline void stage_make(Stage *stage, StageSize size) {
    TraceShape shapes[SITE_COUNT] = {{size.layers, size.heads, size.source, size.source},
                                     {size.layers, size.heads, size.target, size.target},
                                     {size.layers, size.heads, size.target, size.source}};
    fixture_make(&stage->fixture, shapes);
    memset(stage->struck, 0, sizeof stage->struck);
    stage_tokens(stage, stage->source, size.source);
    stage_tokens(stage, stage->target, size.target);
    for (int head = 0; head < size.heads && head < STAGE_PANELS; head++) {
        snprintf(stage->titles[head], sizeof stage->titles[head], "head %d", head);
        stage->maps[head] = (ScreenMap){.trace = stage->fixture.trace,
                                        .id = {SITE_CROSS, 0, head},
                                        .axes = &stage->fixture.scene.axes[SITE_CROSS],
                                        .rows = size.target,
                                        .columns = size.source,
                                        .title = stage->titles[head],
                                        .note = "diagonal",
                                        .first = head == 1,
                                        .struck = head == 2,
                                        .lit_row = 1,
                                        .lit_column = 2,
                                        .pinned_row = -1,
                                        .pinned_column = 0,
                                        .action = "select"};
    }
    Screen *screen = &stage->screen;
    *screen = (Screen){.theme = THEME_DARK,
                       .top = 1,
                       .model = "dates.safetensors · 2+2 layers · 4 heads · width 64",
                       .tabs = stage_tabs,
                       .tab_count = 3,
                       .sequence_count = 2,
                       .controls = stage_controls,
                       .control_count = 6,
                       .sections = stage_sections,
                       .section_count = 4,
                       .status = "cross.0.1 · query 1: reads t1, writes t2 · key 2: t2 · 0.545",
                       .keys = "arrows head, layer · Tab site · a ablate · ? help"};
    screen->sequences[0] = stage_sequence("source", stage->source, size.source);
    screen->sequences[1] = stage_sequence("target", stage->target, size.target);
    screen->overview = (ScreenOverview){.trace = stage->fixture.trace,
                                        .first = {SITE_CROSS, 0, 1},
                                        .site = SITE_CROSS,
                                        .struck = {stage->struck, stage->struck, stage->struck}};
    screen->panels =
        (ScreenPanels){.title = "cross-attention, layer 0",
                       .caption = "rows: queries, decoder (reads → writes) · columns: keys",
                       .maps = stage->maps,
                       .count = size.heads < STAGE_PANELS ? size.heads : STAGE_PANELS};
    screen->focus = (ScreenFocus){.map = stage->maps[1 % size.heads],
                                  .lines = true,
                                  .threshold = 0.05F,
                                  .title = "cross.0.1 as lines",
                                  .buttons = stage_tabs,
                                  .button_count = 1};
}

static inline void stage_draw(Stage *stage, float width, float height) {
    recorder_start(&stage->recorder);
    draw_screen(&stage->recorder.canvas, &stage->screen, width, height, &stage->hits);
    Error error;
    assert_true(canvas_ok(&stage->recorder.canvas, &error));
    assert_int_equal(stage->recorder.depth, 0);
}

static inline void stage_free(Stage *stage) {
    fixture_free(&stage->fixture);
}

static inline const Hit *stage_find(const Stage *stage, HitKind kind, HeadId id) {
    for (int index = 0; index < stage->hits.count; index++) {
        const Hit *hit = &stage->hits.hits[index];
        if (hit->kind == kind && head_id_same(hit->id, id)) return hit;
    }
    return NULL;
}

static inline int stage_count(const Stage *stage, HitKind kind) {
    int count = 0;
    for (int index = 0; index < stage->hits.count; index++)
        count += stage->hits.hits[index].kind == kind;
    return count;
}

#endif
