#include "app/lessons/acceptance_dump.h"

#include <stdio.h>
#include <string.h>

#include "data/arrays/arrays.h"
#include "data/attention/array_names.h"

enum { MAX_NUMBERS = 1 << 26 };

const char *answer_part_name(AnswerPart part) {
    static const ArrayRole roles[ANSWER_PARTS] = {ROLE_OUTPUT, ROLE_WEIGHTS, ROLE_CONTEXT};
    return array_name_of(roles[part]);
}

/* A shape in which a tensor may be stored. */
typedef struct Form {
    int rank;
    int64_t shape[4];
    bool split, folded;
} Form;

enum { FORMS = 5 };

static int row_forms(Form forms[FORMS], AnswerPart part, AttentionSizes n) {
    int64_t b = n.batch, h = n.heads, tq = n.queries, tk = n.keys, d = n.head_width;
    int count = 0;
    if (part == ANSWER_WEIGHTS) {
        forms[count++] = (Form){4, {b, h, tq, tk}, true, false};
        forms[count++] = (Form){3, {b * h, tq, tk}, false, true};
        return count;
    }
    forms[count++] = (Form){3, {b, tq, h * d}, false, false};
    if (b == 1) forms[count++] = (Form){2, {tq, h * d}, false, false};
    if (part == ANSWER_OUTPUT) return count;
    forms[count++] = (Form){4, {b, h, tq, d}, true, false};
    forms[count++] = (Form){3, {b * h, tq, d}, false, true};
    return count;
}

/* For one example whose columns are inputs. */
static int column_forms(Form forms[FORMS], AnswerPart part, AttentionSizes n) {
    int64_t h = n.heads, tq = n.queries, tk = n.keys, d = n.head_width;
    int count = 0;
    if (part == ANSWER_WEIGHTS) {
        forms[count++] = (Form){3, {h, tk, tq}, false, true};
        forms[count++] = (Form){4, {1, h, tk, tq}, true, false};
        return count;
    }
    forms[count++] = (Form){2, {h * d, tq}, false, false};
    forms[count++] = (Form){3, {1, h * d, tq}, false, false};
    if (part == ANSWER_CONTEXT) forms[count++] = (Form){3, {h, d, tq}, false, true};
    return count;
}

static int forms_of(Form forms[FORMS], AnswerPart part, const Toy *toy) {
    return toy->columns ? column_forms(forms, part, toy->call.sizes)
                        : row_forms(forms, part, toy->call.sizes);
}

static const Form *form_of(const Form *forms, int count, const Array *array) {
    for (int i = 0; i < count; i++)
        if (array->rank == forms[i].rank &&
            memcmp(array->shape, forms[i].shape, (size_t)array->rank * sizeof *array->shape) == 0)
            return &forms[i];
    return NULL;
}

/* "output is (2, 4, 20), not (2, 4, 100)". */
static const char *misfit(Pool *pool, AnswerPart part, const Toy *toy, const Array *array,
                          const Form *wanted) {
    AttentionSizes n = toy->call.sizes;
    char found[SHAPE_TEXT], right[SHAPE_TEXT];
    Array example = {.rank = wanted->rank};
    memcpy(example.shape, wanted->shape, sizeof wanted->shape);
    array_shape_text(array, found);
    array_shape_text(&example, right);
    bool averaged = part == ANSWER_WEIGHTS && n.heads > 1 &&
                    array->count == (int64_t)n.batch * n.queries * n.keys;
    return pool_format(pool, "%s is %s, not %s%s", answer_part_name(part), found, right,
                       averaged ? ": it was averaged over the heads" : "");
}

/* The index in [B,H,Tq,Tk] or [B,Tq,W] of number `i` of the array. */
static long place_of(long i, AnswerPart part, const Form *form, const Toy *toy) {
    AttentionSizes n = toy->call.sizes;
    long width = (long)n.heads * n.head_width;
    if (part == ANSWER_WEIGHTS) {
        if (!toy->columns) return i;
        long t = i % n.queries, j = i / n.queries % n.keys, h = i / n.queries / n.keys;
        return (h * n.queries + t) * n.keys + j;
    }
    if (toy->columns) return i % n.queries * width + i / n.queries; /* split or not: h*D + d */
    if (!form->split && !form->folded) return i;
    long d = i % n.head_width, t = i / n.head_width % n.queries;
    long row = i / n.head_width / n.queries; /* b*H + h */
    return ((row / n.heads * n.queries + t) * n.heads + row % n.heads) * n.head_width + d;
}

static DumpPrecision precision_of(TensorType type) {
    return type == TENSOR_F16    ? PRECISION_F16
           : type == TENSOR_BF16 ? PRECISION_BF16
                                 : PRECISION_F32;
}

static bool read_tensor(AnswerFile *file, AnswerPart part, Pool *pool, const Toy *toy,
                        const Array *array) {
    AnswerTensor *tensor = &file->tensors[part];
    AcceptanceTensor *into = part == ANSWER_OUTPUT    ? &file->answer.output
                             : part == ANSWER_WEIGHTS ? &file->answer.weights
                                                      : &file->answer.context;
    char shape[SHAPE_TEXT] = "text";
    Form forms[FORMS];
    int count = forms_of(forms, part, toy);
    *tensor = (AnswerTensor){.given = array != NULL, .shape = ""};
    if (!array) return true;
    if (array->numbers) array_shape_text(array, shape);
    tensor->shape = pool_copy(pool, shape);
    const Form *form = array->numbers ? form_of(forms, count, array) : NULL;
    if (!form) {
        tensor->wrong = array->numbers ? misfit(pool, part, toy, array, &forms[0])
                                       : pool_format(pool, "%s holds text", answer_part_name(part));
        return true;
    }
    tensor->split = form->split;
    tensor->folded = form->folded;
    double *numbers = pool_take(pool, (size_t)array->count * sizeof *numbers);
    if (!numbers) return false;
    for (long i = 0; i < array->count; i++)
        numbers[place_of(i, part, form, toy)] = array->numbers[i];
    *into = (AcceptanceTensor){numbers, precision_of(array->type)};
    return true;
}

/* ERROR_USAGE that lists the names in the file. */
static bool nothing_known(const Arrays *arrays, const char *path, Error *error) {
    char names[200] = "";
    for (int i = 0; i < arrays->count && strlen(names) < sizeof names - 40; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%.24s", i ? ", " : "",
                 arrays->arrays[i].name);
    return error_usage(error,
                       "%s: nothing to check: it holds none of output, weights and context%s%s",
                       path, names[0] ? ", but " : "", names);
}

bool answer_open(AnswerFile *file, Pool *pool, const Toy *toy, const char *path, Error *error) {
    Arrays arrays;
    bool any = false, good = true;
    *file = (AnswerFile){0};
    if (!arrays_open(&arrays, path, MAX_NUMBERS, error)) return false;
    for (int part = 0; good && part < ANSWER_PARTS; part++) {
        const Array *array = arrays_find(&arrays, answer_part_name((AnswerPart)part));
        any = any || array;
        good = read_tensor(file, (AnswerPart)part, pool, toy, array) ||
               error_set(error, "%s: out of memory", path);
    }
    if (good && !any) good = nothing_known(&arrays, path, error);
    arrays_close(&arrays);
    return good;
}
