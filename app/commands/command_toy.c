#include <stdio.h>

#include "app/commands/commands.h"
#include "app/lessons/toy.h"

static bool write_toy(const ToyPreset *preset, bool ones, uint64_t seed, const char *path,
                      Error *error) {
    Toy toy;
    if (!toy_make(&toy, preset, ones, seed, error)) return false;
    bool saved = toy_save(&toy, path, error);
    if (saved)
        printf("%s: %s%s\n%s", path, preset->title, ones ? ", all ones" : "", toy_listing(&toy));
    toy_free(&toy);
    return saved;
}

bool command_toy(const Command *command, int argc, char **argv, Error *error) {
    const char *name = "d2l", *path = NULL;
    bool ones = false;
    uint64_t seed = 1;
    Option options[] = {
        {"--preset", OPTION_TEXT, &name, "NAME", "d2l, d2l-self, trentorch or udl", 0, 0, false},
        {"--ones", OPTION_FLAG, &ones, NULL, "all inputs 1; the projections stay random", 0, 0,
         false},
        {"--seed", OPTION_SEED, &seed, "N", "of the random numbers", 0, 0, false},
        {"-o", OPTION_TEXT, &path, "FILE", "where to write: a name in .npz or .safetensors", 0, 0,
         false},
        {0},
    };
    ParseResult parsed = options_parse(command, options, NULL, 0, 0, argc, argv, error);
    if (parsed != PARSE_DONE) return parsed == PARSE_HELP;
    const ToyPreset *preset = toy_preset_find(name, error);
    if (!preset) return false;
    if (!path) return error_usage(error, "say where to write: -o toy.npz (or toy.safetensors)");
    return toy_check_path(path, error) && write_toy(preset, ones, seed, path, error);
}
