"""Test cases of the ONNX operator Attention as dumps for `headscope check`.

    onnx_dumps.py FOLDER OUT    writes OUT/NAME.npz for each case of FOLDER/index.json that the rule
                                of headscope can say, and says of the others why it cannot

A case is rewritten without changing what it computes: grouped key heads are repeated, another scale
goes into the query, heads of unlike widths are filled up with zeros, and a mask or a causal offset
that leaves each query a prefix of the keys becomes valid lengths.
"""
import json
import os
import sys

import numpy as np


class Inexpressible(Exception):
    pass


def split(tensor, heads):
    """[B,T,heads*D] as [B,heads,T,D]; four axes stay."""
    if tensor.ndim == 4:
        return tensor
    batch, steps, width = tensor.shape
    return tensor.reshape(batch, steps, heads, width // heads).transpose(0, 2, 1, 3)


def visible(case, arrays, batch, heads, queries, keys):
    """Which keys each query sees, [B,H,Tq,Tk]."""
    seen = np.ones((batch, heads, queries, keys), bool)
    lens = arrays.get("in_nonpad_kv_seqlen")
    key, query = np.arange(keys), np.arange(queries)
    if lens is not None:
        seen &= (key < lens[:, None])[:, None, None, :]
    if case["attrs"].get("is_causal"):
        # The last query stands at the last valid key; without lengths, the first at the first.
        offset = np.zeros(batch, int) if lens is None else lens - queries
        seen &= (key[None, None] <= query[None, :, None] + offset[:, None, None])[:, None]
    mask = arrays.get("in_attn_mask")
    if mask is not None:
        if mask.dtype != bool:
            if not np.all((mask == 0) | np.isneginf(mask)):
                raise Inexpressible("its mask adds numbers to the scores")
            mask = mask == 0
        seen &= mask
    return seen


def prefix_lengths(seen):
    """How many keys each query sees, [B,Tq], the first ones in each head."""
    lens = seen.sum(-1)
    if not np.array_equal(seen, np.arange(seen.shape[-1]) < lens[..., None]):
        raise Inexpressible("its mask leaves no prefix of the keys")
    if np.any(lens != lens[:, :1]):
        raise Inexpressible("its mask differs between heads")
    return lens[:, 0]


def fill_up(tensor, width):
    return np.pad(tensor, [(0, 0)] * 3 + [(0, width - tensor.shape[-1])])


def convert(case, arrays):
    attrs = case["attrs"]
    if attrs.get("softcap"):
        raise Inexpressible("it caps the scores")
    if attrs.get("left_window_size", -1) >= 0 or attrs.get("right_window_size", -1) >= 0:
        raise Inexpressible("it sees a sliding window")
    if "in_past_key" in arrays:
        raise Inexpressible("it goes on from past keys")
    query = split(arrays["in_Q"], attrs.get("q_num_heads"))
    key = split(arrays["in_K"], attrs.get("kv_num_heads"))
    value = split(arrays["in_V"], attrs.get("kv_num_heads"))
    heads = query.shape[1]
    context = split(arrays["out_Y"], attrs.get("q_num_heads"))
    key = np.repeat(key, heads // key.shape[1], axis=1)
    value = np.repeat(value, heads // value.shape[1], axis=1)
    scale = attrs.get("scale", 1 / np.sqrt(query.shape[-1]))
    width = max(query.shape[-1], value.shape[-1])
    kind = query.dtype
    query = fill_up(query.astype(np.float64) * scale * np.sqrt(width), width)
    key, value, context = (fill_up(tensor, width) for tensor in (key, value, context))
    lens = prefix_lengths(visible(case, arrays, query.shape[0], heads, query.shape[2], key.shape[2]))
    dump = {"query": query, "key": key, "value": value, "context": context.astype(kind),
            "valid_lens": lens.astype(np.int32), "site": np.array("cross"),
            "causal": np.array(0, np.int32)}
    if attrs.get("qk_matmul_output_mode") == 3:
        dump["weights"] = arrays["out_qk_matmul_output"]
    return dump


def main(folder, out):
    with open(os.path.join(folder, "index.json"), encoding="utf-8") as file:
        cases = json.load(file)
    written = 0
    for case in cases:
        try:
            with np.load(os.path.join(folder, case["name"] + ".npz")) as arrays:
                dump = convert(case, {name: arrays[name] for name in arrays.files})
            np.savez(os.path.join(out, case["name"] + ".npz"), **dump)
            written += 1
        except Inexpressible as why:
            print(f"  {case['name']}: not said by the rule: {why}")
    print(f"  {written} of {len(cases)} cases written")


if __name__ == "__main__":
    main(*sys.argv[1:])
