# SPDX-License-Identifier: Apache-2.0
"""Answers with MLIR's affine maps (Python bindings of MLIR 22): tileproof conform -- python mlir_peer.py [BITS]

map.evaluate   expressions of constants, which MLIR folds
map.simplify   AffineExpr.simplify_affine_expr of the results and constraints; bounds stay unchanged, because MLIR's maps have
               no domain
map.compose    the second map's expressions built on those of the first, then simplified
map.equal      true if this makes both maps equal; otherwise left open
layout.*       the lowering of affine.linearize_index and affine.delinearize_index, and memrefs with a layout map, which MLIR
               normalizes to the physical shape
"""

import ctypes
import math
import pathlib
import re
import sys

import llvm

ctypes.CDLL(str(pathlib.Path(next(iter(llvm.__path__))) / "lib" / "libLLVM.so"), ctypes.RTLD_GLOBAL)

from mlir.ir import AffineConstantExpr, AffineExpr, Context, Location, Module  # noqa: E402
from mlir.passmanager import PassManager  # noqa: E402
from peer import KINDS, Unsupported, array_of, dense_array_of, evaluate_map, index_inside, map_of, map_text, require_equal_sizes, run  # noqa: E402

OPERATIONS = {
    "+": AffineExpr.get_add,
    "*": AffineExpr.get_mul,
    "floordiv": AffineExpr.get_floor_div,
    "ceildiv": AffineExpr.get_ceil_div,
    "mod": AffineExpr.get_mod,
}


def expressions_of(parsed):
    return parsed["results"] + [constraint["expr"] for constraint in parsed["constraints"]]


def has_variables(expression):
    return isinstance(expression, str) or isinstance(expression, list) and any(map(has_variables, expression[1:]))


def require_affine(expression):
    """MLIR fails an assertion, or folds wrongly, if it gets other expressions."""
    if isinstance(expression, list):
        name, left, right = expression
        if name == "*" and has_variables(left) and has_variables(right):
            raise Unsupported("a product of variables")
        if name not in "+*" and not (isinstance(right, int) and right > 0):
            raise Unsupported("a divisor below 1, or an expression")
        require_affine(left)
        require_affine(right)


def affine_map_of(request, key):
    parsed = map_of(request, key)
    for expression in expressions_of(parsed):
        require_affine(expression)
    return parsed


def build(expression, leaves):
    """MLIR folds the expression while it is built."""
    if isinstance(expression, int):
        return AffineExpr.get_constant(expression)
    if isinstance(expression, str):
        return leaves[expression]
    return OPERATIONS[expression[0]](*(build(operand, leaves) for operand in expression[1:]))


def leaves_of(parsed, first_symbol=0):
    """The variables in MLIR: range variables, then runtime variables, are symbols."""
    leaves = {f"d{i}": AffineExpr.get_dim(i) for i in range(len(parsed["dims"]))}
    symbols = [f"{kind}{i}" for kind, key in KINDS[1:] for i in range(len(parsed[key]))]
    return {**leaves, **{name: AffineExpr.get_symbol(first_symbol + i) for i, name in enumerate(symbols)}}


def simplified(expressions, parsed):
    symbols = len(parsed["ranges"]) + len(parsed["runtime"])
    return [AffineExpr.simplify_affine_expr(one, len(parsed["dims"]), symbols) for one in expressions]


def text_of(expression, ranges):
    """MLIR's text, with runtime variables in place of the last symbols."""
    def symbol(match):
        number = int(match[1])
        return f"s{number}" if number < ranges else f"rt{number - ranges}"
    return re.sub(r"\bs(\d+)", symbol, str(expression))


def answer_of(parsed, expressions):
    texts = [text_of(one, len(parsed["ranges"])) for one in expressions]
    return map_text(parsed, texts[:len(parsed["results"])], texts[len(parsed["results"]):])


def simplify(request):
    parsed = affine_map_of(request, "map")
    leaves = leaves_of(parsed)
    return answer_of(parsed, simplified([build(one, leaves) for one in expressions_of(parsed)], parsed))


def evaluate(request):
    affine_map_of(request, "map")

    class Constant:
        """A constant of MLIR that is read as an integer."""
        def __init__(self, value):
            self.expr = value if isinstance(value, AffineExpr) else AffineExpr.get_constant(value)

        def __int__(self):
            return AffineConstantExpr(self.expr).value

    operations = {name: lambda a, b, fold=fold: Constant(fold(a.expr, b.expr)) for name, fold in OPERATIONS.items()}
    return evaluate_map(request, Constant, operations)


def compose(request):
    first, second = affine_map_of(request, "first"), affine_map_of(request, "second")
    if len(first["results"]) != len(second["dims"]):
        raise ValueError("expected as many results as dimensions")
    # The range variables and the runtime variables of the second map come before those of the first.
    both = {"dims": first["dims"]}
    for kind, key in KINDS[1:]:
        both[key] = [{**variable, "name": f"{kind}{i}"} for i, variable in enumerate(second[key] + first[key])]
    leaves = leaves_of(both)
    inner = {name: leaves[name] for name in leaves if name[0] == "d"}
    for kind, key in KINDS[1:]:
        inner.update({f"{kind}{i}": leaves[f"{kind}{i + len(second[key])}"] for i in range(len(first[key]))})
    results = [build(one, inner) for one in first["results"]]
    outer = {**leaves, **{f"d{i}": result for i, result in enumerate(results)}}
    both["results"] = second["results"]
    both["constraints"] = second["constraints"] + [{"bounds": d["bounds"]} for d in second["dims"]] + first["constraints"]
    composed = simplified([build(one, outer) for one in expressions_of(second)], both)
    return answer_of(both, composed + results + [build(c["expr"], inner) for c in first["constraints"]])


