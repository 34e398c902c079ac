# SPDX-License-Identifier: Apache-2.0
"""Property-test one's own `linearize` with Hypothesis, then let the judge look for the causes."""

import math

from hypothesis import given, settings

import tileproof as tp
from tileproof.strategies import shapes


def linearize(shape, index):
    """Knows tiles of the rank of the array, and forgets that partial tiles are padded."""
    dims = [shape.dims[d] for d in shape.minor_to_major[::-1]]
    at = [index[d] for d in shape.minor_to_major[::-1]]
    for tile in shape.tiles[:1]:
        dims = [d // t for d, t in zip(dims, tile, strict=False)] + list(tile)
        at = [i // t for i, t in zip(at, tile, strict=False)] + [
            i % t for i, t in zip(at, tile, strict=False)
        ]
    offset = 0
    for d, i in zip(dims, at, strict=False):
        offset = offset * d + i
    return offset


@settings(max_examples=50, deadline=None)
@given(shapes())
def test_the_last_element_is_inside(layout):
    if math.prod(layout.dims):
        assert layout.offset(*(n - 1 for n in layout.dims)) < layout.elements


test_the_last_element_is_inside()
report = tp.conform({"layout.linearize": linearize}, cases=500)
causes = [failure for failure in report.failures if failure.verdict == "wrong"]
print(f"{len(causes)} causes; the first:\n{causes[0]}")
assert not report and causes
