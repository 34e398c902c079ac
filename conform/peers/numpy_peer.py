# SPDX-License-Identifier: Apache-2.0
"""Answers with NumPy: tileproof conform -- python numpy_peer.py

layout.linearize     ravel_multi_index over the physical dimensions; for small arrays also the address of the element in a
                     permuted view, which must agree
layout.delinearize   unravel_index
layout.physical      the sizes of a permuted view
map.evaluate         floor_divide and remainder of int64
"""

import math

import numpy as np
from peer import Unsupported, array_of, dense_array_of, each, evaluate_map, index_inside, run

SMALL = 1 << 16  # elements of an array that is really made


def physical_sizes(dims, order):
    sizes = [dims[d] for d in order]
    if math.prod(sizes) >= 2**63:
        raise ValueError("the array leaves 64 bits")
    return sizes


def address_in_view(dims, order, index):
    """Where the element lies in an array whose bytes are in physical order."""
    sizes = [dims[d] for d in order]
    view = np.empty(sizes, np.uint8).transpose(np.argsort(order) if order else [])
    assert view.shape == tuple(dims)
    return view[tuple(slice(i, i + 1) for i in index)].__array_interface__["data"][0] - view.__array_interface__["data"][0]


def linearize(request):
    dims, order = dense_array_of(request)
    sizes = physical_sizes(dims, order)

    def offset(index):
        index_inside(dims, index)
        if not dims:
            return 0
        found = int(np.ravel_multi_index([index[d] for d in order], sizes))
        if math.prod(sizes) <= SMALL and found != address_in_view(dims, order, index):
            raise AssertionError("NumPy disagrees with itself")
        return found

    return each(request, "index", "indices", offset)


def delinearize(request):
    dims, order = dense_array_of(request)
    sizes = physical_sizes(dims, order)

    def index(offset):
        if not 0 <= offset < math.prod(sizes):
            raise ValueError("the offset is outside of the array")
        at = np.unravel_index(offset, sizes) if sizes else ()
        result = [0] * len(dims)
        for d, i in zip(order, at):
            result[d] = int(i)
        return result

    return each(request, "offset", "offsets", index)


def physical(request):
    array = array_of(request)
    dims, order = dense_array_of(request)
    if math.prod(dims) > SMALL:
        raise Unsupported("a large array")
    view = np.empty(dims, np.uint8).transpose(order)
    return {"dims": list(view.shape), "elements": view.size, "bytes": -(-view.size * array["bits"] // 8)}


OPERATIONS = {
    "+": np.add,
    "*": np.multiply,
    "floordiv": np.floor_divide,
    "ceildiv": lambda a, b: np.negative(np.floor_divide(np.negative(a), b)),
    "mod": np.remainder,
}


def evaluate(request):
    parsed = request["parsed"].get("map")

    def divides_by_variable(expression):
        if not isinstance(expression, list):
            return False
        return expression[0] not in "+*" and not isinstance(expression[2], int) or any(map(divides_by_variable, expression[1:]))

    if parsed and any(map(divides_by_variable, parsed["results"] + [c["expr"] for c in parsed["constraints"]])):
        raise Unsupported("a divisor that is an expression")
    return evaluate_map(request, np.int64, OPERATIONS)


if __name__ == "__main__":
    run("NumPy", np.__version__,
        {"layout.linearize": linearize, "layout.delinearize": delinearize, "layout.physical": physical, "map.evaluate": evaluate}, bits=63)
