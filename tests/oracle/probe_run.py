"""Runs the probe (probe.c) over many configs and reads what it wrote."""
import itertools
import json
import os
import subprocess

import torch

import reference
import safetensors_io

LEARNING_RATE, WARMUP, STEPS, ADAM_STEPS = 0.01, 4, 12, 10  # as probe.c sets them
SMOOTHING, CLIP = 0.1, 1.0
POSITIONS = ("interleaved", "halves", "none")


def all_configs(**sizes):
    """Post- and pre-norm, final norms, attention biases and both activations: 16 configs, among
    which the kinds of positions take turns."""
    for number, (pre, final, bias, gelu) in enumerate(
            itertools.product((False, True), repeat=4)):
        yield dict(
            sizes, max_source=11, max_target=12, dropout=0, layernorm_epsilon=1e-5, pre_norm=pre,
            final_norm=final, attention_bias=bias, activation="gelu" if gelu else "relu",
            positions=POSITIONS[number % 5 % 3], first_position=number % 7 % 2,
            embedding_scale=number % 5 != 4)


class Probe:
    """One run: the model file it saved and the results, as torch tensors."""

    def __init__(self, program, folder, config, seed, empty=False, training=False):
        self.model_path = os.path.join(folder, "model.safetensors")
        results = os.path.join(folder, "results.safetensors")
        call = [program, self.model_path, results, json.dumps(config), str(seed)]
        subprocess.run(call + ["empty"] * empty + ["training"] * training, check=True)
        self.parameters, texts = safetensors_io.read(self.model_path)
        self.config = config_of(texts)
        tensors, _ = safetensors_io.read(results)
        self.tensors = {name: torch.from_numpy(array) for name, array in tensors.items()}

    def __getitem__(self, name):
        return self.tensors[name]

    def group(self, prefix):
        return {name[len(prefix):]: tensor for name, tensor in self.tensors.items()
                if name.startswith(prefix)}

    def batch(self, number):
        return {name: ids.long() for name, ids in self.group(f"batches/{number}/").items()}


def config_of(texts):
    """The config of a model file's metadata; the sizes of the vocabularies are their lengths."""
    assert texts["format"] == "headscope-1", texts["format"]
    config = json.loads(texts["config"])
    config["source_vocab"] = len(json.loads(texts["source_vocab"]))
    config["target_vocab"] = len(json.loads(texts["target_vocab"]))
    return config


def loss_by(forward, batch):
    """forward(source, its lengths, target, its lengths) gives the logits; returns both."""
    logits = forward(batch["source"], batch["enc_valid_lens"], batch["target_in"],
                     batch["dec_valid_lens"])
    return logits, reference.loss_of(logits, batch["target_out"], batch["dec_valid_lens"],
                                     SMOOTHING)


def rate(step):
    """Linear warm-up, then half a cosine (step counts from 1)."""
    if step <= WARMUP:
        return LEARNING_RATE * step / WARMUP
    done = torch.tensor((step - WARMUP) / (STEPS - WARMUP + 1), dtype=torch.float64)
    return LEARNING_RATE * 0.5 * (1 + torch.cos(torch.pi * done).item())


def train(forward, parameters, batches):
    """Ten steps by torch.optim.Adam, the gradient scaled down to norm CLIP as headscope does it.
    Returns the losses and the norms."""
    optimizer = torch.optim.Adam(parameters, betas=(0.9, 0.98), eps=1e-9)
    losses, norms = [], []
    for step in range(1, ADAM_STEPS + 1):
        optimizer.zero_grad()
        _, loss = loss_by(forward, batches[(step - 1) % len(batches)])
        loss.backward()
        gradients = [p.grad for p in parameters if p.grad is not None]
        norm = torch.sqrt(sum((g**2).sum() for g in gradients))
        if norm > CLIP:
            for gradient in gradients:
                gradient *= CLIP / norm
        optimizer.param_groups[0]["lr"] = rate(step)
        optimizer.step()
        losses.append(loss.item())
        norms.append(norm.item())
    return torch.tensor(losses, dtype=torch.float64), torch.tensor(norms, dtype=torch.float64)
