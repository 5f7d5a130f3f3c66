/* The catalogue of attention mistakes: KIND(id, fields of MistakeKind), in the order in which the
 * doctor tries them and the lessons show them. Read by model/doctor/mistake_kinds.[ch] alone. */
/* clang-format off */

/* --- rules of the plain kernel ---------------------------------------------------------------- */

KIND(MISTAKE_ONE_RESHAPE, .name = "one-reshape", .title = "heads split with one reshape",
     .mend = "Split with view(B, T, H, D).transpose(1, 2): a reshape alone puts steps into heads.",
     .stage = STAGE_WEIGHTS, .subject = SUBJECT_SPLIT, .rules = {{.split = FOLD_RESHAPE}},
     .at = EVERYWHERE,
     .wrong = "q = q.reshape(B, H, T, D)",
     .right = "q = q.reshape(B, T, H, D).transpose(1, 2)",
     .agrees = "both give (B, H, T, D), from the same B*T*W numbers",
     .mixes = "a head gets whole steps instead of its columns: the steps of a sentence are dealt "
        "out to the heads",
     .caught = "split a tensor that holds its own indices: head h must own columns h*D to "
        "h*D+D-1 of every step")

KIND(MISTAKE_INTERLEAVED_HEADS, .name = "interleaved-heads",
     .title = "heads split as every H-th column",
     .mend = "Give each head D neighbouring columns: view(B, T, H, D), not view(B, T, D, H).",
     .stage = STAGE_WEIGHTS, .subject = SUBJECT_SPLIT, .rules = {{.split = FOLD_INTERLEAVED}},
     .at = EVERYWHERE,
     .wrong = "q = q.reshape(B, T, D, H).permute(0, 3, 1, 2)",
     .right = "q = q.reshape(B, T, H, D).permute(0, 2, 1, 3)",
     .agrees = "both give (B, H, T, D)",
     .mixes = "a head gets every H-th column instead of D neighbouring ones; a model trained so "
        "is fine, and a checkpoint from elsewhere is not",
     .caught = "load weights that were trained elsewhere, or split a tensor of indices")

KIND(MISTAKE_WRONG_CONCAT, .name = "wrong-concat", .title = "heads put together with one reshape",
     .mend = "Put the steps before the heads first: context.transpose(1, 2).reshape(B, T, H * D).",
     .stage = STAGE_MIX, .subject = SUBJECT_CONCAT, .rules = {{.concat = FOLD_RESHAPE}},
     .at = EVERYWHERE,
     .wrong = "out = out.reshape(B, T, W)",
     .right = "out = out.transpose(1, 2).reshape(B, T, W)",
     .agrees = "(B, H, T, D) and (B, T, W) hold the same B*T*W numbers",
     .mixes = "the output of a step is put together from other steps; every weight is right",
     .caught = "compare the output, not only the weights, with single heads side by side")

KIND(MISTAKE_CONCAT_INTERLEAVED, .name = "concat-interleaved",
     .title = "heads put together column by column",
     .mend = "Keep the D columns of a head together: permute to (B, T, H, D), not to (B, T, D, H).",
     .stage = STAGE_MIX, .subject = SUBJECT_CONCAT, .rules = {{.concat = FOLD_INTERLEAVED}})

KIND(MISTAKE_LENS_IGNORED, .name = "lens-ignored", .old_name = "no-cross-padding",
     .title = "valid lengths ignored",
     .mend = "Hand the valid lengths (the padding mask) to this call.",
     .stage = STAGE_WEIGHTS, .subject = SUBJECT_LENGTHS, .rules = {{.lengths = LENGTHS_IGNORED}},
     .at = {[SITE_CROSS] = true},
     .wrong = "Y3 = self.attention2(Y, enc, enc, None)",
     .right = "Y3 = self.attention2(Y, enc, enc, enc_valid_lens)",
     .agrees = "a mask never changes a shape",
     .mixes = "the decoder reads the encoder's outputs for padding, which mean nothing",
     .caught = "pad a source further: no output may change")

