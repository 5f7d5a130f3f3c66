"""peer.py WHAT SIZE THREADS COUNT MODEL: what bench/engine.c does, in PyTorch, on the same weights.
Prints "milliseconds check", the median of COUNT repetitions and a number that must agree.

  step      a training step with nn.Transformer's layers and torch.optim.Adam
  step-lean the same written by hand: one product for query, key and value, no module calls
  decode    greedy decoding with a hand-written cache of keys and values
  forward   one example forward
  capture   the same, and every attention map kept
"""
import json
import math
import os
import struct
import sys
import time

import numpy as np
import torch
from torch.nn import functional as F

WHAT, SIZE, THREADS, COUNT, MODEL = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
torch.set_num_threads(THREADS)
torch.manual_seed(0)
WIDTH, HEADS, LAYERS, BATCH, STEPS = {
    "S": (64, 4, 2, 64, 12), "M": (128, 8, 3, 64, 24),
    "L": (256, 8, 3, 64, 32), "XL": (512, 8, 6, 16, 64)}[SIZE]
VOCABULARY = 32


def read_model(path):
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        body = file.read()
    return {name: torch.from_numpy(np.frombuffer(
        body[entry["data_offsets"][0]:entry["data_offsets"][1]], dtype="<f4")
        .reshape(entry["shape"]).copy()) for name, entry in header.items() if name != "__metadata__"}


def token(b, t, stream):
    return 4 + (b * 31 + t * 17 + stream * 7 + b * t) % (VOCABULARY - 4)


def make_batch(examples):
    source = torch.tensor([[token(b, t, 0) for t in range(STEPS)] for b in range(examples)])
    out = torch.tensor([[token(b, t, 1) for t in range(STEPS)] for b in range(examples)])
    into = torch.cat([torch.full((examples, 1), 1), out[:, :-1]], 1)
    return source, into, out


def position_table():
    index = torch.arange(STEPS, dtype=torch.float64)[:, None]
    angle = index / torch.pow(10000, torch.arange(0, WIDTH, 2, dtype=torch.float64) / WIDTH)
    table = torch.zeros(STEPS, WIDTH, dtype=torch.float64)
    table[:, 0::2], table[:, 1::2] = torch.sin(angle), torch.cos(angle)
    return table.float()


POSITIONS = position_table()
FUTURE = torch.full((STEPS, STEPS), -math.inf).triu(1)


# --- written by hand -----------------------------------------------------------------------------

