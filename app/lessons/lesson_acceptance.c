#include <string.h>

#include "app/lessons/acceptance_page.h"
#include "model/explain/acceptance.h"

/* The results of our own block on one call, by both kernels. */
typedef struct Own {
    AcceptanceReport fast, plain;
    AcceptanceAnswer answer; /* of the fast kernel */
} Own;

static void own_free(Own *own) {
    acceptance_report_free(&own->fast);
    acceptance_report_free(&own->plain);
    acceptance_answer_free(&own->answer);
}

static bool run_block(AcceptanceReport *report, AcceptanceAnswer *answer, AcceptanceRun *run,
                      const Toy *toy, const AcceptanceReference *reference, Error *error) {
    return run(NULL, answer, &toy->call, error) &&
           acceptance_check(report, &toy->call, reference, answer, error) &&
           acceptance_check_runs(report, &toy->call, reference, run, NULL, error);
}

static bool own_run(Own *own, const Toy *toy, const AcceptanceReference *reference, Error *error) {
    AcceptanceAnswer plain = {0};
    bool good = run_block(&own->fast, &own->answer, acceptance_fast, toy, reference, error) &&
                run_block(&own->plain, &plain, acceptance_by_rule, toy, reference, error);
    acceptance_answer_free(&plain);
    return good;
}

static bool has_failed(const Own *own) {
    return acceptance_count(&own->fast, ACCEPT_FAILED) > 0 ||
           acceptance_count(&own->plain, ACCEPT_FAILED) > 0;
}

/* --- the tables ------------------------------------------------------------------------------- */

static AcceptanceState worse(AcceptanceState a, AcceptanceState b) {
    return a == ACCEPT_FAILED || b == ACCEPT_FAILED ? ACCEPT_FAILED : a;
}

static const char *title_of(Pool *pool, AcceptanceCheck check, const Toy *toy) {
    AttentionSizes n = toy->call.sizes;
    int outputs[] = {n.batch, n.queries, n.heads * n.head_width};
    int weights[] = {n.batch, n.heads, n.queries, n.keys};
    if (check == ACCEPT_OUTPUT_SHAPE)
        return pool_format(pool, "output is %s, every number written and finite",
                           acceptance_shape(pool, 3, outputs));
    if (check == ACCEPT_WEIGHTS_SHAPE)
        return pool_format(pool, "weights are %s, one map for each head",
                           acceptance_shape(pool, 4, weights));
    if (check == ACCEPT_CHUNKS)
        return pool_format(pool, "context holds each head's mix in its chunk of %d columns",
                           n.head_width);
    return acceptance_check_title(check);
}

static void add_row(LessonMaker *maker, const Toy *toy, const Own *own, AcceptanceCheck check) {
    Pool *pool = lesson_pool(maker);
    const AcceptanceFinding *fast = &own->fast.findings[check];
    const AcceptanceFinding *plain = &own->plain.findings[check];
    AcceptanceState state = worse(fast->state, plain->state);
    const char *why = fast->why ? pool_format(pool, ": %s", fast->why) : "";
    /* Both compute in the same number type, so that they are allowed the same. */
    lesson_row(maker, acceptance_tone(state), "%s\t%s%s\t%s\t%s\t%s\t%s",
               acceptance_check_name(check), title_of(pool, check, toy), why,
               acceptance_figure(pool, check, fast), acceptance_figure(pool, check, plain),
               acceptance_bound(pool, check, fast), acceptance_verdict(state));
}

static void add_table(LessonMaker *maker, const Toy *toy, const Own *own) {
    lesson_table(maker, NULL, "check\t~what must hold\t>fast kernel\t>plain kernel\t>allowed\t");
    for (int check = 0; check < ACCEPT_CHECKS; check++)
        add_row(maker, toy, own, (AcceptanceCheck)check);
}

