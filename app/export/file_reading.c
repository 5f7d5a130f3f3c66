#include "app/export/file_reading.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char **copy_list(char *const *texts, int count) {
    const char **list = calloc((size_t)count + 1, sizeof *list);
    for (int i = 0; list && i < count; i++)
        list[i] = texts[i];
    return list;
}

static char *step_label(const AttentionFile *file, int query) {
    const char *reads = file->reads[file->first_query + query];
    if (!file->writes) return strdup(reads);
    size_t size = strlen(reads) + strlen(file->writes[query]) + sizeof "→";
    char *label = malloc(size);
    if (label) snprintf(label, size, "%s→%s", reads, file->writes[query]);
    return label;
}

bool file_reading_make(Reading *reading, AttentionFile *file, const char *path, Error *error) {
    const char *slash = strrchr(path, '/');
    *reading = (Reading){.input = strdup(slash ? slash + 1 : path),
                         .output = strdup(""),
                         .source = copy_list(file->source, file->source_count),
                         .source_count = file->source_count,
                         .reads = copy_list(file->reads, file->read_count),
                         .steps = calloc((size_t)file->query_count + 1, sizeof *reading->steps)};
    if (file->writes) reading->writes = copy_list(file->writes, file->query_count);
    bool good = reading->input && reading->output && reading->source && reading->reads &&
                reading->steps && (!file->writes || reading->writes);
    for (int query = 0; good && query < file->query_count; query++) {
        reading->target_count = query + 1;
        reading->steps[query] = step_label(file, query);
        good = reading->steps[query] != NULL;
    }
    if (good) {
        reading->trace = file->trace;
        file->trace = NULL;
        return true;
    }
    reading_free(reading);
    return error_set(error, "%s: out of memory", path);
}
