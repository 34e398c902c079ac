# SPDX-License-Identifier: Apache-2.0
"""Answers with the layouts of CuTe's Python DSL (nvidia-cutlass-dsl): tileproof conform -- python cute_peer.py

tla.offset        a layout called with a coordinate
tla.coalesce, ..  the function of that name
layout.linearize  a layout of the sizes and strides of an array without tiles

The layouts are evaluated while a function is traced, so no GPU is needed.
"""

import json
import math

import cutlass
import cutlass.cute as cute
from peer import Unsupported, dense_array_of, each, index_inside, parsed_of, run

MOST = 1 << 31  # CuTe counts in 32 bits


def tuples(value):
    return tuple(map(tuples, value)) if isinstance(value, list) else value


def numbers(value):
    return [n for part in value for n in numbers(part)] if isinstance(value, (tuple, list)) else [value]


def nested_of(parsed):
    shape, stride = tuples(parsed["shape"]), tuples(parsed["stride"])
    if any(n == 0 for n in numbers(shape)) or any(n < 0 for n in numbers(stride)) or () in [shape, *walk(shape)]:
        raise Unsupported("an empty tuple, an extent of 0, or a negative stride")
    if sum((n - 1) * abs(d) for n, d in zip(numbers(shape), numbers(stride))) >= MOST or math.prod(numbers(shape)) >= MOST:
        raise Unsupported("numbers of 32 bits")
    return shape, stride


def walk(value):
    for part in value if isinstance(value, tuple) else ():
        yield part
        yield from walk(part)


TASK = {}


@cute.jit
def traced():
    TASK["answer"] = TASK["work"]()


def trace(work):
    """Runs `work` while CuTe traces a function."""
    TASK.clear()
    TASK["work"] = work
    try:
        traced()
    except (ValueError, Unsupported):
        raise
    except Exception as why:  # CuTe's own errors have many types
        raise Unsupported("CuTe: " + " ".join(str(why).split())[:120]) from why
    return TASK["answer"]


def offset(request):
    shape, stride = nested_of(parsed_of(request, "layout"))
    coord = tuples(request["coord"])
    if any(not isinstance(n, int) or n < 0 for n in numbers(coord)):
        raise ValueError("a negative coordinate")
    if any(n >= MOST for n in numbers(coord)):
        raise Unsupported("numbers of 32 bits")
    fits(shape, coord)
    return trace(lambda: int(cute.crd2idx(coord, make((shape, stride)))))


def fits(shape, coord):
    if isinstance(coord, int):
        return
    if not isinstance(shape, tuple) or len(shape) != len(coord):
        raise ValueError("the coordinate has another nesting")
    for part, at in zip(shape, coord):
        fits(part, at)


def unary(function):
    def answer(request):
        shape, stride = nested_of(parsed_of(request, "layout"))
        return trace(lambda: str(function(make((shape, stride)))))
    return answer


def complement(request):
    shape, stride = nested_of(parsed_of(request, "layout"))
    return trace(lambda: str(cute.complement(make((shape, stride)), request["size"])))


def layout_of(text):
    try:
        shape, stride = (json.loads(part.replace("(", "[").replace(")", "]")) for part in text.replace("_", "").split(":"))
    except ValueError as why:
        raise ValueError("expected a nested layout") from why
    return nested_of({"shape": shape, "stride": stride})


def layouts_of(text):
    """A layout, or the layouts of a tiler such as <4:1,8:1>."""
    if not text.startswith("<"):
        return layout_of(text)
    parts, depth = [""], 0
    for c in text[1:-1]:
        depth += {"(": 1, ")": -1}.get(c, 0)
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [layout_of(part) for part in parts]


def make(layout):
    if isinstance(layout, list):
        return tuple(map(make, layout))
    return cute.make_layout(layout[0], stride=layout[1])


def binary(function):
    def answer(request):
        shape, stride = nested_of(parsed_of(request, "layout"))
        if "by" not in request:
            raise ValueError("expected the key by")
        by = layouts_of(request["by"])
        return trace(lambda: str(function(make((shape, stride)), make(by))))
    return answer


def linearize(request):
    dims, order = dense_array_of(request)
    if math.prod(max(n, 1) for n in dims) >= MOST or 0 in dims or not dims:
        raise Unsupported("rank 0, a size of 0, or numbers of 32 bits")
    strides, step = [0] * len(dims), 1
    for d in reversed(order):
        strides[d], step = step, step * dims[d]

    def place(index):
        index_inside(dims, index)
        return trace(lambda: int(cute.crd2idx(tuple(index), make((tuple(dims), tuple(strides))))))

    return each(request, "index", "indices", place)


if __name__ == "__main__":
    run("CuTe DSL", cutlass.__version__, {
        "layout.linearize": linearize,
        "tla.offset": offset,
        "tla.coalesce": unary(cute.coalesce),
        "tla.right_inverse": unary(cute.right_inverse),
        "tla.left_inverse": unary(cute.left_inverse),
        "tla.complement": complement,
        "tla.composition": binary(cute.composition),
        "tla.logical_product": binary(cute.logical_product),
        "tla.logical_divide": binary(cute.logical_divide),
        "tla.zipped_divide": binary(cute.zipped_divide),
        "tla.tiled_divide": binary(cute.tiled_divide),
    })
