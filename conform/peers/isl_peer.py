# SPDX-License-Identifier: Apache-2.0
"""Answers with isl's piecewise affine functions (islpy): tileproof conform -- python isl_peer.py

map.evaluate  the image of a point
map.simplify  gist by the domain, then coalesce; the domain stays unchanged. Unsupported if the result has several pieces
map.equal     is_equal, and a sample of the difference

isl's integers have any size.
"""

import islpy as isl
from peer import KINDS, Unsupported, map_of, map_text, point_of, require_equal_sizes, run

CONTEXT = isl.DEFAULT_CONTEXT


def limited(answer):
    """Limits the operations of each request."""
    def limited_answer(request):
        CONTEXT.reset_operations()
        try:
            return answer(request)
        except isl.Error as why:
            raise Unsupported("isl gave up") from why
    return limited_answer


def expression_text(expression, names):
    """`expression` in isl's syntax, with parentheses."""
    if isinstance(expression, int):
        return f"({expression})"
    if isinstance(expression, str):
        return names[expression]
    name, left, right = expression
    if name == "+":
        return f"({expression_text(left, names)} + {expression_text(right, names)})"
    if name == "*" and isinstance(left, int):
        left, right = right, left
    if not isinstance(right, int) or (name != "*" and right <= 0):
        raise Unsupported("a product of variables, or a divisor below 1")
    value = expression_text(left, names)
    return {"*": f"({right} * {value})", "floordiv": f"floor({value} / {right})", "ceildiv": f"ceil({value} / {right})",
            "mod": f"(({value}) mod {right})"}[name]


def variables_of(parsed):
    """The names of all variables, and for each its name in isl: x0, x1, .."""
    keys = [f"{kind}{i}" for kind, key in KINDS for i in range(len(parsed[key]))]
    return keys, {key: f"x{i}" for i, key in enumerate(keys)}


def isl_texts(parsed):
    """The map and its domain as isl reads them."""
    keys, names = variables_of(parsed)
    bounds = [(names[key], variable["bounds"]) for key, variable in zip(keys, [v for _, key in KINDS for v in parsed[key]])]
    bounds += [(expression_text(c["expr"], names), c["bounds"]) for c in parsed["constraints"]]
    where = " : " + " and ".join(f"{low} <= {what} <= {high}" for what, (low, high) in bounds) if bounds else ""
    results = ", ".join(expression_text(result, names) for result in parsed["results"])
    tuple_ = f"[{', '.join(names.values())}]"
    return f"{{ {tuple_} -> [{results}]{where} }}", f"{{ {tuple_}{where} }}"


def sample(points, count):
    """A point of a set with `count` coordinates; None if it is empty."""
    if points.is_empty():
        return None
    point = points.sample_point()
    values = [point.get_coordinate_val(isl.dim_type.set, i).to_python() for i in range(count)]
    if not all(-2**63 <= value < 2**63 for value in values):
        raise ValueError("a value beyond 64 bits")
    return values


def image(relation, results, at):
    return sample(isl.Set(f"{{ [{', '.join(map(str, at))}] }}", CONTEXT).apply(relation), results)


def evaluate(request):
    parsed = map_of(request, "map")
    return image(isl.Map(isl_texts(parsed)[0], CONTEXT), len(parsed["results"]), point_of(request, parsed))


def text_of(aff, keys):
    """An affine function: factors times variables and floors, and a constant, divided by a denominator."""
    denominator = aff.get_denominator_val().to_python()
    terms = [str((aff.get_constant_val() * denominator).to_python())]
    for kind in (isl.dim_type.in_, isl.dim_type.div):
        for i in range(aff.dim(kind)):
            factor = (aff.get_coefficient_val(kind, i) * denominator).to_python()
            if factor != 0:
                terms.append(f"{keys[i] if kind == isl.dim_type.in_ else text_of(aff.get_div(i), keys)} * {factor}")
    total = f"({' + '.join(terms)})"
    return total if denominator == 1 else f"({total} floordiv {denominator})"


def simplify(request):
    parsed = map_of(request, "map")
    text, domain = isl_texts(parsed)
    box = isl.Set(domain, CONTEXT)
    if box.is_empty():
        return "KNOWN EMPTY"
    simplified = isl.PwMultiAff(text, CONTEXT).gist(box).coalesce()
    if simplified.n_piece() != 1 or not simplified.isa_multi_aff():
        raise Unsupported("a result in pieces, or with conditions of its own")
    function, (keys, _) = simplified.as_multi_aff(), variables_of(parsed)
    return map_text(parsed, [text_of(function.get_aff(i), keys) for i in range(len(parsed["results"]))])


def equal(request):
    left, right = require_equal_sizes(map_of(request, "left"), map_of(request, "right"))
    a, b = (isl.Map(isl_texts(one)[0], CONTEXT) for one in (left, right))
    if a.is_equal(b):
        return {"equal": True}
    at = sample(a.subtract(b).union(b.subtract(a)).domain(), len(variables_of(left)[0]))
    rest = iter(at)
    point = {key: [next(rest) for _ in left[key]] for _, key in KINDS}
    count = len(left["results"])
    return {"equal": False, "at": point, "left": image(a, count, at), "right": image(b, count, at)}


if __name__ == "__main__":
    CONTEXT.set_max_operations(10_000_000)
    run("isl", isl.version.VERSION_TEXT,
        {"map.evaluate": limited(evaluate), "map.simplify": limited(simplify), "map.equal": limited(equal)})
