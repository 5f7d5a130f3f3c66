"""`headscope explain` against the same steps in PyTorch: scores, softmax, what one key adds."""
import json
import math
import os
import random
import re

import torch

import reference
import safetensors_io
from checks_program import FOREIGN, VOCAB, ModelFile, headscope, run_json
from report import Largest


class Call:
    """What every attention module was given in the last forward pass."""

    def __init__(self, model):
        self.given = {}
        for site, layer in {head[:2] for head in model.heads()}:
            model.attention(site, layer).register_forward_pre_hook(
                lambda module, args, name=(site, layer): self.given.update({name: args}))

    def head(self, model, site, layer, head):
        """Scores [Tq,Tk] before the mask, values [Tk,D] and columns of out_proj [W,D]."""
        module = model.attention(site, layer)
        width, heads = module.embed_dim, module.num_heads
        own = slice(head * width // heads, (head + 1) * width // heads)
        query, key, value = (
            torch.nn.functional.linear(given[0].double(), weight.double(), bias.double())[:, own]
            for given, weight, bias in zip(self.given[site, layer][:3],
                                           module.in_proj_weight.chunk(3),
                                           module.in_proj_bias.chunk(3)))
        scores = query @ key.T / math.sqrt(width // heads)
        return scores, value, module.out_proj.weight.double()[:, own]


def figure(text, before):
    """The first number after the words, which may be broken over lines."""
    words = r"\s+".join(map(re.escape, before.split()))
    return float(re.search(words + r"\s+([-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?)", text)[1])


def wanted_of(call, model, name, query, key):
    """None for the score of a key that is hidden and the rest of its story."""
    site, layer, head = name
    scores, values, columns = call.head(model, site, layer, head)
    seen = scores.shape[1] if site != "decoder" else query + 1
    weights = torch.softmax(scores[query, :seen], -1)
    if key >= seen:
        return scores[query, key], None
    added, context = weights[key] * values[key], weights @ values[:seen]
    return scores[query, key], dict(
        weight=weights[key], added=added.norm(), out=(columns @ added).norm(),
        whole=(columns @ context).norm(), share=100 * (added @ context) / (context @ context))


def compare_cell(model, call, text, cell, errors):
    name, query, key = cell
    page = headscope("explain", model.path, "--input", text, "{}.{}.{}".format(*name), str(query),
                     str(key))
    score, wanted = wanted_of(call, model.model, name, query, key)
    found = float(re.search(r"score: that / [\d.]+\s+([-+.\d]+)", page)[1])
    errors["scores"].add(torch.tensor(found), score)
    if wanted is None:
        assert "5. Here the story ends" in page, cell
        assert "The weight in the pass is 0." in page, cell
        return
    for kind, words in (("weight", "is the weight"), ("added", "becomes"),
                        ("out", "this value by this weight"), ("whole", "the whole head")):
        errors[kind].add(torch.tensor(figure(page, words)), wanted[kind])
    shares = re.search(r"against\s+it\):\n((?:.+\n)+)", page)[1]
    share = re.search(rf'^{key} "[^\n]*?([-+][\d.]+) %', shares, re.M)[1]
    errors["share"].add(torch.tensor(float(share)), wanted["share"])


def compare_model(report, model, name, count):
    draw = random.Random(2)
    errors = {kind: Largest() for kind in ("scores", "weight", "added", "out", "whole", "share")}
    call = Call(model.model)
    for text in model.inputs(4)[:3]:
        (line,) = run_json(model, [text])
        model.log_probs(text, line["tokens"])
        for _ in range(count):
            head = draw.choice(model.model.heads())
            queries = model.source(text).shape[1] if head[0] == "encoder" else len(line["tokens"])
            keys = len(line["tokens"]) if head[0] == "decoder" else model.source(text).shape[1]
            cell = head, draw.randrange(queries), draw.randrange(keys)
            compare_cell(model, call, text, cell, errors)
    # Printed with four decimals, weights with six, shares in percent with one.
    for kind, words, allowed in (
            ("scores", "scores of single cells", 1e-4), ("weight", "their weights", 2e-6),
            ("added", "lengths of weight times value", 1e-4),
            ("out", "the same after the output projection", 1e-4),
            ("whole", "the head's there", 1e-4),
            ("share", "shares of the context, in percent", 6e-2)):
        report.line(f"{name}: `explain`, {words}", errors[kind], allowed)


def explained_shipped_models(report, folder):
    for task in ("dates", "add"):
        path = os.path.join(os.path.dirname(__file__), f"../../assets/{task}.safetensors")
        if not os.path.exists(path):
            path = os.path.join(folder, task + ".safetensors")
            headscope("train", task, "--steps", "20", "-o", path)
        compare_model(report, ModelFile(path), os.path.basename(path), 20)


def explained_pre_norm(report, folder):
    """Random weights and biases, pre-norm."""
    torch.manual_seed(3)
    config = FOREIGN | dict(pre_norm=True, activation="gelu", positions="halves")
    model = reference.Reference(
        config | dict(source_vocab=len(VOCAB), target_vocab=len(VOCAB)))
    for tensor in model.parameters():
        tensor.data += 0.1 * torch.randn_like(tensor)
    path = os.path.join(folder, "foreign.safetensors")
    safetensors_io.write(path, {key: tensor.numpy() for key, tensor in model.state_dict().items()},
                         {"format": "headscope-1", "config": json.dumps(config),
                          "source_vocab": json.dumps(VOCAB), "target_vocab": json.dumps(VOCAB)})
    compare_model(report, ModelFile(path), "random, pre-norm with biases", 20)


CHECKS = (explained_shipped_models, explained_pre_norm)
