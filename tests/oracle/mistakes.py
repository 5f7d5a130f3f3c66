"""Multi-head attention as people write it in PyTorch, right and with each mistake in turn. Three
hands: "d2l" folds the heads into the batch and masks by lengths (D2L 11.3 and 11.5), "view" gives
the heads an axis of their own and masks by booleans (the annotated transformer, minGPT), "torch" is
nn.MultiheadAttention itself. Nothing here knows headscope's C code; the names alone are its."""
import math

import torch
from torch import nn
from torch.nn import functional

# Mistake: the ways in which it is made.
WAYS = {
    "one-reshape": ("view",),
    "interleaved-heads": ("permute",),
    "wrong-concat": ("reshape",),
    "concat-interleaved": ("permute",),
    "tiled-lens": ("repeat",),
    "lens-one-more": ("less or equal",),
    "lens-one-less": ("from one",),
    "lens-other-example": ("next", "previous", "flipped"),
    "lens-ignored": ("none",),
    "lens-inverted": ("not",),
    "no-causal": ("none",),
    "causal-cross": ("tril",),
    "causal-one-more": ("diagonal=1",),
    "causal-one-less": ("diagonal=-1",),
    "causal-mirrored": ("triu",),
    "no-scale": ("none",),
    "scale-sqrt-width": ("sqrt(width)",),
    "scale-head-width": ("head width",),
    "softmax-queries": ("dim=-2",),
    "softmax-heads": ("dim=1",),
    "mask-after": ("times",),
    "mask-leaks": ("fill 1e-9", "times", "fill -1", "fill -5", "add -1", "add -4", "add -9",
                   "add bool"),
    "query-key-swapped": ("product", "projections"),
    "kv-from-decoder": ("x, x, x",),
    "q-from-encoder": ("m, m, m",),
    "k-from-decoder": ("x, x, m",),
    "v-from-decoder": ("x, m, x",),
    "w-transposed": ("qkvo", "q", "k", "v", "o"),
    "bias-left-out": ("qkvo", "q", "k", "v", "o"),
    "no-output-projection": ("none",),
    "dropout-on": ("0.1", "0.3", "0.5"),
    "averaged-heads": ("average_attn_weights", "mean"),
    "half-precision": ("half", "bfloat16"),
    "empty-uniform": ("fill -1e6",),
    "empty-nan": ("fill -inf",),
}

# How scores are hidden, and what that leaves of a query that sees nothing.
HIDING = {"uniform": -1e6, "nan": -math.inf, "zero": -1e6, "added": -1e4}


def rounder(dtype):
    """Rounds to a type and back: old PyTorch cannot multiply halves on a processor."""
    return lambda x: x.to(dtype).to(x.dtype)


# --- "d2l": heads folded into the batch ----------------------------------------------------------

def fold(x, heads, wrong):
    """[B,T,W] to [B*H,T,D]."""
    if "one-reshape" in wrong:
        return x.reshape(x.shape[0] * heads, x.shape[1], -1)
    if "interleaved-heads" in wrong:
        x = x.reshape(x.shape[0], x.shape[1], -1, heads).permute(0, 3, 1, 2)
    else:
        x = x.reshape(x.shape[0], x.shape[1], heads, -1).permute(0, 2, 1, 3)
    return x.reshape(-1, x.shape[2], x.shape[3])


def unfold(x, heads, wrong):
    """[B*H,T,D] to [B,T,W]."""
    x = x.reshape(-1, heads, x.shape[1], x.shape[2])
    if "wrong-concat" in wrong:
        return x.reshape(x.shape[0], x.shape[2], -1)
    if "concat-interleaved" in wrong:
        x = x.permute(0, 2, 3, 1)
    else:
        x = x.permute(0, 2, 1, 3)
    return x.reshape(x.shape[0], x.shape[1], -1)


