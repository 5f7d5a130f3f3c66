"""Checks of the program: its models in PyTorch, and a model trained in PyTorch in the program."""
import glob
import json
import os
import random
import subprocess

import numpy as np
import torch

import checks_model
import probe_run
import reference
import safetensors_io
from report import Largest

SAMPLES = {"dates": ["3 May 2021", "2021-12-31"], "add": ["58+967", "9999+1"]}


def headscope(*arguments):
    call = [os.environ["HEADSCOPE"], *arguments]
    return subprocess.run(call, check=True, capture_output=True, text=True).stdout


class ModelFile:
    """A model file, opened by PyTorch."""

    def __init__(self, path):
        tensors, texts = safetensors_io.read(path)
        self.path, self.task = path, texts.get("task", "")
        self.config = probe_run.config_of(texts)
        self.source_vocab = json.loads(texts["source_vocab"])
        self.target_vocab = json.loads(texts["target_vocab"])
        self.model = reference.load(self.config, tensors, torch.float32)

    def source(self, text):
        """Ids [1,S]; the tokens are single characters."""
        ids = [self.source_vocab.index(character) for character in text]
        return torch.tensor([ids + [self.config["end_id"]] * self.config["source_end_mark"]])

    def inputs(self, count):
        """Samples of the task, and strings of no sense from 1 character to the maximum."""
        draw = random.Random(1)
        longest = self.config["max_source"] - self.config["source_end_mark"]
        texts = list(SAMPLES.get(self.task, []))
        letters = [token for token in self.source_vocab[3:] if token not in " -"]
        for length in [1, longest] + [draw.randint(1, longest) for _ in range(count - 2)]:
            texts.append("".join(draw.choices(letters, k=length)))
        return texts

    def greedy(self, text):
        """PyTorch's own greedy decoding: the tokens as texts."""
        written, source = [], self.source(text)
        while len(written) < self.config["max_target"]:
            target = torch.tensor([[self.config["start_id"]] + written])
            with torch.no_grad():
                logits = self.model(source, torch.tensor([source.shape[1]]), target,
                                    torch.tensor([target.shape[1]]))
            written.append(logits[0, -1].argmax().item())
            if written[-1] == self.config["end_id"]:
                break
        return [self.target_vocab[token] for token in written]

    def log_probs(self, text, tokens):
        ids = [self.target_vocab.index(token) for token in tokens]
        found, _ = checks_model.log_probs_of(self.model, self.source(text), ids, self.config)
        return found


def run_json(model, texts, *options):
    inputs = [word for text in texts for word in ("--input", text)]
    return [json.loads(line)
            for line in headscope("run", model.path, "--json", *options, *inputs).splitlines()]


def compare_outputs(model, texts, greedy, beam):
    for text, line in zip(texts, run_json(model, texts), strict=True):
        assert line["tokens"] == model.greedy(text), f"{model.path}: {text}: another output"
        greedy.add(torch.tensor(line["log_probs"]), model.log_probs(text, line["tokens"]))
    for text, line in zip(texts, run_json(model, texts, "--beam", "3"), strict=True):
        wanted = model.log_probs(text, line["tokens"])
        beam.add(torch.tensor([line["log_prob"]]), wanted.sum().reshape(1))


def read_arrays(path):
    if path.endswith(".npz"):
        with np.load(path) as arrays:
            return {name: arrays[name] for name in arrays.files}
    return safetensors_io.read(path)[0]


def compare_weights(model, text, folder, error):
    """`headscope export --data` against the weights that PyTorch computes for the same steps."""
    (line,) = run_json(model, [text])
    model.log_probs(text, line["tokens"])
    for ending in ("npz", "safetensors"):
        path = os.path.join(folder, "weights." + ending)
        headscope("export", model.path, "--input", text, "--data", path)
        arrays = read_arrays(path)
        for site, maps in model.model.attentions().items():
            layers, _, heads, queries, keys = maps.shape
            causal = np.arange(1, queries + 1) if site == "decoder" else np.full(queries, keys)
            for layer in range(layers):
                for head in range(heads):
                    name = f"{site}.{layer}.{head}"
                    error.add(torch.from_numpy(arrays[name]), maps[layer, 0, head])
                    assert (arrays[name + ".key_len"] == causal).all(), name


