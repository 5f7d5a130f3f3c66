/* The parts of the acceptance lesson's pages. */
#ifndef HEADSCOPE_APP_LESSONS_ACCEPTANCE_PAGE_H
#define HEADSCOPE_APP_LESSONS_ACCEPTANCE_PAGE_H

#include "app/lessons/acceptance_dump.h"
#include "app/lessons/lesson.h"

/* "(2, 5, 4, 6)", and "[3, 2]" of a call's lengths ("none" where all keys are valid). */
const char *acceptance_shape(Pool *pool, int rank, const int *sizes);
const char *acceptance_lens(Pool *pool, const AcceptanceCall *call);

/* "queries (2, 4, 100), keys and values (2, 6, 100), ...": the call in one sentence. */
const char *acceptance_describe(Pool *pool, const Toy *toy);

/* The figure of a check, "4.8e-07" or "8 of 8", and its bound, "5e-06" or "all". */
const char *acceptance_figure(Pool *pool, AcceptanceCheck check, const AcceptanceFinding *finding);
const char *acceptance_bound(Pool *pool, AcceptanceCheck check, const AcceptanceFinding *finding);

/* "passed", "FAILED", "not checked"; and the tone of its row. */
const char *acceptance_verdict(AcceptanceState state);
LessonTone acceptance_tone(AcceptanceState state);

/* Adds the map [Tq,Tk] of one head, hidden keys masked. */
void acceptance_map(LessonMaker *maker, const char *title, const char *note,
                    const AcceptanceCall *call, const AcceptanceReference *reference,
                    const double *weights, int example, int head);

/* Explains why inputs of ones prove little: what known mistakes do on ones and on random inputs. */
bool acceptance_add_ones(LessonMaker *maker, const Toy toys[2],
                         const AcceptanceReference references[2], Error *error);

/* The page of a user's file; *fault = a check failed. */
bool acceptance_add_dump(LessonMaker *maker, const Toy *toy, const char *path, bool *fault,
                         Error *error);

#endif