KIND(MISTAKE_TILED_LENS, .name = "tiled-lens", .title = "valid lengths tiled instead of repeated",
     .mend = "Repeat each length for the heads of its example: repeat_interleave(valid_lens, H), "
        "not repeat or tile.",
     .stage = STAGE_WEIGHTS, .subject = SUBJECT_LENGTHS, .rules = {{.lengths = LENGTHS_TILED}},
     .at = EVERYWHERE,
     .wrong = "valid_lens = valid_lens.repeat(H)",
     .right = "valid_lens = torch.repeat_interleave(valid_lens, H)",
     .agrees = "both give B*H lengths for B*H folded rows",
     .mixes = "heads of one example are masked by the lengths of others",
     .caught = "with lengths 3 and 2, every head of an example must zero the same keys")

KIND(MISTAKE_NO_REPEAT, .name = "no-repeat", .title = "valid lengths not repeated at all",
     .subject = SUBJECT_LENGTHS, .is_loud = true, .at = EVERYWHERE,
     .wrong = "self.attention(q, k, v, valid_lens)",
     .right = "self.attention(q, k, v, torch.repeat_interleave(valid_lens, H))",
     .agrees = "there are B lengths for B*H folded rows, and PyTorch stops with an error",
     .mixes = "nothing: with two heads or more it never runs, and with one there is nothing to "
        "repeat",
     .caught = "the shapes themselves")

KIND(MISTAKE_LENS_ONE_MORE, .name = "lens-one-more", .title = "valid lengths one too long",
     .mend = "Let key j be seen where j < length, not <=.",
     .stage = STAGE_WEIGHTS, .subject = SUBJECT_LENGTHS, .rules = {{.lengths = LENGTHS_ONE_MORE}})

KIND(MISTAKE_LENS_ONE_LESS, .name = "lens-one-less", .title = "valid lengths one too short",
     .mend = "Let key j be seen where j < length, not j < length - 1.",
     .stage = STAGE_WEIGHTS, .subject = SUBJECT_LENGTHS, .rules = {{.lengths = LENGTHS_ONE_LESS}})

KIND(MISTAKE_LENS_INVERTED, .name = "lens-inverted", .title = "the padding mask inverted",
     .mend = "Turn the mask round: it must hide the padding, and True may mean hidden or seen.",
     .stage = STAGE_WEIGHTS, .subject = SUBJECT_LENGTHS, .rules = {{.lengths = LENGTHS_INVERTED}})

KIND(MISTAKE_LENS_OTHER_EXAMPLE, .name = "lens-other-example",
     .title = "valid lengths of another example",
     .mend = "Keep lengths and examples in one order when a batch is sorted, reversed or rolled.",
     .stage = STAGE_WEIGHTS, .subject = SUBJECT_LENGTHS,
     .rules = {{.lengths = LENGTHS_NEXT},
               {.lengths = LENGTHS_PREVIOUS},
               {.lengths = LENGTHS_REVERSED}})

KIND(MISTAKE_NO_CAUSAL, .name = "no-causal", .title = "no causal mask",
     .mend = "Hide the keys after the query's own step in the decoder's self-attention.",
     .stage = STAGE_WEIGHTS, .subject = SUBJECT_CAUSAL, .rules = {{.causal = CAUSAL_MISSING}},
     .at = {[SITE_DECODER] = true},
     .wrong = "Y2 = self.attention1(X, X, X, valid_lens)",
     .right = "Y2 = self.attention1(X, X, X, torch.arange(1, T + 1).minimum(valid_lens[:, None]))",
     .agrees = "a mask never changes a shape",
     .mixes = "in training each step reads the answer that it shall write; at prediction there is "
        "none, and the model is lost",
     .caught = "change the last target token: no output before it may change")

KIND(MISTAKE_CAUSAL_CROSS, .name = "causal-cross",
     .title = "a causal mask where there should be none",
     .mend = "Leave the causal mask to the decoder's self-attention.",
     .stage = STAGE_WEIGHTS, .subject = SUBJECT_CAUSAL, .rules = {{.causal = CAUSAL_ADDED}},
     .at = {[SITE_CROSS] = true},
     .wrong = "Y3 = self.attention2(Y, enc, enc, "
        "torch.arange(1, T + 1).minimum(enc_valid_lens[:, None]))",
     .right = "Y3 = self.attention2(Y, enc, enc, enc_valid_lens)",
     .agrees = "queries and keys are often of the same length, and a mask never changes a shape",
     .mixes = "step t of the target sees source tokens 0 to t alone: the first step sees one",
     .caught = "the first target step must be able to weigh every valid source token")