/* Lists the keys that a head gives 0 for every query: "3, 4, 5". */
static const char *zero_slots(Pool *pool, const Toy *toy, const AcceptanceAnswer *answer,
                              int example, int head) {
    AttentionSizes n = toy->call.sizes;
    const double *map =
        answer->weights.numbers + (long)(example * n.heads + head) * n.queries * n.keys;
    const char *text = "";
    for (int j = 0; j < n.keys; j++) {
        bool zero = true;
        for (int t = 0; t < n.queries; t++)
            zero = zero && map[t * n.keys + j] == 0;
        if (zero) text = pool_format(pool, "%s%s%d", text, *text ? ", " : "", j);
    }
    return *text ? text : "none";
}

static void add_slots(LessonMaker *maker, const Toy *toy, const Own *own) {
    AttentionSizes n = toy->call.sizes;
    Pool *pool = lesson_pool(maker);
    if (!toy->call.mask.valid_lens) return;
    lesson_table(maker, "Key slots that are 0 whatever the query, as the fast kernel left them:",
                 ">example\t>valid length\tzero key slots\t>heads with the same");
    for (int b = 0; b < n.batch; b++) {
        const char *first = zero_slots(pool, toy, &own->answer, b, 0);
        int same = 0;
        for (int h = 0; h < n.heads; h++)
            same += strcmp(first, zero_slots(pool, toy, &own->answer, b, h)) == 0;
        const char *len = toy->call.mask.per_query
                              ? "by query"
                              : pool_format(pool, "%d", toy->call.mask.valid_lens[b]);
        lesson_row(maker, TONE_PLAIN, "%d\t%s\t%s\t%d of %d", b, len, first, same, n.heads);
    }
}

static void add_maps(LessonMaker *maker, const Toy *toy, const AcceptanceReference *reference,
                     const Own *own, const char *caption) {
    AttentionSizes n = toy->call.sizes;
    lesson_maps(maker, caption, n.heads);
    for (int h = 0; h < n.heads; h++)
        acceptance_map(maker, pool_format(lesson_pool(maker), "head %d", h), NULL, &toy->call,
                       reference, own->answer.weights.numbers, 0, h);
}

/* --- the page --------------------------------------------------------------------------------- */

typedef struct Request {
    const ToyPreset *preset;
    uint64_t seed;
    const char *dump, *toy_path;
    bool ones;
} Request;

/* Both calls, ones first. */
typedef struct Pages {
    Toy toys[2];
    AcceptanceReference references[2];
    Own own[2];
} Pages;

static void add_intro(LessonMaker *maker, const Request *request, const Toy *toy) {
    Pool *pool = lesson_pool(maker);
    AttentionSizes n = toy->call.sizes;
    lesson_title(maker, "What a correct multi-head block must show");
    lesson_text(maker, TONE_PLAIN, "%s: %s.", request->preset->title,
                acceptance_describe(pool, toy));
    lesson_text(maker, TONE_PLAIN,
                "Our own block answers by its fast kernel and by the plain one, written index by "
                "index. The right answer is %d single-head %s: each reads the "
                "%d rows of w_q, w_k and w_v that are its own, and the mixes stand side by side.",
                n.heads, n.heads == 1 ? "call" : "calls", n.head_width);
    lesson_buttons(maker, NULL);
    for (int i = 0; toy_preset_at(i); i++)
        lesson_button(maker, toy_preset_at(i)->name, toy_preset_at(i) == request->preset,
                      toy_preset_at(i)->title, "lesson acceptance --preset %s",
                      toy_preset_at(i)->name);
}

