/* Threads that share out a number of jobs. */
#ifndef HEADSCOPE_MODEL_BASE_TEAM_H
#define HEADSCOPE_MODEL_BASE_TEAM_H

#include "model/base/error.h"

typedef struct Team Team;

/* A team of `threads`, the caller among them. NULL with *error if they cannot be had. */
Team *team_make(int threads, Error *error);
void team_free(Team *team); /* NULL is fine */

/* Runs job(context, worker, i) for each i below `count`, each on some thread, and returns when all
 * are done. Who runs which is not fixed: a job must write only what is its own, and what belongs to
 * its worker. `worker` counts the threads from 0: no two jobs that run at once have the same. */
typedef void TeamJob(void *context, int worker, int index);
void team_run(Team *team, TeamJob *job, void *context, int count);

#endif