KIND(MISTAKE_CAUSAL_ONE_MORE, .name = "causal-one-more",
     .title = "the causal mask sees one key of the future",
     .mend = "Let query t see keys 0 to t: triu(diagonal=1) is what to hide.",
     .stage = STAGE_WEIGHTS, .subject = SUBJECT_CAUSAL, .rules = {{.causal = CAUSAL_ONE_MORE}})

KIND(MISTAKE_CAUSAL_ONE_LESS, .name = "causal-one-less",
     .title = "the causal mask hides the query's own key",
     .mend = "Let query t see keys 0 to t: hide triu(diagonal=1), not triu(diagonal=0).",
     .stage = STAGE_WEIGHTS, .subject = SUBJECT_CAUSAL, .rules = {{.causal = CAUSAL_ONE_LESS}})

KIND(MISTAKE_CAUSAL_MIRRORED, .name = "causal-mirrored", .title = "the causal mask mirrored",
     .mend = "Let query t see keys 0 to t, the lower triangle: tril, not triu.",
     .stage = STAGE_WEIGHTS, .subject = SUBJECT_CAUSAL, .rules = {{.causal = CAUSAL_MIRRORED}})

KIND(MISTAKE_NO_SCALE, .name = "no-scale", .title = "scores not scaled",
     .mend = "Divide the scores by the root of a head's width, sqrt(D).",
     .stage = STAGE_WEIGHTS, .subject = SUBJECT_SCALE, .rules = {{.scale = SCALE_NONE}},
     .at = EVERYWHERE,
     .wrong = "scores = q @ k.transpose(-2, -1)",
     .right = "scores = q @ k.transpose(-2, -1) / math.sqrt(D)",
     .agrees = "a factor never changes a shape",
     .mixes = "nothing, but rows are too sharp: one key takes nearly all, and little gradient is "
        "left for the rest",
     .caught = "recompute one row by hand")

KIND(MISTAKE_SCALE_SQRT_WIDTH, .name = "scale-sqrt-width",
     .title = "scores scaled by the root of the whole width",
     .mend = "Divide by sqrt(D), the root of one head's width, not of all heads together.",
     .stage = STAGE_WEIGHTS, .subject = SUBJECT_SCALE, .rules = {{.scale = SCALE_ROOT_WIDTH}},
     .at = EVERYWHERE,
     .wrong = "scores = q @ k.transpose(-2, -1) / math.sqrt(num_hiddens)",
     .right = "scores = q @ k.transpose(-2, -1) / math.sqrt(num_hiddens // num_heads)",
     .agrees = "a factor never changes a shape",
     .mixes = "nothing, but rows are too flat, by a factor of sqrt(H) in their scores",
     .caught = "recompute one row by hand, with more than one head")

KIND(MISTAKE_SCALE_HEAD_WIDTH, .name = "scale-head-width",
     .title = "scores divided by a head's width, without the root",
     .mend = "Divide the scores by sqrt(D), not by D.",
     .stage = STAGE_WEIGHTS, .subject = SUBJECT_SCALE, .rules = {{.scale = SCALE_HEAD_WIDTH}})

KIND(MISTAKE_SOFTMAX_QUERIES, .name = "softmax-queries", .title = "softmax over the queries",
     .mend = "Take the softmax over the keys, the last axis: dim=-1.",
     .stage = STAGE_WEIGHTS, .subject = SUBJECT_SOFTMAX, .rules = {{.softmax = SOFTMAX_QUERIES}},
     .at = EVERYWHERE,
     .wrong = "weights = scores.softmax(dim=-2)",
     .right = "weights = scores.softmax(dim=-1)",
     .agrees = "a softmax keeps the shape whatever its axis",
     .mixes = "queries compete for keys: a step's weights sum to anything, and depend on steps "
        "after it",
     .caught = "every row must sum to 1")

KIND(MISTAKE_SOFTMAX_HEADS, .name = "softmax-heads", .title = "softmax over the heads",
     .mend = "Take the softmax over the keys, the last axis: dim=-1, not dim=1.",
     .stage = STAGE_WEIGHTS, .subject = SUBJECT_SOFTMAX, .rules = {{.softmax = SOFTMAX_HEADS}})

