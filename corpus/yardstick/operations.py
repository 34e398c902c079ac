# SPDX-License-Identifier: Apache-2.0
"""Which elements operations of HLO read: expressions as text, followed from the result to the parameters.

A read is (operand, expressions of its index, constraints, sizes of new variables). All expressions are texts in brackets.
"""
import itertools
import math
import re

from serve import Invalid, Unknown, serve

ELEMENTWISE = set("""abs add and atan2 cbrt ceil compare complex convert copy cosine divide exponential floor imag is-finite log
maximum minimum multiply negate not opt-barrier or popcnt power real remainder rsqrt sign sine sqrt subtract tanh xor map
all-reduce clamp select""".split())
FAR = 10**12  # beyond each index


def ints(text):
    return [int(n) for n in re.findall(r"-?\d+", text or "")]


def listed(i, key):
    return ints(i["attributes"].get(key))


class Reads:
    """What is read of the operands for one element of a result."""

    def __init__(self):
        self.all = []
        self.runtime = []

    def add(self, operand, index, constraints=(), ranges=()):
        self.all.append((operand, list(index), list(constraints), list(ranges)))


counter = itertools.count()


def fresh():
    return f"s{next(counter)}"


def offset_of(at, sizes, order):
    """The position in memory of an index, as text, and its strides by `order`, minor to major."""
    stride, terms = 1, []
    for d in order:
        terms.append(f"{at[d]} * {stride}")
        stride *= sizes[d]
    return "(" + (" + ".join(terms) or "0") + ")"


def index_at(offset, sizes, order):
    out = [None] * len(sizes)
    stride = 1
    for d in order:
        out[d] = f"(({offset} floordiv {max(stride, 1)}) mod {max(sizes[d], 1)})"
        stride *= sizes[d]
    return out


def identity(i, shapes, at, reads):
    for k, shape in enumerate(shapes):
        reads.add(k, at if shape["dims"] else [])


def broadcast(i, shapes, at, reads):
    reads.add(0, [at[d] for d in listed(i, "dimensions")])


def transpose(i, shapes, at, reads):
    index = [None] * len(at)
    for out, d in enumerate(listed(i, "dimensions")):
        index[d] = at[out]
    reads.add(0, index)


def reverse(i, shapes, at, reads):
    flipped = listed(i, "dimensions")
    sizes = shapes[0]["dims"]
    reads.add(0, [f"({n - 1} - {x})" if d in flipped else x for d, (n, x) in enumerate(zip(sizes, at))])


def reshape(i, shapes, at, reads):
    into, of = i["shape"]["dims"], shapes[0]["dims"]
    if math.prod(into) != math.prod(of):
        raise Invalid("another number of elements")
    major = lambda dims: list(range(len(dims)))[::-1]
    reads.add(0, index_at(offset_of(at, into, major(into)), of, major(of)))


def bitcast(i, shapes, at, reads):
    into, of = i["shape"], shapes[0]
    if into["tiles"] or of["tiles"]:
        raise Unknown("tiles")
    offset = offset_of(at, into["dims"], into["minor_to_major"])
    ranges = []
    if of["bits"] > into["bits"]:
        offset = f"({offset} floordiv {of['bits'] // into['bits']})"
    elif of["bits"] < into["bits"]:
        ratio = into["bits"] // of["bits"]
        part = fresh()
        ranges.append((part, ratio))
        offset = f"({offset} * {ratio} + {part})"
    reads.add(0, index_at(offset, of["dims"], of["minor_to_major"]), [], ranges)


def bitcast_convert(i, shapes, at, reads):
    more = len(shapes[0]["dims"]) - len(at)
    if more > 0:
        part = fresh()
        return reads.add(0, at + [part], [], [(part, shapes[0]["dims"][-1])])
    reads.add(0, at[:len(at) + more])


def slice_of(i, shapes, at, reads):
    parts = [ints(p) for p in re.findall(r"\[(.*?)\]", i["attributes"].get("slice", ""))]
    reads.add(0, [f"({x} * {p[2] if len(p) > 2 else 1} + {p[0]})" for x, p in zip(at, parts)])


def pad(i, shapes, at, reads):
    edges = [ints(p.replace("_", " ")) for p in i["attributes"].get("padding", "").split("x") if p]
    index, inside, beside = [], [], []
    for x, n, edge in zip(at, shapes[0]["dims"], edges):
        step = (edge[2] if len(edge) > 2 else 0) + 1
        moved = f"({x} - {edge[0]})"
        index.append(f"({moved} floordiv {step})")
        inside.append((moved, 0, (n - 1) * step))
        if step > 1:
            inside.append((f"({moved} mod {step})", 0, 0))
            beside.append([(f"({moved} mod {step})", 1, step - 1)])
        beside += [[(moved, -FAR, -1)], [(moved, (n - 1) * step + 1 if n else 0, FAR)]]
    reads.add(0, index, inside)
    for constraints in beside:
        reads.add(1, [], constraints)


