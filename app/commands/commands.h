/* The commands that main's table lists; each parses its own arguments and does its work. */
#ifndef HEADSCOPE_APP_COMMANDS_COMMANDS_H
#define HEADSCOPE_APP_COMMANDS_COMMANDS_H

#include "app/cli/options.h"

bool command_view(const Command *command, int argc, char **argv, Error *error);
bool command_shot(const Command *command, int argc, char **argv, Error *error);
bool command_tasks(const Command *command, int argc, char **argv, Error *error);
bool command_train(const Command *command, int argc, char **argv, Error *error);
bool command_run(const Command *command, int argc, char **argv, Error *error);
bool command_eval(const Command *command, int argc, char **argv, Error *error);
bool command_heads(const Command *command, int argc, char **argv, Error *error);
bool command_ablate(const Command *command, int argc, char **argv, Error *error);
bool command_check(const Command *command, int argc, char **argv, Error *error);
bool command_export(const Command *command, int argc, char **argv, Error *error);
bool command_quiz(const Command *command, int argc, char **argv, Error *error);
bool command_toy(const Command *command, int argc, char **argv, Error *error);

/* Runs the lesson as a command: makes the page, prints it, and draws it with --picture. Returns
 * error_found if the lesson found a fault. */
bool command_lesson(const Command *command, int argc, char **argv, Error *error);

#endif
