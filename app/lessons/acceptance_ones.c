#include <stdlib.h>

#include "app/lessons/acceptance_page.h"
#include "model/doctor/mistake_kinds.h"

/* Indices of the two calls. */
enum { ONES, RANDOM };

/* Counts of mistakes. */
typedef struct Tally {
    int idle;         /* change nothing on random inputs: left out */
    int tried, shape; /* shape: detected by the shapes of output and weights */
    int output, all;  /* undetected on ones: in the output; by all checks */
    int random;       /* undetected on random inputs by all checks */
} Tally;

typedef struct Comparison {
    LessonMaker *maker;
    const Toy *toys;
    const AcceptanceReference *references;
    Tally tally;
    Error *error;
} Comparison;

static bool is_idle(const AcceptanceMistake *mistake) {
    return mistake->weights_gap <= mistake->weights_allowed &&
           mistake->output_gap <= mistake->output_allowed;
}

static const char *gap_text(Pool *pool, double gap, double allowed) {
    return gap <= allowed ? "same" : pool_format(pool, "%.2g", gap);
}

/* Names the first check that fails. */
static const char *caught_by(const AcceptanceMistake *mistake) {
    for (int check = 0; check < ACCEPT_ONE_RUN; check++)
        if (mistake->fails[check]) return acceptance_check_name((AcceptanceCheck)check);
    return "nothing";
}

static bool is_unseen(const AcceptanceMistake *mistake) {
    for (int check = 0; check < ACCEPT_ONE_RUN; check++)
        if (mistake->fails[check]) return false;
    return true;
}

/* Adds the row of a mistake on both calls, unless it changes nothing on random inputs. */
static bool add_mistake(Comparison *comparison, const char *name, AttentionMistakes mistakes) {
    AcceptanceMistake found[2];
    for (int i = 0; i < 2; i++)
        if (!acceptance_mistake(&found[i], mistakes, &comparison->toys[i].call,
                                &comparison->references[i], comparison->error))
            return false;
    Tally *tally = &comparison->tally;
    if (is_idle(&found[RANDOM])) {
        tally->idle++;
        return true;
    }
    bool same_output = found[ONES].output_gap <= found[ONES].output_allowed;
    bool unseen = is_unseen(&found[ONES]);
    tally->tried++;
    tally->shape +=
        found[ONES].fails[ACCEPT_OUTPUT_SHAPE] || found[ONES].fails[ACCEPT_WEIGHTS_SHAPE];
    tally->output += same_output;
    tally->all += unseen;
    tally->random += is_unseen(&found[RANDOM]);
    Pool *pool = lesson_pool(comparison->maker);
    const char *gaps[2][2];
    for (int i = 0; i < 2; i++) {
        gaps[i][0] = gap_text(pool, found[i].output_gap, found[i].output_allowed);
        gaps[i][1] = gap_text(pool, found[i].weights_gap, found[i].weights_allowed);
    }
    LessonTone tone = unseen ? TONE_WRONG : same_output ? TONE_STRONG : TONE_PLAIN;
    lesson_row(comparison->maker, tone, "%s\t%s\t%s\t%s\t%s\t%s\t%s", name, gaps[ONES][0],
               gaps[ONES][1], caught_by(&found[ONES]), gaps[RANDOM][0], gaps[RANDOM][1],
               caught_by(&found[RANDOM]));
    return true;
}

/* True if the mistake can occur in the toy's call. */
static bool can_be_made(const MistakeKind *kind, const Toy *toy) {
    if (mistake_rules(kind) == 0) return false;
    if (kind->wrong) return kind->at[toy->site];
    return kind->subject != SUBJECT_CAUSAL || toy->call.mask.causal;
}

/* The traps, then the other mistakes, whose fix is a character or two. */
static bool add_mistakes(Comparison *comparison) {
    const MistakeKind *kind;
    for (int others = 0; others < 2; others++)
        for (int id = 0; (kind = mistake_kind(id)); id++)
            if ((kind->wrong == NULL) == others && can_be_made(kind, comparison->toys) &&
                !add_mistake(comparison, kind->name, kind->rules[0]))
                return false;
    return true;
}

/* "1/3 = 0.3333 in example 0": the weight that a visible key gets from the first query. */
static const char *uniform_text(Pool *pool, const Toy *toy, const AcceptanceReference *reference) {
    AttentionSizes n = toy->call.sizes;
    const char *text = "";
    for (int b = 0; b < n.batch; b++) {
        int t = n.queries - 1; /* the last query: a causal call's first sees itself alone */
        double weight =
            reference->answer.weights.numbers[((long)b * n.heads * n.queries + t) * n.keys];
        text = pool_format(pool, "%s%s1/%d = %.4f in example %d", text, b ? ", " : "",
                           reference->visible[b * n.queries + t], weight, b);
    }
    return text;
}

bool acceptance_add_ones(LessonMaker *maker, const Toy toys[2],
                         const AcceptanceReference references[2], Error *error) {
    Comparison comparison = {
        .maker = maker, .toys = toys, .references = references, .error = error};
    Pool *pool = lesson_pool(maker);
    lesson_heading(maker, "Why ones alone prove little");
    lesson_text(maker, TONE_PLAIN,
                "On ones all keys of an example are equal, so every head is uniform and gives each "
                "key that %s sees the same weight: %s. Any two heads differ by at most %.1g there; "
                "on random inputs the most alike two differ by %.2g. Values are equal as well, and "
                "any weights that sum to 1 mix the same output.",
                toys->call.mask.causal ? "the last query" : "a query",
                uniform_text(pool, &toys[ONES], &references[ONES]), references[ONES].max_head_gap,
                references[RANDOM].min_head_gap);
    lesson_table(maker,
                 "Known mistakes, made in the plain kernel: the largest differences from the right "
                 "answer, and the first check that fails",
                 "mistake\t>ones: output\t>weights\tcaught by\t>random: output\t>weights\t"
                 "caught by");
    if (!add_mistakes(&comparison)) return false;
    Tally tally = comparison.tally;
    lesson_text(
        maker, TONE_STRONG,
        "Of %d mistakes, %d show in a shape. On ones %d leave the output as it is, and %d "
        "pass every check; on random inputs %d pass. (%d more can change nothing in this call.)",
        tally.tried, tally.shape, tally.output, tally.all, tally.random, tally.idle);
    return true;
}
