/* The mistakes that the doctor can name. */
#include "model/doctor/doctor_case.h"

#include <stddef.h>
#include <string.h>

static const DoctorKind KINDS[] = {
    {"one-reshape", "heads split with one reshape",
     "Split with view(B, T, H, D).transpose(1, 2): a reshape alone puts steps into heads.",
     STAGE_WEIGHTS},
    {"interleaved-heads", "heads split as every H-th column",
     "Give each head D neighbouring columns: view(B, T, H, D), not view(B, T, D, H).",
     STAGE_WEIGHTS},
    {"wrong-concat", "heads put together with one reshape",
     "Put the steps before the heads first: context.transpose(1, 2).reshape(B, T, H * D).",
     STAGE_MIX},
    {"concat-interleaved", "heads put together column by column",
     "Keep the D columns of a head together: permute to (B, T, H, D), not to (B, T, D, H).",
     STAGE_MIX},
    {"tiled-lens", "valid lengths tiled instead of repeated",
     "Repeat each length for the heads of its example: repeat_interleave(valid_lens, H), not "
     "repeat or tile.",
     STAGE_WEIGHTS},
    {"lens-one-more", "valid lengths one too long", "Let key j be seen where j < length, not <=.",
     STAGE_WEIGHTS},
    {"lens-one-less", "valid lengths one too short",
     "Let key j be seen where j < length, not j < length - 1.", STAGE_WEIGHTS},
    {"lens-other-example", "valid lengths of another example",
     "Keep lengths and examples in one order when a batch is sorted, reversed or rolled.",
     STAGE_WEIGHTS},
    {"lens-ignored", "valid lengths ignored",
     "Hand the valid lengths (the padding mask) to this call.", STAGE_WEIGHTS},
    {"lens-inverted", "the padding mask inverted",
     "Turn the mask round: it must hide the padding, and True may mean hidden or seen.",
     STAGE_WEIGHTS},
    {"no-causal", "no causal mask",
     "Hide the keys after the query's own step in the decoder's self-attention.", STAGE_WEIGHTS},
    {"causal-cross", "a causal mask where there should be none",
     "Leave the causal mask to the decoder's self-attention.", STAGE_WEIGHTS},
    {"causal-one-more", "the causal mask sees one key of the future",
     "Let query t see keys 0 to t: triu(diagonal=1) is what to hide.", STAGE_WEIGHTS},
    {"causal-one-less", "the causal mask hides the query's own key",
     "Let query t see keys 0 to t: hide triu(diagonal=1), not triu(diagonal=0).", STAGE_WEIGHTS},
    {"causal-mirrored", "the causal mask mirrored",
     "Let query t see keys 0 to t, the lower triangle: tril, not triu.", STAGE_WEIGHTS},
    {"no-scale", "scores not scaled", "Divide the scores by the root of a head's width, sqrt(D).",
     STAGE_WEIGHTS},
    {"scale-sqrt-width", "scores scaled by the root of the whole width",
     "Divide by sqrt(D), the root of one head's width, not of all heads together.", STAGE_WEIGHTS},
    {"scale-head-width", "scores divided by a head's width, without the root",
     "Divide the scores by sqrt(D), not by D.", STAGE_WEIGHTS},
    {"softmax-queries", "softmax over the queries",
     "Take the softmax over the keys, the last axis: dim=-1.", STAGE_WEIGHTS},
    {"softmax-heads", "softmax over the heads",
     "Take the softmax over the keys, the last axis: dim=-1, not dim=1.", STAGE_WEIGHTS},
    {"mask-after", "mask after the softmax, without making the rest sum to 1",
     "Mask the scores with -inf before the softmax.", STAGE_WEIGHTS},
    {"mask-leaks", "a mask that leaks",
     "Fill hidden scores with -inf (or -1e9), before the softmax, so that their weights are 0.",
     STAGE_WEIGHTS},
    {"query-key-swapped", "queries and keys swapped",
     "Score with query @ key.transpose(-2, -1), in this order.", STAGE_WEIGHTS},
    {"kv-from-decoder", "keys and values from the queries' side",
     "Make keys and values from the encoder's outputs (x_key_value).", STAGE_PROJECTION},
    {"q-from-encoder", "queries from the keys' side",
     "Make queries from the decoder's states (x_query).", STAGE_PROJECTION},
    {"k-from-decoder", "keys, but not values, from the queries' side",
     "Make keys from the encoder's outputs (x_key_value), as the values are.", STAGE_PROJECTION},
    {"v-from-decoder", "values, but not keys, from the queries' side",
     "Make values from the encoder's outputs (x_key_value), as the keys are.", STAGE_PROJECTION},
    {"w-transposed", "a projection's weights transposed",
     "Multiply by the transpose of a weight stored [out, in]: x @ w.T.", STAGE_PROJECTION},
    {"bias-left-out", "a bias left out", "Add the bias after the product.", STAGE_PROJECTION},
    {"no-output-projection", "the output projection left out",
     "Multiply the heads, put together, by w_o.", STAGE_OUTPUT},
    {"dropout-on", "dropout left on",
     "Switch dropout off before dumping: model.eval() in PyTorch, predict mode elsewhere.",
     STAGE_WEIGHTS},
    {"averaged-heads", "weights averaged over the heads",
     "Keep a map for each head: average_attn_weights=False in nn.MultiheadAttention.",
     STAGE_WEIGHTS},
    {"half-precision", "rounded to half precision in between",
     "Compute in float32 throughout: switch autocast, half() and TF32 off.", STAGE_WEIGHTS},
    {"empty-nan", "a query without any key gives NaN",
     "Give a row that sees no key zeros instead of the softmax of nothing.", STAGE_WEIGHTS},
};

const DoctorKind *doctor_kind_at(int index) {
    return index >= 0 && index < (int)(sizeof KINDS / sizeof KINDS[0]) ? &KINDS[index] : NULL;
}

const DoctorKind *doctor_kind(const char *name) {
    for (int i = 0; doctor_kind_at(i); i++)
        if (strcmp(KINDS[i].name, name) == 0) return &KINDS[i];
    return NULL;
}

const char *dump_part_name(DumpPart part) {
    static const char *const names[DUMP_PARTS] = {
        "x_query", "x_key_value", "w_q",   "w_k", "w_v",   "w_o",     "b_q",     "b_k",
        "b_v",     "b_o",         "query", "key", "value", "weights", "context", "output"};
    return (unsigned)part < DUMP_PARTS ? names[part] : "?";
}