def concatenate(i, shapes, at, reads):
    d = listed(i, "dimensions")[0]
    before = 0
    for k, shape in enumerate(shapes):
        n = shape["dims"][d]
        index = list(at)
        index[d] = f"({at[d]} - {before})"
        reads.add(k, index, [(at[d], before, before + n - 1)])
        before += n


def reduce(i, shapes, at, reads):
    gone = listed(i, "dimensions")
    inputs = len(shapes) // 2
    for k in range(inputs):
        left, index, ranges = list(at), [], []
        for d, n in enumerate(shapes[k]["dims"]):
            if d in gone:
                ranges.append((fresh(), n))
                index.append(ranges[-1][0])
            else:
                index.append(left.pop(0))
        reads.add(k, index, [], ranges)
    for k in range(inputs, 2 * inputs):
        reads.add(k, [])


def dot(i, shapes, at, reads):
    batch = listed(i, "lhs_batch_dims"), listed(i, "rhs_batch_dims")
    summed = listed(i, "lhs_contracting_dims"), listed(i, "rhs_contracting_dims")
    names = [(fresh(), shapes[0]["dims"][d]) for d in summed[0]]
    free = at[len(batch[0]):]
    for side in (0, 1):
        index, used = [], list(free) if side == 0 else list(free[len(shapes[0]["dims"]) - len(batch[0]) - len(summed[0]):])
        for d in range(len(shapes[side]["dims"])):
            if d in batch[side]:
                index.append(at[batch[side].index(d)])
            elif d in summed[side]:
                index.append(names[summed[side].index(d)][0])
            else:
                index.append(used.pop(0))
        reads.add(side, index, [], names)


class Window:
    def __init__(self, text, rank):
        of = dict(re.findall(r"(\w+)=([\dx_-]+)", text or ""))
        numbers = lambda key, usual: [int(n) for n in of[key].split("x")] if key in of else [usual] * rank
        self.size, self.stride = numbers("size", 1), numbers("stride", 1)
        self.low = [int(p.split("_")[0]) for p in of["pad"].split("x")] if "pad" in of else [0] * rank
        self.base, self.step = numbers("lhs_dilate", 1), numbers("rhs_dilate", 1)
        self.reversal = numbers("rhs_reversal", 0)

    def read(self, d, x, n):
        """The window's position, the index read at result index x, and when it is an element."""
        part = fresh()
        place = f"({x} * {self.stride[d]} - {self.low[d]} + {part} * {self.step[d]})"
        need = [(place, 0, (n - 1) * self.base[d])]
        if self.base[d] > 1:
            need.append((f"({place} mod {self.base[d]})", 0, 0))
        return part, f"({place} floordiv {self.base[d]})", need


def reduce_window(i, shapes, at, reads):
    inputs = len(shapes) // 2
    window = Window(i["attributes"].get("window"), len(at))
    for k in range(inputs):
        index, needs, ranges = [], [], []
        for d, (x, n) in enumerate(zip(at, shapes[k]["dims"])):
            part, place, need = window.read(d, x, n)
            index.append(place)
            needs += need
            ranges.append((part, window.size[d]))
        reads.add(k, index, needs, ranges)
    for k in range(inputs, 2 * inputs):
        reads.add(k, [])


def convolution(i, shapes, at, reads):
    lhs, rhs, out = re.fullmatch(r"(\w+)_(\w+)->(\w+)", i["attributes"]["dim_labels"]).groups()
    of = {label: at[k] for k, label in enumerate(out)}
    groups = int(i["attributes"].get("feature_group_count", 1))
    batches = int(i["attributes"].get("batch_group_count", 1))
    sizes = [dict(zip(labels, shape["dims"])) for labels, shape in zip((lhs, rhs, out), (*shapes, i["shape"]))]
    spatial = [label for label in lhs if label.isdigit()]
    window = Window(i["attributes"].get("window"), len(spatial))
    feature = fresh()
    ranges, needs = [(feature, sizes[1]["i"])], []
    left, right = {"b": of["b"], "f": feature}, {"i": feature, "o": of["f"]}
    if groups > 1:
        each = sizes[2]["f"] // groups
        left["f"] = f"(({of['f']} floordiv {max(each, 1)}) * {sizes[1]['i']} + {feature})"
    if batches > 1:
        each = sizes[2]["f"] // batches
        left["b"] = f"(({of['f']} floordiv {max(each, 1)}) * {sizes[2]['b']} + {of['b']})"
    for label in spatial:
        d = int(label)
        part, place, need = window.read(d, of[label], sizes[0][label])
        left[label] = place
        right[label] = f"({window.size[d] - 1} - {part})" if window.reversal[d] else part
        needs += need
        ranges.append((part, window.size[d]))
    reads.add(0, [left[label] for label in lhs], needs, ranges)
    reads.add(1, [right[label] for label in rhs], needs, ranges)


