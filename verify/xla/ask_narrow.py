# SPDX-License-Identifier: Apache-2.0
"""Asks XLA which elements random programs read whose indices are computed from narrow integers: iotas, constants and
parameters of 4 to 64 bits, moved, converted, cast and added up. Writes answers for xla_judge; judge.h describes the line.

    python ask_narrow.py COUNT SEED | xla_judge

The array p holds the numbers of its elements, so each element of the result shows its source. XLA also gives the values of
all instructions that compute, because the reference takes them as they come. One module asks many programs.
"""

import json
import random
import sys

import ask_xla
import jaxlib
import numpy as np

BITS = {"u4": 4, "s4": 4, "u8": 8, "s8": 8, "u16": 16, "s16": 16, "u32": 32, "s32": 32, "u64": 64, "s64": 64}
BATCH = 40


def range_of(name):
    bits = BITS[name]
    return (0, 2**bits - 1) if name[0] == "u" else (-2**(bits - 1), 2**(bits - 1) - 1)


class Program:
    """Lines of HLO, in the order of their names; `values` are the instructions whose values XLA must tell."""

    def __init__(self, rng, number):
        self.rng, self.prefix, self.count = rng, f"%q{number}_", 0
        self.lines, self.inputs, self.values, self.constants = [], {}, [], []
        self.sources = rng.choice([3, 10, 40, 200, 300])
        self.p = self.add(f"f32[{self.sources}]", "parameter(0)")
        kind = rng.choice(["gather", "gather", "dynamic-slice"])
        value, name, size = self.chain()
        if kind == "gather":
            index = self.add(f"{name}[{size},1]", f"reshape({value})")
            self.result = size
            self.root = self.add(f"f32[{size}]", f"gather({self.p}, {index}), offset_dims={{}}, collapsed_slice_dims={{0}}, "
                                 "start_index_map={0}, index_vector_dim=1, slice_sizes={1}")
        else:
            if name[0] == "u":  # XLA's CPU takes large unsigned constants for negative ones (docs/findings.md)
                value, name = self.add(f"s64[{size}]", f"convert({value})"), "s64"
                self.values.append((value, name, size))
            at = rng.randrange(size)
            one = self.add(f"{name}[1]", f"slice({value}), slice={{[{at}:{at + 1}]}}")
            index = self.add(f"{name}[]", f"reshape({one})")
            self.result = rng.randint(1, self.sources)
            self.root = self.add(f"f32[{self.result}]",
                                 f"dynamic-slice({self.p}, {index}), dynamic_slice_sizes={{{self.result}}}")
        self.kind = kind

    def add(self, shape, text):
        name = f"{self.prefix}{self.count}"
        self.count += 1
        self.lines.append((name, shape, text))
        return name

    def start(self):
        rng, name = self.rng, self.rng.choice(list(BITS))
        size, (low, high) = rng.choice([2, 5, 20, 70, 300]), range_of(name)
        kind = rng.choice(["iota", "iota", "constant", "parameter"])
        if kind == "iota":
            return self.add(f"{name}[{size}]", "iota(), iota_dimension=0"), name, size
        near = [x for x in (low, low + 1, -1, 0, 1, 2, self.sources - 1, self.sources, high - 1, high) if low <= x <= high]
        numbers = [rng.choice(near) for _ in range(size)]
        if kind == "constant" or BITS[name] == 4:  # numpy has no 4-bit types
            return self.add(f"{name}[{size}]", f"constant({{{', '.join(map(str, numbers))}}})"), name, size
        number = len(self.inputs) + 1
        self.inputs[number] = (name, numbers)
        return self.add(f"{name}[{size}]", f"parameter({number})"), name, size

    def chain(self):
        rng = self.rng
        value, name, size = self.start()
        for _ in range(rng.randint(0, 4)):
            step = rng.choice(["reverse", "slice", "twice", "square", "convert", "cast", "add", "negate", "copy"])
            computes = step in ("convert", "cast", "add", "negate")
            if step == "reverse":
                value = self.add(f"{name}[{size}]", f"reverse({value}), dimensions={{0}}")
            elif step == "slice":
                first = rng.randrange(size)
                last, stride = rng.randint(first + 1, size), rng.randint(1, 3)
                size = -(-(last - first) // stride)
                value = self.add(f"{name}[{size}]", f"slice({value}), slice={{[{first}:{last}:{stride}]}}")
            elif step == "twice":
                size *= 2
                value = self.add(f"{name}[{size}]", f"concatenate({value}, {value}), dimensions={{0}}")
            elif step == "square":
                wide = self.add(f"{name}[{size},2]", f"broadcast({value}), dimensions={{0}}")
                turned = self.add(f"{name}[2,{size}]", f"transpose({wide}), dimensions={{1,0}}")
                size *= 2
                value = self.add(f"{name}[{size}]", f"reshape({turned})")
            elif step == "copy":
                value = self.add(f"{name}[{size}]", f"copy({value})")
            elif step == "add":
                value = self.add(f"{name}[{size}]", f"{rng.choice(['add', 'multiply', 'maximum'])}({value}, {value})")
            elif step == "negate":
                value = self.add(f"{name}[{size}]", f"negate({value})")
            else:
                same = [t for t in BITS if step == "convert" or BITS[t] == BITS[name]]
                other = rng.choice([t for t in same if BITS[t] > 4] or [name])
                computes = other != name
                if computes:
                    value = self.add(f"{other}[{size}]", f"{'convert' if step == 'convert' else 'bitcast-convert'}({value})")
                    name = other
            if computes:
                if BITS[name] == 4:  # its values cannot be read
                    value = self.add(f"s8[{size}]", f"convert({value})")
                    name = "s8"
                self.values.append((value, name, size))
        return value, name, size

    def text(self):
        lines = "".join(f"  {'ROOT ' if name == self.root else ''}{name} = {shape} {text}\n" for name, shape, text in self.lines)
        return f"HloModule asked\n\nENTRY %main {{\n{lines}}}\n"


def answers(programs):
    """Runs all programs as one module; gives for each the result and the values."""
    lines, arrays, parts = [], [], []
    for program in programs:
        for name, shape, text in program.lines:
            if text.startswith("parameter("):
                number = int(text[10:-1])
                if number == 0:
                    arrays.append(np.arange(program.sources, dtype=np.float32))
                else:
                    type_name, numbers = program.inputs[number]
                    arrays.append(np.array(numbers, dtype=np.dtype({"u": "uint", "s": "int"}[type_name[0]] + type_name[1:])))
                text = f"parameter({len(arrays) - 1})"
            lines.append(f"  {name} = {shape} {text}\n")
        parts += [(f"f32[{program.result}]", program.root)] + [(f"{t}[{n}]", v) for v, t, n in program.values]
    root = f"  ROOT %result = ({', '.join(s for s, _ in parts)}) tuple({', '.join(n for _, n in parts)})\n"
    text = f"HloModule asked\n\nENTRY %main {{\n{''.join(lines)}{root}}}\n"
    results = iter(ask_xla.Executable(text, 1, ask_xla.options_for(1)).run(arrays)[0])
    return [(next(results), [next(results) for _ in program.values]) for program in programs]


def main():
    count, seed = int(sys.argv[1]), int(sys.argv[2])
    rng = random.Random(seed)
    print(json.dumps({"jaxlib": jaxlib.__version__}))
    for first in range(0, count, BATCH):
        programs = [Program(rng, k) for k in range(first, min(first + BATCH, count))]
        for k, (program, (result, values)) in enumerate(zip(programs, answers(programs)), first):
            largest = 2**63 - 1  # the reference's numbers; no array has an element beyond
            print(json.dumps({
                "id": f"n{seed}.{k}", "kind": f"{program.kind} of narrow integers", "way": "bits", "text": program.text(),
                "offsets": {str(n): [min(x, largest) for x in numbers] for n, (_, numbers) in program.inputs.items()},
                "values": {v[1:]: [min(int(x), largest) for x in got] for (v, _, _), got in zip(program.values, values)},
                "answer": ["|".join(str(int(x)) for x in result.reshape(-1))]}))


main()
