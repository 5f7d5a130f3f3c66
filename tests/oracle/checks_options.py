"""Checks of what a pass can do besides the plain model: heads knocked out, valid lengths overridden,
causality off, forced beginnings. PyTorch gets the same by hand: weights zeroed, sequences cut, a
mask left out, the prefix run anew."""
import copy
from contextlib import contextmanager

import torch

import probe_run
import reference
from checks_model import SMALL, WIDE, largest_of, probes
from report import Largest


@contextmanager
def knocked_out(model, heads, mean=None):
    """Zeroes each head's columns of out_proj.weight; `mean` [W] of the layer, if given, goes on
    through these columns as a part of the bias."""
    saved = copy.deepcopy(model.state_dict())
    with torch.no_grad():
        for site, layer, head in heads:
            out = model.attention(site, layer).out_proj
            width = out.weight.shape[0] // model.config["heads"]
            columns = slice(head * width, (head + 1) * width)
            if mean is not None:
                out.bias += out.weight[:, columns] @ mean[columns]
            out.weight[:, columns] = 0
    yield
    model.load_state_dict(saved)


def head_means(model, batch):
    """{(site, layer): [W]}: the mean of all heads' outputs over the valid steps, read off as the
    layer's output where out_proj is the identity."""
    layers = {(site, layer): model.attention(site, layer) for site, layer, _ in model.heads()}
    calls, means = {}, {}
    for key, module in layers.items():
        def forward(*args, key=key, plain=module.forward, **kwargs):
            calls[key] = args, kwargs
            return plain(*args, **kwargs)
        module.forward = forward
    run(model, batch)
    for module in layers.values():
        del module.forward  # the class's own again
    for (site, layer), (args, kwargs) in calls.items():
        bare = copy.deepcopy(layers[site, layer])
        with torch.no_grad():
            bare.out_proj.weight.copy_(torch.eye(len(bare.out_proj.weight)))
            bare.out_proj.bias.zero_()
            outputs = bare(*args, **kwargs)[0]
        lens = batch["enc_valid_lens" if site == "encoder" else "dec_valid_lens"]
        means[site, layer] = outputs[torch.arange(outputs.shape[1])[None] < lens[:, None]].mean(0)
    return means


def run(model, batch, lens=None, causal=True):
    lens = lens or batch
    with torch.no_grad():
        return model(batch["source"], lens["enc_valid_lens"].long(), batch["target_in"],
                     lens["dec_valid_lens"].long(), causal)


def compare_knockouts(probe, model, batch, errors):
    """Each head in turn. PyTorch's own logits change by far more than the tolerance."""
    means, plain = head_means(model, batch), run(model, batch)
    for site, layer, head in model.heads():
        name = f"{site}.{layer}.{head}"
        with knocked_out(model, [(site, layer, head)]):
            wanted = run(model, batch)
        assert (wanted - plain).abs().max() > 1e-3, f"{name} does nothing"
        errors[f"zero {site}"].add(probe[f"zero/{name}"], wanted)
        with knocked_out(model, [(site, layer, head)], means[site, layer]):
            errors[f"mean {site}"].add(probe[f"mean/{name}"], run(model, batch))


def compare_lengths(probe, model, batch, errors):
    """Half of each length: as a mask, every step; and cut to it, the steps within."""
    half, logits = probe.group("half/"), probe["half/logits"]
    errors["lengths"].add(logits, run(model, batch, half))
    for b, (sources, targets) in enumerate(zip(half["enc_valid_lens"], half["dec_valid_lens"])):
        cut = dict(source=batch["source"][b : b + 1, :sources],
                   target_in=batch["target_in"][b : b + 1, :targets],
                   enc_valid_lens=sources[None], dec_valid_lens=targets[None])
        errors["cut"].add(logits[b : b + 1, :targets], run(model, cut))
    errors["not causal"].add(probe["not_causal/logits"], run(model, batch, causal=False))
    errors["not causal"].add(probe["half_not_causal/logits"], run(model, batch, half, False))


