# SPDX-License-Identifier: Apache-2.0
"""All that was ever found goes through the binding: an answer or a Python exception, no crash.

The inputs are the lines of the files of corpus/, and the inputs of the fuzz targets in the folder
that TILEPROOF_FUZZ_INPUTS names (`fuzz_seeds corpus FOLDER --all` writes it).
`tools/python_sanitized` runs this under AddressSanitizer and UndefinedBehaviorSanitizer.
"""

import collections
import math
import os
import pathlib

import numpy as np

import tileproof as tp
from tileproof import _native

CORPUS = pathlib.Path(__file__).parents[2] / "corpus"
ERRORS = (ValueError, IndexError, TypeError, OverflowError, MemoryError)
MOST_ELEMENTS = 1 << 10  # of a layout that is copied
EVERY = 1 if os.environ.get("TILEPROOF_ONE_IN") == "1" else 5  # by day one input in five
NUMBERS = [0, 1, -1, 7, 2**31, -(2**63), 2**63 - 1, 2**63, -(2**64)]


def inputs():
    """The lines of the corpus and the inputs of the fuzz targets, each once."""
    found = {}
    for path in sorted(CORPUS.rglob("*")):
        if path.suffix in (".txt", ".tsv", ".hlo", ".jsonl"):
            for line in path.read_bytes().splitlines():
                for word in line.split(b"\t"):
                    found[word.strip()] = None
                if b" -> (" in line:  # a map behind other words, as in corpus/golden
                    found[line[line.find(b"(") :]] = None
    folder = os.environ.get("TILEPROOF_FUZZ_INPUTS")
    if folder:
        for path in sorted(pathlib.Path(folder).rglob("*")):
            if path.is_file():
                found[path.read_bytes()] = None
    return list(found)


def attempt(counts, name, function, *arguments, **options):
    """Counts the answer or the exception; any other end is a failure."""
    try:
        result = function(*arguments, **options)
    except ERRORS:
        counts[name, "refused"] += 1
        return None
    counts[name, "answered"] += 1
    return result


def use_layout(counts, a):
    assert tp.layout(a.text) == a
    for property_ in ("dims", "padding", "bits", "bytes", "formula", "element_type", "system"):
        getattr(a, property_)
    rank = len(a.dims)
    for number in NUMBERS:
        attempt(counts, "offset", a.offset, *[number] * rank)
        attempt(counts, "index", a.index, number)
    attempt(counts, "offset", a.offset, *[np.array([0, -1])] * rank)
    attempt(counts, "index", a.index, np.array([0, a.elements], np.uint64))
    attempt(counts, "offsets", a.offsets, [0] * rank, [1] * rank)
    # NumPy refuses an empty array too if its other sizes are large.
    if a.elements <= MOST_ELEMENTS and math.prod(max(n, 1) for n in a.dims) <= MOST_ELEMENTS:
        box = attempt(counts, "offsets", a.offsets)
        assert box is not None and box.shape == tuple(a.dims)
        attempt(counts, "index", a.index, np.arange(a.elements))
        for dtype in (np.uint8, np.complex128):
            x = np.arange(box.size).reshape(box.shape).astype(dtype)
            memory = attempt(counts, "tile", a.tile, x)
            if memory is not None:
                assert (a.untile(memory) == x).all(), a.text
        x = np.zeros(box.shape, np.uint8)
        packed = attempt(counts, "packed", a.tile, x, packed=True)
        if packed is not None:
            attempt(counts, "packed", a.untile, packed, packed=True)


def use_map(counts, m):
    attempt(counts, "simplify", m.simplify)
    attempt(counts, "trace", m.trace)
    attempt(counts, "compose", m.compose, m)
    count = len(m.domain.variables)
    for number in NUMBERS:
        attempt(counts, "map", m, *[number] * count)
    attempt(counts, "map", m, *[v.low for v in m.domain.variables])
    if count:
        attempt(counts, "map", m, *[np.array([v.low, v.high]) for v in m.domain.variables])


def test_the_corpus_of_inputs():
    counts = collections.Counter()
    for number, one in enumerate(inputs()[::EVERY]):
        for text in {one.decode("utf-8", "replace"), one.decode("utf-8", "ignore")}:
            a = attempt(counts, "layouts", tp.layout, text)
            if isinstance(a, tp.Layout):
                use_layout(counts, a)
            m = attempt(counts, "maps", tp.IndexingMap, text)
            if m is not None:
                use_map(counts, m)
        if number % 16 == 0:
            for kind in ("shape", "layout", "map", "module"):
                attempt(counts, "generated", _native._generated, kind, one[:256])
    print(dict(counts))
    least = {"layouts": 5000, "maps": 2500, "tile": 500, "index": 5000, "simplify": 2000}
    for name, number in least.items():
        assert counts[name, "answered"] >= number // EVERY, (name, counts)
    assert counts["layouts", "refused"] > 10000 // EVERY
    assert counts["generated", "answered"] > 1000 // EVERY
    assert counts["generated", "refused"] == 0