def lens_per_row(valid_lens, heads, wrong):
    """[B] or [B,Tq] to [B*H] or [B*H,Tq]."""
    way = wrong.get("lens-other-example")
    if way == "next":
        valid_lens = torch.cat((valid_lens[1:], valid_lens[:1]))
    elif way == "previous":
        valid_lens = torch.cat((valid_lens[-1:], valid_lens[:-1]))
    elif way == "flipped":
        valid_lens = torch.flip(valid_lens, (0,))
    if "tiled-lens" in wrong:
        return valid_lens.repeat((heads,) + (1,) * (valid_lens.dim() - 1))
    return torch.repeat_interleave(valid_lens, repeats=heads, dim=0)


def visible_by_lens(shape, valid_lens, heads, causal, wrong):
    """[B*H,Tq,Tk]: causality, as in D2L's decoder, is a length for each query, 1 to Tq."""
    rows, queries, keys = shape
    visible = torch.ones(shape, dtype=torch.bool)
    place = torch.arange(keys)[None, None, :]
    if valid_lens is not None and "lens-ignored" not in wrong:
        lens = lens_per_row(valid_lens, heads, wrong)
        lens = lens[:, None, None] if lens.dim() == 1 else lens[:, :, None]
        if "lens-one-more" in wrong:
            visible = visible & (place <= lens)
        elif "lens-one-less" in wrong:
            visible = visible & (place + 1 < lens)
        elif "lens-inverted" in wrong:
            visible = visible & ~(place < lens)
        else:
            visible = visible & (place < lens)
    if (causal and "no-causal" not in wrong) or "causal-cross" in wrong:
        first = 2 if "causal-one-more" in wrong else 0 if "causal-one-less" in wrong else 1
        steps = torch.arange(first, first + queries).repeat(rows, 1)[:, :, None]
        if "causal-mirrored" in wrong:
            visible = visible & (place >= steps - 1)
        else:
            visible = visible & (place < steps)
    return visible


# --- "view": heads on their own axis -------------------------------------------------------------

