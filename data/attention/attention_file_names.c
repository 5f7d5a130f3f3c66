#include "data/attention/attention_file_parts.h"

#include <string.h>

static bool take(const char **at, const char *word) {
    size_t length = strlen(word);
    if (strncmp(*at, word, length) != 0) return false;
    *at += length;
    return true;
}

/* One to five digits. */
static bool take_number(const char **at, int *number) {
    const char *start = *at;
    for (*number = 0; **at >= '0' && **at <= '9' && *at - start < 6; (*at)++)
        *number = *number * 10 + (**at - '0');
    return *at > start && *at - start < 6;
}

/* "encoder", "encoder_attentions", "encoder_self_attention"; "attn" by itself. */
static bool take_start(const char **at, int *slot) {
    static const char *const attention[] = {
        "attentions", "attention_weights", "attention", "attn_weights", "attn", "weights"};
    *slot = SITE_UNKNOWN;
    for (int site = 0; site < SITE_COUNT; site++)
        if (take(at, site_name((Site)site))) {
            *slot = site;
            break;
        }
    bool sited = *slot != SITE_UNKNOWN;
    if (sited) take(at, "_self");
    for (size_t i = 0; i < sizeof attention / sizeof attention[0]; i++) {
        const char *rest = *at;
        if (sited && !take(&rest, "_")) continue;
        if (!take(&rest, attention[i])) continue;
        *at = rest;
        return true;
    }
    return sited;
}

/* ".2", "_2", ".layer2", "_step3", ".layer_2": layer, then head, where it is not said. */
static bool take_part(const char **at, AttentionName *name) {
    int number;
    if (!take(at, ".") && !take(at, "_")) return false;
    int *place = name->layer < 0 ? &name->layer : &name->head;
    bool said = true;
    if (take(at, "step"))
        place = &name->step;
    else if (take(at, "layers") || take(at, "layer"))
        place = &name->layer;
    else if (take(at, "head"))
        place = &name->head;
    else
        said = false;
    if (said && !take(at, ".")) take(at, "_");
    if (!take_number(at, &number) || *place >= 0) return false;
    *place = number;
    return true;
}

bool attention_name_parse(const char *text, AttentionName *name) {
    *name = (AttentionName){.layer = -1, .head = -1, .step = -1};
    if (!take_start(&text, &name->slot)) return false;
    while (*text) {
        if (strcmp(text, ".key_len") == 0) {
            name->key_len = true;
            return true;
        }
        if (!take_part(&text, name)) return false;
    }
    return true;
}
