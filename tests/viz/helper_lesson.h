/* A page with a block of every kind, for the tests of pictures. */
#ifndef HEADSCOPE_TESTS_VIZ_HELPER_LESSON_H
#define HEADSCOPE_TESTS_VIZ_HELPER_LESSON_H

#include "viz/scene/lesson.h"

#include <math.h>

static const LessonColumn lesson_columns[] = {
    {.name = "step"}, {.name = "what", .wraps = true}, {.name = "numbers", .right = true}};
static const char *const lesson_first[] = {"split", "consecutive chunks of one width become heads",
                                           "800"};
static const char *const lesson_second[] = {
    "a name that is longer than it should be",
    ("a text that has to be broken over several lines, since no window is wide enough to show all "
     "of it on a single one, however hard one tries to read it at once"),
    "240"};
static const LessonRow lesson_rows[] = {{lesson_first, TONE_WRONG, "lesson row"},
                                        {lesson_second, TONE_GOOD, NULL},
                                        {lesson_first, TONE_STRONG, NULL},
                                        {lesson_second, TONE_FAINT, NULL}};
static const LessonBar lesson_bar_list[] = {{"query × key", "+0.500", 0.5F, TONE_PLAIN},
                                            {"other", "-1", -1, TONE_STRONG},
                                            {"none", "NaN", NAN, TONE_WRONG}};
static const float lesson_values[] = {0.25F, 0.75F, 1, 0, NAN, 0.5F};
static const unsigned char lesson_states[] = {CELL_VALUE,  CELL_VALUE, CELL_VALUE,
                                              CELL_MASKED, CELL_VALUE, CELL_MISSING};
static const char *const lesson_names[] = {"a long name of a token", "b", "c"};
static const LessonMap lesson_map_list[] = {
    {.title = "right",
     .note = "a note that takes more than one line below a map of only so few columns",
     .rows = 2,
     .columns = 3,
     .values = lesson_values,
     .states = lesson_states,
     .top = 1,
     .marked_row = 1,
     .marked_column = 1,
     .tone = TONE_GOOD,
     .action = "lesson map"},
    {.title = "difference",
     .rows = 3,
     .columns = 2,
     .values = lesson_values,
     .top = 1,
     .diverging = true,
     .row_names = lesson_names,
     .column_names = lesson_names,
     .marked_row = -1,
     .marked_column = -1}};
static const LessonOrigin lesson_cells[] = {{0, 0, 0, 0}, {0, 0, 0, 1},  {0, 0, 1, 0},
                                            {0, 0, 1, 1}, {1, 1, 17, 0}, {1, 1, 0, 1},
                                            {1, 1, 1, 0}, {-1, 0, 0, 0}};
static const LessonTone lesson_tones[] = {TONE_GOOD, TONE_WRONG};
static const LessonTensor lesson_tensor_list[] = {
    {.title = "X (2,4)",
     .note = "as it comes",
     .rows = 2,
     .columns = 4,
     .cells = lesson_cells,
     .row_names = lesson_names,
     .row_notes = lesson_names,
     .row_tones = lesson_tones,
     .row_group = 1,
     .column_group = 2},
    {.title = "folded", .rows = 4, .columns = 2, .cells = lesson_cells, .tone = TONE_WRONG}};
static const ScreenButton lesson_button_list[] = {
    {.label = "one", .action = "lesson one", .on = true}, {.label = "two", .action = "lesson two"}};

static const LessonBlock lesson_blocks[] = {
    {.kind = LESSON_TEXT, .text = "A paragraph.\nAnd another line of it."},
    {.kind = LESSON_TEXT, .text = "What is wrong.", .tone = TONE_WRONG},
    {.kind = LESSON_HEADING, .text = "A heading"},
    {.kind = LESSON_TABLE, .text = "a caption", .table = {lesson_columns, 3, lesson_rows, 4}},
    {.kind = LESSON_BARS, .bars = {lesson_bar_list, 3, true}},
    {.kind = LESSON_BARS, .text = "plain", .bars = {lesson_bar_list, 3, false}},
    {.kind = LESSON_MAPS, .text = "maps", .maps = {lesson_map_list, 2, 2}},
    {.kind = LESSON_MAPS, .maps = {lesson_map_list, 1, 0}},
    {.kind = LESSON_TENSORS, .tensors = {lesson_tensor_list, 2, 2, 2, 18}},
    {.kind = LESSON_BUTTONS, .text = "press", .buttons = {lesson_button_list, 2}},
    {.kind = LESSON_TABLE, .table = {lesson_columns, 3, NULL, 0}},
    {.kind = LESSON_MAPS},
    {.kind = LESSON_TENSORS},
    {.kind = LESSON_BARS},
    {.kind = LESSON_BUTTONS},
};
static const LessonPage lesson_page = {.title = "A page",
                                       .blocks = lesson_blocks,
                                       .count = sizeof lesson_blocks / sizeof lesson_blocks[0]};

#endif