def split(x, heads, wrong):
    """[B,T,W] to [B,H,T,D]."""
    batch, steps, width = x.shape
    if "one-reshape" in wrong:
        return x.contiguous().view(batch, heads, steps, width // heads)
    if "interleaved-heads" in wrong:
        return torch.stack([x[..., head::heads] for head in range(heads)], dim=1)
    return x.view(batch, steps, heads, width // heads).transpose(1, 2)


def concat(x, wrong):
    """[B,H,T,D] to [B,T,W]."""
    batch, heads, steps, head_width = x.shape
    if "wrong-concat" in wrong:
        return x.contiguous().view(batch, steps, heads * head_width)
    if "concat-interleaved" in wrong:
        return torch.stack(list(x.unbind(1)), dim=-1).flatten(2)
    return torch.cat(list(x.unbind(1)), dim=-1)


def visible_by_masks(shape, valid_lens, causal, wrong):
    """[B,H,Tq,Tk] or what broadcasts to it: a padding mask, and tril."""
    batch, heads, queries, keys = shape
    visible = torch.ones(1, 1, queries, keys).bool()
    if valid_lens is not None and "lens-ignored" not in wrong:
        last = valid_lens - 1
        if "lens-one-more" in wrong:
            last = last + 1
        if "lens-one-less" in wrong:
            last = last - 1
        padding = torch.arange(keys) > last[..., None]  # True hides, as key_padding_mask
        if "lens-inverted" in wrong:
            padding = ~padding
        way = wrong.get("lens-other-example")
        if way:
            padding = padding.flip(0) if way == "flipped" else padding.roll(
                -1 if way == "next" else 1, 0)
        if padding.dim() == 2:
            padding = padding[:, None]
        if "tiled-lens" in wrong:
            padding = padding.repeat(heads, 1, 1).view(batch, heads, -1, keys)
        else:
            padding = padding[:, None]
        visible = visible & ~padding
    if (causal and "no-causal" not in wrong) or "causal-cross" in wrong:
        ones = torch.ones(queries, keys)
        if "causal-mirrored" in wrong:
            mask = torch.triu(ones)
        elif "causal-one-more" in wrong:
            mask = torch.tril(ones, diagonal=1)
        elif "causal-one-less" in wrong:
            mask = torch.tril(ones, diagonal=-1)
        else:
            mask = torch.tril(ones)
        visible = visible & (mask == 1)
    return visible


# --- scores to weights ---------------------------------------------------------------------------

def hide(scores, visible, wrong, empty):
    """The mask before the softmax."""
    way = wrong.get("mask-leaks")
    if "mask-after" in wrong:
        return scores
    if way is None and empty == "added":
        return scores + HIDING[empty] * (~visible)
    if way is None:
        return scores.masked_fill(~visible, HIDING[empty])
    if way == "times":
        return scores * visible
    if way == "add bool":
        return scores + (~visible)
    kind, value = way.split()
    if kind == "fill":
        return scores.masked_fill(~visible, float(value))
    return scores + (1 - visible.to(scores.dtype)) * float(value)


def divisor(width, head_width, wrong):
    if "no-scale" in wrong:
        return 1.0
    if "scale-sqrt-width" in wrong:
        return math.sqrt(width)
    if "scale-head-width" in wrong:
        return float(head_width)
    return math.sqrt(head_width)


def weights_of(scores, visible, wrong, empty, heads):
    """Scores are [B,H,Tq,Tk] or [B*H,Tq,Tk]."""
    hidden = hide(scores, visible, wrong, empty)
    if "softmax-queries" in wrong:
        weights = torch.softmax(hidden, dim=-2)
    elif "softmax-heads" in wrong:
        apart = hidden.reshape(-1, heads, *hidden.shape[-2:])
        weights = torch.softmax(apart, dim=1).reshape(hidden.shape)
    else:
        weights = functional.softmax(hidden, dim=-1)
    if "mask-after" in wrong:
        return weights * visible
    if empty == "zero" and "mask-leaks" not in wrong:
        return weights.masked_fill(~visible, 0)
    return weights


def attend(query, key, value, heads, valid_lens, causal, wrong, hand="view", empty="nan",
           rounded=lambda x: x, rounds_scores=True):
    """Packed tensors [B,T,W] to the weights [B,H,Tq,Tk], the context [B,Tq,W], and the split query,
    key and value. `wrong` is {mistake: way}."""
    batch, queries, width = query.shape
    swapped = wrong.get("query-key-swapped") == "product"
    if hand == "d2l":
        q, k, v = (fold(x, heads, wrong) for x in (query, key, value))
        scores = torch.bmm(k, q.transpose(1, 2)) if swapped else torch.bmm(q, k.transpose(1, 2))
        visible = visible_by_lens(scores.shape, valid_lens, heads, causal, wrong)
    else:
        q, k, v = (split(x, heads, wrong) for x in (query, key, value))
        scores = k @ q.transpose(-2, -1) if swapped else q @ k.transpose(-2, -1)
        visible = visible_by_masks(scores.shape, valid_lens, causal, wrong)
    scores = scores / divisor(width, q.shape[-1], wrong)
    if rounds_scores:
        scores = rounded(scores)
    weights = rounded(weights_of(scores, visible, wrong, empty, heads))
    if wrong.get("averaged-heads") == "mean":
        apart = weights.reshape(batch, heads, *weights.shape[-2:])
        weights = apart.mean(1, keepdim=True).expand_as(apart).reshape(weights.shape)
    if "dropout-on" in wrong:
        weights = rounded(nn.Dropout(float(wrong["dropout-on"]))(weights))
    if hand == "d2l":
        context = unfold(rounded(torch.bmm(weights, v)), heads, wrong)
        weights, q, k, v = (x.reshape(batch, heads, *x.shape[1:]) for x in (weights, q, k, v))
    else:
        context = concat(rounded(weights @ v), wrong)
    return dict(weights=weights, context=context, split=(q, k, v))


# --- the whole block -----------------------------------------------------------------------------

def linear(x, params, letter, wrong):
    """A projection by one of the four matrices, as nn.Linear stores them."""
    weight, bias = params["w_" + letter], params.get("b_" + letter)
    if letter in wrong.get("bias-left-out", ""):
        bias = None
    if letter in wrong.get("w-transposed", ""):
        x = x @ weight
        return x if bias is None else x + bias
    return functional.linear(x, weight, bias)


def sources(x_query, x_key_value, wrong):
    """What query, key and value are made of."""
    x, memory = x_query, x_query if x_key_value is None else x_key_value
    if "kv-from-decoder" in wrong:
        return x, x, x
    if "q-from-encoder" in wrong:
        return memory, memory, memory
    if "k-from-decoder" in wrong:
        return x, x, memory
    if "v-from-decoder" in wrong:
        return x, memory, x
    return x, memory, memory


def block(params, x_query, x_key_value, heads, valid_lens, causal, wrong, hand="view", empty="nan",
          rounded=lambda x: x, rounds_scores=True):
    """All that a call makes, by the names of a dump. `x_key_value` None: self-attention."""
    letters = "kqv" if wrong.get("query-key-swapped") == "projections" else "qkv"
    query, key, value = (
        rounded(linear(x, params, letter, wrong))
        for x, letter in zip(sources(x_query, x_key_value, wrong), letters))
    half = wrong.get("half-precision")
    inner = rounder(getattr(torch, half)) if half else rounded
    mixed = attend(inner(query), inner(key), inner(value), heads, valid_lens, causal, wrong, hand,
                   empty, inner, rounds_scores)
    context, weights = mixed["context"], mixed["weights"]
    output = context if "no-output-projection" in wrong else rounded(
        linear(context, params, "o", wrong))
    if wrong.get("averaged-heads") == "average_attn_weights":
        weights = weights.mean(1)
    return dict(query=query, key=key, value=value, weights=weights, context=context, output=output,
                split=mixed["split"])


# --- "torch": nn.MultiheadAttention --------------------------------------------------------------

# What can be got wrong in calling it.
TORCH_MISTAKES = ("lens-ignored", "lens-inverted", "no-causal", "causal-cross", "causal-one-more",
                  "causal-one-less", "causal-mirrored", "kv-from-decoder", "q-from-encoder",
                  "k-from-decoder", "v-from-decoder", "averaged-heads", "dropout-on", "tiled-lens",
                  "lens-other-example", "lens-one-more", "lens-one-less")


def torch_block(params, x_query, x_key_value, heads, valid_lens, causal, wrong):
    """Weights and output alone: the rest stays inside."""
    dropout = float(wrong.get("dropout-on", 0))
    module = nn.MultiheadAttention(x_query.shape[-1], heads, dropout=dropout, batch_first=True,
                                   bias="b_q" in params, dtype=x_query.dtype)
    state = dict(in_proj_weight=torch.cat([params["w_" + letter] for letter in "qkv"]))
    state["out_proj.weight"] = params["w_o"]
    if "b_q" in params:
        state["in_proj_bias"] = torch.cat([params["b_" + letter] for letter in "qkv"])
        state["out_proj.bias"] = params["b_o"]
    module.load_state_dict(state)
    module.train()
    query, key, value = sources(x_query, x_key_value, wrong)
    shape = (query.shape[0], heads, query.shape[1], key.shape[1])
    visible = visible_by_masks(shape, valid_lens, causal, wrong).expand(shape)
    output, weights = module(query, key, value, attn_mask=~visible.flatten(0, 1),
                             average_attn_weights="averaged-heads" in wrong)
    return dict(weights=weights, output=output)