NAMES = [f"{kind} {site}" for kind in ("zero", "mean") for site in reference.SITES]
LINES = [(name, f"{name.split()[1]} heads knocked out by {name.split()[0]}, each in turn: logits")
         for name in NAMES] + [
    ("lengths", "half of each valid length, all steps: logits"),
    ("cut", "half of each valid length, against sequences cut to it: logits"),
    ("not causal", "causality off, with and without half of each length: logits")]


def report_lines(report, what, errors, tolerance):
    for name, line in LINES:
        report.line(f"{what}: {line}", errors[name], tolerance)


def double_options(report, folder):
    errors = largest_of(*[name for name, _ in LINES])
    for probe in probes(folder, True, probe_run.all_configs(**SMALL)):
        model = reference.load(probe.config, probe.parameters, torch.float64)
        compare_knockouts(probe, model, probe.batch(0), errors)
        compare_lengths(probe, model, probe.batch(0), errors)
    report_lines(report, "f64, 16 configs", errors, 1e-8)


def float_options(report, folder):
    # As without options: 1e-5 of the largest logit.
    errors = {name: Largest(1) for name, _ in LINES}
    for probe in probes(folder, False, probe_run.all_configs(**WIDE[0])):
        model = reference.load(probe.config, probe.parameters, torch.float32)
        compare_knockouts(probe, model, probe.batch(0), errors)
        compare_lengths(probe, model, probe.batch(0), errors)
    report_lines(report, "f32, width 64, 16 configs", errors, 1e-5)


def compare_forced(probe, model, kind, lens, causal, error):
    """Each step of each target by a pass over its prefix alone; what was not forced is the most
    probable token."""
    config, batch = probe.config, probe.batch(0)
    for b in range(len(batch["source"])):
        length = probe[f"{kind}/lengths"][b]
        tokens = probe[f"{kind}/tokens"][b, :length].tolist()
        forced = batch["target_out"][b, : min(b, batch["dec_valid_lens"][b])].tolist()
        assert tokens[: len(forced)] == forced[:length], "not what was forced"
        assert tokens[-1] == config["end_id"] or length == config["max_target"], "stopped early"
        assert config["end_id"] not in tokens[:-1], "went on past </s>"
        for k, token in enumerate(tokens):
            prefix = dict(
                source=batch["source"][b : b + 1],
                target_in=torch.tensor([[config["start_id"]] + tokens[:k]]),
                enc_valid_lens=(lens or batch)["enc_valid_lens"][b : b + 1],
                dec_valid_lens=torch.tensor([k + 1]))
            if lens and "dec_valid_lens" in lens:
                prefix["dec_valid_lens"] = lens["dec_valid_lens"][b : b + 1].clamp(max=k + 1)
            log_probs = torch.log_softmax(run(model, prefix, causal=causal)[0, -1], -1)
            error.add(probe[f"{kind}/log_probs"][b, k], log_probs[token])
            if k >= len(forced):
                error.add(log_probs[token], log_probs.max())


def forced_decoding(report, folder):
    errors = largest_of("forced", "forced_cached", "forced_anew")
    for probe in probes(folder, True, probe_run.all_configs(**SMALL)):
        model = reference.load(probe.config, probe.parameters, torch.float64)
        half = probe.group("half/")
        sources = {"enc_valid_lens": half["enc_valid_lens"]}
        compare_forced(probe, model, "forced", None, True, errors["forced"])
        with knocked_out(model, [(site, 1, 0) for site in reference.SITES]):
            compare_forced(probe, model, "forced_cached", sources, True, errors["forced_cached"])
            compare_forced(probe, model, "forced_anew", half, False, errors["forced_anew"])
    what = "f64, forced beginnings, each step by a pass over the prefix: "
    report.line(what + "the plain model", errors["forced"], 1e-8)
    report.line(what + "heads knocked out, half of each source", errors["forced_cached"], 1e-8)
    report.line(what + "and half of each target, causality off", errors["forced_anew"], 1e-8)


CHECKS = (double_options, float_options, forced_decoding)
