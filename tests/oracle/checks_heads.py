"""Checks of `heads` and `ablate`: figures and similarity by NumPy from exported weights, ablation by
PyTorch with the head's columns of out_proj zeroed."""
import json
import os
import subprocess

import numpy as np
import torch

from checks_program import ModelFile, headscope, read_arrays, run_json
from report import Largest

SITES = ("encoder", "decoder", "cross")
ASSETS = os.path.join(os.path.dirname(__file__), "../../assets")
FIGURES = ("entropy", "spread", "distance", "largest", "previous", "self", "next", "first", "last",
           "diagonal")


def a_model(task, folder):
    """The shipped one; before it is trained, one of a few steps."""
    path = os.path.join(ASSETS, task + ".safetensors")
    if not os.path.exists(path):
        path = os.path.join(folder, task + ".safetensors")
        headscope("train", task, "--steps", "20", "-o", path)
    return ModelFile(path)


def exported(model, text, folder):
    """{name: (weights, counts of seen keys)} of every head."""
    path = os.path.join(folder, "weights.npz")
    headscope("export", model.path, "--input", text, "--data", path)
    arrays = read_arrays(path)
    return {name: (arrays[name].astype(np.float64), arrays[name + ".key_len"])
            for name in arrays if name.startswith(SITES) and name + ".key_len" in arrays}


def figures_of(site, weights, counts):
    """As docs/heads.md says, from whole arrays; rows that see one key do not count."""
    rows = np.flatnonzero(counts >= 2)
    w, n = weights[rows], counts[rows]
    queries, keys = weights.shape
    logs = np.zeros_like(w)
    np.log2(w, out=logs, where=w > 0)
    entropy = -(w * logs).sum(1)
    causal = site == "decoder"

    def at(columns, allowed=True):
        """The mean weight on one key a row, over the rows that see it."""
        seen = (columns >= 0) & (columns < n) & allowed
        return w[seen, columns[seen]].mean() if seen.any() else None

    line = np.floor(rows * (keys - 1) / max(queries - 1, 1) + 0.5).astype(int)
    own = None if site == "cross" else rows
    distance = np.abs(rows[:, None] - np.arange(keys)[None])
    return {
        "entropy": entropy.mean(), "spread": (entropy / np.log2(n)).mean(),
        "largest": w.max(1).mean(), "first": w[:, 0].mean(),
        "last": None if causal else at(n - 1),
        "distance": None if own is None else (w * distance).sum(1).mean(),
        "previous": None if own is None else at(own - 1),
        "self": None if own is None else at(own),
        "next": None if own is None or causal else at(own + 1),
        "diagonal": at(line) if site == "cross" else None,
    }


def heads_json(command, model, *arguments):
    found = json.loads(headscope(command, model.path, "--json", *arguments))
    return found, {head["head"]: head for head in found["heads"]}


def figures_against_numpy(report, folder):
    """Means over texts of different lengths, and their standard errors."""
    means, errors = Largest(1), Largest(1)
    for task, texts in (("dates", ["3 May 2021", "2021-12-31", "Montag, 3. Mai 2021"]),
                        ("copy", ["4a", "bad0cafe"])):
        model = a_model(task, folder)
        maps = [exported(model, text, folder) for text in texts]
        _, heads = heads_json("heads", model, *[w for text in texts for w in ("--input", text)])
        assert set(heads) == set(maps[0])
        for name, head in heads.items():
            each = [figures_of(head["site"], *one[name]) for one in maps]
            for figure in FIGURES:
                values = [one[figure] for one in each]
                if values[0] is None:
                    assert head[figure] is None and head[figure + "_error"] is None, figure
                    continue
                means.add(torch.tensor([head[figure]]), torch.tensor([np.mean(values)]))
                wanted = np.std(values, ddof=1) / np.sqrt(len(values))
                errors.add(torch.tensor([head[figure + "_error"]]), torch.tensor([wanted]))
    # The texts are padded to the longest here and run alone for export: float sums of another order.
    report.line("dates and copy: figures of `heads` from exported weights", means, 1e-5)
    report.line("dates and copy: standard errors of the figures", errors, 1e-5)


def relative_entropy(p, q):
    seen = p > 0
    return (p[seen] * np.log2(p[seen] / q[seen])).sum()


