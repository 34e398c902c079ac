# SPDX-License-Identifier: Apache-2.0
"""Check the index computation of a kernel: does a block spec read what the layout says?

The index map of a kernel in the manner of Triton or Pallas: program (i, j) of a grid loads a block
of 8 x 128 elements from a flat buffer. The layout of the buffer is f32[32,512]{1,0:T(8,128)}.
"""

import tileproof as tp

layout = tp.Layout("f32[32,512]{1,0:T(8,128)}")
bounds = [(0, 3), (0, 3), (0, 7), (0, 127)]


def pointer(i, j, row, column):
    return (i * 4 + j) * 1024 + row * 128 + column


def transposed_grid(i, j, row, column):  # wrong: the tiles of a row follow each other
    return (j * 4 + i) * 1024 + row * 128 + column


# The same blocks by the definition: the element of the array, then its offset.
element = tp.IndexingMap.build(lambda i, j, row, column: (i * 8 + row, j * 128 + column), bounds)
offset = tp.IndexingMap.build(
    lambda d0, d1: (d0 // 8) * 4096 + (d1 // 128) * 1024 + d0 % 8 * 128 + d1 % 128,
    [(0, 31), (0, 511)],
)
assert all(offset(*index) == (layout.offset(*index),) for index in [(0, 0), (9, 200), (31, 511)])
expected = element.compose(offset)

good = tp.equivalent(tp.IndexingMap.build(pointer, bounds), expected)
print("pointer:", "proven equal" if good else good)
bad = tp.equivalent(tp.IndexingMap.build(transposed_grid, bounds), expected)
print(f"transposed grid: at (i, j, row, column) = {bad.at} it reads {bad.left}, not {bad.right}")
assert good and not bad
