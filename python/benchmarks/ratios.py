# SPDX-License-Identifier: Apache-2.0
"""What a call from Python costs, beside the same work as a loop of C++ in the same minute.

    ratios.py CPP_LOOPS            prints the times and their ratios
    ratios.py CPP_LOOPS --check    and fails if one is far above what it should be

CPP_LOOPS is the program python_cpp_loops. Each side is measured several times, in turns, and the
least time counts: other work on the machine makes both slower. The bounds of --check are generous
for the same reason.
"""

import json
import subprocess
import sys
import time

import numpy as np

import tileproof as tp

LAYOUT = "f32[4096,4096]{1,0:T(8,128)}"  # 64 MB
COUNT = 1_000_000
ROUNDS, REPEATS = 5, 3
# The aim of each ratio, and the bound of --check.
BOUNDS = {"offsets": (2.0, 4.0), "tile": (1.1, 1.6), "call": (8.0, 20.0)}


def seconds(work, repeats=REPEATS):
    least = float("inf")
    for _ in range(repeats):
        began = time.perf_counter()
        work()
        least = min(least, time.perf_counter() - began)
    return least


def calls(function, *arguments, count=20_000):
    """Nanoseconds of one call in a loop."""

    def loop():
        for _ in range(count):
            function(*arguments)

    return seconds(loop) / count * 1e9


def main():
    program, check = sys.argv[1], sys.argv[2:] == ["--check"]
    a = tp.Layout(LAYOUT)
    random = np.random.default_rng(1)
    rows, columns = (random.integers(0, n, COUNT) for n in a.dims)
    x = np.ones(a.dims, np.float32)
    memory = np.zeros(a.elements, np.float32)
    best = {}

    def keep(name, value):
        best[name] = min(best.get(name, value), value)

    for _ in range(ROUNDS):
        words = [program, LAYOUT, str(COUNT), str(REPEATS)]
        loops = json.loads(subprocess.run(words, capture_output=True, check=True, text=True).stdout)
        keep("C++ offsets", loops["offsets"])
        keep("C++ tile", loops["tile"])
        keep("offsets", seconds(lambda: a.offset(rows, columns)) / COUNT * 1e9)
        keep("tile", seconds(lambda: a.tile(x, out=memory)))
        keep("call", calls(a.offset, 2, 3))
        keep("divmod", calls(divmod, 2, 3))
    assert loops["tile"] > 0
    ratios = {
        "offsets": best["offsets"] / best["C++ offsets"],
        "tile": best["tile"] / best["C++ tile"],
        "call": best["call"] / best["divmod"],
    }
    print(f"a call of offset:  {best['call']:6.0f} ns, {ratios['call']:.2f} of a call of divmod")
    print(f"offset of arrays:  {best['offsets']:6.2f} ns each, {ratios['offsets']:.2f} of C++")
    print(f"tile of 64 MB:     {best['tile'] * 1e3:6.1f} ms, {ratios['tile']:.2f} of C++")
    wrong = [name for name, ratio in ratios.items() if check and ratio > BOUNDS[name][1]]
    for name in wrong:
        print(f"{name}: expected a ratio of at most {BOUNDS[name][1]}, found {ratios[name]:.2f}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
