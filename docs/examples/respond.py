# SPDX-License-Identifier: Apache-2.0
"""An implementation of two operations, in Python: tileproof conform -- python3 respond.py"""
import json
import math
import sys

def place(shape, index):
    """The physical dimensions, major to minor, and the coordinates of an index in them."""
    order = shape["minor_to_major"][::-1]
    sizes, at = [shape["dims"][d] for d in order], [index[d] for d in order]
    for tile in shape["tiles"]:
        more = [1] * (len(tile) - len(sizes))  # leading dimensions, if the tile is longer
        sizes, at = more + sizes, [0] * len(more) + at
        first = len(sizes) - len(tile)
        tiles, insides, size, x = list(zip(sizes[:first], at[:first])), [], 1, 0
        for n, i, t in zip(sizes[first:], at[first:], tile):
            size, x = size * n, x * n + i
            if t is not None:  # None is *: combine it with the next one
                tiles, insides, size, x = tiles + [(-(-size // t), x // t)], insides + [(t, x % t)], 1, 0
        sizes, at = map(list, zip(*tiles + insides))
    return sizes, at

def linearize(shape, index):
    if len(index) != len(shape["dims"]) or not all(0 <= i < n for i, n in zip(index, shape["dims"])):
        raise ValueError(f"index {index} is outside of the array")
    offset = 0
    for size, x in zip(*place(shape, index)):
        offset = offset * size + x
    if offset >= 2**63:
        raise ValueError("the offset leaves 64 bits")
    return offset

def physical(shape):
    dims = place(shape, [0] * len(shape["dims"]))[0]
    elements = -(-math.prod(dims) // shape["tail"]) * shape["tail"]
    return {"dims": dims, "elements": elements, "bytes": -(-elements * shape["bits"] // 8)}

def answer(request):
    if request["op"] == "hello":
        return {"result": {"name": "respond.py", "window": 64, "parsed": True}}
    if request["op"] not in ("layout.physical", "layout.linearize"):
        return {"unsupported": request["op"]}
    shape = request["parsed"].get("shape")
    if not shape or "dims" not in shape or None in shape["dims"] or shape["bits"] == 0:
        return {"error": "expected an array with known sizes"}
    if request["op"] == "layout.physical":
        return {"result": physical(shape)}
    if "index" in request:
        return {"result": linearize(shape, request["index"])}
    return {"result": [linearize(shape, index) for index in request["indices"]]}


for line in sys.stdin:
    request = json.loads(line)
    try:
        reply = answer(request)
    except (ValueError, TypeError, KeyError) as why:
        reply = {"error": str(why)}
    print(json.dumps({"id": request["id"], **reply}), flush=True)