def dynamic_slice(i, shapes, at, reads):
    index = []
    for d, (x, n, size) in enumerate(zip(at, shapes[0]["dims"], i["shape"]["dims"])):
        reads.runtime.append((f"rt{d}", n - size))
        index.append(f"({x} + rt{d})")
    reads.add(0, index)
    for k in range(1, len(shapes)):
        reads.add(k, [])


def dynamic_update_slice(i, shapes, at, reads):
    inside = []
    for d, (x, n, size) in enumerate(zip(at, shapes[0]["dims"], shapes[1]["dims"])):
        reads.runtime.append((f"rt{d}", n - size))
        inside.append((f"({x} - rt{d})", 0, size - 1))
        reads.add(0, at, [(f"({x} - rt{d})", -n, -1)])
        reads.add(0, at, [(f"({x} - rt{d})", size, n)])
    reads.add(1, [f"({x} - rt{d})" for d, x in enumerate(at)], inside)
    for k in range(2, len(shapes)):
        reads.add(k, [])


def gather(i, shapes, at, reads):
    window_dims, dropped = listed(i, "offset_dims"), listed(i, "collapsed_slice_dims")
    starts, sizes = listed(i, "start_index_map"), listed(i, "slice_sizes")
    paired, beside = listed(i, "operand_batching_dims"), listed(i, "start_indices_batching_dims")
    vector = int(i["attributes"]["index_vector_dim"])
    batch = [x for d, x in enumerate(at) if d not in window_dims]
    kept = [x for d, x in enumerate(at) if d in window_dims]
    index = []
    for d, n in enumerate(shapes[0]["dims"]):
        if d in paired:
            k = beside[paired.index(d)]
            index.append(batch[k - 1 if k > vector else k])
            continue
        x = "0" if d in dropped else kept.pop(0)
        if d in starts:
            k = starts.index(d)
            x = f"({x} + rt{k})"
        index.append(x)
    for k, d in enumerate(starts):
        reads.runtime.append((f"rt{k}", shapes[0]["dims"][d] - sizes[d]))
    reads.add(0, index)
    if vector == len(shapes[1]["dims"]):
        return reads.add(1, batch)
    part = fresh()
    reads.add(1, batch[:vector] + [part] + batch[vector:], [], [(part, shapes[1]["dims"][vector])])


def all_gather(i, shapes, at, reads):
    d = listed(i, "dimensions")[0]
    index = list(at)
    index[d] = f"({at[d]} mod {max(shapes[0]['dims'][d], 1)})"
    reads.add(0, index)


def sort(i, shapes, at, reads):
    d = listed(i, "dimensions")[0]
    for k, shape in enumerate(shapes):
        part = fresh()
        index = list(at)
        index[d] = part
        reads.add(k, index, [], [(part, shape["dims"][d])])


RULES = {"broadcast": broadcast, "transpose": transpose, "reverse": reverse, "reshape": reshape, "bitcast": bitcast,
         "bitcast-convert": bitcast_convert, "slice": slice_of, "pad": pad, "concatenate": concatenate, "reduce": reduce,
         "dot": dot, "reduce-window": reduce_window, "convolution": convolution, "dynamic-slice": dynamic_slice,
         "dynamic-update-slice": dynamic_update_slice, "gather": gather, "all-gather": all_gather, "sort": sort}
SOURCES = {"parameter", "constant", "iota", "rng"}


