#include "app/page/lesson_maker.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct LessonMaker {
    Pool pool;
    LessonPage page;
    LessonBlock *blocks; /* [page.count], in the pool */
    void *items; /* the rows, bars, maps, tensors or buttons of the last block, in the pool */
};

LessonMaker *lesson_maker(void) {
    LessonMaker *maker = calloc(1, sizeof *maker);
    if (maker) maker->page.title = "";
    return maker;
}

void lesson_free(LessonMaker *maker) {
    if (maker) pool_free(&maker->pool);
    free(maker);
}

Pool *lesson_pool(LessonMaker *maker) {
    return &maker->pool;
}

const LessonPage *lesson_finish(LessonMaker *maker, Error *error) {
    if (!maker->pool.failed) return &maker->page;
    error_set(error, "out of memory for the lesson's page");
    return NULL;
}

/* --- copies ----------------------------------------------------------------------------------- */

static const char *copy_text(Pool *pool, const char *text) {
    return text ? pool_copy(pool, text) : NULL;
}

static void *copy_array(Pool *pool, const void *array, size_t count, size_t size) {
    if (!array) return NULL;
    void *copy = pool_take(pool, count * size);
    if (copy && count) memcpy(copy, array, count * size);
    return copy;
}

static const char *const *copy_texts(Pool *pool, const char *const *texts, int count) {
    if (!texts) return NULL;
    const char **copies = pool_take(pool, (size_t)count * sizeof *copies);
    for (int i = 0; copies && i < count; i++)
        copies[i] = copy_text(pool, texts[i]);
    return copies;
}

/* Returns the array with room for one more item: its capacity doubles when count is 0 or a power of
 * two. NULL if the pool has run out of memory. */
static void *grow(Pool *pool, void *array, int count, size_t size) {
    if (pool->failed) return NULL;
    if (count & (count - 1)) return array;
    void *grown = pool_take(pool, (count ? 2 * (size_t)count : 1) * size);
    if (grown && count) memcpy(grown, array, (size_t)count * size);
    return grown;
}

/* --- blocks ----------------------------------------------------------------------------------- */

static LessonBlock *add_block(LessonMaker *maker, LessonKind kind, const char *text) {
    LessonBlock *blocks =
        grow(&maker->pool, maker->blocks, maker->page.count, sizeof *maker->blocks);
    if (!blocks) return NULL;
    maker->items = NULL;
    maker->blocks = blocks;
    maker->page.blocks = blocks;
    LessonBlock *block = &blocks[maker->page.count++];
    *block = (LessonBlock){.kind = kind, .text = copy_text(&maker->pool, text)};
    return block;
}

/* Returns the `count` items of the last block with room for one more; NULL if memory is exhausted.
 */
static void *grow_items(LessonMaker *maker, int count, size_t size) {
    void *items = grow(&maker->pool, maker->items, count, size);
    if (items) maker->items = items;
    return items;
}

/* Returns the last block if it is of this kind, else NULL. */
static LessonBlock *last_block(LessonMaker *maker, LessonKind kind) {
    if (maker->pool.failed || maker->page.count == 0) return NULL;
    LessonBlock *block = &maker->blocks[maker->page.count - 1];
    return block->kind == kind ? block : NULL;
}

void lesson_title(LessonMaker *maker, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    maker->page.title = pool_format_list(&maker->pool, format, arguments);
    va_end(arguments);
}

void lesson_heading(LessonMaker *maker, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    add_block(maker, LESSON_HEADING, pool_format_list(&maker->pool, format, arguments));
    va_end(arguments);
}

void lesson_text(LessonMaker *maker, LessonTone tone, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    LessonBlock *block =
        add_block(maker, LESSON_TEXT, pool_format_list(&maker->pool, format, arguments));
    if (block) block->tone = tone;
    va_end(arguments);
}

/* --- tables ----------------------------------------------------------------------------------- */

/* Splits the text in place at tabs into `count` parts; missing ones are "". */
static void split(char *text, const char **parts, int count) {
    for (int i = 0; i < count; i++) {
        char *tab = text ? strchr(text, '\t') : NULL;
        if (tab) *tab = '\0';
        parts[i] = text ? text : "";
        text = tab ? tab + 1 : NULL;
    }
}

void lesson_table(LessonMaker *maker, const char *caption, const char *columns) {
    Pool *pool = &maker->pool;
    LessonBlock *block = add_block(maker, LESSON_TABLE, caption);
    int count = 1;
    for (const char *at = columns; *at; at++)
        count += *at == '\t';
    char *names = copy_array(pool, columns, strlen(columns) + 1, 1);
    const char **parts = pool_take(pool, (size_t)count * sizeof *parts);
    LessonColumn *made = pool_take(pool, (size_t)count * sizeof *made);
    if (!block || pool->failed) return;
    split(names, parts, count);
    for (int i = 0; i < count; i++) {
        bool right = parts[i][0] == '>', wraps = parts[i][0] == '~';
        made[i] = (LessonColumn){parts[i] + (right || wraps), right, wraps};
    }
    block->table.columns = made;
    block->table.column_count = count;
}

