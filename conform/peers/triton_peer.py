# SPDX-License-Identifier: Apache-2.0
"""Answers with Triton's linear layouts, on arrays and tiles whose sizes are powers of two: tileproof conform -- python triton_peer.py

layout.linearize     a product of one-dimensional identities, one for each physical dimension; apply
layout.delinearize   its inverse
"""

import math

import triton
from peer import Unsupported, array_of, each, index_inside, run
from triton._C.libtriton.linear_layout import LinearLayout

MOST = 1 << 30  # Triton counts in 32 bits


def digits_of(shape):
    """The physical dimensions from the most major one: size, weight in the index, logical dimension."""
    if any(n & (n - 1) or n == 0 for n in shape["dims"]) or shape["tail"] != 1:
        raise Unsupported("a size that is no power of two, or a tail")
    digits = [(shape["dims"][d], 1, d) for d in shape["minor_to_major"][::-1]]
    for tile in shape["tiles"]:
        first = len(digits) - len(tile)
        if first < 0 or any(t is None or t & (t - 1) for t in tile):
            raise Unsupported("a tile that is no power of two, or longer than the array")
        outer, inner = digits[:first], []
        for (size, weight, d), t in zip(digits[first:], tile):
            if t > size:
                raise Unsupported("a tile that pads")
            outer.append((size // t, weight * t, d))
            inner.append((t, weight, d))
        digits = outer + inner
    if math.prod(size for size, _, _ in digits) > MOST:
        raise Unsupported("an array of more than 2^30 elements")
    return digits


def layout_of(request):
    shape = array_of(request)
    layout = LinearLayout.identity_1d(1, "d0", "offset")
    last = {}
    for size, weight, d in reversed(digits_of(shape)):
        if size > 1 and weight < last.get(d, 0):
            raise Unsupported("digits of a dimension in another order")  # a product adds higher bits
        if size > 1:
            last[d] = weight
            layout = layout * LinearLayout.identity_1d(size, f"d{d}", "offset")
    return shape["dims"], layout


def linearize(request):
    dims, layout = layout_of(request)

    def offset(index):
        index_inside(dims, index)
        inputs = {f"d{d}": i for d, i in enumerate(index)}
        return layout.apply({name: inputs.get(name, 0) for name in layout.get_in_dim_names()})["offset"]

    return each(request, "index", "indices", offset)


def delinearize(request):
    dims, layout = layout_of(request)
    inverse = layout.invert()

    def index(offset):
        if not 0 <= offset < math.prod(dims):
            raise ValueError("the offset is outside of the array")
        found = inverse.apply({"offset": offset})
        return [found.get(f"d{d}", 0) for d in range(len(dims))]

    return each(request, "offset", "offsets", index)


if __name__ == "__main__":
    run("Triton", triton.__version__, {"layout.linearize": linearize, "layout.delinearize": delinearize})
