"""What people would hand in: random calls of an attention with given mistakes, in three number types,
whole or in part, as npz or safetensors, by the names of model/doctor/doctor.h."""
import math
import os

import numpy as np
import torch
from torch.nn import functional

import mistakes
import safetensors_io
from catalogue import known

PROJECTIONS = tuple(kind + letter for kind in ("w_", "b_") for letter in "qkvo")
SOURCES = ("x_query", "x_key_value")

# What a dump can hold.
PARTS = {
    "all": SOURCES + PROJECTIONS + ("query", "key", "value", "weights", "context", "output"),
    "inner": ("query", "key", "value", "weights", "context"),
    "scores": ("query", "key", "weights"),
    "mix": ("value", "weights", "context"),
    "torch": SOURCES + PROJECTIONS + ("weights", "output"),
    "ends": SOURCES + PROJECTIONS + ("output",),
    "weights": ("weights",),
}
ANY = ("all", "inner", "scores", "torch", "ends")
WHOLE = ("all", "torch", "ends")
# The parts in which each mistake can be seen, where not in ANY.
SEEN_IN = {
    "wrong-concat": ("all", "inner", "mix", "torch", "ends"),
    "concat-interleaved": ("all", "inner", "mix", "torch", "ends"),
    "kv-from-decoder": WHOLE, "q-from-encoder": WHOLE, "k-from-decoder": WHOLE,
    "v-from-decoder": WHOLE, "w-transposed": WHOLE, "bias-left-out": WHOLE,
    "no-output-projection": WHOLE,
    "dropout-on": ("all", "inner", "scores", "torch"),
    "averaged-heads": ("all", "inner", "scores", "torch"),
    "one-reshape": ANY + ("mix",),
    "interleaved-heads": ANY + ("mix",),
}
known(*SEEN_IN, *mistakes.TORCH_MISTAKES)
CROSS = known("kv-from-decoder", "q-from-encoder", "k-from-decoder", "v-from-decoder")
SQUARE = CROSS + known("query-key-swapped")
CAUSAL = known("no-causal", "causal-one-more", "causal-one-less", "causal-mirrored")
MASKED = known("mask-after", "mask-leaks")
EMPTY = known("empty-uniform", "empty-nan")
BEFORE_HEADS = CROSS + known("w-transposed", "bias-left-out")
SPLITS = known("one-reshape", "interleaved-heads")

TYPES = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}


def any_of(wrong, names):
    return any(name in wrong for name in names)


def can_be_together(wrong):
    """Whether these can be made in one call: not two of the same line of code."""
    lines = (SPLITS, ("wrong-concat", "concat-interleaved"),
             ("tiled-lens", "lens-one-more", "lens-one-less", "lens-other-example", "lens-ignored",
              "lens-inverted"), CAUSAL + ("causal-cross",),
             ("no-scale", "scale-sqrt-width", "scale-head-width"),
             ("softmax-queries", "softmax-heads"), MASKED + EMPTY, CROSS,
             ("dropout-on", "averaged-heads", "half-precision"))
    return all(sum(name in wrong for name in line) < 2 for line in lines)


