"""`headscope check` over hand-ins whose mistakes are known: it must name the mistake, or one that the
oracle itself shows to give the same numbers on that input, and must raise nothing where all is
right."""
import csv
import io
import itertools
import math
import os
import random
import subprocess
from collections import Counter, defaultdict

import torch

import docs
import dumps
import mistakes
from catalogue import known

EACH, SOUND, PAIRS, PARTIAL = 20, 500, 100, 100

# The precision of each type: half the step between neighbours of 1.
HALF_STEP = {"f64": 2.0**-53, "f32": 2.0**-24, "f16": 2.0**-11, "bf16": 2.0**-8}


# --- the program ---------------------------------------------------------------------------------

def ask_doctor(paths_and_flags):
    """{path: row of the csv}; one call for all files that share their options."""
    groups = defaultdict(list)
    for path, flags in paths_and_flags:
        groups[flags].append(path)
    rows = {}
    for flags, paths in groups.items():
        done = subprocess.run([os.environ["HEADSCOPE"], "check", "--csv", *flags, *paths],
                              capture_output=True, text=True, check=False)
        assert done.returncode in (0, 1), f"{' '.join(flags)}: {done.stderr}"
        for row in csv.DictReader(io.StringIO(done.stdout)):
            rows[row["file"]] = row
    missing = [path for path, _ in paths_and_flags if path not in rows]
    assert not missing, f"nothing was said of {missing[:3]}"
    return rows


# --- whether two mistakes are the same on an input -----------------------------------------------

def distance(one, other):
    """The largest difference of two calls' tensors, by name; infinite where shapes or NaN differ."""
    if one is None or other is None:
        return {"": math.inf}
    largest = {}
    for name in one:
        a, b = one[name].double(), other[name].double()
        if a.dim() != b.dim():  # averaged over the heads, or not
            a, b = torch.broadcast_tensors(*(x if x.dim() == 4 else x[:, None] for x in (a, b)))
        if a.shape != b.shape or not torch.equal(a.isnan(), b.isnan()):
            return {"": math.inf}
        largest[name] = (a - b).nan_to_num().abs().max().item() if a.numel() else 0.0
    return largest


def allowed(call, exact):
    """By name: how far the code's own rounding takes a dump from the exact numbers of its mistake,
    twice, and at least some half steps of its type at the tensor's largest number."""
    own = distance(exact, {name: call.made[name] for name in exact})
    step = 4 * HALF_STEP[call.kind]
    return {name: max(2 * own.get(name, 0), step * max(
        1, exact[name].nan_to_num().abs().max().item())) for name in exact}


def same_on(call, named):
    """Whether a set of mistakes, made in any of its ways, gives what the call's own give."""
    truth = call.exact(call.wrong)
    limits = allowed(call, truth)
    for ways in itertools.product(*(mistakes.WAYS[name] for name in named)):
        for empty in mistakes.HIDING:  # whatever a softmax over nothing but hidden scores leaves
            differences = distance(truth, call.exact(dict(zip(named, ways)), empty))
            if all(value <= limits.get(name, 0) for name, value in differences.items()):
                return True
    return False


def names_in(text, mark):
    return sorted({name for name in text.split(mark) if name})


# What weights show by themselves, where nothing is there to compute them from.
LOOKS = known("row-sums", "weight-on-padding", "weight-on-future", "identical-heads",
              "lens-ignored", "nan-rows", "empty-nan", "mask-leaks")


def judge(call, row):
    """"named", "same" or "missed"."""
    said = names_in(row["kinds"], "+")
    if row["verdict"] not in ("sound", "unchecked", "fault") or (row["verdict"] == "fault") != bool(said):
        return "missed"
    if any(tensor.isnan().any() for name, tensor in call.made.items() if name != "split"):
        said = [name for name in said if name != "empty-nan" or name in call.wrong]
    if said == sorted(call.wrong):
        return "named"
    if call.parts == "mix" and not any(name in call.wrong for name in dumps.SEEN_IN):
        return "same" if all(name in LOOKS or name in call.wrong for name in said) else "missed"
    unknown = [name for name in said if name not in mistakes.WAYS]
    return "same" if not unknown and same_on(call, said) else "missed"


# Those with a number of their own, that may be any, or with chance in them.
FREE = known("mask-leaks", "dropout-on", "half-precision")


def wrongly_alike(call, row):
    """Which of the mistakes that are said to be the same as the one named are not."""
    if "+" in row["kinds"] or row["verdict"] != "fault":
        return []
    return [name for name in names_in(row["same"], "|")
            if name not in FREE and not same_on(call, [name])]


# --- the table -----------------------------------------------------------------------------------

VERDICTS = ("named", "same", "missed")


class Table:
    """Counts by kind; what was missed, one line each, goes where DOCTOR_MISSES says."""

    def __init__(self):
        self.counts, self.misses, self.wrong_claims = defaultdict(Counter), [], 0

    def add(self, kind, verdict, call, row, path):
        self.counts[kind][verdict] += 1
        alike = wrongly_alike(call, row)
        self.counts[kind]["claims"] += len(names_in(row["same"], "|"))
        self.wrong_claims += len(alike)
        if verdict == "missed" or alike:
            self.misses.append(
                f"{kind}: {call.wrong} B{call.batch} H{call.heads} Tq{call.queries} "
                f"Tk{call.keys} D{call.head_width} {call.site} {call.kind} "
                f"{'saved' if call.saved_alone else ''} {call.hand} empty {call.empty} "
                f"parts {call.parts} lens {None if call.lens is None else call.lens.tolist()} "
                f"{os.path.basename(path)} said: {row['verdict']} {row['kinds']} "
                f"{row['error']} {row['right_error']} {row['message']} wrongly alike: {alike}")

    def count(self, *verdicts):
        return sum(counts[verdict] for counts in self.counts.values() for verdict in verdicts)

    def lines(self):
        """As the documentation has it."""
        yield "| mistake | dumps | named | the same on this input | missed |"
        yield "|---|---|---|---|---|"
        for kind, counts in self.counts.items():
            shown = [counts[verdict] for verdict in VERDICTS]
            yield f"| {kind} | {sum(shown)} | " + " | ".join(map(str, shown)) + " |"


