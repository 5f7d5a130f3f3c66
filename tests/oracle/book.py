"""The transformer from the formulas of Dive into Deep Learning, 11.3 and 11.5 to 11.7, in plain
tensor operations. Masks are valid lengths: one for each example, or (2-D) one for each query, as
the decoder has them in training. One thing differs from the book: a length of 0 gives a row of
zeros, where the book's -1e6 gives equal weights."""
import math

import torch
from torch.nn import functional

from reference import positions


def masked_softmax(scores, valid_lens):
    """D2L 11.3.2.1; scores [B*H,Tq,Tk], valid_lens None, [B*H] or [B*H,Tq]."""
    if valid_lens is None:
        return torch.softmax(scores, -1)
    if valid_lens.dim() == 1:
        valid_lens = valid_lens[:, None].expand(-1, scores.shape[1])
    visible = torch.arange(scores.shape[2]) < valid_lens[:, :, None]
    return torch.softmax(scores.masked_fill(~visible, -1e6), -1) * visible


def transpose_qkv(x, heads):
    """[B,T,W] to [B*H,T,D] (D2L 11.5.2)."""
    x = x.reshape(x.shape[0], x.shape[1], heads, -1).permute(0, 2, 1, 3)
    return x.reshape(-1, x.shape[2], x.shape[3])


def transpose_output(x, heads):
    x = x.reshape(-1, heads, x.shape[1], x.shape[2]).permute(0, 2, 1, 3)
    return x.reshape(x.shape[0], x.shape[1], -1)


class Book:
    """`state` holds the tensors by headscope's names; autograd flows into those that ask for it."""

    def __init__(self, config, state):
        self.config, self.state = config, state
        self.weights = {}

    def get(self, name):
        return self.state[name]

    def linear(self, x, name):
        return x @ self.get(name + ".weight").T + self.get(name + ".bias")

    def norm(self, x, name):
        mean = x.mean(-1, keepdim=True)
        variance = ((x - mean) ** 2).mean(-1, keepdim=True)
        x = (x - mean) / torch.sqrt(variance + self.config["layernorm_epsilon"])
        return x * self.get(name + ".weight") + self.get(name + ".bias")

    def multihead(self, queries, keys, values, valid_lens, name, keep):
        """D2L 11.5.2; the three projections stand stacked in one tensor."""
        heads = self.config["heads"]
        weight = self.get(name + ".in_proj_weight").chunk(3)
        bias = self.get(name + ".in_proj_bias").chunk(3)
        q, k, v = (transpose_qkv(x @ w.T + b, heads)
                   for x, w, b in zip((queries, keys, values), weight, bias))
        if valid_lens is not None:
            valid_lens = torch.repeat_interleave(valid_lens, heads, dim=0)
        weights = masked_softmax(q @ k.transpose(1, 2) / math.sqrt(q.shape[-1]), valid_lens)
        self.weights.setdefault(keep, []).append(
            weights.reshape(-1, heads, *weights.shape[1:]))
        return self.linear(transpose_output(weights @ v, heads), name + ".out_proj")

    def feedforward(self, x, prefix):
        activation = {"relu": functional.relu, "gelu": functional.gelu}[self.config["activation"]]
        return self.linear(activation(self.linear(x, prefix + "linear1")), prefix + "linear2")

    def enter(self, x, norm):
        return self.norm(x, norm) if self.config["pre_norm"] else x

    def leave(self, x, branch, norm):
        return x + branch if self.config["pre_norm"] else self.norm(x + branch, norm)

    def embed(self, ids, name, first):
        x = self.get(name)[ids]
        if self.config["embedding_scale"]:
            x = x * math.sqrt(self.config["width"])
        return x + positions(self.config, first + ids.shape[1])[first:].to(x.dtype)

    def final(self, x, name):
        return self.norm(x, name) if self.config["final_norm"] else x

    def encode(self, source, enc_valid_lens):
        x = self.embed(source, "src_embedding.weight", 0)
        self.weights["encoder"] = []
        for layer in range(self.config["encoder_layers"]):
            prefix = f"encoder.layers.{layer}."
            y = self.enter(x, prefix + "norm1")
            y = self.multihead(y, y, y, enc_valid_lens, prefix + "self_attn", "encoder")
            x = self.leave(x, y, prefix + "norm1")
            y = self.feedforward(self.enter(x, prefix + "norm2"), prefix)
            x = self.leave(x, y, prefix + "norm2")
        return self.final(x, "encoder.norm")

    def start(self, source, enc_valid_lens):
        """The decoder's state (D2L 11.7.5): encoder outputs, their lengths, each block's keys."""
        encoded = self.encode(source, enc_valid_lens)
        return [encoded, enc_valid_lens, [None] * self.config["decoder_layers"]]

    def decode(self, target, state, dec_valid_lens):
        """Logits. In training the whole target at once and `dec_valid_lens` [B,T]; at prediction
        one token at a time, with None: what comes later is not there yet."""
        encoded, enc_valid_lens, key_values = state
        first = 0 if key_values[0] is None else key_values[0].shape[1]
        x = self.embed(target, "tgt_embedding.weight", first)
        self.weights["decoder"], self.weights["cross"] = [], []
        for layer in range(self.config["decoder_layers"]):
            prefix = f"decoder.layers.{layer}."
            y = self.enter(x, prefix + "norm1")
            seen = y if key_values[layer] is None else torch.cat((key_values[layer], y), dim=1)
            key_values[layer] = seen
            y = self.multihead(y, seen, seen, dec_valid_lens, prefix + "self_attn", "decoder")
            x = self.leave(x, y, prefix + "norm1")
            y = self.enter(x, prefix + "norm2")
            y = self.multihead(y, encoded, encoded, enc_valid_lens, prefix + "multihead_attn",
                               "cross")
            x = self.leave(x, y, prefix + "norm2")
            y = self.feedforward(self.enter(x, prefix + "norm3"), prefix)
            x = self.leave(x, y, prefix + "norm3")
        return self.linear(self.final(x, "decoder.norm"), "generator")

    def attentions(self):
        return {site: torch.stack(maps) for site, maps in self.weights.items()}


def causal_lens(target_lens, steps):
    """[B,T]: each query sees itself and what is before it, and no more than the target's length."""
    return torch.minimum(torch.arange(1, steps + 1)[None], target_lens[:, None])