class Call:
    """Shapes, numbers and options of one call; what depends on the mistakes is chosen so that they
    can be made at all."""

    def __init__(self, rng, wrong, kind=None, parts=None):
        self.rng, self.wrong = rng, dict(wrong)
        self.choose_way(parts)
        self.choose_shape()
        self.kind = "f32" if "half-precision" in wrong else kind or rng.choice(
            ("f32", "f32", "f16", "bf16"))
        self.empty = self.choose_empty()
        self.lens = self.choose_lens()
        self.saved_alone = self.kind in ("f16", "bf16") and rng.random() < 0.4
        self.rounds_scores = rng.random() < 0.5
        self.make_numbers()
        self.made = self.as_handed_in()

    def choose_way(self, parts):
        allowed = set(ANY + ("mix",))
        for name in self.wrong:
            allowed &= set(SEEN_IN.get(name, ANY))
        if self.wrong.get("query-key-swapped") == "projections":
            allowed &= set(WHOLE)
        self.parts = parts or self.rng.choice(sorted(allowed))
        hands = ["d2l", "view"]
        if "softmax-heads" in self.wrong:
            hands = ["view"]
        if all(name in mistakes.TORCH_MISTAKES for name in self.wrong) and self.parts in (
                "torch", "ends") and self.wrong.get("averaged-heads") != "mean":
            hands.append("torch")
        self.hand = self.rng.choice(hands)

    def choose_shape(self):
        rng, wrong = self.rng, self.wrong
        self.batch = rng.choice((1, 2, 2, 3, 3, 4))
        self.heads = rng.choice((1, 2, 2, 3, 4, 4, 5, 8, 16))
        self.head_width = rng.choice((1, 2, 3, 4, 4, 5, 8)) if self.heads < 8 else rng.choice((2, 4))
        sites = ["self", "decoder", "cross"]
        if any_of(wrong, CROSS):
            sites = ["cross"]
        if any_of(wrong, CAUSAL):
            sites = ["decoder"]
        if "causal-cross" in wrong:
            sites = ["self", "cross"]
        self.site = rng.choice(sites)
        self.causal = self.site == "decoder"
        self.queries, self.keys = rng.randint(1, 8), rng.randint(2, 8)
        if self.site != "cross" or any_of(wrong, SQUARE):
            self.queries = self.keys
        self.width = self.heads * self.head_width
        self.has_bias = "bias-left-out" in wrong or rng.random() < 0.5

    def choose_empty(self):
        """How the code leaves a query that sees nothing."""
        if "empty-uniform" in self.wrong or self.hand == "d2l":
            return "nan" if "empty-nan" in self.wrong else "uniform"
        if "empty-nan" in self.wrong or self.hand == "torch":
            return "nan"
        return self.rng.choice(("uniform", "nan", "zero"))

    def choose_lens(self):
        rng = self.rng
        lengths = any("lens" in name for name in self.wrong) or any_of(self.wrong, EMPTY)
        hides = any_of(self.wrong, MASKED) and not self.causal
        if not lengths and not hides and rng.random() < 0.3:
            return None
        shape = (self.batch, self.queries) if rng.random() < 0.2 else (self.batch,)
        lens = torch.tensor([rng.randint(1, self.keys) for _ in range(math.prod(shape))])
        if any_of(self.wrong, EMPTY):
            lens[rng.randrange(len(lens))] = 0
        return lens.reshape(shape)

    def make_numbers(self):
        generator = torch.Generator().manual_seed(self.rng.getrandbits(32))

        def normal(*shape):
            return torch.randn(*shape, generator=generator, dtype=torch.float64)

        width, sharpness = self.width, self.rng.choice((1.0, 1.5, 2.0))
        self.x_query = normal(self.batch, self.queries, width)
        self.x_key_value = normal(self.batch, self.keys, width) if self.site == "cross" else None
        self.params = {"w_" + letter: normal(width, width) / math.sqrt(width) for letter in "qkvo"}
        for letter in "qk":
            self.params["w_" + letter] *= math.sqrt(sharpness)
        if self.has_bias:
            self.params |= {"b_" + letter: 0.5 * normal(width) for letter in "qkvo"}
        if not self.saved_alone:  # the code has seen rounded numbers
            self.round_numbers()

    def round_numbers(self):
        rounded = mistakes.rounder(TYPES[self.kind])
        self.x_query = rounded(self.x_query)
        if self.x_key_value is not None:
            self.x_key_value = rounded(self.x_key_value)
        self.params = {name: rounded(tensor) for name, tensor in self.params.items()}

    def run(self, wrong, dtype, rounded=lambda x: x, hand=None, empty=None):
        hand = hand or self.hand
        params = {name: tensor.to(dtype) for name, tensor in self.params.items()}
        x_key_value = None if self.x_key_value is None else self.x_key_value.to(dtype)
        inputs = (params, self.x_query.to(dtype), x_key_value, self.heads, self.lens, self.causal,
                  wrong)
        if hand == "torch":
            return mistakes.torch_block(*inputs)
        return mistakes.block(*inputs, hand, empty or self.empty, rounded, self.rounds_scores)

    def as_handed_in(self):
        """The block's tensors as the code computes them, in the type that is stored."""
        torch.manual_seed(self.rng.getrandbits(32))
        dtype = TYPES[self.kind]
        if self.kind in ("f64", "f32") or (self.kind == "bf16" and not self.saved_alone):
            made = self.run(self.wrong, dtype)
        elif self.saved_alone or self.hand == "torch":
            made = self.run(self.wrong, torch.float32)
        else:
            made = self.run(self.wrong, torch.float32, mistakes.rounder(dtype))
        made |= dict(self.params, x_query=self.x_query)
        if self.x_key_value is not None:
            made["x_key_value"] = self.x_key_value
        return {name: tensor.to(dtype) if name != "split" else tensor
                for name, tensor in made.items()}

    def given(self):
        """Mistakes made before what the dump begins with: it bears no witness of them."""
        if any(name in PARTS[self.parts] for name in SOURCES):
            return {}
        return {name: way for name, way in self.wrong.items()
                if name in BEFORE_HEADS or (name, way) == ("query-key-swapped", "projections")}

    def mixed_anew(self, wrong):
        """Value and weights are given, whatever made them."""
        made = self.run(self.wrong, torch.float64)
        value = mistakes.split(made["value"], self.heads, wrong)
        context = mistakes.concat(made["weights"] @ value, wrong)
        return dict(value=made["value"], weights=made["weights"], context=context)

    def is_nothing(self):
        """Whether a tensor is NaN throughout: such a file is refused, whatever made it."""
        return any(self.made[name].isnan().all() for name in PARTS[self.parts]
                   if name in self.made)

    def dropped_nothing(self):
        """Whether dropout, left on, has by chance kept every weight that was there."""
        if "dropout-on" not in self.wrong:
            return False
        before = self.run({name: way for name, way in self.wrong.items() if name != "dropout-on"},
                          torch.float64)["weights"]
        return not ((self.made["weights"] == 0) & (before > 1e-3)).any()

    def exact(self, wrong, empty=None):
        """The tensors that are compared, in double, with other mistakes or none; None where the code
        would not run."""
        hand = "view" if self.hand == "torch" else self.hand
        if "softmax-heads" in wrong:
            hand = "view"
        try:
            made = self.run(self.given() | wrong, torch.float64, hand=hand, empty=empty)
            if self.parts == "mix":
                made |= self.mixed_anew(wrong)
        except RuntimeError:
            return None
        return {name: made[name] for name in PARTS[self.parts] if name in made}