def examine(calls, folder, table):
    """Writes the dumps of [(kind, call)], has them all examined, and counts."""
    written = []
    for number, (kind, call) in enumerate(calls):
        dump = dumps.Dump(call)
        path = dump.write(os.path.join(folder, f"{number:04d}-{kind.replace(' ', '-')}"))
        written.append((path, dump.flags(), kind, call))
    rows = ask_doctor([(path, flags) for path, flags, _, _ in written])
    for path, _, kind, call in written:
        table.add(kind, judge(call, rows[path]), call, rows[path], path)


def say(report, table, what):
    report.none(f"{what}: missed", table.count("missed"), table.count(*VERDICTS))
    claims = table.count("claims")
    if claims:
        report.none(f"{what}: said to be the same and not so", table.wrong_claims, claims)
    if os.environ.get("DOCTOR_MISSES"):
        with open(os.environ["DOCTOR_MISSES"], "a", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in table.misses)


def one_of(rng, names):
    name = rng.choice(names)
    return {name: rng.choice(mistakes.WAYS[name])}


def doctor_names_mistakes(report, folder):
    rng, table = random.Random(11), Table()
    calls = [(name, dumps.draw(rng, one_of(rng, [name])))
             for name in mistakes.WAYS for _ in range(EACH)]
    calls += [("none", dumps.draw(rng, {})) for _ in range(SOUND)]
    examine(calls, folder, table)
    print("\n".join(table.lines()))
    if os.environ.get("DOCTOR_TABLE"):
        docs.write_between("<!-- the doctor's table -->", "<!-- its end -->",
                           "\n".join(table.lines()))
    say(report, table, f"{len(calls) - SOUND} dumps of {len(mistakes.WAYS)} mistakes and "
        f"{SOUND} without one")


def doctor_names_pairs(report, folder):
    """Two mistakes at once, the whole block in the file."""
    rng, table, calls = random.Random(13), Table(), []
    while len(calls) < PAIRS:
        wrong = one_of(rng, sorted(mistakes.WAYS)) | one_of(rng, sorted(mistakes.WAYS))
        if len(wrong) == 2 and dumps.can_be_together(wrong):
            calls.append(("pair", dumps.draw(rng, wrong, parts="all")))
    examine(calls, folder, table)
    say(report, table, f"{PAIRS} dumps with two mistakes")


def doctor_reads_parts(report, folder):
    """Any mistake, whether what is left of the dump can show it or not."""
    rng, table = random.Random(14), Table()
    parts = sorted(set(dumps.PARTS) - {"all", "weights"})
    kinds = sorted(set(mistakes.WAYS) - {"dropout-on", "averaged-heads"})
    examine([("part", dumps.draw(rng, one_of(rng, kinds), parts=rng.choice(parts)))
             for _ in range(PARTIAL)], folder, table)
    say(report, table, f"{PARTIAL} dumps of a part of the tensors")


# What weights alone show, and the names for it.
ALONE = {name: {name} for name in known(
    "lens-ignored", "lens-one-more", "lens-inverted", "tiled-lens", "no-causal", "causal-one-more",
    "causal-mirrored", "softmax-queries", "averaged-heads")}
SPOILED = {"identical heads": {"identical-heads"}, "logits": {"logits"},
           "NaN rows": {"nan-rows", "empty-nan"}, "first-token sink": {""}}


def same_zeros(call, kinds):
    """Whether a mistake that was named hides the same keys."""
    truth = call.exact(call.wrong)["weights"] > 0
    return any(name in mistakes.WAYS and any(
        torch.equal(truth, call.exact({name: way}, empty)["weights"] > 0)
        for way in mistakes.WAYS[name] for empty in mistakes.HIDING) for name in kinds)


def doctor_looks_at_weights(report, folder):
    """Weights alone, with nothing to compute them from: what is visibly wrong must be called so, and
    nothing else."""
    rng, bad, count, misses = random.Random(15), 0, 0, []
    plans = [({name: mistakes.WAYS[name][0]}, None, names) for name, names in ALONE.items()]
    plans += [({}, spoil, names) for spoil, names in SPOILED.items()] + [({}, None, {""})] * 10
    for wrong, spoil, names in plans:
        for _ in range(5):
            call = dumps.draw(rng, wrong, parts="weights", kind="f32")
            while not dumps.shows(call, spoil):
                call = dumps.draw(rng, wrong, parts="weights", kind="f32")
            dump = dumps.Dump(call, dumps.SPOILS[spoil] if spoil else None)
            path = dump.write(os.path.join(folder, f"alone-{count:03d}"))
            row = ask_doctor([(path, dump.flags())])[path]
            count += 1
            kinds = set(row["kinds"].split("+"))
            if not names & kinds and not (wrong and same_zeros(call, kinds)):
                bad += 1
                misses.append(f"alone: {wrong} {spoil} {dump.describe()} said: {row}")
    report.none(f"{count} files of weights alone: not seen for what they are", bad, count)
    if os.environ.get("DOCTOR_MISSES"):
        with open(os.environ["DOCTOR_MISSES"], "a", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in misses)


CHECKS = (doctor_names_mistakes, doctor_looks_at_weights, doctor_names_pairs, doctor_reads_parts)
