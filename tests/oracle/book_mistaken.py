"""The book's transformer with mistakes in its attention, as mistakes.py has them."""
import torch

import book
import mistakes


class MistakenBook(book.Book):
    """`wrong` is {site: {mistake: way}}. A query that sees nothing gets nothing."""

    def __init__(self, config, state, wrong, hand):
        super().__init__(config, state)
        self.wrong, self.hand = wrong, hand

    def multihead(self, queries, keys, values, valid_lens, name, keep):
        weight = self.get(name + ".in_proj_weight").chunk(3)
        bias = self.get(name + ".in_proj_bias").chunk(3)
        query, key, value = (x @ w.T + b for x, w, b in zip((queries, keys, values), weight, bias))
        made = mistakes.attend(query, key, value, self.config["heads"], valid_lens,
                               keep == "decoder", self.wrong.get(keep, {}), self.hand, "zero")
        weights = made["weights"]
        self.weights.setdefault(keep, []).append(weights)
        return self.linear(made["context"], name + ".out_proj")

    def forward(self, source, source_lens, target, target_lens):
        return self.decode(target, self.start(source, source_lens), target_lens)