static bool add_own(LessonMaker *maker, const Request *request, Pages *pages, bool *fault,
                    Error *error) {
    for (int i = 0; i < 2; i++)
        if (!toy_make(&pages->toys[i], request->preset, i == 0, request->seed, error) ||
            !acceptance_reference_make(&pages->references[i], &pages->toys[i].call, error) ||
            !own_run(&pages->own[i], &pages->toys[i], &pages->references[i], error))
            return false;
    add_intro(maker, request, &pages->toys[1]);
    for (int i = 1; i >= 0; i--) {
        const Toy *toy = &pages->toys[i];
        lesson_heading(maker, i ? "On random inputs" : "On inputs that are all 1");
        add_table(maker, toy, &pages->own[i]);
        if (i) add_slots(maker, toy, &pages->own[i]);
        add_maps(maker, toy, &pages->references[i], &pages->own[i],
                 i ? "The heads of example 0 (rows are queries, columns keys):"
                   : "The same heads on ones:");
        *fault = *fault || has_failed(&pages->own[i]);
    }
    if (!acceptance_add_ones(maker, pages->toys, pages->references, error)) return false;
    lesson_text(maker, *fault ? TONE_WRONG : TONE_GOOD,
                *fault ? "A check failed." : "All checks passed.");
    lesson_text(maker, TONE_FAINT,
                "To check a block of your own: headscope toy --preset %s -o toy.npz, run it, save "
                "output, weights and context, and headscope acceptance --toy toy.npz --dump "
                "mine.npz.",
                request->preset->name);
    return true;
}

static bool make_own(LessonMaker *maker, const Request *request, bool *fault, Error *error) {
    Pages pages = {0};
    bool good = add_own(maker, request, &pages, fault, error);
    for (int i = 0; i < 2; i++) {
        own_free(&pages.own[i]);
        acceptance_reference_free(&pages.references[i]);
        toy_free(&pages.toys[i]);
    }
    return good;
}

static bool make_dump(LessonMaker *maker, const Request *request, bool *fault, Error *error) {
    Toy toy = {0};
    bool good = request->toy_path
                    ? toy_open(&toy, request->toy_path, error)
                    : toy_make(&toy, request->preset, request->ones, request->seed, error);
    good = good && acceptance_add_dump(maker, &toy, request->dump, fault, error);
    toy_free(&toy);
    if (!good && error) error->kind = ERROR_USAGE; /* status 1 is for a check that failed */
    return good;
}

static bool check_request(const Request *request, bool preset_given, bool seed_given,
                          Error *error) {
    if (!request->dump && request->toy_path)
        return error_usage(error, "--toy goes with --dump FILE, the answer to it");
    if (!request->dump && request->ones)
        return error_usage(error, "--ones goes with --dump FILE: without it both are shown");
    if (request->toy_path && (preset_given || request->ones || seed_given))
        return error_usage(error,
                           "--toy %s is the whole call: leave --preset, --ones and --seed "
                           "out",
                           request->toy_path);
    return true;
}

static bool make(LessonMaker *maker, const LessonCall *call, LessonResult *result, Error *error) {
    const char *name = "d2l";
    Request request = {.seed = 1};
    Option options[] = {
        {"--preset", OPTION_TEXT, &name, "NAME", "d2l, d2l-self, trentorch or udl", 0, 0, false},
        {"--seed", OPTION_SEED, &request.seed, "N", "of the random numbers", 0, 0, false},
        {"--dump", OPTION_TEXT, &request.dump, "FILE",
         "check this answer to the toy: output, weights, context (.npz, .safetensors)", 0, 0,
         false},
        {"--toy", OPTION_TEXT, &request.toy_path, "FILE",
         "the toy that it answers; without it the preset's", 0, 0, false},
        {"--ones", OPTION_FLAG, &request.ones, NULL, "it answers the preset's toy of ones", 0, 0,
         false},
        {0},
    };
    if (!lesson_parse(call, options, NULL, 0, 0, result, error)) return result->only_help;
    request.preset = toy_preset_find(name, error);
    if (!request.preset || !check_request(&request, options[0].given, options[1].given, error))
        return false;
    return request.dump ? make_dump(maker, &request, &result->found_fault, error)
                        : make_own(maker, &request, &result->found_fault, error);
}

const Lesson lesson_acceptance = {
    .name = "acceptance",
    .title = "What a correct block shows",
    .arguments = "[--preset NAME] [--seed N] [--dump FILE [--toy FILE | --ones]]",
    .help = "Prints what a correct multi-head block must show, or checks yours.",
    .make = make,
    .files = {"--dump", "--toy"},
};