def equal(request):
    left, right = require_equal_sizes(affine_map_of(request, "left"), affine_map_of(request, "right"))
    leaves = leaves_of(left)
    bounds = [[v["bounds"] for _, key in KINDS for v in one[key]] + [c["bounds"] for c in one["constraints"]] for one in (left, right)]
    a, b = (simplified([build(e, leaves) for e in expressions_of(one)], one) for one in (left, right))
    return {"equal": True if bounds[0] == bounds[1] and a == b else None}


def run_passes(text, passes):
    with Location.unknown():
        module = Module.parse(text)
        PassManager.parse(f"builtin.module({passes})").run(module.operation)
    return str(module)


def lowered(function, count):
    """The constants that the function returns after the lowering of the index operations."""
    text = run_passes(function, "affine-expand-index-ops,canonicalize")
    values = {name: int(value) for name, value in re.findall(r"(%\S+) = arith.constant (-?\d+) : index", text)}
    names = re.search(r"return (.*?) :", text)[1].split(", ")
    if len(names) != count or not all(name in values for name in names):
        raise Unsupported("MLIR does not fold it")
    return [values[name] for name in names]


def linearize(request):
    dims, order = dense_array_of(request)
    if "index" not in request:
        raise Unsupported("lists of indices")
    inside = index_inside(dims, request["index"])
    index = [inside[d] for d in order]
    if not index:
        return 0
    constants = "".join(f"%i{i} = arith.constant {value} : index\n" for i, value in enumerate(index))
    names, basis = ", ".join(f"%i{i}" for i in range(len(index))), ", ".join(str(dims[d]) for d in order)
    return lowered(f"func.func @f() -> index {{\n{constants}%r = affine.linearize_index disjoint [{names}] by ({basis}) : index\n"
                   "return %r : index\n}\n", 1)[0]


def delinearize(request):
    dims, order = dense_array_of(request)
    if "offset" not in request:
        raise Unsupported("lists of offsets")
    if not isinstance(request["offset"], int) or not 0 <= request["offset"] < math.prod(dims):
        raise ValueError("outside the elements")
    if not dims:
        return []
    types, names = ", ".join(["index"] * len(dims)), ", ".join(f"%r#{i}" for i in range(len(dims)))
    found = lowered(f"func.func @f() -> ({types}) {{\n%o = arith.constant {request['offset']} : index\n%r:{len(dims)} = "
                    f"affine.delinearize_index %o into ({', '.join(str(dims[d]) for d in order)}) : {types}\n"
                    f"return {names} : {types}\n}}\n", len(dims))
    return [found[order.index(d)] for d in range(len(dims))]


def physical(request):
    """The layout map of a memref puts the tiles' indices before those inside of a tile."""
    shape = array_of(request)
    order = shape["minor_to_major"][::-1]
    tile = shape["tiles"][0] if shape["tiles"] else []
    if shape["tail"] != 1 or len(shape["tiles"]) > 1 or len(tile) > len(order) or None in tile or 0 in shape["dims"] or not order:
        raise Unsupported("a tail, several tiles, a tile longer than the array, combined dimensions, or no elements")
    whole = len(order) - len(tile)
    outer = [f"d{d}" for d in order[:whole]] + [f"d{d} floordiv {t}" for d, t in zip(order[whole:], tile)]
    inner = [f"d{d} mod {t}" for d, t in zip(order[whole:], tile)]
    names = ", ".join(f"d{i}" for i in range(len(order)))
    text = run_passes(f"func.func @f() {{\n%m = memref.alloc() : memref<{'x'.join(map(str, shape['dims']))}xi8, "
                      f"affine_map<({names}) -> ({', '.join(outer + inner)})>>\nmemref.dealloc %m : "
                      f"memref<{'x'.join(map(str, shape['dims']))}xi8, affine_map<({names}) -> ({', '.join(outer + inner)})>>\n"
                      "return\n}\n", "normalize-memrefs")
    normal = re.search(r"alloc\(\) : memref<([\dx]+)xi8>", text)
    if not normal:
        raise Unsupported("MLIR does not normalize it")
    dims = list(map(int, normal[1].split("x")))
    elements = math.prod(dims)
    return {"dims": dims, "elements": elements, "bytes": -(-elements * shape["bits"] // 8)}


if __name__ == "__main__":
    with Context():
        run("MLIR", "22", {
            "map.evaluate": evaluate, "map.simplify": simplify, "map.compose": compose, "map.equal": equal,
            "layout.physical": physical, "layout.linearize": linearize, "layout.delinearize": delinearize,
        }, **({"bits": int(sys.argv[1])} if len(sys.argv) > 1 else {}))
