#include "app/pass/labelled_trace.h"

#include <string.h>

LabelledTrace labelled_trace_of_pass(const Pass *pass, int example, const char *input) {
    const PassExample *labels = &pass->examples[example];
    LabelledTrace labelled = {.input = input,
                              .output = labels->output,
                              .trace = pass->world.examples[example].trace,
                              .source = labels->source,
                              .reads = labels->reads,
                              .writes = labels->writes};
    memcpy(labelled.axes, labels->axes, sizeof labelled.axes);
    return labelled;
}

bool labelled_trace_of_file(LabelledTrace *labelled, Pool *pool, const AttentionFile *file,
                            const char *path, Error *error) {
    const char *slash = strrchr(path, '/');
    const char **steps = pool_take(pool, ((size_t)file->query_count + 1) * sizeof *steps);
    *labelled = (LabelledTrace){.input = slash ? slash + 1 : path,
                                .output = "",
                                .trace = file->trace,
                                .source = (const char *const *)file->source,
                                .reads = (const char *const *)file->reads,
                                .writes = (const char *const *)file->writes};
    for (int query = 0; steps && query < file->query_count; query++)
        steps[query] = pass_step_label(pool, file->reads[file->first_query + query],
                                       file->writes ? file->writes[query] : NULL);
    pass_axes(labelled->axes, labelled->source, labelled->reads, steps, file->writes != NULL);
    return !pool->failed || error_set(error, "%s: out of memory", path);
}
