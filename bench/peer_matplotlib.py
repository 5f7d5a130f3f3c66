"""peer_matplotlib.py MAPS.safetensors OUT.png WIDTH HEIGHT [tokens]: the maps of the encoder's heads
that `headscope export --data` wrote, drawn by matplotlib as D2L's show_heatmaps draws them (d2l.ai
10.1): a grid of imshow, axis labels at its edges, a title for each column, one colour bar. WIDTH and
HEIGHT are the picture's pixels. With `tokens` every map bears its tokens, as ours does; D2L's have
numbers at the grid's edges. The file is read by the few lines of its format, not by a package whose
start would count against this side."""
import json
import sys

import numpy
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt

DPI = 100


def read_maps(path):
    """[layers, heads, queries, keys], and the tokens."""
    with open(path, "rb") as file:
        size = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(size))
        body = file.read()
    maps = {}
    for name, tensor in header.items():
        if name.startswith("encoder.") and name.count(".") == 2:
            first, end = tensor["data_offsets"]
            maps[tuple(map(int, name.split(".")[1:]))] = numpy.frombuffer(
                body[first:end], numpy.float32).reshape(tensor["shape"])
    layers, heads = (1 + max(head[i] for head in maps) for i in (0, 1))
    return (numpy.stack([maps[i, j] for i in range(layers) for j in range(heads)]).reshape(
        layers, heads, *maps[0, 0].shape), json.loads(header["__metadata__"]["source_tokens"]))


def show_heatmaps(matrices, xlabel, ylabel, titles, figsize, tokens=None):
    rows, columns = matrices.shape[:2]
    fig, axes = plt.subplots(rows, columns, figsize=figsize, sharex=tokens is None,
                             sharey=tokens is None, squeeze=False)
    for i in range(rows):
        for j in range(columns):
            ax = axes[i][j]
            image = ax.imshow(matrices[i, j], cmap="viridis", vmin=0, vmax=1)
            if i == rows - 1:
                ax.set_xlabel(xlabel)
            if j == 0:
                ax.set_ylabel(ylabel)
            ax.set_title(titles[j])
            if tokens:
                ax.set_xticks(range(len(tokens)), tokens, fontsize=6)
                ax.set_yticks(range(len(tokens)), tokens, fontsize=6)
    fig.colorbar(image, ax=axes, shrink=0.6)
    return fig


def main():
    path, out, width, height = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    matrices, tokens = read_maps(path)
    titles = [f"Head {j}" for j in range(matrices.shape[1])]
    fig = show_heatmaps(matrices, "Keys", "Queries", titles, (width / DPI, height / DPI),
                        tokens if "tokens" in sys.argv[5:] else None)
    fig.savefig(out, dpi=DPI)


main()
