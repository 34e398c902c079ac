#!/usr/bin/env python3
"""An implementation of tiled layouts that speaks the protocol, in Python and from scratch.

    tileproof conform -- python3 corpus/adapters/layouts.py                 passes
    tileproof conform -- python3 corpus/adapters/layouts.py --first-tile    is wrong about later tiles

It asks for the parsed form of a shape, so it needs no parser. Its integers have any size.
"""
import json
import sys

FIRST_TILE = "--first-tile" in sys.argv
MOST = 4096  # elements that are gone through to find an index


def place(shape, index):
    """The physical dimensions, and the coordinates of an index in them."""
    order = shape["minor_to_major"][::-1]
    dims, at = [shape["dims"][d] for d in order], [index[d] for d in order]
    for tile in shape["tiles"][: 1 if FIRST_TILE else None]:
        ones = max(0, len(tile) - len(dims))
        dims, at = [1] * ones + dims, [0] * ones + at
        whole = len(dims) - len(tile)
        parts, size, x = [], 1, 0
        for d, c, t in zip(dims[whole:], at[whole:], tile):
            size, x = size * d, x * d + c
            if t is not None:  # else a star: on to the next dimension
                parts.append((size, x, t))
                size, x = 1, 0
        dims = dims[:whole] + [-(-n // t) for n, _, t in parts] + [t for _, _, t in parts]
        at = at[:whole] + [x // t for _, x, t in parts] + [x % t for _, x, t in parts]
    return dims, at


def linearize(shape, index):
    if len(index) != len(shape["dims"]) or not all(0 <= i < d for i, d in zip(index, shape["dims"])):
        raise ValueError(f"index {index} is not in the array")
    offset = 0
    for d, x in zip(*place(shape, index)):
        offset = offset * d + x
    if offset >= 2**63:
        raise ValueError("the offset is outside int64")
    return offset


def sizes(shape):
    dims = place(shape, [0] * len(shape["dims"]))[0]
    elements = 1
    for d in dims:
        elements *= d
    elements = -(-elements // shape["tail"]) * shape["tail"]
    return {"dims": dims, "elements": elements, "bytes": -(-elements * shape["bits"] // 8)}


def all_indices(dims):
    return [[i] + rest for i in range(dims[0]) for rest in all_indices(dims[1:])] if dims else [[]]


def delinearize(shape, offset):
    if not 0 <= offset < sizes(shape)["elements"]:
        raise ValueError(f"offset {offset} is outside the elements")
    count = 1
    for d in shape["dims"]:
        count *= d
    if count > MOST:
        raise NotImplementedError("the index at an offset of a large array")
    return next((i for i in all_indices(shape["dims"]) if linearize(shape, i) == offset), None)


def ask(request, one, many, function):
    shape = request["parsed"]["shape"]
    if one in request:
        return function(shape, request[one])
    return [function(shape, item) for item in request[many]]


def result_of(request):
    if request["op"] == "hello":
        return {"name": "layouts.py", "version": "1", "window": 64, "parsed": True}
    if not request["op"].startswith("layout."):
        raise NotImplementedError(request["op"])
    shape = request["parsed"].get("shape")
    if shape is None or "dims" not in shape or None in shape["dims"] or shape["type"] == "token":
        raise ValueError("no array with a size")
    if request["op"] == "layout.physical":
        return sizes(shape)
    if request["op"] == "layout.linearize":
        return ask(request, "index", "indices", linearize)
    if request["op"] == "layout.delinearize":
        return ask(request, "offset", "offsets", delinearize)
    raise NotImplementedError(request["op"])


for line in sys.stdin:
    request = json.loads(line)
    answer = {"id": request["id"]}
    try:
        answer["result"] = result_of(request)
    except NotImplementedError as why:
        answer["unsupported"] = str(why)
    except (ValueError, KeyError) as why:
        answer["error"] = str(why)
    print(json.dumps(answer), flush=True)
