"""The code that `headscope traps` prints beside its maps, run as it stands: wrong and right give
what the plain kernel gives with the trap's mistake and without."""
import math
import os
import re
import subprocess

import numpy as np
import torch

from catalogue import FIELDS, KINDS
from checks_program import headscope
from report import Largest

B, H, T, D = 2, 2, 5, 3  # as many queries as keys, where the trap is of self-attention
W = H * D
LENS = [5, 3]
# Where the gallery tries a trap, and the keys of a call there.
KEYS = {"no-causal": T}
CROSS_KEYS = 6


def printed(name, *options):
    """(wrong, right) as they stand on the page."""
    page = headscope("traps", name, *options)
    lines = {}
    for side in ("wrong", "right"):
        found = re.search(rf"^{side}  (.*(?:\n       .*)*)", page, re.M).group(1)
        lines[side] = re.sub(r"\s*\n\s*", " ", found)
    return lines["wrong"], lines["right"]



class Decoder:
    """D2L's decoder block, of which the code calls the attention."""

    def __init__(self):
        self.lens = "not called"

    def attention1(self, queries, keys, values, lens):
        self.lens = lens

    attention2 = attention1


def masked_softmax(scores, lens):
    """D2L 11.3, word by word; a length of 0 leaves a uniform row."""
    shape = scores.shape
    if lens is None:
        return scores.softmax(-1)
    lens = lens.repeat_interleave(shape[1]) if lens.dim() == 1 else lens.reshape(-1)
    flat = scores.reshape(-1, shape[-1]).clone()
    mask = torch.arange(flat.size(1))[None, :] < lens[:, None]
    flat[~mask] = -1e6
    return flat.reshape(shape).softmax(-1)


class Call:
    """One call, of which one line is the code in question; all others are right."""

    def __init__(self, code, keys, causal, lens, query, key, value):
        self.code, self.keys, self.causal = code, keys, causal
        self.valid_lens = torch.tensor(lens)
        self.q, self.k, self.v = query, key, value

    def run(call, /, **names):  # the code itself may name a self
        """The names after the code, which finds `names` and those of the call."""
        names |= dict(torch=torch, math=math, B=B, H=H, D=D, W=W, num_hiddens=W, num_heads=H)
        exec(call.code, {}, names)  # the test's own program printed it
        return names

    def defines(self, name):
        return re.search(rf"(^|; ?){name} = ", self.code) is not None

    def split(self, x):
        if self.defines("q"):
            return self.run(q=x, T=x.shape[1])["q"]
        return x.reshape(B, x.shape[1], H, D).transpose(1, 2)

    def lens(self):
        """Of the folded rows, [B*H] or [B*H, T]; None: no mask."""
        causal = torch.arange(1, T + 1).minimum(self.valid_lens[:, None])
        lens = causal if self.causal else self.valid_lens
        if "self.attention1" in self.code or "self.attention2" in self.code:
            block = Decoder()
            self.run(self=block, X=None, Y=None, enc=None, T=T, valid_lens=self.valid_lens,
                     enc_valid_lens=self.valid_lens)
            lens = block.lens
        if lens is None:
            return None
        if self.defines("valid_lens"):
            return self.run(valid_lens=lens)["valid_lens"]
        return torch.repeat_interleave(lens, H, dim=0)

    def weights_and_context(self):
        q, k, v = (self.split(x) for x in (self.q, self.k, self.v))
        lens = self.lens()
        mask = torch.ones(B * H, T, self.keys, dtype=torch.bool)
        if lens is not None:
            lens = lens[:, None] if lens.dim() == 1 else lens
            mask = (torch.arange(self.keys) < lens[:, :, None]).expand(B * H, T, self.keys)
        mask = mask.reshape(B, H, T, self.keys)
        scores = q @ k.transpose(-2, -1) / math.sqrt(D)
        if self.defines("scores") and "mask" not in self.code:
            scores = self.run(q=q, k=k)["scores"]
        weights = self.soften(scores, mask)
        out = weights @ v
        if self.defines("out"):
            return weights, self.run(out=out, T=T)["out"]
        return weights, out.transpose(1, 2).reshape(B, T, W)

    def soften(self, scores, mask):
        hidden = scores.masked_fill(~mask, -1e6)
        if self.defines("weights") and "masked_fill(~mask, 0)" in self.code:
            return self.run(weights=hidden.softmax(-1), mask=mask)["weights"]
        if "nan_to_num" in self.code:
            return self.run(weights=scores.masked_fill(~mask, -math.inf).softmax(-1))["weights"]
        if self.defines("weights") and "mask" not in self.code:
            return self.run(scores=hidden)["weights"] * mask  # of the columns of hidden cells, too
        if self.defines("weights"):
            return self.run(scores=scores.clone(), mask=mask)["weights"]
        if self.defines("scores") and "mask" in self.code:
            return self.run(scores=scores.clone(), mask=mask)["scores"].softmax(-1)
        return hidden.softmax(-1) * mask


