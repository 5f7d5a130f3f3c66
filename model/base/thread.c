#include "model/base/thread.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

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

/* --- teams ------------------------------------------------------------------------------------ */

typedef struct Helper {
    Team *team;
    Thread thread;
    int worker;
} Helper;

struct Team {
    pthread_mutex_t lock;
    pthread_cond_t begin, finished;
    Helper *helpers;
    int helper_count;
    unsigned round; /* counts the calls of team_run */
    int busy;       /* helpers still in this round */
    bool closing;
    TeamJob *job;
    void *context;
    int count;
    atomic_int next;
};

static void take_jobs(Team *team, int worker) {
    for (int index; (index = atomic_fetch_add(&team->next, 1)) < team->count;)
        team->job(team->context, worker, index);
}

static void helper_main(void *argument) {
    const Helper *helper = argument;
    Team *team = helper->team;
    unsigned seen = 0;
    pthread_mutex_lock(&team->lock);
    for (;;) {
        while (team->round == seen && !team->closing)
            pthread_cond_wait(&team->begin, &team->lock);
        if (team->closing) break;
        seen = team->round;
        pthread_mutex_unlock(&team->lock);
        take_jobs(team, helper->worker);
        pthread_mutex_lock(&team->lock);
        if (--team->busy == 0) pthread_cond_signal(&team->finished);
    }
    pthread_mutex_unlock(&team->lock);
}

Team *team_make(int threads, Error *error) {
    Team *team = calloc(1, sizeof *team);
    if (!team) {
        error_set(error, "out of memory for %d threads", threads);
        return NULL;
    }
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->begin, NULL);
    pthread_cond_init(&team->finished, NULL);
    team->helpers = calloc((size_t)threads, sizeof *team->helpers);
    bool started = team->helpers != NULL;
    while (started && team->helper_count < threads - 1) {
        Helper *helper = &team->helpers[team->helper_count];
        *helper = (Helper){.team = team, .worker = team->helper_count + 1};
        started = thread_start(&helper->thread, helper_main, helper);
        if (started) team->helper_count++;
    }
    if (started) return team;
    team_free(team);
    error_set(error, "cannot start %d threads: ask for fewer with --threads", threads);
    return NULL;
}

void team_free(Team *team) {
    if (!team) return;
    pthread_mutex_lock(&team->lock);
    team->closing = true;
    pthread_cond_broadcast(&team->begin);
    pthread_mutex_unlock(&team->lock);
    for (int i = 0; i < team->helper_count; i++)
        thread_join(&team->helpers[i].thread);
    pthread_cond_destroy(&team->begin);
    pthread_cond_destroy(&team->finished);
    pthread_mutex_destroy(&team->lock);
    free(team->helpers);
    free(team);
}

void team_run(Team *team, TeamJob *job, void *context, int count) {
    pthread_mutex_lock(&team->lock);
    team->job = job;
    team->context = context;
    team->count = count;
    atomic_store(&team->next, 0);
    team->busy = team->helper_count;
    team->round++;
    pthread_cond_broadcast(&team->begin);
    pthread_mutex_unlock(&team->lock);
    take_jobs(team, 0); /* the caller */
    pthread_mutex_lock(&team->lock);
    while (team->busy > 0)
        pthread_cond_wait(&team->finished, &team->lock);
    pthread_mutex_unlock(&team->lock);
}
