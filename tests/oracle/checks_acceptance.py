"""The snippets of README.md and docs/*.md as they stand there: run on a toy, once as they are
and once with a mistake in them, and judged by `headscope acceptance --dump`."""
import os
import subprocess
import sys

import docs

# A student's block, as D2L 11.5 has it.
MINE = """
import math
import torch
from torch import nn


class DotProductAttention(nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_lens):
        scores = torch.bmm(queries, keys.transpose(1, 2)) / math.sqrt(queries.shape[-1])
        hidden = torch.arange(scores.shape[2]) >= valid_lens[:, None, None]
        self.attention_weights = nn.functional.softmax(scores.masked_fill(hidden, -1e6), dim=-1)
        return torch.bmm(self.dropout(self.attention_weights), values)


class MultiHeadAttention(nn.Module):
    def __init__(self, num_hiddens, num_heads, dropout, bias=False):
        super().__init__()
        self.num_heads = num_heads
        self.attention = DotProductAttention(dropout)
        self.W_q = nn.LazyLinear(num_hiddens, bias=bias)
        self.W_k = nn.LazyLinear(num_hiddens, bias=bias)
        self.W_v = nn.LazyLinear(num_hiddens, bias=bias)
        self.W_o = nn.LazyLinear(num_hiddens, bias=bias)

    def transpose_qkv(self, X):
        X = X.reshape(X.shape[0], X.shape[1], self.num_heads, -1).permute(0, 2, 1, 3)
        return X.reshape(-1, X.shape[2], X.shape[3])

    def transpose_output(self, X):
        X = X.reshape(-1, self.num_heads, X.shape[1], X.shape[2]).permute(0, 2, 1, 3)
        return X.reshape(X.shape[0], X.shape[1], -1)

    def forward(self, queries, keys, values, valid_lens):
        queries = self.transpose_qkv(self.W_q(queries))
        keys = self.transpose_qkv(self.W_k(keys))
        values = self.transpose_qkv(self.W_v(values))
        valid_lens = torch.repeat_interleave(valid_lens, repeats=self.num_heads, dim=0)
        output = self.attention(queries, keys, values, valid_lens)
        return self.W_o(self.transpose_output(output))
"""

# A word of the snippet's own, its toy; mistakes: what is written in whose place.
SNIPPETS = (
    ("from mine import", "d2l", (
        ("repeat_interleave(valid_lens, repeats=self.num_heads, dim=0)",
         "tile(valid_lens, (self.num_heads,))", "tiled-lens"),
        ("X.reshape(X.shape[0], X.shape[1], self.num_heads, -1).permute(0, 2, 1, 3)",
         "X.reshape(X.shape[0], self.num_heads, X.shape[1], -1)", "one-reshape"),
        ("block.eval() ", "block.train()", ""))),
    ("torch.nn.MultiheadAttention(64", "trentorch", (
        ("average_attn_weights=False", "average_attn_weights=True", "weights-shape"),
        ("step > step[:, None]", "step > step[:, None] + 1", "causal-one-more"))),
    ("np.where(hidden", "d2l", (
        ("np.sqrt(q.shape[3])", "np.sqrt(100)", "scale-sqrt-width"),
        (".transpose(0, 2, 1, 3).reshape(toy", ".reshape(toy", "wrong-concat"),
        ('context @ toy["w_o"].T', "context", "projection"))),
    ("np.concatenate(mixes)", "udl", (
        ("scores.sum(0)", "scores.sum(1, keepdims=True)", "rows"),
        ('toy["w_o"] @', 'toy["w_o"].T @', "w-transposed"))),
)


def snippet_of(word):
    """(path, code) of the one block of Python that holds the word."""
    path, found = docs.python_block(word)
    assert "import d2l" not in found and "safetensors" not in found, path
    return path, found


def accept(folder, snippet, mine, preset, toy_options=()):
    """The status and the page of a hand-in made by the snippet."""
    program = os.path.abspath(os.environ["HEADSCOPE"])
    for name, text in (("run_mine.py", snippet), ("mine.py", mine)):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    toy = [program, "toy", "--preset", preset, *toy_options, "-o", "toy.npz"]
    subprocess.run(toy, cwd=folder, check=True, capture_output=True)
    subprocess.run([sys.executable, "run_mine.py"], cwd=folder, check=True, capture_output=True)
    judged = subprocess.run([program, "acceptance", "--toy", "toy.npz", "--dump", "mine.npz"],
                            cwd=folder, capture_output=True, text=True)
    return judged.returncode, judged.stdout


def acceptance_of_snippets(report, folder):
    for word, preset, mistakes in SNIPPETS:
        path, snippet = snippet_of(word)
        for seed in ("1", "2"):
            status, page = accept(folder, snippet, MINE, preset, ("--seed", seed))
            assert status == 0, f"{path}, {word}: status {status}\n{page}"
            assert " 0 failed" in page, page
        for right, wrong, named in mistakes:
            assert (right in snippet) != (right in MINE), f"{path}: {right}"
            status, page = accept(folder, snippet.replace(right, wrong),
                                  MINE.replace(right, wrong), preset)
            assert status == 1, f"{path}, {wrong}: status {status}\n{page}"
            assert named in page.split("checks passed")[1], f"{wrong}: not named {named}\n{page}"
        report.passed += 1
        print(f"ok     `acceptance` of the snippet in {path} ({word}): 0 as it stands, 1 with each of "
              f"{len(mistakes)} mistakes, each named", flush=True)


CHECKS = (acceptance_of_snippets,)