def plain(fields, keys, causal, lens, query, key, value):
    """weights and context by the plain kernel."""
    numbers = [B, H, T, keys, D] + [fields.get(name, 0) for name in FIELDS]
    numbers += [int(causal), B] + lens
    for tensor in (query, key, value, torch.zeros(B, T, W)):
        numbers += tensor.flatten().tolist()
    done = subprocess.run([os.environ["PROBE_MISTAKES"]], capture_output=True, text=True,
                          check=True, input=" ".join(map(repr, numbers)))
    found = torch.from_numpy(np.array(done.stdout.split(), dtype=np.float64))
    context, rest = found[: B * T * W], found[B * T * W:]
    return rest[: B * H * T * keys].reshape(B, H, T, keys), context.reshape(B, T, W)


# What a trap sets.
TRAPS = {name: kind["rules"][0] for name, kind in KINDS.items() if kind["trap"]}


def code_beside_maps(report, folder):
    torch.manual_seed(5)
    errors = {"wrong": Largest(), "right": Largest()}
    for name, fields in TRAPS.items():
        keys, causal = KEYS.get(name, CROSS_KEYS), name == "no-causal"
        lens = [5, 0] if name.startswith("empty") else LENS
        tensors = (torch.randn(B, T, W).double(), torch.randn(B, keys, W).double(),
                   torch.randn(B, keys, W).double())
        for side, code in zip(("wrong", "right"), printed(name), strict=True):
            found = Call(code, keys, causal, lens, *tensors).weights_and_context()
            wanted = plain(fields if side == "wrong" else {}, keys, causal, lens, *tensors)
            for mine, theirs in zip(found, wanted, strict=True):
                assert torch.equal(mine.isnan(), theirs.isnan()), (name, side, "NaN")
                errors[side].add(mine.nan_to_num(), theirs.nan_to_num())
    for side, error in errors.items():
        # Scores of -1e6 leave nothing of a hidden weight in double.
        report.line(f"{len(TRAPS)} traps: what the {side} code gives, as the plain kernel", error,
                    1e-9)


def no_repeat_stops(report, folder):
    """It stops with the very error that the page prints; with one head it is right."""
    wrong = 0
    for heads in (1, 2, 4):
        page = headscope("traps", "no-repeat", "--heads", str(heads), "--width", "8")
        scores = torch.randn(B * heads, T, CROSS_KEYS)
        try:
            masked_softmax(scores, torch.tensor(LENS))
            wrong += "It fails" in page or "IndexError" in page or heads > 1
        except IndexError as problem:
            said = " ".join(page.split())
            wrong += f"IndexError: {problem}" not in said or heads == 1
    report.none("calls without the repeat that do not end as the page says", wrong, 3)


CHECKS = (code_beside_maps, no_repeat_stops)
