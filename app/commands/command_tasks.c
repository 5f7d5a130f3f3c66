#include <stdio.h>

#include "app/commands/commands.h"
#include "data/tasks/task.h"

bool command_tasks(const Command *command, int argc, char **argv, Error *error) {
    Option options[] = {{0}};
    ParseResult parsed = options_parse(command, options, NULL, 0, 0, argc, argv, error);
    if (parsed != PARSE_DONE) return parsed == PARSE_HELP;
    for (int i = 0; tasks_all[i]; i++)
        printf("%-8s %s\n", tasks_all[i]->name, tasks_all[i]->help);
    return true;
}