# What can be seen in weights alone, besides mistakes: weights [B,H,Tq,Tk] to such weights.
SPOILS = {
    "identical heads": lambda weights: weights[:, :1].expand_as(weights).clone(),
    "logits": lambda weights: torch.log(weights + 1e-9),
    "NaN rows": lambda weights: weights.index_fill(2, torch.tensor([0]), math.nan),
    "first-token sink": lambda weights: 0.1 * weights + 0.9 * functional.one_hot(
        torch.zeros(weights.shape[:-1]).long(), weights.shape[-1]),
}


def draw(rng, wrong, **options):
    """A call that leaves something to look at."""
    call = Call(rng, wrong, **options)
    while call.is_nothing() or call.dropped_nothing():
        call = Call(rng, wrong, **options)
    return call


def shows(call, spoil):
    """Whether weights alone show it: a spoilt head needs a choice of keys, a mistake must give weight
    where there should be none, or sums other than 1."""
    made, right = call.made["weights"].double(), call.exact({})["weights"]
    if spoil or not call.wrong:
        choices = ((right > 0).sum(-1) > 1).sum(-1)  # [B,H]
        enough = not spoil or (call.heads > 1 and (choices > 1).any())
        return bool(enough and made.isfinite().all())
    if made.dim() == 3:
        return call.heads > 1 and bool((made > 0).sum() > 2)
    if made.isnan().any():
        return False
    sums = made.sum(-1)
    seen = ((sums - 1).abs() > 0.05).any() and made.shape[-1] > 1 and made.shape[-2] > 1
    return bool(seen if "softmax-queries" in call.wrong else ((made > 1e-4) & (right == 0)).any())


class Dump:
    """The tensors of a call as they stand in a file, and the options that go with them."""

    def __init__(self, call, spoil=None):
        self.call = call
        made = call.made
        if spoil:
            made["weights"] = spoil(made["weights"])
        self.tensors = {name: made[name] for name in PARTS[call.parts] if name in made}
        self.lay_out(made)
        self.said = dict(heads=call.heads, site=call.site, causal=int(call.causal))
        self.in_file = call.rng.random() < 0.8

    def flags(self):
        """What is said on the command line; the rest stands in the file."""
        flags = ["--layout", self.layout]
        if not self.in_file:
            flags += ["--heads", str(self.call.heads), "--site", self.call.site]
        return tuple(flags)

    def describe(self):
        return {name: list(tensor.shape) for name, tensor in self.tensors.items()}

    def lay_out(self, made):
        """Projected tensors packed, or where the split is no part of the question, with heads on an
        axis of their own or folded; weights with heads or folded."""
        call, rng = self.call, self.call.rng
        self.layout = "BTW"
        if call.parts in ("inner", "scores") and not any_of(call.wrong, SPLITS):
            self.layout = rng.choice(("BTW", "BHTD", "FTD"))
        if self.layout != "BTW":
            for name, tensor in zip(("query", "key", "value"), made["split"]):
                if name in self.tensors:
                    tensor = tensor.to(TYPES[call.kind])
                    self.tensors[name] = tensor.flatten(0, 1) if self.layout == "FTD" else tensor
            if "context" in self.tensors and not any_of(call.wrong, ("wrong-concat",
                                                                     "concat-interleaved")):
                context = mistakes.split(self.tensors["context"], call.heads, {})
                self.tensors["context"] = (context.flatten(0, 1) if self.layout == "FTD" else
                                           context)
        weights = self.tensors.get("weights")
        if weights is not None and weights.dim() == 4 and (
                self.layout == "FTD" or (self.layout == "BTW" and call.hand == "d2l")):
            self.tensors["weights"] = weights.flatten(0, 1)
            if call.parts == "weights":
                self.layout = "FTD"  # [B*H,Tq,Tk] could be one map for each of B*H examples

    def write(self, path_without_ending):
        """Returns the file's path. Old NumPy has no bfloat16, so that goes as safetensors."""
        tensors = {name: tensor.detach().contiguous() for name, tensor in self.tensors.items()}
        if self.call.lens is not None:
            tensors["valid_lens"] = self.call.lens
        said = self.said if self.in_file else {}
        if self.call.kind == "bf16" or self.call.rng.random() < 0.5:
            path = path_without_ending + ".safetensors"
            safetensors_io.write(path, tensors, {name: str(value) for name, value in said.items()})
        else:
            path = path_without_ending + ".npz"
            np.savez(path, **{name: tensor.numpy() for name, tensor in tensors.items()}, **said)
        return path
