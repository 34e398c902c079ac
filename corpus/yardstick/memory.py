# SPDX-License-Identifier: Apache-2.0
"""What threads, blocks and devices hold: layouts of threads as tables, banks word by word, grids step by step, shards."""
import itertools
import math
import re

from layouts import inside_of, layout_of, nested_offset, place, size, swizzle_offset
from maps import apply, parsed, variables_of
from serve import Invalid, Unknown, serve

PLACES = ("register", "lane", "warp", "block")


def ints(text):
    return [int(n) for n in re.findall(r"-?\d+", text)]


def product(sizes):
    """All indices, the last dimension fastest."""
    return itertools.product(*map(range, sizes))


# ---- Layouts of threads ----

def spread(bases, n):
    """The sum (without carry) of the bases of the bits of n."""
    out = [0] * len(bases[0]) if bases else None
    for k, base in enumerate(bases):
        if n >> k & 1:
            out = [a ^ b for a, b in zip(out, base)]
    return out


def bits_of(n):
    return n.bit_length() - 1


class Bases:
    """A linear layout: for each kind of place, the index that each of its bits adds."""

    def __init__(self, dims, bases):
        self.dims, self.bases = dims, bases

    def element(self, at):
        index = [0] * len(self.dims)
        for kind in PLACES:
            n = at[kind]
            if not 0 <= n < 1 << len(self.bases[kind]):
                raise Invalid("no such place")
            more = spread(self.bases[kind], n)
            if more:
                index = [a ^ b for a, b in zip(index, more)]
        return index

    def owners(self, index):
        ranges = [range(1 << len(self.bases[kind])) for kind in PLACES]
        if math.prod(len(r) for r in ranges) > 1 << 14:
            raise Unknown("large")
        found = []
        for at in itertools.product(*ranges):
            named = dict(zip(PLACES, at))
            if self.element(named) == list(index):
                found.append(named)
        return found


