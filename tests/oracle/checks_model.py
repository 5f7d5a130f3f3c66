"""Checks of the library, by the probe: PyTorch's Transformer, and the book's formulas."""
import os

import torch

import book
import probe_run
import reference
from report import Largest

SMALL = dict(width=24, heads=3, encoder_layers=2, decoder_layers=3, ffn_width=40)
WIDE = (dict(width=64, heads=4, encoder_layers=2, decoder_layers=2, ffn_width=256),
        dict(width=128, heads=8, encoder_layers=2, decoder_layers=2, ffn_width=256))


def probes(folder, double, configs, empty=False):
    program = os.environ["PROBE_DOUBLE" if double else "PROBE"]
    for seed, config in enumerate(configs):
        yield probe_run.Probe(program, folder, config, seed, empty)


def masked_are_zero(probe):
    """A weight past the count of visible keys is exactly 0."""
    batch = probe.batch(0)
    sources = batch["enc_valid_lens"]
    lens = {"encoder": sources[:, None], "cross": sources[:, None],
            "decoder": book.causal_lens(batch["dec_valid_lens"], batch["target_in"].shape[1])}
    for site, key_len in lens.items():
        weights = probe[f"{site}_attentions"]
        masked = torch.arange(weights.shape[-1]) >= key_len[:, :, None]
        assert (weights * masked[None, :, None] == 0).all(), f"{site}: a masked weight is not 0"


def compare_pass(probe, forward, attentions, parameters, errors):
    """Forward and backward on the first batch, padded steps included."""
    logits, loss = probe_run.loss_by(forward, probe.batch(0))
    loss.backward()
    errors["logits"].add(probe["logits"], logits)
    for site, weights in attentions().items():
        errors["attention"].add(probe[f"{site}_attentions"], weights)
    errors["loss"].add(probe["loss"], loss.reshape(1))
    gradients = probe.group("gradients/")
    assert set(gradients) == set(parameters)
    for name, parameter in parameters.items():
        wanted = parameter.grad if parameter.grad is not None else torch.zeros_like(parameter)
        errors["gradients"].add(gradients[name], wanted)
    masked_are_zero(probe)


def compare_training(probe, forward, parameters, errors):
    batches = [probe.batch(0), probe.batch(1)]
    losses, norms = probe_run.train(forward, list(parameters.values()), batches)
    errors["after Adam"].add(probe["losses"], losses)
    errors["after Adam"].add(probe["norms"], norms)
    for name, tensor in probe.group("after/").items():
        errors["after Adam"].add(tensor, parameters[name])


def largest_of(*names):
    return {name: Largest() for name in names}


def float_against_pytorch(report, folder):
    # Logits go up to 12 where there is no final norm; there PyTorch's own f32 differs from its f64
    # by 8e-6, as headscope's does.
    errors = largest_of("attention", "loss") | dict(logits=Largest(1), gradients=Largest(1e-3))
    for sizes in WIDE:
        for probe in probes(folder, False, probe_run.all_configs(**sizes)):
            model = reference.load(probe.config, probe.parameters, torch.float32)
            compare_pass(probe, model, model.attentions, dict(model.named_parameters()), errors)
    what = "f32, widths 64 and 128, 32 configs: "
    report.line(what + "logits", errors["logits"], 1e-5)
    report.line(what + "attention weights of the three sites", errors["attention"], 1e-5)
    report.line(what + "loss", errors["loss"], 1e-5)
    # Sums of some hundred terms in another order: 24 bits keep 4 to 5 digits of the largest.
    report.line(what + "gradients", errors["gradients"], 1e-4)


def double_against_pytorch(report, folder):
    errors = largest_of("logits", "attention", "loss", "gradients", "after Adam")
    for probe in probes(folder, True, probe_run.all_configs(**SMALL)):
        model = reference.load(probe.config, probe.parameters, torch.float64)
        parameters = dict(model.named_parameters())
        compare_pass(probe, model, model.attentions, parameters, errors)
        compare_training(probe, model, parameters, errors)
    for name in ("logits", "attention", "loss", "gradients"):
        report.line(f"f64, 16 configs: {name}", errors[name], 1e-8)
    report.line("f64, 16 configs: losses, norms and parameters of ten Adam steps",
                errors["after Adam"], 1e-8)


def book_of(probe):
    state = {name: torch.from_numpy(array).clone() for name, array in probe.parameters.items()}
    for name, tensor in state.items():
        held = name.endswith(("in_proj_bias", "out_proj.bias"))
        tensor.requires_grad = probe.config["attention_bias"] or not held
    return book.Book(probe.config, state)