def compare_model(report, folder, model, name, count):
    greedy, beam, weights = Largest(1), Largest(1), Largest()
    texts = model.inputs(count)
    compare_outputs(model, texts, greedy, beam)
    for text in texts[:2]:
        compare_weights(model, text, folder, weights)
    report.line(f"{name}: `run --json`, outputs and log-probabilities", greedy, 1e-5)
    report.line(f"{name}: `run --beam 3`, log-probability of the best", beam, 1e-5)
    report.line(f"{name}: `export --data` as npz and safetensors, all weights", weights, 1e-5)


def models_in_pytorch(report, folder):
    """The shipped models; before they are trained, one of a few steps."""
    paths = sorted(glob.glob(os.path.join(os.path.dirname(__file__), "../../assets/*.safetensors")))
    paths = [path for path in paths if not path.endswith(".snapshots.safetensors")]
    if not paths:
        paths = [os.path.join(folder, "copy.safetensors")]
        headscope("train", "copy", "--steps", "20", "-o", paths[0])
    for path in paths:
        compare_model(report, folder, ModelFile(path), os.path.basename(path), 5)


FOREIGN = dict(
    width=32, heads=4, encoder_layers=2, decoder_layers=2, ffn_width=64, max_source=7, max_target=7,
    final_norm=True, attention_bias=True, dropout=0.0, layernorm_epsilon=1e-6, first_position=1,
    embedding_scale=True, source_end_mark=True, pad_id=0, start_id=1, end_id=2)
VOCAB = ["<pad>", "<s>", "</s>"] + list("abcdefgh")


def copy_batch(config, size):
    """Strings of 1 to 6 letters, to be written as they are."""
    lens = torch.randint(1, config["max_source"], (size,))
    letters = torch.randint(3, len(VOCAB), (size, config["max_source"]))
    step = torch.arange(config["max_source"])[None]
    text = torch.where(step < lens[:, None], letters, 0)
    ended = torch.where(step == lens[:, None], config["end_id"], text)
    read = torch.cat((torch.full((size, 1), config["start_id"]), text[:, :-1]), dim=1)
    return dict(source=ended, enc_valid_lens=lens + 1, target_in=read, target_out=ended,
                dec_valid_lens=lens + 1)


def train_in_pytorch(config):
    torch.manual_seed(1)
    model = reference.Reference(config | dict(source_vocab=len(VOCAB), target_vocab=len(VOCAB)))
    optimizer = torch.optim.Adam(model.train().parameters(), lr=3e-3)
    for _ in range(150):
        optimizer.zero_grad()
        _, loss = probe_run.loss_by(model, copy_batch(config, 32))
        loss.backward()
        optimizer.step()
    return model


def pytorch_model_in_headscope(report, folder):
    """Pre-norm with gelu, post-norm with relu; a file with no more metadata than is asked for."""
    for pre_norm, activation, positions in ((True, "gelu", "halves"),
                                            (False, "relu", "interleaved")):
        config = FOREIGN | dict(pre_norm=pre_norm, activation=activation, positions=positions)
        trained = train_in_pytorch(config)
        path = os.path.join(folder, "foreign.safetensors")
        tensors = {name: tensor.numpy() for name, tensor in trained.state_dict().items()}
        vocab = json.dumps(VOCAB)
        safetensors_io.write(path, tensors, {
            "format": "headscope-1", "config": json.dumps(config), "source_vocab": vocab,
            "target_vocab": vocab})
        name = f"trained in PyTorch, {'pre' if pre_norm else 'post'}-norm, {activation}"
        compare_model(report, folder, ModelFile(path), name, 12)


CHECKS = (models_in_pytorch, pytorch_model_in_headscope)
