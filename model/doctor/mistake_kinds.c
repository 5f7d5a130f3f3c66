#include "model/doctor/mistake_kinds.h"

#include <string.h>

#define EVERYWHERE                                                                                 \
    { true, true, true }

static const MistakeKind kinds[MISTAKE_KINDS] = {
#define KIND(id, ...) [id] = {__VA_ARGS__},
#include "model/doctor/mistake_list.h"
#undef KIND
};

const MistakeKind *mistake_kind(int id) {
    return id >= 0 && id < MISTAKE_KINDS ? &kinds[id] : NULL;
}

MistakeId mistake_id(const MistakeKind *kind) {
    return (MistakeId)(kind - kinds);
}

const MistakeKind *mistake_find(const char *name) {
    for (const MistakeKind *kind = kinds; kind < kinds + MISTAKE_KINDS; kind++)
        if (strcmp(kind->name, name) == 0 || (kind->old_name && strcmp(kind->old_name, name) == 0))
            return kind;
    return NULL;
}

int mistake_rules(const MistakeKind *kind) {
    int count = 0;
    while (count < MISTAKE_RULES && attention_mistaken(kind->rules[count]))
        count++;
    return count;
}
