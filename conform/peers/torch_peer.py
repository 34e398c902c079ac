# SPDX-License-Identifier: Apache-2.0
"""Answers with PyTorch: tileproof conform -- python torch_peer.py

layout.linearize   the storage offset of an element of a permuted tensor
layout.physical    the sizes of a permuted tensor
map.evaluate       torch.div with rounding_mode="floor" and torch.remainder of int64
"""

import math

import torch
from peer import Unsupported, array_of, dense_array_of, each, evaluate_map, index_inside, run


def tensor_of(dims, order):
    """A tensor without data whose elements lie in physical order."""
    sizes = [dims[d] for d in order]
    if math.prod(max(n, 1) for n in sizes) >= 2**60:
        raise Unsupported("an array of 2^60 elements")
    inverse = sorted(range(len(order)), key=order.__getitem__)
    return torch.empty(sizes, dtype=torch.uint8, device="meta").permute(inverse)


def linearize(request):
    dims, order = dense_array_of(request)
    tensor = tensor_of(dims, order)

    def offset(index):
        index_inside(dims, index)
        return tensor[tuple(index)].storage_offset() if dims else 0

    return each(request, "index", "indices", offset)


def physical(request):
    array = array_of(request)
    dims, order = dense_array_of(request)
    tensor = tensor_of(dims, order).permute(order)
    return {"dims": list(tensor.shape), "elements": tensor.numel(), "bytes": -(-tensor.numel() * array["bits"] // 8)}


def floordiv(a, b):
    return torch.div(a, b, rounding_mode="floor")


OPERATIONS = {
    "+": torch.add,
    "*": torch.mul,
    "floordiv": floordiv,
    "ceildiv": lambda a, b: torch.neg(floordiv(torch.neg(a), b)),
    "mod": torch.remainder,
}


def evaluate(request):
    try:
        return evaluate_map(request, lambda value: torch.tensor(value, dtype=torch.int64), OPERATIONS)
    except RuntimeError as why:  # ZeroDivisionError of a divisor that is an expression
        raise ValueError(str(why).splitlines()[0]) from why


if __name__ == "__main__":
    run("PyTorch", torch.__version__, {"layout.linearize": linearize, "layout.physical": physical, "map.evaluate": evaluate}, bits=63)
