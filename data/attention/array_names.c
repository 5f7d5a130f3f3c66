#include "data/attention/array_names.h"

#include <stddef.h>
#include <string.h>

const ArrayName array_names[] = {
    {"x_query", ROLE_X_QUERY, 0},
    {"x_key_value", ROLE_X_KEY_VALUE, 0},
    {"w_q", ROLE_W_Q, 0},
    {"w_k", ROLE_W_K, 0},
    {"w_v", ROLE_W_V, 0},
    {"w_o", ROLE_W_O, 0},
    {"b_q", ROLE_B_Q, 0},
    {"b_k", ROLE_B_K, 0},
    {"b_v", ROLE_B_V, 0},
    {"b_o", ROLE_B_O, 0},
    {"query", ROLE_QUERY, 0},
    {"key", ROLE_KEY, 0},
    {"value", ROLE_VALUE, 0},
    {"weights", ROLE_WEIGHTS, 0},
    {"context", ROLE_CONTEXT, 0},
    {"output", ROLE_OUTPUT, 0},
    /* torch.nn.MultiheadAttention */
    {"in_proj_weight", ROLE_W_Q, 1},
    {"in_proj_weight", ROLE_W_K, 2},
    {"in_proj_weight", ROLE_W_V, 3},
    {"in_proj_bias", ROLE_B_Q, 1},
    {"in_proj_bias", ROLE_B_K, 2},
    {"in_proj_bias", ROLE_B_V, 3},
    {"q_proj_weight", ROLE_W_Q, 0},
    {"k_proj_weight", ROLE_W_K, 0},
    {"v_proj_weight", ROLE_W_V, 0},
    {"out_proj.weight", ROLE_W_O, 0},
    {"out_proj.bias", ROLE_B_O, 0},
    /* D2L's MultiHeadAttention, and what is common elsewhere */
    {"W_q.weight", ROLE_W_Q, 0},
    {"W_k.weight", ROLE_W_K, 0},
    {"W_v.weight", ROLE_W_V, 0},
    {"W_o.weight", ROLE_W_O, 0},
    {"W_q.bias", ROLE_B_Q, 0},
    {"W_k.bias", ROLE_B_K, 0},
    {"W_v.bias", ROLE_B_V, 0},
    {"W_o.bias", ROLE_B_O, 0},
    {"q_proj.weight", ROLE_W_Q, 0},
    {"k_proj.weight", ROLE_W_K, 0},
    {"v_proj.weight", ROLE_W_V, 0},
    {"q_proj.bias", ROLE_B_Q, 0},
    {"k_proj.bias", ROLE_B_K, 0},
    {"v_proj.bias", ROLE_B_V, 0},
    {"attn_weights", ROLE_WEIGHTS, 0},
    {"attention_weights", ROLE_WEIGHTS, 0},
    {"attention", ROLE_WEIGHTS, 0},
    {"attn", ROLE_WEIGHTS, 0},
    {"heads", ROLE_HEADS, 0},
    {"num_heads", ROLE_HEADS, 0},
    {"site", ROLE_SITE, 0},
    {"causal", ROLE_CAUSAL, 0},
    {"layout", ROLE_LAYOUT, 0},
    {"valid_lens", ROLE_LENS, 0},
    {"valid_len", ROLE_LENS, 0},
    {"enc_valid_lens", ROLE_ENCODER_LENS, 0},
    {"enc_valid_len", ROLE_ENCODER_LENS, 0},
    {"dec_valid_lens", ROLE_DECODER_LENS, 0},
    {"dec_valid_len", ROLE_DECODER_LENS, 0},
    {"tokens", ROLE_TOKENS, 0},
    {"all", ROLE_TOKENS, 0},
    {"source_tokens", ROLE_ENCODER_TOKENS, 0},
    {"encoder_tokens", ROLE_ENCODER_TOKENS, 0},
    {"target_reads", ROLE_DECODER_TOKENS, 0},
    {"decoder_tokens", ROLE_DECODER_TOKENS, 0},
    {"target_tokens", ROLE_DECODER_TOKENS, 0},
    {"target_writes", ROLE_WRITTEN_TOKENS, 0},
    {"next_tokens", ROLE_WRITTEN_TOKENS, 0},
    {"query", ROLE_QUERY_TOKENS, 0},
    {"query_tokens", ROLE_QUERY_TOKENS, 0},
    {"key", ROLE_KEY_TOKENS, 0},
    {"key_tokens", ROLE_KEY_TOKENS, 0},
    {"row_offset", ROLE_FIRST_QUERY, 0},
    {0},
};

const char *array_name_of(ArrayRole role) {
    const ArrayName *name = array_names;
    while (name->name && name->role != role)
        name++;
    return name->name;
}

const ArrayName *array_name_find(const char *text, ArrayRole first, ArrayRole last) {
    for (const ArrayName *name = array_names; name->name; name++)
        if (name->role >= first && name->role <= last && strcmp(text, name->name) == 0) return name;
    return NULL;
}

bool array_name_beside_maps(const char *name) {
    return array_name_find(name, ROLE_LENS, ROLE_FIRST_QUERY);
}

/* --- maps of attention ------------------------------------------------------------------------ */

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
static bool take_part(const char **at, MapName *name) {
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

bool map_name_parse(const char *text, MapName *name) {
    *name = (MapName){.layer = -1, .head = -1, .step = -1};
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

const char *map_axes(const MapName *name, int rank, bool batch) {
    static const char *const of_head[] = {[2] = "QK", [3] = "BQK"};
    static const char *const of_layer[] = {[2] = "QK", [3] = "HQK", [4] = "BHQK"};
    static const char *const of_all[] = {[2] = "QK", [3] = "HQK", [4] = "LHQK", [5] = "LBHQK"};
    if (rank < 2) return NULL;
    if (name->head >= 0) return rank <= 3 ? of_head[rank] : NULL;
    if (name->layer >= 0) return rank <= 4 ? of_layer[rank] : NULL;
    if (rank == 4 && batch) return of_layer[rank];
    return rank <= 5 ? of_all[rank] : NULL;
}