def blocked(text, dims):
    """Bases of #ttg.blocked, register by register until the tensor is covered."""
    number = lambda key, usual: ints(re.search(key + r" = \[(.*?)\]", text)[1]) if key in text else usual
    order = number("order", None)
    rank = len(order)
    dims = dims or [1] * rank
    ones = [1] * rank
    per_block = number("CTAsPerCGA", ones)
    split = number("CTASplitNum", ones)
    block_order = number("CTAOrder", list(range(rank))[::-1])
    shape = [max(n // s, 1) for n, s in zip(dims, split)]
    bases, done = {kind: [] for kind in PLACES}, [1] * rank
    for kind, key in (("register", "sizePerThread"), ("lane", "threadsPerWarp"), ("warp", "warpsPerCTA")):
        sizes = number(key, ones)
        for d in order:
            for _ in range(bits_of(sizes[d])):
                step = [0] * rank
                step[d] = done[d] if done[d] < shape[d] else 0
                if kind != "register" or step[d] > 0:  # a thread has no second copy
                    bases[kind].append(step)
                done[d] *= 2
    for d in order:
        while done[d] < shape[d]:
            step = [0] * rank
            step[d] = done[d]
            bases["register"].append(step)
            done[d] *= 2
    for d in block_order:
        for k in range(bits_of(per_block[d])):
            step = [0] * rank
            step[d] = shape[d] << k if 1 << k < split[d] and shape[d] << k < dims[d] else 0
            bases["block"].append(step)
    return Bases(dims, bases)


def linear(text, dims):
    bases = {}
    for kind in PLACES:
        rows = re.search(kind + r" = \[(.*?)\](?:,|\})(?! \[)", text)[1]
        bases[kind] = [ints(row) for row in re.findall(r"\[(.*?)\]", rows if "[" in rows else "")]
    every = [base for kind in PLACES for base in bases[kind]]
    reached = [1 << max((base[d] for base in every), default=0).bit_length() for d in range(len(dims))]
    if reached != dims:
        raise Unknown("another size than that of the tensor")
    return Bases(dims, bases)


class Values:
    """`tv:`: a nested layout from (thread, value) to the number of an element, the first dimension fastest."""

    def __init__(self, text):
        layout, array = re.fullmatch(r"tv:(.*):\w+\[(.*)\]", text).groups()
        self.dims = ints(array)
        shape, stride = layout_of(layout)
        if not isinstance(shape, list) or len(shape) != 2:
            raise Invalid("no threads and values")
        self.shape, self.stride = shape, stride
        self.threads, self.values = size(shape[0]), size(shape[1])

    def element(self, at):
        thread = at["warp"] * 32 + at["lane"]
        lanes = min(self.threads, 32)
        if not (0 <= at["lane"] < lanes and 0 <= at["register"] < self.values and at["block"] == 0 and 0 <= thread < self.threads):
            raise Invalid("no such place")
        number = place(self.shape, self.stride, [thread, at["register"]])
        index = []
        for n in self.dims:
            index.append(number % n)
            number //= n
        return index

    def owners(self, index):
        if self.threads * self.values > 1 << 14:
            raise Unknown("large")
        found = []
        for register in range(self.values):
            by_thread = []
            for thread in range(self.threads):
                at = {"register": register, "lane": thread % 32, "warp": thread // 32, "block": 0}
                if self.element(at) == list(index):
                    by_thread.append(at)
            found += sorted(by_thread, key=lambda a: (a["lane"], a["warp"]))
        return found


def threads_of(text):
    if text.startswith("tv:"):
        return Values(text)
    found = re.fullmatch(r"tensor<((?:\d+x)+)\w+, #ttg\.(\w+)<\{(.*)\}>>", text)
    if not found or found[2] not in ("blocked", "linear"):
        raise Unknown(text[:30])
    dims = ints(found[1].replace("x", " "))
    layout = (blocked if found[2] == "blocked" else linear)(found[3] + "}", dims)
    if any(n & (n - 1) for n in dims):
        raise Unknown("sizes")
    return layout


def element(request):
    return threads_of(request["layout"]).element({kind: request[kind] for kind in PLACES})


def owner(request):
    layout = threads_of(request["layout"])
    inside_of(layout.dims, request["index"])
    return layout.owners(request["index"])


# ---- Banks ----

def offset_in(text, index):
    if text.startswith("Sw"):
        return swizzle_offset(text, index)
    if text[0] in "(0123456789":
        return nested_offset(text, index)
    found = re.fullmatch(r"\w+\[([\d,]*)\]\{([\d,]*)\}", text)
    if not found:
        raise Unknown("layout")
    dims, offset, stride = ints(found[1]), 0, 1
    inside_of(dims, index)
    for d in ints(found[2]):
        offset += index[d] * stride
        stride *= dims[d]
    return offset


def banks(request):
    m = parsed(request, "access")
    text, vector = request["layout"], request["vector"]
    count, width = request.get("banks", 32), request.get("bank_bytes", 4)
    if "bits" not in request or m["runtime"] or not m["dims"]:
        raise Unknown("bits, or no lane")
    bits = request["bits"]
    whole = count * width
    if vector < 1 or whole % vector:
        raise Invalid("vectors")
    each = max(vector * 8 // bits, 1)
    lanes = min(max(whole // vector, 1), count)
    served = {}
    bounds = variables_of(m)
    if math.prod(max(high - low + 1, 0) for low, high in bounds.values()) > 20_000:
        raise Unknown("large")
    values, rank = {}, len(m["dims"])
    sizes = [high - low + 1 for low, high in list(bounds.values())[rank:]]
    for at in itertools.product(*(range(low, high + 1) for low, high in bounds.values())):
        index = apply(m, dict(zip(bounds, at)))
        if index is None:
            continue
        if at[0] < 0:
            raise Invalid("a lane below 0")
        offset = offset_in(text, index)
        if offset < 0:
            raise Invalid("below 0")
        number = 0
        for x, n, (low, _) in zip(at[rank:], sizes, list(bounds.values())[rank:]):
            number = number * n + x - low
        group = number // each if sizes else 0
        values.setdefault((at[1:rank], group, at[0]), []).append(offset)
    for (access, group, lane), offsets in values.items():
        if sizes and math.prod(sizes) % each:
            raise Unknown("part of a vector")
        if offsets != list(range(offsets[0], offsets[0] + len(offsets))):
            raise Invalid("not beside each other")
        first = offsets[0] * bits // 8
        words = range(first // width, (first + vector - 1) // width + 1)
        served.setdefault((access, group, lane // lanes), set()).update(words)
    phases = []
    for _, words in sorted(served.items()):
        by_bank = {}
        for word in words:
            by_bank[word % count] = by_bank.get(word % count, 0) + 1
        phases.append(max(by_bank.values()))
    return {"phases": phases}


# ---- Grids ----

class Operand:
    def __init__(self, given, grid):
        self.name, self.shape, self.is_output = given["name"], given["shape"], given["kind"] == "out"
        found = re.match(r"\((.*?)\) -> \((.*?)\)(?:, domain.*)?$", given["index_map"])
        text = given["index_map"].split(" -> ", 1)[1].split(", domain:")[0]
        if not found or "ceildiv" in text or "[" in given["index_map"].split(" -> ")[0] or "alias" in given:
            raise Unknown("index map")
        self.names = [n for n in found[1].split(", ") if n]
        self.map = compile(text.replace("floordiv", "//").replace("mod", "%") + ",", "map", "eval")
        self.block = []
        for b in given["block"]:
            if b is None or isinstance(b, dict) and "squeezed" in b:
                b = 1
            self.block.append((b["element"], True, b["padding"][0]) if isinstance(b, dict) else (b, False, 0))
        if len(self.names) != len(grid) or len(self.block) != len(self.shape):
            raise Invalid("another rank")

    def span(self, step):
        """For each dimension, the indices of a step's block; those outside of the array too."""
        numbers = eval(self.map, dict(zip(self.names, step)))
        numbers = numbers[0] if isinstance(numbers[0], tuple) else numbers
        spans = []
        for number, (n, is_element, before) in zip(numbers, self.block):
            start = number - before if is_element else number * n
            spans.append(range(start, start + n))
        return spans

    def elements(self, step):
        return itertools.product(*(range(max(s.start, 0), min(s.stop, n)) for s, n in zip(self.span(step), self.shape)))


def grid(request):
    sizes = request["grid"]
    parallel = [word == "parallel" for word in request.get("semantics", ["arbitrary"] * len(sizes))]
    if "scalars" in request:
        raise Unknown("scalars")
    operands = [Operand(given, sizes) for given in request["operands"]]
    steps = list(product(sizes))
    facts = {"inside": True, "covered": True, "once": True, "races": True}
    for o in operands:
        writers = {}
        for number, step in enumerate(steps):
            spans = o.span(step)
            if any(s.stop <= 0 or s.start >= n for s, n in zip(spans, o.shape)) and facts["inside"] is True:
                facts["inside"] = list(step)
            if o.is_output:
                for e in o.elements(step):
                    writers.setdefault(e, []).append(number)
        if not o.is_output:
            continue
        for e in product(o.shape):
            if e not in writers and facts["covered"] is True:
                facts["covered"] = {"operand": o.name, "element": list(e)}
        for e, numbers in writers.items():
            for a, b in zip(numbers, numbers[1:]):
                if b - a > 1:
                    facts["once"] = list(steps[b])
            for a, b in itertools.combinations(numbers, 2):
                if any(p and x != y for p, x, y in zip(parallel, steps[a], steps[b])):
                    facts["races"] = list(steps[a])
    return facts


# ---- Shards ----

def shard(request):
    shape = request["parsed"].get("shape")
    text = request["sharding"]
    if shape is None or not isinstance(text, str):
        raise Unknown("no array, or an object")
    dims, device, index = shape["dims"], request["device"], request["index"]
    if text == "{replicated}":
        inside_of(dims, index)
        return index
    found = re.fullmatch(r"\{devices=\[([\d,]+)\](?:<=\[([\d,]+)\](?:T\(([\d,]+)\))?|([\d,]+))( last_tile_dim_replicate)?\}", text)
    if not found:
        raise Unknown(text)
    tiles = ints(found[1])
    count = math.prod(tiles)
    if found[4]:
        devices = ints(found[4])
    else:
        mesh = ints(found[2])
        order = ints(found[3]) if found[3] else list(range(len(mesh)))
        devices = []
        for at in product([mesh[d] for d in order]):
            number = 0
            for d, n in enumerate(mesh):
                number = number * n + at[order.index(d)]
            devices.append(number)
    if not 0 <= device < count:
        raise Invalid("no such device")
    tile = list(product(tiles))[devices.index(device)]
    parts = tiles[:-1] if found[5] else tiles
    held = [-(-n // p) for n, p in zip(dims, parts)]
    inside_of(held, index)
    out = [t * n + i for t, n, i in zip(tile, held, index)]
    return out if all(x < n for x, n in zip(out, dims)) else None


OPERATIONS = {"layout.element": element, "layout.owner": owner, "layout.banks": banks, "grid.check": grid, "shard.index": shard}

if __name__ == "__main__":
    serve(OPERATIONS, "memory.py")
