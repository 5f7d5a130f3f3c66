"""The plain kernel with each mistake (model/kernels/mistakes.h) against the same mistake as PyTorch code has
it: weights, context, and the gradients, which models that are trained with a trap need."""
import os
import random
import subprocess

import numpy as np
import torch

import book_mistaken
import mistakes
import probe_run
from catalogue import FIELDS, KINDS
from checks_model import SMALL, book_of, largest_of
from report import Largest

# The mistakes that are rules of the plain kernel, but for those of rows that see nothing: `empty` says
# what becomes of these. What each way sets (mistakes.WAYS), in the order of the program's rules.
RULES = {name: kind["rules"] for name, kind in KINDS.items()
         if kind["rules"] and "empty" not in kind["rules"][0]}
EMPTY = FIELDS["empty"]


def rule_of(name, way):
    """The fields that a mistake sets, made in one of its ways."""
    adds, fills = KINDS["mask-leaks"]["rules"]
    if name != "mask-leaks":
        return RULES[name][mistakes.WAYS[name].index(way)]
    if way == "times":
        return fills | dict(mask_value=0)
    if way == "add bool":
        return adds | dict(mask_value=1)
    kind, value = way.split()
    return (adds if kind == "add" else fills) | dict(mask_value=float(value))


def fields_of(wrong, empty):
    found = dict.fromkeys(FIELDS, 0) | dict(mask_value=0.0, empty=EMPTY.index(empty))
    for name, way in wrong.items():
        found |= {field: value for field, value in rule_of(name, way).items() if value}
    if found["mask"]:
        found["empty"] = 0  # nothing is removed
    return found


# Causality where there should be none.
ADDED = FIELDS["causal"].index("added")


class Case:
    """A call on random numbers. Causal sites have as many keys as queries."""

    def __init__(self, rng, wrong, hand, empty):
        self.wrong, self.hand, self.empty = wrong, hand, empty
        self.heads, self.head_width = rng.randint(1, 5), rng.randint(1, 5)
        self.batch, self.queries, self.keys = rng.randint(1, 4), rng.randint(1, 6), rng.randint(1, 6)
        made_causal = any(RULES[name][0].get("causal", ADDED) != ADDED for name in wrong)
        self.causal = "causal-cross" not in wrong and (made_causal or rng.random() < 0.3)
        if self.causal:
            self.keys = self.queries
        self.lens = None
        lengths = any("lens" in name for name in wrong)
        if lengths or rng.random() < 0.7:
            shape = (self.batch, self.queries) if rng.random() < 0.3 else (self.batch,)
            self.lens = torch.randint(0, self.keys + 1, shape)
        width = self.heads * self.head_width
        self.query, self.d_context = (torch.randn(self.batch, self.queries, width).double()
                                      for _ in range(2))
        self.key, self.value = (torch.randn(self.batch, self.keys, width).double()
                                for _ in range(2))

    def text(self):
        """The case as the probe reads it."""
        fields = fields_of(self.wrong, self.empty)
        lens = [] if self.lens is None else self.lens.flatten().tolist()
        numbers = [self.batch, self.heads, self.queries, self.keys, self.head_width]
        numbers += [fields[name] for name in FIELDS]
        numbers += [int(self.causal), len(lens)] + lens
        for tensor in (self.query, self.key, self.value, self.d_context):
            numbers += tensor.flatten().tolist()
        return " ".join(map(repr, numbers))

    def by_pytorch(self):
        """context, weights, d_query, d_key, d_value."""
        leaves = [x.clone().requires_grad_() for x in (self.query, self.key, self.value)]
        made = mistakes.attend(*leaves, self.heads, self.lens, self.causal, self.wrong, self.hand,
                               self.empty)
        made["context"].backward(self.d_context)
        return [made["context"].detach(), made["weights"].detach()] + [x.grad for x in leaves]


def compare(case, numbers, forward, backward):
    """Takes the case's share of the probe's numbers, and returns the rest."""
    for place, wanted in enumerate(case.by_pytorch()):
        found = torch.from_numpy(numbers[: wanted.numel()].reshape(wanted.shape))
        numbers = numbers[wanted.numel():]
        if place < 2:
            assert torch.equal(found.isnan(), wanted.isnan()), (case.wrong, case.hand, "NaN")
            empty = wanted.isnan().any().item()
        if place < 2 or not empty:  # autograd spreads NaN further than the numbers go
            (forward if place < 2 else backward).add(found.nan_to_num(), wanted.nan_to_num())
    return numbers


def run_cases(cases, forward, backward):
    done = subprocess.run([os.environ["PROBE_MISTAKES"]], capture_output=True, text=True,
                          check=True, input="\n".join(case.text() for case in cases))
    numbers = np.array(done.stdout.split(), dtype=np.float64)
    for case in cases:
        numbers = compare(case, numbers, forward, backward)
    assert not numbers.size, "the probe wrote more than was asked"



def names_are_the_programs(report, folder):
    """Every mistake that the doctor can name, or that runs as a trap, is made here, and no other."""
    wanted = {name for name, kind in KINDS.items() if kind["verdict"] or kind["trap"]}
    apart = sorted(wanted ^ set(mistakes.WAYS))
    report.none(f"mistakes of the program or of mistakes.py alone ({', '.join(apart)})",
                len(apart), len(wanted))