def empty_against_book(report, folder):
    """Examples with no source, no target or neither, among others."""
    errors = largest_of("logits", "attention", "loss", "gradients", "after Adam")
    for probe in probes(folder, True, probe_run.all_configs(**SMALL), empty=True):
        written = book_of(probe)

        def forward(source, source_lens, target, target_lens):
            return written.decode(target, written.start(source, source_lens),
                                  book.causal_lens(target_lens, target.shape[1]))

        assert (probe.batch(0)["enc_valid_lens"] == 0).any()
        compare_pass(probe, forward, written.attentions, written.state, errors)
        compare_training(probe, forward, written.state, errors)
    for name in ("logits", "attention", "loss", "gradients"):
        report.line(f"f64, lengths of 0, by the book's formulas: {name}", errors[name], 1e-8)
    report.line("f64, lengths of 0, by the book's formulas: ten Adam steps", errors["after Adam"],
                1e-8)


def decoder_against_book(report, folder):
    """D2L 11.7.5: in training the lengths are [1, 2, ..., T] for every example, padding or not; at
    prediction the keys and values grow by one step at a time."""
    at_once, stepwise, same = Largest(), Largest(), Largest()
    for probe in probes(folder, True, probe_run.all_configs(**SMALL)):
        written, batch = book_of(probe), probe.batch(0)
        target, targets = batch["target_in"], batch["dec_valid_lens"]
        steps = target.shape[1]
        valid = torch.arange(steps)[None] < targets[:, None]
        with torch.no_grad():
            state = written.start(batch["source"], batch["enc_valid_lens"])
            lens = torch.arange(1, steps + 1).repeat(len(target), 1)
            trained = written.decode(target, state, lens)
            state = written.start(batch["source"], batch["enc_valid_lens"])
            predicted = torch.cat([written.decode(target[:, t : t + 1], state, None)
                                   for t in range(steps)], dim=1)
        ours = probe["stepwise_logits"].transpose(0, 1)
        at_once.add(probe["logits"][valid], trained[valid])
        stepwise.add(ours, predicted)
        same.add(ours[valid], probe["logits"][valid])
    report.line("f64, D2L's decoder in training: logits of the valid steps", at_once, 1e-8)
    report.line("f64, D2L's decoder at prediction: logits with growing keys and values", stepwise,
                1e-8)
    report.line("f64, cached decoding against the whole prefix", same, 1e-8)


def log_probs_of(model, source, tokens, config):
    """Of each written token, and the most probable one's, given the ones before."""
    target = torch.tensor([[config["start_id"]] + tokens[:-1]])
    logits = model(source, torch.tensor([source.shape[1]]), target,
                   torch.tensor([target.shape[1]]))
    every = torch.log_softmax(logits[0].detach(), -1)
    return every[torch.arange(len(tokens)), tokens], every.max(-1).values


def decoding_against_pytorch(report, folder):
    greedy, beam = Largest(), Largest()
    for probe in probes(folder, True, probe_run.all_configs(**SMALL)):
        config, batch = probe.config, probe.batch(0)
        model = reference.load(config, probe.parameters, torch.float64)

        def compare(error, kind, row, example):
            length = probe[f"{kind}/lengths"][row]
            tokens = probe[f"{kind}/tokens"][row, :length].tolist()
            source = batch["source"][example : example + 1, : batch["enc_valid_lens"][example]]
            wanted, best = log_probs_of(model, source, tokens, config)
            error.add(probe[f"{kind}/log_probs"][row, :length], wanted)
            ended = tokens[-1] == config["end_id"]
            assert ended or length == config["max_target"], "stopped too early"
            assert config["end_id"] not in tokens[:-1], "went on past </s>"
            return wanted, best

        for example in range(len(batch["source"])):
            wanted, best = compare(greedy, "greedy", example, example)
            greedy.add(wanted, best)
        scores = probe["beam/scores"]
        assert len(scores) == 3 and (scores[:-1] >= scores[1:]).all(), "beams are not best first"
        for row, score in enumerate(scores):
            wanted, _ = compare(beam, "beam", row, 0)
            beam.add(score, wanted.sum() / len(wanted) ** 0.75)
    report.line("f64, greedy decoding: log-probabilities, each the largest", greedy, 1e-8)
    report.line("f64, beam of 3: log-probabilities and scores", beam, 1e-8)


CHECKS = (double_against_pytorch, empty_against_book, decoder_against_book,
          decoding_against_pytorch, float_against_pytorch)