KIND(MISTAKE_MASK_AFTER, .name = "mask-after",
     .title = "mask after the softmax, without making the rest sum to 1",
     .mend = "Mask the scores with -inf before the softmax.",
     .stage = STAGE_WEIGHTS, .subject = SUBJECT_MASK, .rules = {{.mask = MASK_AFTER}},
     .at = EVERYWHERE,
     .wrong = "weights = scores.softmax(-1) * mask",
     .right = "weights = scores.masked_fill(~mask, -1e9).softmax(-1)",
     .agrees = "the mask has the shape of the weights",
     .mixes = "hidden keys take their share of the sum before they are hidden: rows sum to less "
        "than 1",
     .caught = "every row must sum to 1")

KIND(MISTAKE_MASK_LEAKS, .name = "mask-leaks", .title = "a mask that leaks",
     .mend = "Fill hidden scores with -inf (or -1e9), before the softmax, so that their weights are "
        "0.",
     .stage = STAGE_WEIGHTS, .subject = SUBJECT_MASK,
     .rules = {{.mask = MASK_ADDS, .mask_value = -5}, {.mask = MASK_FILLS}}, .at = EVERYWHERE,
     .wrong = "scores = scores + ~mask * -5",
     .right = "scores = scores.masked_fill(~mask, float('-inf'))",
     .agrees = "the mask has the shape of the scores",
     .mixes = "a hidden key with a large score still gets a weight: e to the -5 is not 0",
     .caught = "hidden weights must be exactly 0")

/* --- that are no rule of the plain kernel: doctor_hypotheses.c and doctor_predict.c know them - */

KIND(MISTAKE_QUERY_KEY_SWAPPED, .name = "query-key-swapped", .title = "queries and keys swapped",
     .mend = "Score with query @ key.transpose(-2, -1), in this order.",
     .stage = STAGE_WEIGHTS, .subject = SUBJECT_SWAP)

KIND(MISTAKE_KV_FROM_DECODER, .name = "kv-from-decoder",
     .title = "keys and values from the queries' side",
     .mend = "Make keys and values from the encoder's outputs (x_key_value).",
     .stage = STAGE_PROJECTION, .subject = SUBJECT_SOURCES)

KIND(MISTAKE_Q_FROM_ENCODER, .name = "q-from-encoder", .title = "queries from the keys' side",
     .mend = "Make queries from the decoder's states (x_query).",
     .stage = STAGE_PROJECTION, .subject = SUBJECT_SOURCES)

KIND(MISTAKE_K_FROM_DECODER, .name = "k-from-decoder",
     .title = "keys, but not values, from the queries' side",
     .mend = "Make keys from the encoder's outputs (x_key_value), as the values are.",
     .stage = STAGE_PROJECTION, .subject = SUBJECT_SOURCES)

KIND(MISTAKE_V_FROM_DECODER, .name = "v-from-decoder",
     .title = "values, but not keys, from the queries' side",
     .mend = "Make values from the encoder's outputs (x_key_value), as the keys are.",
     .stage = STAGE_PROJECTION, .subject = SUBJECT_SOURCES)

KIND(MISTAKE_W_TRANSPOSED, .name = "w-transposed", .title = "a projection's weights transposed",
     .mend = "Multiply by the transpose of a weight stored [out, in]: x @ w.T.",
     .stage = STAGE_PROJECTION, .subject = SUBJECT_TRANSPOSED)

KIND(MISTAKE_BIAS_LEFT_OUT, .name = "bias-left-out", .title = "a bias left out",
     .mend = "Add the bias after the product.",
     .stage = STAGE_PROJECTION, .subject = SUBJECT_BIAS)

KIND(MISTAKE_NO_OUTPUT_PROJECTION, .name = "no-output-projection",
     .title = "the output projection left out",
     .mend = "Multiply the heads, put together, by w_o.",
     .stage = STAGE_OUTPUT, .subject = SUBJECT_UNPROJECTED)

KIND(MISTAKE_AVERAGED_HEADS, .name = "averaged-heads", .title = "weights averaged over the heads",
     .mend = "Keep a map for each head: average_attn_weights=False in nn.MultiheadAttention.",
     .stage = STAGE_WEIGHTS, .subject = SUBJECT_AVERAGED,
     .sign = "one map an example where there are several heads")

