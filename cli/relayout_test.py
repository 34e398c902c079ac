# SPDX-License-Identifier: Apache-2.0
"""Executes the loops of `tileproof relayout --json`. cli/relayout_test.py PROGRAM

Whoever has the JSON alone makes the same moves as the definition of both layouts, which `respond --engine spec` answers.
"""
import itertools
import json
import random
import subprocess
import sys

FIXED = [  # layouts of one array, its sizes, the elements that a loop without bounds would move
    ("f32[4,5]{1,0:T(2,2)}", "f32[4,5]{1,0}", [4, 5], 24),
    ("f16[60,90]", "((16,4),(16,6)):((16,256),(1,1024))", [60, 90], 60 * 96),
    ("((4,2),(2,3)):((2,24),(1,8))", "f32[7,5]{0,1}", [7, 5], 48),
    ("f32[2,4]", "memref<2x4xf32, strided<[8, 1], offset: 5>>", [2, 4], 8),
    ("f32[2,4]", "Sw<2,0,2> o 0 o (2,4):(4,1)", [2, 4], None),
    ("f32[]", "f32[]{:T(4)}", [], 1),
    ("f32[0,4]", "f32[0,4]{0,1}", [0, 4], 0),
]


def random_pairs(count):
    choose = random.Random(1)
    for _ in range(count):
        sizes = [choose.randint(1, 9) for _ in range(choose.randint(1, 3))]
        def layout():
            order = choose.sample(range(len(sizes)), len(sizes))
            tile = [choose.choice([1, 2, 3, 4, 8]) for _ in range(choose.randint(0, len(sizes)))]
            tiles = f":T({','.join(map(str, tile))})" if tile else ""
            return f"f32[{','.join(map(str, sizes))}]{{{','.join(map(str, order))}{tiles}}}"
        yield layout(), layout(), sizes, None


def executed(plan):
    """The moves of the loops, and how many there would be without bounds."""
    if plan["bounds"] and any(low > high for low, high in plan["bounds"]):
        return [], 0
    moves, all_counters = [], list(itertools.product(*(range(loop["size"]) for loop in plan["loops"])))
    for counters in all_counters:
        index = [0] * len(plan["bounds"])
        source, destination = plan["begin"]["source"], plan["begin"]["destination"]
        for k, loop in zip(counters, plan["loops"]):
            index[loop["dimension"]] += k * loop["weight"]
            source, destination = source + k * loop["source"], destination + k * loop["destination"]
        if all(low <= i <= high for i, (low, high) in zip(index, plan["bounds"])):
            moves.append((source, destination))
    return sorted(moves), len(all_counters)


def offsets(program, layout, indices):
    """By the definition. A nested layout of a padded array answers for its modes, which include the array."""
    requests = "".join(json.dumps({"id": k, "op": "layout.offset", "layout": layout, "index": list(index)}) + "\n"
                       for k, index in enumerate(indices))
    answers = subprocess.run([program, "respond", "--engine", "spec"], input=requests, capture_output=True, text=True, check=True)
    return [json.loads(line)["result"] for line in answers.stdout.splitlines()]


def main():
    program, = sys.argv[1:]
    executions = 0
    for source, destination, sizes, unbounded in [*FIXED, *random_pairs(40)]:
        run = subprocess.run([program, "relayout", "--json", source, destination], capture_output=True, text=True, check=True)
        plan = json.loads(run.stdout)
        indices = list(itertools.product(*map(range, sizes)))
        expected = sorted(zip(offsets(program, source, indices), offsets(program, destination, indices)))
        if plan["moves"] != len(expected) or plan["bounds"] != [[0, size - 1] for size in sizes]:
            sys.exit(f"FAILED: {source} to {destination}: {run.stdout}")
        if plan["loops"] is None:
            continue
        found, all_counters = executed(plan)
        if found != expected or all_counters != (unbounded if unbounded is not None else all_counters):
            sys.exit(f"FAILED: {source} to {destination}: expected {expected}, found {found} of {all_counters}: {run.stdout}")
        executions += 1
    if executions < 30:
        sys.exit(f"FAILED: only {executions} plans had loops")
    print(f"{executions} plans executed, as the definition says")


main()
