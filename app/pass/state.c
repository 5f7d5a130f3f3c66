#include "app/pass/state.h"

#include <stdlib.h>
#include <string.h>

#include "app/cli/trap_option.h"

int state_layers(const Config *config, Site site) {
    return site == SITE_ENCODER ? config->encoder_layers : config->decoder_layers;
}

int state_heads(const Config *config) {
    return (config->encoder_layers + 2 * config->decoder_layers) * config->heads;
}

int state_place(const Config *config, HeadId id) {
    int layers = id.layer;
    if (id.site != SITE_ENCODER) layers += config->encoder_layers;
    if (id.site == SITE_CROSS) layers += config->decoder_layers;
    return layers * config->heads + id.head;
}

HeadId state_head(const Config *config, int place) {
    int layer = place / config->heads, site = SITE_ENCODER;
    for (; layer >= state_layers(config, (Site)site); site++)
        layer -= state_layers(config, (Site)site);
    return (HeadId){(Site)site, layer, place % config->heads};
}

bool state_set_text(char **place, const char *text) {
    char *copy = text ? strdup(text) : NULL;
    if (text && !copy) return false;
    free(*place);
    *place = copy;
    return true;
}

/* The first head of cross-attention in the last layer: where the target meets the source. */
static HeadId first_head(const Config *config) {
    return (HeadId){.site = SITE_CROSS, .layer = config->decoder_layers - 1};
}

bool state_make(State *state, const Config *config, const char *input) {
    HeadId head = first_head(config);
    *state = (State){.examples = {{.enc_len = BY_TEXT, .dec_len = BY_TEXT},
                                  {.enc_len = BY_TEXT, .dec_len = BY_TEXT}},
                     .trap = NONE,
                     .snapshot = NONE,
                     .head = head,
                     .other_head = head,
                     .threshold = THRESHOLD_DEFAULT,
                     .zoom = 1,
                     .pinned_source = NONE,
                     .pinned_target = NONE,
                     .cell_row = NONE,
                     .cell_column = NONE,
                     .other_snapshot = NONE,
                     .text_scale = 1};
    if (config->heads > 1) state->other_head.head = 1;
    state->knockouts = calloc((size_t)state_heads(config), 1);
    bool good = state->knockouts && state_set_text(&state->examples[0].input, input) &&
                state_set_text(&state->examples[1].input, input) &&
                state_set_text(&state->other, "") && state_set_text(&state->lesson, "");
    if (!good) state_free(state);
    return good;
}

void state_free(State *state) {
    for (int example = 0; example < EXAMPLES; example++) {
        free(state->examples[example].input);
        free(state->examples[example].target);
    }
    free(state->knockouts);
    free(state->other);
    free(state->lesson);
    *state = (State){0};
}

bool state_copy(State *to, const State *from, const Config *config) {
    *to = *from;
    bool good = true;
    for (int example = 0; example < EXAMPLES; example++) {
        to->examples[example].input = to->examples[example].target = NULL;
        good = state_set_text(&to->examples[example].input, from->examples[example].input) &&
               state_set_text(&to->examples[example].target, from->examples[example].target) &&
               good;
    }
    to->other = to->lesson = NULL;
    good = state_set_text(&to->other, from->other) && state_set_text(&to->lesson, from->lesson) &&
           good;
    size_t heads = (size_t)state_heads(config);
    to->knockouts = malloc(heads);
    if (to->knockouts) memcpy(to->knockouts, from->knockouts, heads);
    good = to->knockouts && good;
    if (!good) state_free(to);
    return good;
}

bool state_uses_means(const State *state, const Config *config) {
    return memchr(state->knockouts, KNOCKOUT_MEAN, (size_t)state_heads(config)) != NULL;
}

bool state_is_changed(const State *state, const Config *config) {
    bool changed = state->not_causal || state->trap != NONE;
    for (int i = 0; i <= (int)state->companion; i++)
        changed = changed || state->examples[i].enc_len != BY_TEXT ||
                  state->examples[i].dec_len != BY_TEXT;
    for (int head = 0; head < state_heads(config); head++)
        changed = changed || state->knockouts[head] != KNOCKOUT_NONE;
    return changed;
}

bool state_set_trap(State *state, const Config *config, const char *name, Error *error) {
    const MistakeKind *trap = NULL;
    bool is_own = !name || strcmp(name, "off") == 0;
    if (!is_own && !trap_option_find(&trap, name, error)) return error_prefix(error, "trap");
    state->trap = is_own || !config_mistaken(config) ? NONE : TRAP_RIGHT;
    if (trap) state->trap = (int)mistake_id(trap);
    return true;
}
