#include "app/commands/manual.h"

#include <stdio.h>
#include <string.h>

#include "app/cli/help.h"
#include "app/commands/commands.h"
#include "app/lessons/lesson_list.h"
#include "app/page/lesson_file.h"

const Option manual_options[] = {
    {.name = "--help", .kind = OPTION_FLAG, .help = "list the commands, or a command's options"},
    {.name = "--version", .kind = OPTION_FLAG, .help = "print the version"},
    {.name = "--man", .kind = OPTION_FLAG, .help = "print this page, for man(1)"},
    {.name = "--completion", .kind = OPTION_FLAG, .help = "print the completion for bash"},
    {0},
};

/* Runs the command with one word, "--help=man" or "--help=completion". */
static bool ask(const Command *command, const char *form, Error *error) {
    char word[32];
    snprintf(word, sizeof word, "%s", form);
    char *words[] = {word, NULL};
    return command->run(command, 1, words, error);
}

/* The command of that name; false if there is none. */
static bool find(Command *found, const char *name, const Command *commands, int count) {
    for (int i = 0; i < count; i++)
        if (strcmp(commands[i].name, name) == 0) {
            *found = commands[i];
            return true;
        }
    return false;
}

typedef bool Print(const Command *command, Error *error);

/* Prints each command that is no lesson. */
static bool for_commands(const Command *commands, int count, Print *print, Error *error) {
    for (int i = 0; i < count; i++)
        if (!lesson_find(commands[i].name) && !print(&commands[i], error)) return false;
    return true;
}

/* Prints each lesson, by the command of its name in the table if there is one. */
static bool for_lessons(const Command *commands, int count, Print *print, Error *error) {
    const Lesson *lesson;
    for (int i = 0; (lesson = lesson_at(i)); i++) {
        Command command = {lesson->name, lesson->arguments, lesson->help, command_lesson};
        find(&command, lesson->name, commands, count);
        if (!print(&command, error)) return false;
    }
    return true;
}

/* --- the manual page -------------------------------------------------------------------------- */

static void print_beginning(void) {
    printf(".\\\" Made by headscope --man.\n"
           ".TH HEADSCOPE 1 " HEADSCOPE_DATE " \"headscope " HEADSCOPE_VERSION
           "\" \"User Commands\"\n"
           ".ad l\n"
           ".SH NAME\n"
           "headscope \\- train a small encoder\\-decoder transformer and see what each attention "
           "head does\n"
           ".SH SYNOPSIS\n"
           ".B headscope\n"
           ".PP\n"
           ".B headscope\n"
           ".I command\n"
           ".RI [ arguments ]\n"
           ".SH DESCRIPTION\n"
           ".B headscope\n"
           "opens a window on a trained encoder\\-decoder transformer and draws the attention "
           "weights of every head of every layer: type a sentence and all heads redraw, compare "
           "two heads, knock one out and watch the output change, drag a valid length. The "
           "commands draw the same pictures without a display (PNG, SVG), write the weights as "
           "data, train and test models, draw attention that another program saved, and say "
           "whether somebody\\(aqs own multi\\-head attention is right.\n"
           ".PP\n"
           "Without a command it opens the window, on what was open last. Heads and layers count "
           "from 0: cross.1.2 is cross\\-attention, layer 1, head 2.\n"
           ".SH OPTIONS\n");
    help_options(manual_options);
}

static void print_shared(void) {
    LessonFile file = lesson_file();
    Option options[LESSON_FILE_OPTIONS + 1] = {0};
    lesson_file_options(options, &file);
    printf(".SS Options of all lessons\n");
    help_options(options);
}

static void print_end(void) {
    printf(".SH EXIT STATUS\n"
           ".TP\n0\nIt was done.\n"
           ".TP\n1\nIt failed, or a check found a fault.\n"
           ".TP\n2\nThe call was wrong, and nothing was done.\n"
           ".SH ENVIRONMENT\n");
    for (const EnvironmentVariable *variable = environment_variables; variable->name; variable++) {
        printf(".TP\n.B ");
        help_roff(variable->name);
        printf("\n");
        help_roff(variable->help);
        printf("\n");
    }
    printf(".SH FILES\n"
           ".TP\n.I PREFIX/share/headscope/*.safetensors\n"
           "The trained models that come with the program, where it is installed as "
           "PREFIX/bin/headscope.\n"
           ".TP\n.I PREFIX/share/doc/headscope/\n"
           "What the window shows, what the figures mean, and all file formats.\n"
           ".SH EXAMPLES\n"
           ".TP\nTrain a model, watching its heads form:\n"
           "headscope train reverse \\-o reverse.safetensors \\-\\-watch\n"
           ".TP\nWhat each of its heads does with a word, as a picture:\n"
           "headscope export reverse.safetensors \\-\\-input abc \\-o sheet.png\n"
           ".TP\nWhether my own attention is right:\n"
           "headscope check mine.npz\n"
           ".SH AUTHORS\nThe headscope authors.\n");
}

static bool print_section(const Command *command, Error *error) {
    return ask(command, "--help=man", error);
}

bool manual_print(const Command *commands, int count, Error *error) {
    print_beginning();
    printf(".SH COMMANDS\n");
    if (!for_commands(commands, count, print_section, error)) return false;
    printf(".SH LESSONS\nEach prints a page; the window shows the same (F2).\n");
    if (!for_lessons(commands, count, print_section, error)) return false;
    print_shared();
    print_end();
    return true;
}

/* --- the completion --------------------------------------------------------------------------- */

static bool print_name(const Command *command, Error *error) {
    (void)error;
    printf(" %s", command->name);
    return true;
}

static bool print_branch(const Command *command, Error *error) {
    printf("    %s)\n", command->name);
    if (!ask(command, "--help=completion", error)) return false;
    printf("        ;;\n");
    return true;
}

bool completion_print(const Command *commands, int count, Error *error) {
    printf("# bash completion for headscope: made by headscope --completion.\n"
           "_headscope() {\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
           "    local options='--help' values=''\n"
           "    COMPREPLY=()\n"
           "    if ((COMP_CWORD == 1)); then\n"
           "        values='");
    for (const Option *option = manual_options; option->name; option++)
        printf("%s%s", option == manual_options ? "" : " ", option->name);
    for_commands(commands, count, print_name, error);
    for_lessons(commands, count, print_name, error);
    printf("'\n"
           "    fi\n"
           "    case ${COMP_WORDS[1]} in\n");
    if (!for_commands(commands, count, print_branch, error) ||
        !for_lessons(commands, count, print_branch, error))
        return false;
    printf("    esac\n"
           "    [[ -z $values && $word == -* ]] && values=$options\n"
           "    [[ -n $values ]] && mapfile -t COMPREPLY < <(compgen -W \"$values\" -- \"$word\")\n"
           "    return 0\n"
           "}\n"
           "complete -o bashdefault -o default -F _headscope headscope\n");
    return true;
}
