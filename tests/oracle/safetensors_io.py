"""Safetensors by the format's own description, with numpy: 8 bytes (the header's length,
little-endian), a JSON header, the numbers."""
import json
import struct

import numpy as np
import torch

TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "U8": "u1"}
NAMES = {np.dtype(code): name for name, code in TYPES.items()}


def read(path):
    """Returns ({name: array}, {key: text})."""
    with open(path, "rb") as file:
        data = file.read()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    texts = header.pop("__metadata__", {})
    numbers = data[8 + length :]
    tensors, end_of_all = {}, 0
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        array = np.frombuffer(numbers[begin:end], TYPES[entry["dtype"]])
        tensors[name] = array.reshape(entry["shape"]).copy()
        end_of_all = max(end_of_all, end)
    assert end_of_all == len(numbers), f"{path}: bytes after the last tensor"
    return tensors, texts


def block_of(array):
    """The bytes and the name of the type."""
    if isinstance(array, np.ndarray):
        return np.ascontiguousarray(array).tobytes(), NAMES[array.dtype]
    if str(array.dtype) == "torch.bfloat16":
        return block_of(array.contiguous().view(torch.int16).numpy())[0], "BF16"
    return block_of(array.numpy())


def write(path, tensors, texts):
    """Of arrays, or of tensors of PyTorch, which has bfloat16 where NumPy has not."""
    header, blocks, offset = {"__metadata__": dict(texts)}, [], 0
    for name, array in tensors.items():
        block, kind = block_of(array)
        header[name] = {
            "dtype": kind,
            "shape": list(array.shape),
            "data_offsets": [offset, offset + len(block)],
        }
        blocks.append(block)
        offset += len(block)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)  # the numbers begin aligned
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(blocks))