def plain_mistakes(report, folder):
    """Each mistake, each way, each hand, each kind of empty row; and the right call."""
    rng = random.Random(1)
    torch.manual_seed(1)
    forward, backward = Largest(), Largest()
    plans = [{}] + [{name: way} for name in RULES for way in mistakes.WAYS[name]]
    cases = [Case(rng, wrong, hand, empty) for wrong in plans for hand in ("d2l", "view")
             for empty in EMPTY for _ in range(4)]
    run_cases(cases, forward, backward)
    what = f"{len(plans) - 1} ways of {len(RULES)} mistakes in {len(cases)} calls"
    report.line(f"{what}: the plain kernel's weights and context", forward, 1e-9)
    report.line(f"{what}: its gradients", backward, 1e-9)


def plain_mistakes_together(report, folder):
    """Some of each field at once."""
    rng = random.Random(2)
    torch.manual_seed(2)
    forward, backward = Largest(), Largest()
    cases = []
    for _ in range(300):
        wrong, fields = {}, set()
        for name in rng.sample(sorted(RULES), 4):
            (field,) = set(RULES[name][0]) - {"mask_value"}
            if field not in fields:
                wrong[name] = rng.choice(mistakes.WAYS[name])
                fields.add(field)
        cases.append(Case(rng, wrong, rng.choice(("d2l", "view")), rng.choice(tuple(EMPTY))))
    run_cases(cases, forward, backward)
    report.line(f"up to 4 mistakes at once in {len(cases)} calls: weights and context", forward,
                1e-9)
    report.line(f"up to 4 mistakes at once in {len(cases)} calls: gradients", backward, 1e-9)


def in_config(wrong):
    """As a model's config has it."""
    fields = fields_of(wrong, "zero")
    return {name: words[fields[name]] if words else fields[name] for name, words in FIELDS.items()}


def sites_of(name):
    causal = RULES[name][0].get("causal")
    if causal == ADDED:
        return ("encoder", "cross")
    return ("decoder",) if causal else ("encoder", "decoder", "cross")


def network_with_mistakes(report, folder):
    """Whole models, each with a mistake at one site: forward, backward, ten steps of Adam."""
    rng = random.Random(3)
    errors = largest_of("logits", "attention", "loss", "gradients", "after Adam")
    base = list(probe_run.all_configs(**SMALL))
    for seed, name in enumerate(RULES):
        site, way = rng.choice(sites_of(name)), rng.choice(mistakes.WAYS[name])
        config = rng.choice(base) | dict(mistakes={site: in_config({name: way})})
        probe = probe_run.Probe(os.environ["PROBE_DOUBLE"], folder, config, seed,
                                training=True)
        state = book_of(probe).state
        model = book_mistaken.MistakenBook(probe.config, state, {site: {name: way}},
                                           rng.choice(("d2l", "view")))
        compare_network(probe, model, state, errors)
    for what in ("logits", "attention", "loss", "gradients", "after Adam"):
        report.line(f"f64, {len(RULES)} models with a mistake each: {what}", errors[what], 1e-8)


SLICES = 4  # as model/training/trainer.c has it


def in_slices(forward):
    """The trainer cuts a batch, ordered by length, into slices padded to their own longest. To a
    mistake that reads padding or other examples it matters which these are."""
    def sliced(source, source_lens, target, target_lens):
        order = torch.argsort(source_lens + target_lens, stable=True)
        size, pieces = len(order), {}
        for number in range(SLICES):
            rows = order[size * number // SLICES : size * (number + 1) // SLICES]
            if len(rows):
                sources, targets = source_lens[rows], target_lens[rows]
                logits = forward(source[rows, : sources.max()], sources,
                                 target[rows, : targets.max()], targets)
                padded = torch.nn.functional.pad(
                    logits, (0, 0, 0, target.shape[1] - logits.shape[1]))
                pieces |= dict(zip(rows.tolist(), padded))
        return torch.stack([pieces[row] for row in range(size)])
    return sliced


def compare_network(probe, model, state, errors):
    logits, loss = probe_run.loss_by(model.forward, probe.batch(0))
    loss.backward()
    errors["logits"].add(probe["logits"], logits)
    errors["loss"].add(probe["loss"], loss.reshape(1))
    for site, weights in model.attentions().items():
        errors["attention"].add(probe[f"{site}_attentions"], weights)
    for name, gradient in probe.group("gradients/").items():
        wanted = state[name].grad
        errors["gradients"].add(gradient, torch.zeros_like(gradient) if wanted is None else wanted)
    losses, norms = probe_run.train(in_slices(model.forward), list(state.values()),
                                    [probe.batch(0), probe.batch(1)])
    errors["after Adam"].add(probe["losses"], losses)
    errors["after Adam"].add(probe["norms"], norms)
    for name, tensor in probe.group("after/").items():
        errors["after Adam"].add(tensor, state[name])


CHECKS = (names_are_the_programs, plain_mistakes, plain_mistakes_together, network_with_mistakes)
