# SPDX-License-Identifier: Apache-2.0
"""Asks XLA which elements are read at values that an element type bounds: iotas that count modulo the size of their type, and
offsets at the ends of unsigned and signed types. Writes answers for xla_judge; judge.h describes the line.

    python ask_values.py >corpus/xla/values.jsonl

Each module runs as it is. Its arrays hold the numbers of their elements, so each element of the result shows its source.
"""

import json
import re

import ask_xla
import jaxlib
import numpy as np

TYPES = {"u4": (0, 15), "s4": (-8, 7), "u8": (0, 255), "s8": (-128, 127), "u16": (0, 65535), "s16": (-32768, 32767),
         "u32": (0, 2**32 - 1), "s32": (-2**31, 2**31 - 1), "u64": (0, 2**63 - 1), "s64": (-2**63, 2**63 - 1)}
GATHER = ("offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1}")


def module(*lines):
    return "HloModule asked\n\nENTRY %main {\n" + "".join(f"  {line}\n" for line in lines) + "}\n"


def iotas():
    for name, (_, high) in TYPES.items():
        size = high + 45 if high < 256 else 300
        yield f"gather {name} iota", module(
            "%p = f32[300] parameter(0)", f"%i = {name}[{size},1] iota(), iota_dimension=0",
            f"ROOT %r = f32[{size}] gather(%p, %i), {GATHER}"), {}
        yield f"gather slice of {name} iota", module(
            "%p = f32[300] parameter(0)", f"%i = {name}[2,{size}] iota(), iota_dimension=1",
            f"%s = {name}[1,{size}] slice(%i), slice={{[1:2], [0:{size}]}}", f"%t = {name}[{size},1] reshape(%s)",
            f"ROOT %r = f32[{size}] gather(%p, %t), {GATHER}"), {}


def offsets():
    for name, (low, high) in TYPES.items():
        if name in ("u4", "s4"):
            continue  # no such arrays in numpy
        for value in (low, high, 3):
            yield f"dynamic-slice {name}", module(
                "%p = f32[10] parameter(0)", f"%i = {name}[] parameter(1)",
                "ROOT %r = f32[2] dynamic-slice(%p, %i), dynamic_slice_sizes={2}"), {1: value}
            yield f"dynamic-update-slice {name}", module(
                "%p = f32[10] parameter(0)", f"%i = {name}[] parameter(1)", "%u = f32[2] parameter(2)",
                "ROOT %r = f32[10] dynamic-update-slice(%p, %u, %i)"), {1: value}
            yield f"gather {name}", module(
                "%p = f32[10] parameter(0)", f"%i = {name}[1,1] parameter(1)",
                f"ROOT %r = f32[1] gather(%p, %i), {GATHER}"), {1: value}


def answer(text, given):
    arrays, first = [], 0
    for name, dims, number in re.findall(r"(\w+)\[([\d,]*)\] parameter\((\d+)\)", text):
        dims = tuple(int(d) for d in dims.split(",") if d)
        count = ask_xla.size_of(dims)
        if int(number) in given:
            arrays.append(np.full(dims, given[int(number)], np.dtype({"u": "uint", "s": "int"}[name[0]] + name[1:])))
        else:
            arrays.append(np.arange(first, first + count, dtype=np.float32).reshape(dims))
        first += count
    results = ask_xla.Executable(text, 1, ask_xla.options_for(1)).run(arrays)[0]
    return ["|".join(str(int(x)) for x in result.reshape(-1)) for result in results]


def main():
    print(json.dumps({"jaxlib": jaxlib.__version__}))
    for k, (kind, text, given) in enumerate([*iotas(), *offsets()]):
        print(json.dumps({"id": f"v{k}", "kind": kind, "way": "bits", "text": text,
                          "offsets": {str(p): [value] for p, value in given.items()}, "answer": answer(text, given)}))


main()