def compared(a, b, seen, rows):
    """Of the rows that count: largest and mean difference, correlation, and the mean divergence: of each row's mixture m,
    (D(a || m) + D(b || m)) / 2, which is Lin's definition by relative entropies (1991)."""
    seen, a, b = seen[rows], a[rows], b[rows]
    x, y = a[seen], b[seen]
    divergences = [(relative_entropy(p, (p + q) / 2) + relative_entropy(q, (p + q) / 2)) / 2
                   for p, q in zip(a, b, strict=True)]
    return (np.abs(x - y).max(), np.abs(x - y).mean(), np.corrcoef(x, y)[0, 1],
            np.mean(divergences))


def probe_maps(maps, real):
    """What probe_maps.c says of all pairs, [n, n, 5], where the first `real` rows are no padding."""
    numbers = [len(maps), *maps[0][0].shape, real]
    for weights, counts in maps:
        numbers += [*counts, *weights.ravel()]
    words = " ".join(repr(number.item() if hasattr(number, "item") else number)
                     for number in numbers)
    out = subprocess.run([os.environ["PROBE_MAPS"]], input=words, check=True, capture_output=True,
                         text=True).stdout
    return np.array(out.split(), dtype=float).reshape(len(maps), len(maps), 5)


def comparison_against_numpy(report, folder):
    names = ("largest difference", "mean difference", "correlation", "divergence")
    errors = [Largest() for _ in names]
    similarity = Largest()
    model = a_model("dates", folder)
    maps = exported(model, "3 May 2021", folder)
    site_padding = {"encoder": 3, "decoder": 0, "cross": 2}  # rows that are taken for padding
    for site in SITES:
        group = [one for name, one in maps.items() if name.startswith(site)]
        seen = np.arange(group[0][0].shape[1])[None] < group[0][1][:, None]
        real = len(group[0][0]) - site_padding[site]
        # A row of padding is of no text, and one that sees a single key has the weight 1 in any head.
        rows = np.flatnonzero(group[0][1][:real] >= 2)
        found = probe_maps(group, real)
        for i, (a, _) in enumerate(group):
            for j, (b, _) in enumerate(group):
                wanted = compared(a, b, seen, rows)
                similarity.add(torch.tensor([found[i, j, 0]]), torch.tensor([1 - wanted[3]]))
                for k, error in enumerate(errors):
                    error.add(torch.tensor([found[i, j, 1 + k]]), torch.tensor([wanted[k]]))
    # Doubles on both sides, from the same floats; the correlation of some hundred products.
    for name, error in zip(names, errors, strict=True):
        report.line(f"dates: {name} of all pairs of heads", error, 1e-12)
    # The fast logarithm is off by 2e-6 bits at most.
    report.line("dates: similarity of all pairs of heads", similarity, 1e-5)


def attention_of(model, head):
    layers = (model.model.encoder if head["site"] == "encoder" else model.model.decoder).layers
    layer = layers[head["layer"]]
    return layer.multihead_attn if head["site"] == "cross" else layer.self_attn


def ablation_against_pytorch(report, folder):
    """Zeroing a head is zeroing its columns of out_proj.weight."""
    changes, errors, whole = Largest(), Largest(), Largest()
    model = a_model("add", folder)
    texts = ["58+967", "9999+1", "7+8"]
    targets = [line["tokens"] for line in run_json(model, texts)]
    found, heads = heads_json("ablate", model, *[w for text in texts for w in ("--input", text)])

    def log_probs():
        return np.array([model.log_probs(text, target).sum().item()
                         for text, target in zip(texts, targets, strict=True)])

    before = log_probs()
    whole.add(torch.tensor([found["log_prob"]]), torch.tensor([before.mean()]))
    width = model.config["width"] // model.config["heads"]
    for head in heads.values():
        weight = attention_of(model, head).out_proj.weight
        kept = weight.detach().clone()
        with torch.no_grad():
            weight[:, head["index"] * width : (head["index"] + 1) * width] = 0
            off = log_probs() - before
            weight.copy_(kept)
        changes.add(torch.tensor([head["log_prob_change"]]), torch.tensor([off.mean()]))
        wanted = off.std(ddof=1) / np.sqrt(len(texts))
        errors.add(torch.tensor([head["log_prob_change_error"]]), torch.tensor([wanted]))
    assert max(abs(head["log_prob_change"]) for head in heads.values()) > 0.01, "nothing changes"
    # Sums of up to six log-probabilities of logits of size 10 in float.
    report.line("add: log-probability of the outputs in `ablate`", whole, 1e-4)
    report.line("add: its change with each head's columns of out_proj zeroed", changes, 1e-4)
    report.line("add: the standard error of the change", errors, 1e-4)


CHECKS = (figures_against_numpy, comparison_against_numpy, ablation_against_pytorch)
