/* A thread that runs one function beside the caller. Many threads that share jobs:
 * model/base/team.h. */
#ifndef HEADSCOPE_MODEL_BASE_THREAD_H
#define HEADSCOPE_MODEL_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* {0}: none. Stays where it is while it runs. */
typedef struct Thread {
    void (*run)(void *context);
    void *context;
    pthread_t id;
    bool started;
} Thread;

/* Runs run(context) on a thread. False if the system has none. */
bool thread_start(Thread *thread, void (*run)(void *context), void *context);

/* Waits for its end; nothing to do for none. */
void thread_join(Thread *thread);

#endif
