# SPDX-License-Identifier: Apache-2.0
"""Layouts: tiled arrays as a pipeline of steps that can run backward, nested layouts as lists of modes, and others."""
import functools
import math
import re

from serve import Invalid, Unknown, serve

MOST = 2**63 - 1


def fits(n):
    if n > MOST:
        raise Invalid("beyond 64 bits")
    return n


# ---- Tiled arrays ----

class Tiling:
    """One tile: combines dimensions, pads them, splits them and moves the inner parts to the end."""

    def __init__(self, dims, tile):
        self.added = max(len(tile) - len(dims), 0)
        dims = [1] * self.added + dims
        self.kept = dims[:len(dims) - len(tile)]
        self.groups, group = [], []
        for size, t in zip(dims[len(dims) - len(tile):], tile):
            group.append(size)
            if t is not None:
                self.groups.append((group, t))
                group = []
        self.inner = [t for _, t in self.groups]
        self.dims = self.kept + [-(-math.prod(g) // t) for g, t in self.groups] + self.inner

    def forward(self, at):
        at = [0] * self.added + at
        rest = at[len(self.kept):]
        whole = []
        for sizes, _ in self.groups:
            whole.append(joined(sizes, rest[:len(sizes)]))
            rest = rest[len(sizes):]
        return at[:len(self.kept)] + [x // t for x, t in zip(whole, self.inner)] + [x % t for x, t in zip(whole, self.inner)]

    def backward(self, at):
        """The coordinates before the step, or None in padding."""
        n = len(self.groups)
        first = len(self.kept)
        out = at[:first]
        for i, (sizes, t) in enumerate(self.groups):
            x = at[first + i] * t + at[first + n + i]
            if x >= math.prod(sizes):
                return None
            out += parted(sizes, x)
        return out[self.added:]


def joined(sizes, at):
    return functools.reduce(lambda x, part: x * part[0] + part[1], zip(sizes, at), 0)


def parted(sizes, x):
    out = []
    for size in reversed(sizes):
        out.append(x % size)
        x //= size
    return out[::-1]


class Tiled:
    def __init__(self, shape):
        if shape is None or "dims" not in shape or None in shape["dims"] or shape["type"] == "token":
            raise Invalid("no array with a size")
        self.sizes = shape["dims"]
        self.order = list(reversed(shape["minor_to_major"]))
        dims = [self.sizes[d] for d in self.order]
        self.steps = []
        for tile in shape["tiles"]:
            self.steps.append(Tiling(dims, tile))
            dims = self.steps[-1].dims
        self.dims = dims
        count = math.prod(dims)
        self.elements = -(-count // shape["tail"]) * shape["tail"]
        self.bytes = -(-self.elements * shape["bits"] // 8)

    def offset(self, index):
        if len(index) != len(self.sizes) or any(i < 0 or i >= size for i, size in zip(index, self.sizes)):
            raise Invalid("outside")
        at = [index[d] for d in self.order]
        for step in self.steps:
            at = step.forward(at)
        return fits(joined(self.dims, at))

    def index(self, offset):
        if not 0 <= offset < self.elements:
            raise Invalid("outside")
        if offset >= math.prod(self.dims):
            return None
        at = parted(self.dims, offset)
        for step in reversed(self.steps):
            at = step.backward(at)
            if at is None:
                return None
        out = [0] * len(at)
        for d, x in zip(self.order, at):
            out[d] = x
        return out


def tiled(request):
    return Tiled(request["parsed"].get("shape"))


def physical(request):
    t = tiled(request)
    return {"dims": t.dims, "elements": fits(t.elements), "bytes": fits(t.bytes)}


def linearize(request):
    t = tiled(request)
    return t.offset(request["index"]) if "index" in request else [t.offset(i) for i in request["indices"]]


def delinearize(request):
    t = tiled(request)
    return t.index(request["offset"]) if "offset" in request else [t.index(o) for o in request["offsets"]]


# ---- Nested layouts ----

def nested(text):
    """Lists of lists, and what is left of the text."""
    if not text.startswith("("):
        number = re.match(r"-?\d+", text)
        if not number:
            raise Invalid("no number")
        return int(number[0]), text[number.end():]
    text, out = text[1:], []
    while not text.startswith(")"):
        one, text = nested(text)
        out.append(one)
        if text.startswith(","):
            text = text[1:]
    return out, text[1:]


def layout_of(text):
    shape, rest = nested(text.replace(" ", ""))
    if not rest.startswith(":"):
        raise Invalid("no stride")
    stride, rest = nested(rest[1:])
    if rest or not alike(shape, stride):
        raise Invalid(rest or "another nesting")
    return shape, stride


def alike(shape, stride):
    if isinstance(shape, int) or isinstance(stride, int):
        return shape >= 0 if isinstance(shape, int) and isinstance(stride, int) else False
    return len(shape) == len(stride) and all(map(alike, shape, stride))


def written(x):
    return str(x) if isinstance(x, int) else "(" + ",".join(map(written, x)) + ")"


def to_text(shape, stride):
    return f"{written(shape)}:{written(stride)}"


def size(shape):
    return shape if isinstance(shape, int) else math.prod(map(size, shape))


def place(shape, stride, c):
    """The offset of a coordinate."""
    if isinstance(c, list):
        if not isinstance(shape, list) or len(shape) != len(c):
            raise Invalid("another nesting")
        return sum(place(s, d, x) for s, d, x in zip(shape, stride, c))
    if c < 0:
        raise Invalid("below 0")
    if isinstance(shape, int):
        return c * stride
    offset = 0
    for k, (s, d) in enumerate(zip(shape, stride)):
        if k == len(shape) - 1:
            return offset + place(s, d, c)
        offset += place(s, d, c % size(s))
        c //= size(s)
    if c > 0:
        raise Invalid("outside of an empty tuple")
    return offset


def checked(offset):
    if not -MOST - 1 <= offset <= MOST:
        raise Invalid("beyond 64 bits")
    return offset


def tla_offset(request):
    shape, stride = layout_of(request["layout"])
    return checked(place(shape, stride, request["coord"]))


def up(x, n):
    return -(-x // n)


def make(tag, bits, r, c):
    if bits < 1 or 256 % bits or r < 0 or c < 0:
        raise Invalid("a width that does not divide 256, or a size below 0")
    c0, fractal = 256 // bits, 4096 // bits

    def blocks(rows, cols, by_rows, inner_by_rows):
        outer = up(r, rows), up(c, cols)
        inner = [cols, 1] if inner_by_rows else [1, rows]
        area = rows * cols
        steps = [outer[1] * area, area] if by_rows else [area, outer[0] * area]
        return [[rows, outer[0]], [cols, outer[1]]], [[inner[0], steps[0]], [inner[1], steps[1]]]

    if tag == "RowMajor":
        return [r, c], [up(c, 2) * 2 if bits == 4 else c, 1]
    if tag == "ColumnMajor":
        return [r, c], [1, up(r, 2) * 2 if bits == 4 else r]
    if tag == "VectorLayout":
        return [c], [1]
    if tag == "zN":
        return blocks(16, c0, False, True)
    if tag == "zZ":
        return blocks(16, c0, True, True)
    if tag == "nZ":
        return blocks(c0, 16, True, False)
    if tag == "nN":
        return blocks(c0, 16, False, False)
    if tag == "L0C":
        return blocks(16, 16, False, True)
    if tag == "Weight4BitnZ":
        return blocks(32, 16, True, False)
    raise Unknown(tag)


def tla_make(request):
    shape, stride = make(request["tag"], request["element_bits"], request["rows"], request["cols"])
    for n, d in modes(shape, stride):
        fits(max(n, d))
    return to_text(shape, stride)


def tla_tile(request):
    shape, stride = layout_of(request["layout"])
    tile = request["tile"]
    if not isinstance(shape, list) or len(tile) != len(shape) or min(tile) < 0:
        raise Invalid("another rank, or a size below 0")
    out = []
    for s, n in zip(shape, tile):
        if isinstance(s, int):
            out.append(n)
        elif len(s) == 2 and isinstance(s[0], int) and isinstance(s[1], int) and s[0] > 0:
            out.append([s[0], up(n, s[0])])
        else:
            raise Invalid("another nesting")
    return to_text(out, stride)


# ---- Algebra ----

def modes(shape, stride):
    if isinstance(shape, int):
        return [(shape, stride)]
    return [m for s, d in zip(shape, stride) for m in modes(s, d)]


def simple(some):
    """The fewest modes of the same function."""
    out = []
    for n, d in some:
        if n == 1:
            continue
        if out and out[-1][0] * out[-1][1] == d:
            out[-1] = out[-1][0] * n, out[-1][1]
        else:
            out.append((n, d))
    return out


def packed(some):
    if not some:
        return 1, 0
    if len(some) == 1:
        return some[0]
    return [n for n, _ in some], [d for _, d in some]


def filled(some, least):
    """The modes of a complement."""
    out, done = [], 1
    for n, d in sorted(((n, d) for n, d in some if n > 1 and d != 0), key=lambda m: m[1]):
        if d < 0 or d % done != 0:
            raise Unknown("no complement")
        out.append((d // done, done))
        done = n * d
    out.append((up(least, done), done))
    return simple(out)


def inverted(some):
    out, before, done = [], [], 1
    for n, d in simple(some):
        before.append((d, n, math.prod(m for _, m, _ in before)))
    for d, n, step in sorted(before):
        if d == done:
            out.append((n, step))
            done *= n
        elif d > done:
            break
    return simple(out)


def inside(a, n, d):
    """The modes of (n:d) looked up in the modes a."""
    if n == 1 or d == 0:
        return [(n, 0)]
    out = []
    for k, (size_of, step) in enumerate(a):
        if k == len(a) - 1 or (n - 1) * d < size_of:
            return simple([*out, (n, d * step)])
        if d % size_of == 0:
            d //= size_of
        elif size_of % d == 0 and n % (size_of // d) == 0:
            out.append((size_of // d, d * step))
            n //= size_of // d
            d = 1
        else:
            raise Unknown("does not divide")
    return [(n, 0)] if not a else simple(out)


def composed(a, shape, stride):
    if isinstance(shape, int):
        return packed(inside(a, shape, stride))
    parts = [composed(a, s, d) for s, d in zip(shape, stride)]
    return [s for s, _ in parts], [d for _, d in parts]


def composition(a, b):
    base = simple(modes(*a)) or [(1, 0)]
    if base == [(1, 0)] and size(b[0]) > 1:
        raise Unknown("a single element")
    shape, stride = composed(base, *b)
    if size(shape) > 3000 or any(d < 0 for _, d in modes(*b)):
        raise Unknown("large")
    for i in range(size(shape)):
        if place(shape, stride, i) != place(*a, place(*b, i)):
            raise Unknown("carries")
    return shape, stride


def divided(a, by):
    rest = packed(filled(modes(*by), size(a[0])))
    return composition(a, ([by[0], rest[0]], [by[1], rest[1]]))


def algebra(operation):
    def run(request):
        a = layout_of(request["layout"])
        if min(n for n, _ in modes(*a)) < 1:
            raise Unknown("empty")
        return to_text(*operation(a, request))
    return run


def coalesce(a, _):
    return packed(simple(modes(*a)))


def compose(a, request):
    return composition(a, layout_of(request["by"]))


def complement(a, request):
    if request["size"] < 1:
        raise Invalid("nothing to fill")
    return packed(filled(modes(*a), request["size"]))


def right_inverse(a, _):
    return packed(inverted(modes(*a)))


def left_inverse(a, _):
    return packed(inverted(modes(*a) + filled(modes(*a), 1)))


def divide(a, request):
    if request["by"].startswith("<"):
        raise Unknown("by mode")
    return divided(a, layout_of(request["by"]))


def product(a, request):
    b = layout_of(request["by"])
    cosize = 1 + sum((n - 1) * d for n, d in modes(*b))
    free = packed(filled(modes(*a), size(a[0]) * cosize))
    shape, stride = composition(free, b)
    return [a[0], shape], [a[1], stride]


# ---- Other forms ----

def swizzled(x, bits, base, shift):
    mask = (1 << bits) - 1 << base
    if shift >= 0:
        return x ^ x >> shift & mask
    return x ^ (x & mask) << -shift


def swizzle_offset(text, index):
    found = re.fullmatch(r"Sw<(-?\d+),(-?\d+),(-?\d+)> o (-?\d+|smem_ptr\[(\d+)b\]\(unset\)) o (.*)", text)
    if not found:
        raise Unknown(text)
    bits, base, shift = (int(found[i]) for i in (1, 2, 3))
    if not 0 <= bits <= abs(shift) or base < 0 or bits + base + abs(shift) > 62:
        raise Invalid("no swizzle")
    inner = nested_offset(found[6], index)
    if found[5] is None:
        start = int(found[4])
        if start < 0:
            raise Invalid("a start below 0")
        if start + inner < 0:
            raise Invalid("below 0")
        return swizzled(start + inner, bits, base, shift)
    width = int(found[5])
    if width < 1 or 256 % width or inner < 0:
        raise Invalid("a width that does not divide 256")
    if shift > 0 and any(1 << i < width // 8 <= 1 << i + shift for i in range(base, base + bits)):
        raise Invalid("tears elements apart")
    address = inner * width
    return (swizzled(address // 8, bits, base, shift) * 8 + address % 8) // width


def nested_offset(text, index):
    shape, stride = layout_of(text)
    if isinstance(shape, int):
        shape, stride = [shape], [stride]
    inside_of([size(s) for s in shape], index)
    return place(shape, stride, list(index))


def inside_of(dims, index):
    if len(dims) != len(index) or not all(0 <= i < n for i, n in zip(index, dims)):
        raise Invalid("outside")


def memref_offset(text, index):
    found = re.fullmatch(r"memref<((?:\d+x)*)[a-z]+\d+(?:, (.*))?>", text)
    if not found:
        raise Unknown(text)
    dims = [int(n) for n in found[1].split("x")[:-1]]
    inside_of(dims, index)
    how = found[2] or ""
    if how.startswith("strided"):
        strides = [int(n) for n in re.search(r"\[(.*?)\]", how)[1].split(",") if n.strip()]
        start = re.search(r"offset: (-?\d+)", how)
        if len(strides) != len(dims):
            raise Invalid("another number of strides")
        return sum(i * s for i, s in zip(index, strides)) + (int(start[1]) if start else 0)
    if how.startswith("affine_map"):
        return affine_offset(dims, how, index)
    return joined(dims, index)


def affine_offset(dims, how, index):
    names, results = re.fullmatch(r"affine_map<\((.*?)\) -> \((.*)\)>(?:, .*)?", how).groups()

    def value(expr, at):
        total = 0
        for term in expr.split(" + "):
            words = term.split()
            x = at[words[0]] if words[0] in at else int(words[0])
            for op, n in zip(words[1::2], words[2::2]):
                n = int(n)
                x = x // n if op == "floordiv" else x % n if op == "mod" else x * n
            total += x
        return total

    exprs = results.split(", ")
    if "(" in results:
        raise Unknown(results)
    names = names.split(", ") if names else []
    most = dict(zip(names, (n - 1 for n in dims)))
    mods = [re.fullmatch(r".* mod (\d+)", e) for e in exprs]
    sizes = [int(m[1]) if m else value(e, most) + 1 for e, m in zip(exprs, mods)]
    return joined(sizes, [value(e, dict(zip(names, index))) for e in exprs])


def blocked_offset(text, index):
    found = re.fullmatch(r"dnnl:([A-Za-z0-9]+):[a-z]+\d*\[(.*)\]", text)
    if not found or not set(re.sub(r"\d", "", found[1]).lower()) <= set("abcdefghijkl"):
        raise Unknown(text)
    dims = [int(n) for n in found[2].split(",") if n]
    inside_of(dims, index)
    order = re.findall(r"(\d*)([A-Za-z])", found[1])
    outer = [ord(letter.lower()) - ord("a") for n, letter in order if not n]
    if sorted(outer) != list(range(len(dims))):
        raise Unknown(text)
    at = list(index)
    total = {d: math.prod(int(n) for n, letter in order if n and ord(letter) - ord("a") == d) for d in range(len(dims))}
    offset, stride = 0, 1
    for n, letter in reversed(order):
        d = ord(letter.lower()) - ord("a")
        if n:
            n = int(n)
            offset += at[d] % n * stride
            at[d] //= n
        else:
            offset += at[d] * stride
            n = up(dims[d], total[d])
        stride *= n
    return offset


def offset(request):
    text, index = request.get("layout"), request["index"]
    if not text:
        raise Invalid("no layout")
    if text.startswith("Sw"):
        return checked(swizzle_offset(text, index))
    if text.startswith("memref"):
        return checked(memref_offset(text, index))
    if text.startswith("dnnl:"):
        return checked(blocked_offset(text, index))
    if text[0] in "(0123456789":
        return checked(nested_offset(text, index))
    raise Unknown(text)


OPERATIONS = {
    "layout.physical": physical, "layout.linearize": linearize, "layout.delinearize": delinearize, "layout.offset": offset,
    "tla.offset": tla_offset, "tla.make": tla_make, "tla.tile": tla_tile, "tla.coalesce": algebra(coalesce),
    "tla.composition": algebra(compose), "tla.complement": algebra(complement), "tla.right_inverse": algebra(right_inverse),
    "tla.left_inverse": algebra(left_inverse), "tla.logical_divide": algebra(divide), "tla.logical_product": algebra(product)}

if __name__ == "__main__":
    serve(OPERATIONS, "layouts.py")
