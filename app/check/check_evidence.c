/* The evidence as maps: yours, right, predicted by the mistake, left over. */
#include <math.h>
#include <stdlib.h>

#include "app/check/check_report.h"

/* The maps of a page share a scale, a marked cell and the hidden cells. */
typedef struct Maps {
    LessonMaker *maker;
    const DoctorEvidence *evidence;
    float top;
    int marked_row, marked_column;
    unsigned char *states;       /* [rows,columns], of the map that is added next */
    const unsigned char *hidden; /* [rows,columns]; NULL: not weights */
} Maps;

static float largest(const float *values, long count) {
    float top = 0;
    for (long i = 0; values && i < count; i++)
        if (isfinite(values[i])) top = fmaxf(top, fabsf(values[i]));
    return top;
}

/* A hidden key is drawn as masked only if it has no weight: a weight there must show. */
static void add_map(const Maps *maps, const char *title, const char *note, const float *values,
                    bool diverging, LessonTone tone) {
    const DoctorEvidence *evidence = maps->evidence;
    long count = (long)evidence->rows * evidence->columns;
    if (!values) return;
    for (long i = 0; i < count; i++) {
        bool masked = maps->hidden && maps->hidden[i] && values[i] == 0;
        maps->states[i] = masked ? CELL_MASKED : isnan(values[i]) ? CELL_NAN : CELL_VALUE;
    }
    LessonMap map = {.title = title,
                     .note = note,
                     .rows = evidence->rows,
                     .columns = evidence->columns,
                     .values = values,
                     .states = maps->states,
                     .top = maps->top,
                     .diverging = diverging,
                     .marked_row = maps->marked_row,
                     .marked_column = maps->marked_column,
                     .tone = tone};
    lesson_map(maps->maker, &map);
}

/* Draws a difference that rounding explains as 0. */
static void add_left(const Maps *maps, const StageFinding *finding) {
    const DoctorEvidence *evidence = maps->evidence;
    long count = (long)evidence->rows * evidence->columns;
    if (!evidence->left) return;
    float *left = malloc(((size_t)count + 1) * sizeof *left);
    if (!left) return;
    for (long i = 0; i < count; i++)
        left[i] =
            finding && fabs((double)evidence->left[i]) <= finding->allowed ? 0 : evidence->left[i];
    bool blank = largest(left, count) <= 0;
    char note[120];
    snprintf(note, sizeof note, "%s%.2g", blank ? "rounding: " : "not explained: up to ",
             (double)largest(evidence->left, count));
    add_map(maps, "left over", note, left, true, TONE_PLAIN);
    free(left);
}

static void find_hidden(unsigned char *hidden, const DoctorEvidence *evidence, const Dump *dump) {
    for (int t = 0; t < evidence->rows; t++)
        for (int j = 0; j < evidence->columns; j++) {
            int b = evidence->example, seen = dump->sizes.keys;
            if (dump->valid_lens)
                seen = dump->valid_lens[dump->per_query ? b * dump->sizes.queries + t : b];
            hidden[(long)t * evidence->columns + j] = j >= seen || (dump->causal && j > t);
        }
}

static void add_maps(Maps *maps, const CheckResult *result) {
    const DoctorEvidence *evidence = maps->evidence;
    const StageFinding *finding = check_main_finding(result);
    long count = (long)evidence->rows * evidence->columns;
    bool weights = evidence->part == DUMP_WEIGHTS;
    DoctorPlace place = finding ? finding->place : NO_PLACE;
    bool here = place.example == evidence->example &&
                (place.head == evidence->head || place.head < 0 || evidence->head < 0);
    maps->marked_row = here ? place.query : -1;
    maps->marked_column = here && weights ? place.key : -1;
    maps->top = fmaxf(largest(evidence->yours, count), largest(evidence->right, count));
    maps->top = fmaxf(maps->top, largest(evidence->predicted, count));
    if (maps->top <= 0) maps->top = 1;
    char caption[200], where[80] = "";
    if (evidence->head >= 0) snprintf(where, sizeof where, ", head %d", evidence->head);
    snprintf(caption, sizeof caption,
             "%s of example %d%s: rows are queries, columns %s; one scale. Left over: yours less "
             "predicted",
             dump_part_name(evidence->part), evidence->example, where,
             weights ? "are keys" : "the width");
    lesson_maps(maps->maker, caption, 2);
    add_map(maps, "yours", NULL, evidence->yours, !weights, TONE_PLAIN);
    add_map(maps, "right", NULL, evidence->right, !weights, TONE_GOOD);
    char note[120] = "";
    if (finding && finding->kinds[0])
        snprintf(note, sizeof note, "by %s%s%s", finding->kinds[0]->name,
                 finding->kinds[1] ? " and " : "",
                 finding->kinds[1] ? finding->kinds[1]->name : "");
    add_map(maps, "predicted", note, evidence->predicted, !weights, TONE_WRONG);
    add_left(maps, finding);
}

void check_evidence_page(LessonMaker *maker, const CheckResult *result) {
    const DoctorEvidence *evidence = &result->diagnosis.evidence;
    const StageFinding *finding = check_main_finding(result);
    char headline[HEADLINE_TEXT];
    check_headline(result, headline);
    lesson_title(maker, "%s: %s", result->path, headline);
    check_page_dump(maker, result);
    if (evidence->yours) {
        size_t count = (size_t)evidence->rows * (size_t)evidence->columns;
        unsigned char *hidden = pool_take(lesson_pool(maker), count),
                      *states = pool_take(lesson_pool(maker), count);
        bool weights = evidence->part == DUMP_WEIGHTS &&
                       evidence->columns == result->file.dump.sizes.keys &&
                       evidence->rows == result->file.dump.sizes.queries;
        if (!hidden || !states) return;
        if (weights) find_hidden(hidden, evidence, &result->file.dump);
        Maps maps = {.maker = maker,
                     .evidence = evidence,
                     .states = states,
                     .hidden = weights ? hidden : NULL};
        add_maps(&maps, result);
    }
    for (int i = 0; finding && i < 2 && finding->kinds[i]; i++)
        lesson_text(maker, TONE_PLAIN, "%s: %s", finding->kinds[i]->name, finding->kinds[i]->mend);
    check_page_stages(maker, result);
}
