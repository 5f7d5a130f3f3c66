#include <stddef.h>

#include "app/check/dump_parts.h"

static const DumpName names[] = {
    {"x_query", DUMP_X_QUERY, 0},
    {"x_key_value", DUMP_X_KEY_VALUE, 0},
    {"w_q", DUMP_W_Q, 0},
    {"w_k", DUMP_W_K, 0},
    {"w_v", DUMP_W_V, 0},
    {"w_o", DUMP_W_O, 0},
    {"b_q", DUMP_B_Q, 0},
    {"b_k", DUMP_B_K, 0},
    {"b_v", DUMP_B_V, 0},
    {"b_o", DUMP_B_O, 0},
    {"query", DUMP_QUERY, 0},
    {"key", DUMP_KEY, 0},
    {"value", DUMP_VALUE, 0},
    {"weights", DUMP_WEIGHTS, 0},
    {"context", DUMP_CONTEXT, 0},
    {"output", DUMP_OUTPUT, 0},
    /* torch.nn.MultiheadAttention */
    {"in_proj_weight", DUMP_W_Q, 1},
    {"in_proj_weight", DUMP_W_K, 2},
    {"in_proj_weight", DUMP_W_V, 3},
    {"in_proj_bias", DUMP_B_Q, 1},
    {"in_proj_bias", DUMP_B_K, 2},
    {"in_proj_bias", DUMP_B_V, 3},
    {"q_proj_weight", DUMP_W_Q, 0},
    {"k_proj_weight", DUMP_W_K, 0},
    {"v_proj_weight", DUMP_W_V, 0},
    {"out_proj.weight", DUMP_W_O, 0},
    {"out_proj.bias", DUMP_B_O, 0},
    /* D2L's MultiHeadAttention, and what is common elsewhere */
    {"W_q.weight", DUMP_W_Q, 0},
    {"W_k.weight", DUMP_W_K, 0},
    {"W_v.weight", DUMP_W_V, 0},
    {"W_o.weight", DUMP_W_O, 0},
    {"W_q.bias", DUMP_B_Q, 0},
    {"W_k.bias", DUMP_B_K, 0},
    {"W_v.bias", DUMP_B_V, 0},
    {"W_o.bias", DUMP_B_O, 0},
    {"q_proj.weight", DUMP_W_Q, 0},
    {"k_proj.weight", DUMP_W_K, 0},
    {"v_proj.weight", DUMP_W_V, 0},
    {"q_proj.bias", DUMP_B_Q, 0},
    {"k_proj.bias", DUMP_B_K, 0},
    {"v_proj.bias", DUMP_B_V, 0},
    {"attn_weights", DUMP_WEIGHTS, 0},
    {"attention_weights", DUMP_WEIGHTS, 0},
    {"attention", DUMP_WEIGHTS, 0},
    {"attn", DUMP_WEIGHTS, 0},
    {0},
};

const DumpName *dump_names(void) {
    return names;
}