KIND(MISTAKE_DROPOUT_ON, .name = "dropout-on", .title = "dropout left on",
     .mend = "Switch dropout off before dumping: model.eval() in PyTorch, predict mode elsewhere.",
     .stage = STAGE_WEIGHTS, .subject = SUBJECT_DROPOUT)

KIND(MISTAKE_HALF_PRECISION, .name = "half-precision",
     .title = "rounded to half precision in between",
     .mend = "Compute in float32 throughout: switch autocast, half() and TF32 off.",
     .stage = STAGE_WEIGHTS, .subject = SUBJECT_PRECISION)

/* --- of rows that see no key ------------------------------------------------------------------ */

KIND(MISTAKE_EMPTY_UNIFORM, .name = "empty-uniform",
     .title = "a row that sees nothing, made uniform", .subject = SUBJECT_EMPTY,
     .rules = {{.empty = EMPTY_UNIFORM}},
     .sign = "a query that sees no key has uniform weights (D2L's -1e6); headscope gives "
        "zeros, PyTorch NaN",
     .is_note = true, .at = EVERYWHERE,
     .wrong = "scores[~mask] = -1e6; weights = scores.softmax(-1)   # of a length of 0",
     .right = "weights = weights.masked_fill(~mask, 0)",
     .agrees = "scores that are all -1e6 are all alike, and their softmax is 1/Tk",
     .mixes = "an empty example reads its padding in equal parts (D2L's way; harmless where "
        "nobody reads that row)",
     .caught = "give an example a length of 0")

KIND(MISTAKE_EMPTY_NAN, .name = "empty-nan", .title = "a query without any key gives NaN",
     .mend = "Give a row that sees no key zeros instead of the softmax of nothing.",
     .stage = STAGE_WEIGHTS, .subject = SUBJECT_EMPTY, .rules = {{.empty = EMPTY_NAN}},
     .at = EVERYWHERE,
     .wrong = "weights = scores.masked_fill(~mask, float('-inf')).softmax(-1)   # a length of 0",
     .right = "weights = torch.nan_to_num(weights)   # or no empty rows",
     .agrees = "0/0 has the shape of any other number",
     .mixes = "one empty row makes NaN of every number that it meets, and of the loss (PyTorch's "
        "way)",
     .caught = "give an example a length of 0")

/* --- signs in numbers by themselves, whatever caused them ------------------------------------- */

KIND(MISTAKE_NAN_ROWS, .name = "nan-rows",
     .sign = "rows of weights that are NaN or infinite")

KIND(MISTAKE_NOT_FINITE, .name = "not-finite",
     .sign = "numbers of another array that are NaN or infinite")

KIND(MISTAKE_LOGITS, .name = "logits",
     .sign = "weights below 0: scores from before the softmax")

KIND(MISTAKE_ROW_SUMS, .name = "row-sums",
     .sign = "rows that do not sum to 1, and no reason is plain. Figures rounded to 4 digits pass")

KIND(MISTAKE_WEIGHT_ON_PADDING, .name = "weight-on-padding",
     .sign = "weight on keys past the valid length")

KIND(MISTAKE_WEIGHT_ON_FUTURE, .name = "weight-on-future",
     .sign = "weight on keys after the query")

KIND(MISTAKE_IDENTICAL_HEADS, .name = "identical-heads",
     .sign = "two heads with the same weights everywhere, over rows that see two keys or more")

KIND(MISTAKE_ZERO_ROWS, .name = "zero-rows", .is_note = true,
     .sign = "rows of zeros that see keys")

KIND(MISTAKE_UNIFORM_ROWS, .name = "uniform-rows", .is_note = true,
     .sign = "every row is uniform: such weights prove little")

KIND(MISTAKE_FIRST_TOKEN_SINK, .name = "first-token-sink", .is_note = true,
     .sign = "a head gives most of its weight to the first key, as trained models do")

KIND(MISTAKE_ROUNDED, .name = "rounded", .is_note = true,
     .sign = "numbers with few decimals, which hide small differences")

KIND(MISTAKE_BIAS_NOT_IN_FILE, .name = "bias-not-in-file", .is_note = true,
     .sign = "a tensor that fits with a bias that the file does not hold")
