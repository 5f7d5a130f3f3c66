/* What the checks are called, and where to look when one fails. */
#include "model/doctor/acceptance.h"

typedef struct CheckText {
    const char *name, *title, *mend;
} CheckText;

static const CheckText texts[ACCEPT_CHECKS] = {
    [ACCEPT_OUTPUT_SHAPE] = {"output-shape", "output has the shape of its queries, and is finite",
                             "Bring the heads back side by side, (batch, queries, width), before "
                             "the output projection."},
    [ACCEPT_WEIGHTS_SHAPE] = {"weights-shape", "weights hold one map for each head, and are finite",
                              "Keep (batch, heads, queries, keys) or (batch x heads, queries, "
                              "keys); nn.MultiheadAttention averages over heads unless it is "
                              "called with average_attn_weights=False."},
    [ACCEPT_ROWS] = {"rows", "each query's weights sum to 1",
                     "The softmax runs over the keys, the last axis, after the mask; switch "
                     "dropout off with model.eval()."},
    [ACCEPT_HIDDEN] = {"hidden", "hidden key slots get weight 0",
                       "Put -1e6 or -inf on hidden scores before the softmax, with valid lengths "
                       "repeated once a head (repeat_interleave), not tiled."},
    [ACCEPT_SLOTS] = {"slots", "the same slots are zero in every head",
                      "Folded row b*H + h belongs to example b: repeat each valid length H times "
                      "in a row (repeat_interleave), do not tile the list."},
    [ACCEPT_SEEN] = {"seen", "every visible key slot gets some weight",
                     "A length of 3 shows keys 0, 1 and 2, and a causal mask shows a query its own "
                     "step: compare with < for lengths and <= for steps."},
    [ACCEPT_HEADS] = {"heads", "each map is that of a single-head call",
                      "Split the width first, (batch, steps, heads, width/heads), and swap steps "
                      "and heads after; divide scores by the root of the head's width."},
    [ACCEPT_DISTINCT] = {"distinct", "no two heads give the same map",
                         "Each head reads columns of its own: look at the split, and at an average "
                         "over heads."},
    [ACCEPT_CHUNKS] = {"chunks", "context holds, chunk by chunk, what each head mixes",
                       "Swap heads and steps back before the reshape to (batch, queries, width): "
                       "head h goes to columns h*D to h*D + D - 1."},
    [ACCEPT_PROJECTION] = {"projection", "output is context times the output projection",
                           "output = context w_o^T + b_o: look for a projection left out, a "
                           "transposed one, or a bias left out."},
    [ACCEPT_OUTPUT] =
        {"output", "output is that of single-head calls side by side",
         "Save weights and context as well: the checks on them tell which step it is."},
    [ACCEPT_PADDING] = {"padding", "what stands in padding changes nothing",
                        "Something reads hidden keys: a mask that adds too little, or one after "
                        "the softmax."},
    [ACCEPT_EXAMPLES] = {"examples", "one example does not change another",
                         "A fold mixes examples: keep the batch the first axis of every reshape."},
    [ACCEPT_FUTURE] = {"future", "later steps change nothing before them",
                       "The causal mask is missing or off by one."},
};

const char *acceptance_check_name(AcceptanceCheck check) {
    return texts[check].name;
}

const char *acceptance_check_title(AcceptanceCheck check) {
    return texts[check].title;
}

const char *acceptance_check_mend(AcceptanceCheck check) {
    return texts[check].mend;
}
