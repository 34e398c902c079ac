# SPDX-License-Identifier: Apache-2.0
"""Answers hlo.index with XLA of JAX's CPU package: tileproof conform -- python xla_peer.py

XLA compiles the instruction, with elements of 64 bits, and runs it. Operations that move elements get a number for each
element of their operands; reductions get a bit for each and combine by `or`. Each pair of elements found is a map of one
point, so the answer is exact. verify/xla asks about all other operations too, in batches.
"""

import itertools
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "verify" / "xla"))
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import jaxlib  # noqa: E402
import numpy as np  # noqa: E402
from ask_xla import Executable, options_for  # noqa: E402
from peer import Unsupported, run  # noqa: E402

MOVES = ("broadcast", "concatenate", "copy", "pad", "reshape", "reverse", "slice", "transpose")
REDUCTIONS = ("reduce", "reduce-window")
MOST = 400  # elements of all arrays

OR = "m {\n a = u64[] parameter(0)\n b = u64[] parameter(1)\n ROOT c = u64[] or(a, b)\n}\n"


def dims_of(instruction):
    shape = instruction["shape"]
    if not shape or "dims" not in shape or None in shape["dims"] or any(shape["bounded"]):
        raise Unsupported("no array of known sizes")
    return shape["dims"]


def question_of(request):
    module = request["parsed"].get("hlo")
    if module is None or request.get("direction") not in ("output_to_input", "input_to_output"):
        raise Unsupported("an invalid request")
    if request.get("scope", "instruction") != "instruction" or "instruction" in request or request.get("output", 0) != 0:
        raise Unsupported("more than the root instruction")
    body = module["computations"][module["entry"]]
    root = body["instructions"][body["root"]]
    return root, [body["instructions"][operand] for operand in root["operands"]]


def text_of(root, operands):
    def shape(instruction):
        return f"u64[{','.join(map(str, dims_of(instruction)))}]"

    attributes = {**root["attributes"], **({"to_apply": "m"} if root["opcode"] in REDUCTIONS else {})}
    for dropped in ("metadata", "sharding", "frontend_attributes", "backend_config"):
        attributes.pop(dropped, None)
    lines = [f" a{k} = {shape(operand)} parameter({k})" for k, operand in enumerate(operands)]
    names = ", ".join(f"a{k}" for k in range(len(operands)))
    call = f" r = {shape(root)} {root['opcode']}({names})" + "".join(f", {k}={v}" for k, v in attributes.items())
    end = f" ROOT t = ({shape(root)}) tuple(r)"
    return "HloModule asked\n" + (OR if root["opcode"] in REDUCTIONS else "") + "ENTRY e {\n" + "\n".join([*lines, call, end]) + "\n}\n"


def pairs_of(root, operands):
    """The pairs (position in the result, number of an element of all operands)."""
    sizes = [int(np.prod(dims_of(operand), dtype=np.int64)) for operand in operands]
    total, bits = sum(sizes), root["opcode"] in REDUCTIONS
    if total + np.prod(dims_of(root), dtype=np.int64) > MOST:
        raise Unsupported("large arrays")
    try:
        executable = Executable(text_of(root, operands), 1, options_for(1))
    except Exception as why:  # whatever XLA throws
        raise Unsupported("XLA: " + " ".join(str(why).split())[:100]) from why
    pairs = []
    for first in range(0, max(total, 1), 64 if bits else max(total, 1)):
        numbers, arrays = np.arange(total), []
        values = np.where((numbers >= first) & (numbers < first + 64), np.uint64(1) << (numbers % 64).astype(np.uint64), np.uint64(0))
        values = values if bits else (numbers + 1).astype(np.uint64)
        for operand, at in zip(operands, itertools.accumulate([0, *sizes])):
            arrays.append(values[at:at + int(np.prod(dims_of(operand), dtype=np.int64))].reshape(dims_of(operand)))
        result = executable.run(arrays)[0][0]
        for position, value in np.ndenumerate(result):
            found = [first + b for b in range(64) if int(value) >> b & 1] if bits else [int(value) - 1]
            pairs += [(position, number) for number in found]
    return pairs, sizes


def point_map(from_index, to_index):
    names = [f"d{i}" for i in range(len(from_index))]
    domain = ", ".join(f"{name} in [{i}, {i}]" for name, i in zip(names, from_index))
    return f"({', '.join(names)}) -> ({', '.join(map(str, to_index))})" + (f", domain: {domain}" if domain else "")


def index(request):
    root, operands = question_of(request)
    if root["opcode"] not in MOVES + REDUCTIONS or root["opcode"] == "reduce" and len(operands) != 2:
        raise Unsupported(root["opcode"])
    inverse = request["direction"] == "input_to_output"
    if inverse and request.get("input", 0) not in range(len(operands)):
        raise Unsupported("no such input")
    pairs, sizes = pairs_of(root, operands)
    lists = [[] for _ in operands]
    for position, number in pairs:
        k = 0
        while number >= sizes[k]:
            number -= sizes[k]
            k += 1
        at = [int(i) for i in np.unravel_index(number, dims_of(operands[k]))] if dims_of(operands[k]) else []
        lists[k].append(point_map(at, position) if inverse else point_map(position, at))
    return [lists[request.get("input", 0)]] if inverse else lists


if __name__ == "__main__":
    run("XLA of jaxlib", jaxlib.__version__, {"hlo.index": index})
