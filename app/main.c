/* headscope: the table of commands, what is printed from it, and the only exit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/cli/help.h"
#include "app/cli/places.h"
#include "app/cli/terminal.h"
#include "app/commands/commands.h"
#include "app/commands/manual.h"
#include "app/lessons/lesson_list.h"
#include "model/kernels/kernels.h"

static const Command commands[] = {
    {"view", "[MODEL|PICTURE.png] [options]",
     "Opens the window on a model; alone, on what was open last.", command_view},
    {"shot", "MODEL|PICTURE.png [--do ACTIONS] -o FILE.png",
     "Draws that window without a display, into a file.", command_shot},
    {"tasks", "", "Lists the tasks that a model can be trained on.", command_tasks},
    {"train", "TASK -o FILE [options]", "Trains a model on a task and saves it.", command_train},
    {"run", "MODEL [--input TEXT ...]", "Prints a model's output for each input.", command_run},
    {"eval", "MODEL [--count N]", "Tests a model on examples that it never trained on.",
     command_eval},
    {"heads", "MODEL [--input TEXT ... | --count N] [options]",
     "Says in figures and plain words what every attention head does.", command_heads},
    {"ablate", "MODEL [--input TEXT ... | --count N] [options]",
     "Knocks out each head in turn and says how much the model loses.", command_ablate},
    {"export", "MODEL --input TEXT | ATTENTION -o PATH [options]",
     "Draws what every attention head does, also of attention that another program saved (.npz, "
     ".npy, .safetensors), as PNG or SVG, and writes the weights as data.",
     command_export},
    {"check", "FILE... [options]",
     "Says whether somebody's own multi-head attention is right, and if not, which mistake it is.",
     command_check},
    {"quiz", "[--seed N] [--count N]",
     "Asks about shapes, heads and masks, each time on fresh ones, and keeps the score.",
     command_quiz},
    {"toy", "[--preset NAME] [--ones] [--seed N] -o FILE",
     "Writes inputs and projections to try one's own attention on.", command_toy},
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

/* A shipped model, by a path that can be typed here: a new string, or NULL. */
static char *example_model(void) {
    char *path = places_shipped("dates.safetensors");
    if (!path || path[0] != '/') return path;
    char *whole = places_absolute(path); /* without the .. of an installed program */
    free(path);
    return whole;
}

static void print_help(FILE *stream) {
    fprintf(stream, "headscope " HEADSCOPE_VERSION ": what every attention head of a small "
                    "encoder-decoder transformer does\n\nusage: headscope COMMAND [arguments]\n"
                    "       headscope            the window\n\n");
    for (int i = 0; i < COMMANDS; i++)
        if (!lesson_find(commands[i].name))
            fprintf(stream, "  %-10s %s\n", commands[i].name, commands[i].help);
    if (lesson_at(0)) fprintf(stream, "\nlessons, also in the window (F2):\n\n");
    for (int i = 0; lesson_at(i); i++)
        fprintf(stream, "  %-10s %s\n", lesson_at(i)->name, lesson_at(i)->help);
    fputs("\nenvironment:\n\n", stream);
    for (const EnvironmentVariable *v = environment_variables; v->name; v++)
        fprintf(stream, "  %-17s %s\n", v->name, v->help);
    char *model = example_model();
    fprintf(stream,
            "\n`headscope COMMAND --help` lists a command's options.\n"
            "Example: headscope export %s --input \"3 May 2021\" -o sheet.png\n",
            model ? model : "dates.safetensors");
    free(model);
}

static const Command *find_command(const char *name) {
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i].name, name) == 0) return &commands[i];
    return NULL;
}

/* A lesson is a command as well: its name, arguments and help are those of the registry. */
static bool find_lesson(const char *name, Command *command) {
    const Lesson *lesson = lesson_find(name);
    if (lesson) *command = (Command){lesson->name, lesson->arguments, lesson->help, command_lesson};
    return lesson != NULL;
}

static bool run_command(const char *name, int argc, char **argv, Error *error) {
    const Command *command = find_command(name);
    Command lesson;
    if (!command && find_lesson(name, &lesson)) command = &lesson;
    if (!command)
        return error_usage(error, "%s: no such command; headscope --help lists them", name);
    return command->run(command, argc, argv, error);
}

/* Prints what stands in the place of a command, or runs the command; `help COMMAND` is COMMAND
 * --help. */
static bool run(int argc, char **argv, Error *error) {
    const char *name = argc > 1 ? argv[1] : "view";
    bool help = strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0;
    bool named = strcmp(name, "help") == 0, version = strcmp(name, "--version") == 0;
    bool manual = strcmp(name, "--man") == 0, completion = strcmp(name, "--completion") == 0;
    char word[] = "--help", *words[] = {word, NULL};
    if (named && argc == 3) return run_command(argv[2], 1, words, error);
    if ((help || named || version || manual || completion) && argc > 2)
        return error_usage(
            error, "%s: unexpected argument; headscope COMMAND --help lists what a command takes",
            argv[named ? 3 : 2]);
    if (help || named) {
        print_help(stdout);
        return true;
    }
    if (manual) return manual_print(commands, COMMANDS, error);
    if (completion) return completion_print(commands, COMMANDS, error);
    if (!kernels_check(error)) return false;
    if (version) help_version();
    int count = argc > 1 ? argc - 2 : 0;
    return version || run_command(name, count, argv + argc - count, error);
}

int main(int argc, char **argv) {
    Error error = {0}, unwritten;
    bool quiet;
    terminal_begin();
    bool done = run(argc, argv, &error);
    bool found = !done && error.kind == ERROR_FOUND;
    if (!terminal_end(&quiet, &unwritten) && (done || found)) {
        done = false;
        error = quiet ? (Error){0} : unwritten;
    }
    if (done) return 0;
    bool known = argc < 2 || find_command(argv[1]) || lesson_find(argv[1]);
    if (error.text[0])
        fprintf(stderr, "headscope%s%s: %s\n", known ? " " : "",
                known && argc > 1 ? argv[1]
                : known           ? "view"
                                  : "",
                error.text);
    return error.kind == ERROR_USAGE ? 2 : 1;
}
