/* A dump made ready: sizes, and projections computed when they are asked for. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/doctor/doctor_case.h"

bool patient_has(const Patient *patient, DumpPart part) {
    return patient->dump->parts[part].numbers != NULL;
}

int patient_steps(const Patient *patient, DumpPart part) {
    bool of_keys = part == DUMP_X_KEY_VALUE || part == DUMP_KEY || part == DUMP_VALUE;
    return of_keys ? patient->sizes.keys : patient->sizes.queries;
}

long patient_count(const Patient *patient, DumpPart part) {
    AttentionSizes n = patient->sizes;
    if (part >= DUMP_W_Q && part <= DUMP_W_O) return (long)patient->width * patient->width;
    if (part >= DUMP_B_Q && part <= DUMP_B_O) return patient->width;
    if (part == DUMP_WEIGHTS) {
        int heads = patient->dump->parts[part].averaged ? 1 : n.heads;
        return (long)n.batch * heads * n.queries * n.keys;
    }
    return (long)n.batch * patient_steps(patient, part) * patient->width;
}

const double *patient_numbers(const Patient *patient, DumpPart part) {
    if (part == DUMP_WEIGHTS && patient->weights) return patient->weights;
    return patient->dump->parts[part].numbers;
}

double patient_roundoff(const Patient *patient, DumpPart part) {
    return fmax(precision_roundoff(patient->dump->parts[part].precision), patient->coarse);
}

/* The source of keys and values; in self-attention that of the queries. */
static DumpPart source_of(const Patient *patient, DumpPart part) {
    bool other = part != DUMP_QUERY && patient_has(patient, DUMP_X_KEY_VALUE);
    return other ? DUMP_X_KEY_VALUE : DUMP_X_QUERY;
}

/* The source must have the steps of what is made from it: the queries' is that of as many keys. */
bool patient_can_project(const Patient *patient, DumpPart part) {
    DumpPart source = source_of(patient, part);
    return patient_has(patient, source) &&
           patient_has(patient, (DumpPart)(DUMP_W_Q + (part - DUMP_QUERY))) &&
           patient_steps(patient, source) == patient_steps(patient, part);
}

bool patient_knows(const Patient *patient, DumpPart part) {
    return patient_has(patient, part) || patient_can_project(patient, part);
}

bool patient_turn_weights(Patient *patient) {
    AttentionSizes n = patient->sizes;
    const double *from = patient_numbers(patient, DUMP_WEIGHTS);
    long maps = (long)n.batch * (patient->dump->parts[DUMP_WEIGHTS].averaged ? 1 : n.heads);
    long size = (long)n.queries * n.keys;
    double *turned = malloc((size_t)(maps * size) * sizeof *turned);
    if (!turned) {
        patient->no_memory = true;
        return false;
    }
    for (long map = 0; map < maps; map++)
        for (int t = 0; t < n.queries; t++)
            for (int j = 0; j < n.keys; j++)
                turned[map * size + (long)t * n.keys + j] =
                    from[map * size + (long)j * n.queries + t];
    free(patient->weights);
    patient->weights = turned;
    return true;
}

/* The largest norm of the rows and of the columns of a matrix [W,W]. */
static bool measure(double largest[2], const double *matrix, int width) {
    double *columns = calloc((size_t)width, sizeof *columns);
    if (!columns) return false;
    largest[0] = largest[1] = 0;
    for (int o = 0; o < width; o++) {
        double row = 0;
        for (int i = 0; i < width; i++) {
            double square = matrix[(long)o * width + i] * matrix[(long)o * width + i];
            row += square;
            columns[i] += square;
        }
        largest[0] = fmax(largest[0], sqrt(row));
    }
    for (int i = 0; i < width; i++)
        largest[1] = fmax(largest[1], sqrt(columns[i]));
    free(columns);
    return true;
}

bool patient_open(Patient *patient, const Dump *dump, Error *error) {
    AttentionSizes n = dump->sizes;
    if (n.heads <= 0) n.heads = 1;
    bool weights_alone = n.head_width <= 0 && dump->parts[DUMP_WEIGHTS].numbers;
    for (int part = 0; part < DUMP_PARTS; part++)
        weights_alone = weights_alone && (part == DUMP_WEIGHTS || !dump->parts[part].numbers);
    if (weights_alone) n.head_width = 1;
    *patient = (Patient){.dump = dump, .sizes = n, .width = n.heads * n.head_width};
    if (n.batch <= 0 || n.queries <= 0 || n.keys <= 0 || n.head_width <= 0)
        return error_usage(error, "the dump is empty: a size of its tensors is 0");
    for (int i = 0; i < 4; i++) {
        const double *matrix = dump->parts[DUMP_W_Q + i].numbers;
        if (matrix && !measure(patient->largest_norm[i], matrix, patient->width))
            return error_set(error, "no memory for the doctor");
    }
    if (dump->parts[DUMP_WEIGHTS].numbers && dump->parts[DUMP_WEIGHTS].transposed &&
        !patient_turn_weights(patient))
        return error_set(error, "no memory for the doctor");
    return true;
}

void patient_close(Patient *patient) {
    for (int i = 0; i < PROJECTIONS; i++) {
        free(patient->projected[i].numbers);
        free(patient->projected[i].rows);
        free(patient->projected[i].done);
    }
    for (int i = 0; i < 4; i++)
        free(patient->bias_guess[i]);
    free(patient->weights);
    *patient = (Patient){0};
}