class Lean(torch.nn.Module):
    def __init__(self, tensors):
        super().__init__()
        self.p = torch.nn.ParameterDict(
            {name.replace(".", "/"): torch.nn.Parameter(tensor) for name, tensor in tensors.items()})
        self.kept = None

    def __getitem__(self, name):
        return self.p[name.replace(".", "/")]

    def split(self, x):
        return x.view(x.shape[0], x.shape[1], HEADS, WIDTH // HEADS).transpose(1, 2)

    def mix(self, q, k, v, mask):
        scores = self.split(q) @ self.split(k).transpose(2, 3) / math.sqrt(WIDTH // HEADS)
        if mask is not None:
            scores = scores + mask
        weights = torch.softmax(scores, -1)
        if self.kept is not None:
            self.kept.append(weights)
        return (weights @ self.split(v)).transpose(1, 2).reshape(q.shape)

    def own(self, x, name, mask):
        q, k, v = F.linear(x, self[name + ".in_proj_weight"], self[name + ".in_proj_bias"]).chunk(3, -1)
        return F.linear(self.mix(q, k, v, mask), self[name + ".out_proj.weight"],
                        self[name + ".out_proj.bias"])

    def cross(self, x, memory, name):
        weight, bias = self[name + ".in_proj_weight"], self[name + ".in_proj_bias"]
        q = F.linear(x, weight[:WIDTH], bias[:WIDTH])
        k, v = F.linear(memory, weight[WIDTH:], bias[WIDTH:]).chunk(2, -1)
        return F.linear(self.mix(q, k, v, None), self[name + ".out_proj.weight"],
                        self[name + ".out_proj.bias"])

    def norm(self, x, name):
        return F.layer_norm(x, (WIDTH,), self[name + ".weight"], self[name + ".bias"], 1e-5)

    def feed(self, x, name):
        hidden = F.relu(F.linear(x, self[name + ".linear1.weight"], self[name + ".linear1.bias"]))
        return F.linear(hidden, self[name + ".linear2.weight"], self[name + ".linear2.bias"])

    def encode(self, source):
        x = F.embedding(source, self["src_embedding.weight"]) * math.sqrt(WIDTH) + POSITIONS
        for layer in range(LAYERS):
            name = f"encoder.layers.{layer}"
            x = self.norm(x + self.own(x, name + ".self_attn", None), name + ".norm1")
            x = self.norm(x + self.feed(x, name), name + ".norm2")
        return x

    def decode(self, target, memory):
        steps = target.shape[1]
        x = F.embedding(target, self["tgt_embedding.weight"]) * math.sqrt(WIDTH) + POSITIONS[:steps]
        for layer in range(LAYERS):
            name = f"decoder.layers.{layer}"
            x = self.norm(x + self.own(x, name + ".self_attn", FUTURE), name + ".norm1")
            x = self.norm(x + self.cross(x, memory, name + ".multihead_attn"), name + ".norm2")
            x = self.norm(x + self.feed(x, name), name + ".norm3")
        return F.linear(x, self["generator.weight"], self["generator.bias"])

    def forward(self, source, target):
        return self.decode(target, self.encode(source))


# --- by nn.Transformer ---------------------------------------------------------------------------

class Modules(torch.nn.Module):
    def __init__(self, tensors):
        super().__init__()
        options = dict(d_model=WIDTH, nhead=HEADS, dim_feedforward=4 * WIDTH, dropout=0.0,
                       batch_first=True)
        encoder = torch.nn.TransformerEncoder(torch.nn.TransformerEncoderLayer(**options), LAYERS,
                                              enable_nested_tensor=False)
        decoder = torch.nn.TransformerDecoder(torch.nn.TransformerDecoderLayer(**options), LAYERS)
        self.net = torch.nn.Transformer(d_model=WIDTH, nhead=HEADS, batch_first=True,
                                        custom_encoder=encoder, custom_decoder=decoder)
        self.net.src_embedding = torch.nn.Embedding(VOCABULARY, WIDTH)
        self.net.tgt_embedding = torch.nn.Embedding(VOCABULARY, WIDTH)
        self.net.generator = torch.nn.Linear(WIDTH, VOCABULARY)
        self.net.load_state_dict(tensors, strict=True)

    def forward(self, source, target):
        net = self.net
        return net.generator(net(
            net.src_embedding(source) * math.sqrt(WIDTH) + POSITIONS,
            net.tgt_embedding(target) * math.sqrt(WIDTH) + POSITIONS, tgt_mask=FUTURE))


# --- what is timed -------------------------------------------------------------------------------

def median_ms(run, warm):
    times = []
    for i in range(-warm, COUNT):
        before = time.perf_counter()
        run()
        if i >= 0:
            times.append((time.perf_counter() - before) * 1e3)
    return sorted(times)[len(times) // 2]


def train(model):
    source, into, out = make_batch(BATCH)
    adam = torch.optim.Adam(model.parameters(), lr=1e-4, betas=(0.9, 0.999), eps=1e-8)
    losses = []

    def step():
        adam.zero_grad(set_to_none=True)
        loss = F.cross_entropy(model(source, into).view(-1, VOCABULARY), out.view(-1))
        loss.backward()
        adam.step()
        losses.append(loss.item())

    taken = median_ms(step, 2)
    print(f"{taken:.4f} {losses[0]:.6f}")


def decode(model):
    source = make_batch(1)[0]
    tokens = []

    def one():
        tokens.clear()
        memory = model.encode(source)
        cross, own = [], []
        for layer in range(LAYERS):
            name = f"decoder.layers.{layer}.multihead_attn"
            k, v = F.linear(memory, model[name + ".in_proj_weight"][WIDTH:],
                            model[name + ".in_proj_bias"][WIDTH:]).chunk(2, -1)
            cross.append((model.split(k).transpose(2, 3), model.split(v)))
            own.append((torch.empty(1, HEADS, STEPS, WIDTH // HEADS),
                        torch.empty(1, HEADS, STEPS, WIDTH // HEADS)))
        scale, step_token = 1 / math.sqrt(WIDTH // HEADS), 1
        for t in range(STEPS):
            x = F.embedding(torch.tensor([[step_token]]), model["tgt_embedding.weight"])
            x = x * math.sqrt(WIDTH) + POSITIONS[t]
            for layer in range(LAYERS):
                name = f"decoder.layers.{layer}"
                q, k, v = F.linear(x, model[name + ".self_attn.in_proj_weight"],
                                   model[name + ".self_attn.in_proj_bias"]).chunk(3, -1)
                keys, values = own[layer]
                keys[:, :, t], values[:, :, t] = model.split(k)[:, :, 0], model.split(v)[:, :, 0]
                weights = torch.softmax(model.split(q) @ keys[:, :, :t + 1].transpose(2, 3) * scale, -1)
                y = (weights @ values[:, :, :t + 1]).transpose(1, 2).reshape(1, 1, WIDTH)
                y = F.linear(y, model[name + ".self_attn.out_proj.weight"],
                             model[name + ".self_attn.out_proj.bias"])
                x = model.norm(x + y, name + ".norm1")
                at = name + ".multihead_attn"
                q = F.linear(x, model[at + ".in_proj_weight"][:WIDTH], model[at + ".in_proj_bias"][:WIDTH])
                weights = torch.softmax(model.split(q) @ cross[layer][0] * scale, -1)
                y = (weights @ cross[layer][1]).transpose(1, 2).reshape(1, 1, WIDTH)
                y = F.linear(y, model[at + ".out_proj.weight"], model[at + ".out_proj.bias"])
                x = model.norm(x + y, name + ".norm2")
                x = model.norm(x + model.feed(x, name), name + ".norm3")
            logits = F.linear(x, model["generator.weight"], model["generator.bias"])
            step_token = int(logits[0, 0].argmax())
            tokens.append(step_token)

    with torch.inference_mode():
        taken = median_ms(one, 2)
    number = 0
    for one_token in tokens:
        number = (number * 31 + one_token) % 2 ** 32
    print(f"{taken:.4f} {number}")


def forward(model, capture):
    source, into, _ = make_batch(1)
    result = []

    def one():
        model.kept = [] if capture else None
        result[:] = [model(source, into)]

    with torch.inference_mode():
        taken = median_ms(one, 5)
    print(f"{taken:.4f} {float(result[0].sum(dtype=torch.float64)):.4f}")


tensors = read_model(MODEL)
if WHAT == "step":
    train(Modules(tensors))
elif WHAT == "step-lean":
    train(Lean(tensors))
elif WHAT == "decode":
    decode(Lean(tensors))
else:
    forward(Lean(tensors), WHAT == "capture")