void lesson_row(LessonMaker *maker, LessonTone tone, const char *format, ...) {
    LessonBlock *block = last_block(maker, LESSON_TABLE);
    if (!block) return;
    Pool *pool = &maker->pool;
    LessonTable *table = &block->table;
    va_list arguments;
    va_start(arguments, format);
    const char *text = pool_format_list(pool, format, arguments);
    va_end(arguments);
    char *cells = copy_array(pool, text, strlen(text) + 1, 1);
    const char **parts = pool_take(pool, (size_t)table->column_count * sizeof *parts);
    LessonRow *rows = grow_items(maker, table->row_count, sizeof *rows);
    if (!rows || pool->failed) return;
    split(cells, parts, table->column_count);
    rows[table->row_count++] = (LessonRow){.cells = parts, .tone = tone};
    table->rows = rows;
}

void lesson_row_action(LessonMaker *maker, const char *action) {
    LessonBlock *block = last_block(maker, LESSON_TABLE);
    if (!block || block->table.row_count == 0) return;
    LessonRow *rows = maker->items;
    rows[block->table.row_count - 1].action = copy_text(&maker->pool, action);
}

/* --- bars, maps, tensors, buttons ------------------------------------------------------------- */

void lesson_bars(LessonMaker *maker, const char *caption, bool is_signed) {
    LessonBlock *block = add_block(maker, LESSON_BARS, caption);
    if (block) block->bars.is_signed = is_signed;
}

void lesson_bar(LessonMaker *maker, const char *name, double share, LessonTone tone,
                const char *format, ...) {
    LessonBlock *block = last_block(maker, LESSON_BARS);
    if (!block) return;
    va_list arguments;
    va_start(arguments, format);
    LessonBar bar = {.name = copy_text(&maker->pool, name),
                     .value = pool_format_list(&maker->pool, format, arguments),
                     .share = (float)share,
                     .tone = tone};
    va_end(arguments);
    LessonBar *bars = grow_items(maker, block->bars.count, sizeof *bars);
    if (!bars) return;
    bars[block->bars.count++] = bar;
    block->bars.bars = bars;
}

void lesson_maps(LessonMaker *maker, const char *caption, int together) {
    LessonBlock *block = add_block(maker, LESSON_MAPS, caption);
    if (block) block->maps.together = together;
}

void lesson_map(LessonMaker *maker, const LessonMap *map) {
    LessonBlock *block = last_block(maker, LESSON_MAPS);
    if (!block) return;
    Pool *pool = &maker->pool;
    size_t cells = (size_t)map->rows * (size_t)map->columns;
    LessonMap copy = *map;
    copy.title = copy_text(pool, map->title);
    copy.note = copy_text(pool, map->note);
    copy.values = copy_array(pool, map->values, cells, sizeof *map->values);
    copy.states = copy_array(pool, map->states, cells, sizeof *map->states);
    copy.row_names = copy_texts(pool, map->row_names, map->rows);
    copy.column_names = copy_texts(pool, map->column_names, map->columns);
    copy.action = copy_text(pool, map->action);
    LessonMap *maps = grow_items(maker, block->maps.count, sizeof *maps);
    if (!maps) return;
    maps[block->maps.count++] = copy;
    block->maps.maps = maps;
}

void lesson_tensors(LessonMaker *maker, const char *caption, int examples, int steps, int heads) {
    LessonBlock *block = add_block(maker, LESSON_TENSORS, caption);
    if (!block) return;
    block->tensors.examples = examples;
    block->tensors.steps = steps;
    block->tensors.heads = heads;
}

void lesson_tensor(LessonMaker *maker, const LessonTensor *tensor) {
    LessonBlock *block = last_block(maker, LESSON_TENSORS);
    if (!block) return;
    Pool *pool = &maker->pool;
    size_t rows = (size_t)tensor->rows;
    LessonTensor copy = *tensor;
    copy.title = copy_text(pool, tensor->title);
    copy.note = copy_text(pool, tensor->note);
    copy.cells =
        copy_array(pool, tensor->cells, rows * (size_t)tensor->columns, sizeof *tensor->cells);
    copy.row_names = copy_texts(pool, tensor->row_names, tensor->rows);
    copy.row_notes = copy_texts(pool, tensor->row_notes, tensor->rows);
    copy.row_tones = copy_array(pool, tensor->row_tones, rows, sizeof *tensor->row_tones);
    LessonTensor *tensors = grow_items(maker, block->tensors.count, sizeof *tensors);
    if (!tensors) return;
    tensors[block->tensors.count++] = copy;
    block->tensors.tensors = tensors;
}

void lesson_buttons(LessonMaker *maker, const char *caption) {
    add_block(maker, LESSON_BUTTONS, caption);
}

void lesson_button(LessonMaker *maker, const char *label, bool on, const char *tip,
                   const char *action, ...) {
    LessonBlock *block = last_block(maker, LESSON_BUTTONS);
    if (!block) return;
    va_list arguments;
    va_start(arguments, action);
    ScreenButton button = {.label = copy_text(&maker->pool, label),
                           .tip = copy_text(&maker->pool, tip),
                           .action = pool_format_list(&maker->pool, action, arguments),
                           .on = on};
    va_end(arguments);
    ScreenButton *buttons = grow_items(maker, block->buttons.count, sizeof *buttons);
    if (!buttons) return;
    buttons[block->buttons.count++] = button;
    block->buttons.buttons = buttons;
}
