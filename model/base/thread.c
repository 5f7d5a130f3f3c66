#include "model/base/thread.h"

static void *thread_main(void *argument) {
    Thread *thread = argument;
    thread->run(thread->context);
    return 0;
}

bool thread_start(Thread *thread, void (*run)(void *context), void *context) {
    thread->run = run;
    thread->context = context;
    thread->started = pthread_create(&thread->id, 0, thread_main, thread) == 0;
    return thread->started;
}

void thread_join(Thread *thread) {
    if (thread->started) pthread_join(thread->id, 0);
    thread->started = false;
}