class Follower:
    """Follows elements of instructions of a module to the parameters of a computation."""

    def __init__(self, module):
        self.computations = module["computations"]

    def reads(self, i, operands, at):
        reads = Reads()
        shapes = [o["shape"] for o in operands]
        if any("dims" not in s for s in [i["shape"], *shapes]):
            raise Unknown("tuples")
        rule = identity if i["opcode"] in ELEMENTWISE else RULES.get(i["opcode"])
        if rule is None:
            raise Unknown(i["opcode"])
        rule(i, shapes, at, reads)
        return reads

    def follow(self, computation, number, at, found, constraints=(), ranges=()):
        """Appends to found[parameter] what an element of an instruction reads of the parameters."""
        i = computation["instructions"][number]
        if i["opcode"] == "parameter":
            return found.setdefault(i["parameter"], []).append((at, list(constraints), list(ranges)))
        if i["opcode"] in SOURCES:
            return None
        operands = [computation["instructions"][o] for o in i["operands"]]
        if i["opcode"] in ("fusion", "call"):
            called = self.computations[i["calls"][0]]
            inner = {}
            self.follow(called, called["root"], at, inner, constraints, ranges)
            for parameter, items in inner.items():
                for index, more, wide in items:
                    self.follow(computation, i["operands"][parameter], index, found, more, wide)
            return None
        reads = self.reads(i, operands, at)
        if reads.runtime:
            raise Unknown("runtime variables")
        for operand, index, more, wide in reads.all:
            self.follow(computation, i["operands"][operand], index, found, [*constraints, *more], [*ranges, *wide])
        return None


def map_text(sizes, results, constraints, ranges, runtime):
    dims = [f"d{d}" for d in range(len(sizes))]
    names = [name for name, _ in ranges]
    domain = [f"{name} in [0, {n - 1}]" for name, n in [*zip(dims, sizes), *ranges]]
    domain += [f"{name} in [0, {n}]" for name, n in runtime]
    domain += [f"{x} in [{low}, {high}]" for x, low, high in constraints]
    lists = f"({', '.join(dims)})" + (f"[{', '.join(names)}]" if names else "")
    lists += "{" + ", ".join(name for name, _ in runtime) + "}" if runtime else ""
    return f"{lists} -> ({', '.join(results)})" + (", domain: " + ", ".join(domain) if domain else "")


def backward(sizes, item, operand_sizes, runtime):
    """The same reads from an element of the operand to those of the result."""
    index, constraints, ranges = item
    names = {f"d{d}": fresh() for d in range(len(sizes))}
    put = lambda x: re.sub(r"\bd\d+\b", lambda m: names[m[0]], x)
    constraints = [(put(x), low, high) for x, low, high in constraints]
    constraints += [(f"({put(x)} - d{d})", 0, 0) for d, x in enumerate(index)]
    outer = [(names[f"d{d}"], n) for d, n in enumerate(sizes)]
    return map_text(operand_sizes, list(names.values()), constraints, outer + ranges, runtime)


def index_maps(request):
    direction, scope = request.get("direction"), request.get("scope", "instruction")
    module = request["parsed"].get("hlo")
    if direction not in ("output_to_input", "input_to_output") or scope not in ("instruction", "computation"):
        raise Invalid("another direction or scope")
    if module is None:
        raise Invalid("no module")
    entry = module["computations"][module["entry"]]
    names = [i["name"] for i in entry["instructions"]]
    number = entry["root"]
    if "instruction" in request:
        if request["instruction"] not in names:
            raise Invalid("no such instruction")
        number = names.index(request["instruction"])
    i = entry["instructions"][number]
    if "dims" not in i["shape"]:
        raise Unknown("tuples")
    if request.get("output", 0) != 0:
        raise Invalid("no such output")
    sizes = i["shape"]["dims"]
    at = [f"d{d}" for d in range(len(sizes))]
    follower, found, runtime = Follower(module), {}, []
    if scope == "computation":
        inputs = sorted((k for k in entry["instructions"] if k["opcode"] == "parameter"), key=lambda k: k["parameter"])
        follower.follow(entry, number, at, found)
    else:
        inputs = [entry["instructions"][o] for o in i["operands"]]
        if i["opcode"] in ("fusion", "call"):
            called = module["computations"][i["calls"][0]]
            follower.follow(called, called["root"], at, found)
        elif i["opcode"] not in SOURCES:
            reads = follower.reads(i, inputs, at)
            runtime = reads.runtime
            for operand, *rest in reads.all:
                found.setdefault(operand, []).append(rest)
    if any("dims" not in k["shape"] for k in inputs):
        raise Unknown("tuples")
    if direction == "output_to_input":
        return [[map_text(sizes, *item, runtime) for item in found.get(k, [])] for k in range(len(inputs))]
    k = request.get("input", 0)
    if not 0 <= k < len(inputs):
        raise Invalid("no such input")
    return [[backward(sizes, item, inputs[k]["shape"]["dims"], runtime) for item in found.get(k, [])]]


def answer(request):
    global counter
    counter = itertools.count()
    return index_maps(request)


OPERATIONS = {"hlo.index": answer}

if __name__ == "__main__":
    serve(OPERATIONS, "operations.py")
