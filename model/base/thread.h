/* Threads: one that runs a function beside the caller, and a team that shares jobs. */
#ifndef HEADSCOPE_MODEL_BASE_THREAD_H
#define HEADSCOPE_MODEL_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>

#include "model/base/error.h"

/* {0}: none. Must not move while it runs. */
typedef struct Thread {
    void (*run)(void *context);
    void *context;
    pthread_t id;
    bool started;
} Thread;

/* Runs run(context) on a thread. False if the system cannot start one. */
bool thread_start(Thread *thread, void (*run)(void *context), void *context);

/* Waits until the thread has finished; does nothing if none was started. */
void thread_join(Thread *thread);

typedef struct Team Team;

/* A team of `threads`, one of which is the caller. NULL with *error if they cannot be started. */
Team *team_make(int threads, Error *error);
void team_free(Team *team); /* NULL is fine */

/* Runs job(context, worker, i) for each i below `count`, each on some thread, and returns when all
 * are done. Which thread runs which job is not fixed: a job may write only its own data and that of
 * its worker. `worker` is the thread's number, from 0: jobs that run at the same time have
 * different workers. */
typedef void TeamJob(void *context, int worker, int index);
void team_run(Team *team, TeamJob *job, void *context, int count);

#endif
