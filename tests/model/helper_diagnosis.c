#include "tests/model/helper_diagnosis.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

Diagnosis helper_examine(const MadeDump *m) {
    Diagnosis diagnosis;
    Error error = {0};
    if (!doctor_examine(&diagnosis, &m->dump, &error)) fail_msg("%s", error.text);
    return diagnosis;
}

void helper_print_diagnosis(const Diagnosis *d, const MadeDump *m) {
    AttentionSizes n = m->sizes;
    printf("made %s %s, seed %u, batch %d heads %d queries %d keys %d width %d, precision %d, site "
           "%d\n",
           m->mistakes[0] ? m->mistakes[0] : "nothing", m->mistakes[1] ? m->mistakes[1] : "",
           m->seed, n.batch, n.heads, n.queries, n.keys, n.head_width, m->precision, m->site);
    for (int i = 0; i < DUMP_PARTS; i++)
        if (m->dump.parts[i].numbers)
            printf(" %s%s", dump_part_name((DumpPart)i), m->dump.parts[i].split ? "(split)" : "");
    printf("\n");
    for (int i = 0; i < STAGES; i++) {
        const StageFinding *f = &d->stages[i];
        printf(
            "  stage %d (%d-%d) state %d %s + %s, error %g right %g allowed %g difference %g: %s\n",
            i, f->from, f->until, f->state, f->kinds[0] ? f->kinds[0]->name : "-",
            f->kinds[1] ? f->kinds[1]->name : "-", f->error, f->right_error, f->allowed,
            f->difference, f->why);
        for (int j = 0; j < f->same_count; j++)
            printf("    same %s (%s)\n", f->same[j]->name, f->same_why);
    }
    for (int i = 0; i < d->remark_count; i++)
        printf("  remark %d %s: %s\n", d->remarks[i].is_fault, d->remarks[i].kind->name,
               d->remarks[i].text);
}

bool helper_stage_names(const StageFinding *f, const char *name) {
    for (int j = 0; j < 2; j++)
        if (f->kinds[j] && strcmp(f->kinds[j]->name, name) == 0) return true;
    for (int j = 0; j < f->same_count; j++)
        if (strcmp(f->same[j]->name, name) == 0) return true;
    return false;
}

bool helper_names(const Diagnosis *d, const char *name) {
    for (int i = 0; i < STAGES; i++)
        if (helper_stage_names(&d->stages[i], name)) return true;
    return false;
}
