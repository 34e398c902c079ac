# SPDX-License-Identifier: Apache-2.0
"""Retile a file of weights for another device, and check each element."""

import pathlib
import tempfile

import numpy as np

import tileproof as tp

source = tp.Layout("s8[256,512]{1,0}")
target = tp.Layout("s8[256,512]{1,0:T(8,128)(4,1)}")

with tempfile.TemporaryDirectory() as folder:
    rows = pathlib.Path(folder) / "rows.bin"
    tiled = pathlib.Path(folder) / "tiled.bin"
    weights = np.random.default_rng(1).integers(-128, 128, (256, 512), np.int8)
    weights.tofile(rows)

    tp.relayout(np.fromfile(rows, np.int8), source, target).tofile(tiled)

    memory = np.memmap(tiled, np.int8)
    assert (memory[target.offsets()] == weights).all()
    print(f"{memory.size} bytes, {target.padding} of padding; element (1, 0) is at byte",
          target.offset(1, 0))  # fmt: skip
