#include "app/cli/help.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "model/kernels/blas.h"
#include "model/kernels/kernels.h"

bool help_asked(const char *word, HelpForm *form) {
    static const char *const words[] = {
        [HELP_TERMINAL] = "--help",
        [HELP_MANUAL] = "--help=man",
        [HELP_COMPLETION] = "--help=completion",
    };
    for (int i = 0; i < 3; i++)
        if (strcmp(word, words[i]) == 0) {
            *form = (HelpForm)i;
            return true;
        }
    *form = HELP_TERMINAL;
    return strcmp(word, "-h") == 0;
}

/* Prints " [64]", or nothing. The manual page must not depend on the machine. */
static void print_default(const Option *option, HelpForm form) {
    switch (option->kind) {
    case OPTION_SWITCH:
        printf(" [%s]", *(bool *)option->value ? "on" : "off");
        break;
    case OPTION_THREADS:
        if (form == HELP_MANUAL)
            printf(" [one for each processor]");
        else
            printf(" [%d]", *(int *)option->value);
        break;
    case OPTION_INT:
        if (*(int *)option->value >= 0) printf(" [%d]", *(int *)option->value);
        break;
    case OPTION_NUMBER:
        if (!isnan(*(double *)option->value)) printf(" [%g]", *(double *)option->value);
        break;
    case OPTION_SEED:
        printf(" [%llu]", (unsigned long long)*(uint64_t *)option->value);
        break;
    case OPTION_TEXT:
        if (*(const char **)option->value) printf(" [%s]", *(const char **)option->value);
        break;
    default:
        break;
    }
}

/* --- for a terminal --------------------------------------------------------------------------- */

static void print_lines(const Option *options) {
    for (const Option *option = options; option->name; option++) {
        char left[48];
        snprintf(left, sizeof left, "%s%s%s", option->name, option->argument ? " " : "",
                 option->argument ? option->argument : "");
        printf("  %-24s %s", left, option->help);
        print_default(option, HELP_TERMINAL);
        printf("\n");
    }
}

static void print_command(const Command *command, const Option *options) {
    printf("usage: headscope %s %s\n%s\n", command->name, command->arguments, command->help);
    if (options->name) printf("\noptions:\n");
    print_lines(options);
}

/* --- for the manual page ---------------------------------------------------------------------- */

/* A dot or quote at the beginning of a line is escaped, since it would begin a request; a hyphen is
 * escaped so that it can be copied into a shell. */
void help_roff(const char *text) {
    if (*text == '.' || *text == '\'') printf("\\&");
    for (; *text; text++) {
        switch (*text) {
        case '\\':
            printf("\\e");
            break;
        case '-':
            printf("\\-");
            break;
        case '~':
            printf("\\(ti");
            break;
        case '^':
            printf("\\(ha");
            break;
        case '`':
            printf("\\(ga");
            break;
        case '\'':
            printf("\\(aq");
            break;
        default:
            putchar(*text);
        }
    }
}

void help_options(const Option *options) {
    for (const Option *option = options; option->name; option++) {
        printf(".TP\n\\fB");
        help_roff(option->name);
        printf("\\fR");
        if (option->argument) {
            printf(" \\fI");
            help_roff(option->argument);
            printf("\\fR");
        }
        printf("\n");
        help_roff(option->help);
        print_default(option, HELP_MANUAL);
        printf("\n");
    }
}

static void print_section(const Command *command, const Option *options) {
    printf(".SS ");
    help_roff(command->name);
    printf("\n.B headscope ");
    help_roff(command->name);
    if (command->arguments[0]) {
        printf(" \\fI");
        help_roff(command->arguments);
        printf("\\fR");
    }
    printf("\n.PP\n");
    help_roff(command->help);
    printf("\n");
    help_options(options);
}

/* --- for the shell's completion --------------------------------------------------------------- */

/* Completes the words of an argument such as "light|dark"; one with capitals is a placeholder. */
static void print_values(const Option *option) {
    const char *argument = option->argument;
    if (!argument || !strchr(argument, '|') || strpbrk(argument, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
        return;
    printf("        [[ $before == %s ]] && values='", option->name);
    for (const char *c = argument; *c; c++)
        putchar(*c == '|' ? ' ' : *c);
    printf("'\n");
}

static void print_words(const Option *options) {
    if (!options->name) return;
    printf("        options+='");
    for (const Option *option = options; option->name; option++)
        printf(" %s", option->name);
    printf("'\n");
    for (const Option *option = options; option->name; option++)
        print_values(option);
}

/* --- any form --------------------------------------------------------------------------------- */

void help_command(HelpForm form, const Command *command, const Option *options,
                  const Option *shared) {
    if (form == HELP_MANUAL) {
        print_section(command, options);
    } else if (form == HELP_COMPLETION) {
        print_words(options);
        if (shared) print_words(shared);
    } else {
        print_command(command, options);
        if (shared) printf("\noptions of all lessons:\n");
        if (shared) print_lines(shared);
    }
}

/* --- the version and the environment ---------------------------------------------------------- */

static const char *who_multiplies(const Kernels *kernels) {
    return kernels->linear_rows  ? "headscope's own"
           : kernels->linear_row ? "OpenBLAS; those of one row headscope's own"
                                 : "OpenBLAS";
}

void help_version(void) {
    const Kernels *kernels = kernels_in_use();
    char blas[BLAS_DESCRIPTION];
    Error error;
    printf("headscope " HEADSCOPE_VERSION "\nkernels: %s (of", kernels->instructions);
    for (const Kernels *const *set = kernels_usable(); *set; set++)
        printf(" %s", (*set)->name);
    printf(")\nproducts of linear layers: %s\n", who_multiplies(kernels));
    printf("BLAS: %s\n", blas_describe(blas, &error) ? blas : error.text);
}

const EnvironmentVariable environment_variables[] = {
    {"HEADSCOPE_KERNELS",
     "base, avx2 or avx512: the kernels to use, else the best that the processor can run; blas: "
     "the best, with all products of linear layers by OpenBLAS (--version shows what runs)"},
    {"XDG_CONFIG_HOME", "the folder of headscope/config, the window's settings [~/.config]"},
    {"XDG_STATE_HOME", "the folder of headscope/last, what was open last [~/.local/state]"},
    {"SDL_VIDEODRIVER", "x11 or wayland: where the window opens, else where there is a display"},
    {"FONTCONFIG_FILE",
     "fontconfig's configuration; where this or FONTCONFIG_PATH is set, fontconfig chooses the "
     "fonts, else DejaVu Sans is used if it is installed"},
    {0},
};
