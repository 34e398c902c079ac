# SPDX-License-Identifier: Apache-2.0
"""Index maps of JAX as maps of Tileproof: evaluates a jaxpr of integers with a variable for each
dimension of a grid, and one for each scalar that it reads.

    { lambda ; a:i32[] b:i32[]. let c = mul a 2 in (c, b) }    (d0, d1) -> (d0 * 2, d1), domain: ..

Each value has bounds, which may decide comparisons and signs. An operation that leaves the integers
of its type is an error: Tileproof computes with integers of any size.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ._errors import Error


@dataclass(frozen=True)
class Value:
    """An integer, or a truth value as 0 or 1."""

    text: str  # of an expression; an operand of any operation
    low: int
    high: int

    @property
    def constant(self) -> int | None:
        return self.low if self.low == self.high else None


@dataclass(frozen=True)
class Read:
    """A scalar that an index map reads: a runtime variable."""

    name: str
    bounds: tuple[int, int]


def integer(value: int) -> Value:
    return Value(str(value) if value >= 0 else f"({value})", value, value)


def _add(a: Value, b: Value) -> Value:
    return _of(f"{a.text} + {b.text}", a.low + b.low, a.high + b.high)


def _sub(a: Value, b: Value) -> Value:
    return _of(f"{a.text} - {b.text}", a.low - b.high, a.high - b.low)


def _mul(a: Value, b: Value) -> Value:
    ends = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
    return _of(f"{a.text} * {b.text}", min(ends), max(ends))


def _max(a: Value, b: Value) -> Value:
    return _of(f"max({a.text}, {b.text})", max(a.low, b.low), max(a.high, b.high))


def _min(a: Value, b: Value) -> Value:
    return _of(f"min({a.text}, {b.text})", min(a.low, b.low), min(a.high, b.high))


def _divisor(b: Value) -> int:
    if b.constant is None or b.constant < 1:
        raise Error("expected a division by a number of at least 1")
    return b.constant


def _floor_divide(a: Value, b: Value) -> Value:
    by = _divisor(b)
    return _of(f"{a.text} floordiv {by}", a.low // by, a.high // by)


def _remainder(a: Value, b: Value) -> Value:
    """What has the sign of b."""
    by = _divisor(b)
    is_whole = a.low // by != a.high // by
    low, high = (0, by - 1) if is_whole else (a.low % by, a.high % by)
    return _of(f"{a.text} mod {by}", low, high)


def _divide(a: Value, b: Value) -> Value:
    """What rounds towards zero."""
    if a.low >= 0:
        return _floor_divide(a, b)
    zero = integer(0)
    positive = _floor_divide(_max(a, zero), b)
    return _sub(positive, _floor_divide(_max(_sub(zero, a), zero), b))


def _truncated_remainder(a: Value, b: Value) -> Value:
    """What has the sign of a."""
    return _remainder(a, b) if a.low >= 0 else _sub(a, _mul(_divide(a, b), b))


def _bitwise(sign: str) -> Callable[[Value, Value], Value]:
    def of(a: Value, b: Value) -> Value:
        if a.low < 0 or b.low < 0:
            raise Error(f"expected integers of at least 0 beside '{sign}'")
        most = (1 << max(a.high, b.high).bit_length()) - 1
        return _of(f"{a.text} {sign} {b.text}", 0, min(a.high, b.high) if sign == "&" else most)

    return of


def _power_of_two(b: Value) -> Value:
    if b.constant is None or not 0 <= b.constant < 63:
        raise Error("expected a shift by a number below 63")
    return integer(1 << b.constant)


def _shift_left(a: Value, b: Value) -> Value:
    return _mul(a, _power_of_two(b))


def _shift_right(a: Value, b: Value) -> Value:
    return _floor_divide(a, _power_of_two(b))


def _of(text: str, low: int, high: int) -> Value:
    return integer(low) if low == high else Value(f"({text})", low, high)


def _compare(name: str, a: Value, b: Value) -> Value:
    if name in ("gt", "ge"):
        return _compare({"gt": "lt", "ge": "le"}[name], b, a)
    if name == "ne":
        return _not(_compare("eq", a, b))
    if name == "lt":
        always, maybe = a.high < b.low, a.low < b.high
    elif name == "le":
        always, maybe = a.high <= b.low, a.low <= b.high
    else:
        always = a.constant is not None and a.constant == b.constant
        maybe = a.low <= b.high and b.low <= a.high
    sign = {"lt": "<", "le": "<=", "eq": "=="}[name]
    return _of(f"Where({a.text} {sign} {b.text}, 1, 0)", int(always), int(maybe))


def _select(which: Value, *cases: Value) -> Value:
    if which.constant is not None:
        return cases[which.constant]
    chosen = cases[-1]
    for number in reversed(range(len(cases) - 1)):
        case = cases[number]
        if case != chosen:
            text = f"Where({which.text} == {number}, {case.text}, {chosen.text})"
            chosen = _of(text, min(case.low, chosen.low), max(case.high, chosen.high))
    return chosen


def _not(a: Value) -> Value:
    return _sub(integer(1), a)


def _sign(a: Value) -> Value:
    return _max(_min(a, integer(1)), integer(-1))


def _clamp(low: Value, a: Value, high: Value) -> Value:
    return _min(_max(a, low), high)


def _negation(a: Value) -> Value:
    return _sub(integer(0), a)


def _same(a: Value) -> Value:
    return a


OPERATIONS: dict[str, Callable[..., Value]] = {
    "abs": lambda a: _max(a, _negation(a)),
    "add": _add,
    "broadcast_in_dim": _same,
    "clamp": _clamp,
    "convert_element_type": _same,
    "copy": _same,
    "div": _divide,
    "max": _max,
    "min": _min,
    "mul": _mul,
    "neg": _negation,
    "rem": _truncated_remainder,
    "reshape": _same,
    "select_n": _select,
    "shift_left": _shift_left,
    "shift_right_arithmetic": _shift_right,
    "shift_right_logical": _shift_right,
    "sign": _sign,
    "squeeze": _same,
    "sub": _sub,
}
# On integers, and on truth values.
BITWISE: dict[str, tuple[Callable[[Value, Value], Value], Callable[[Value, Value], Value]]] = {
    "and": (_bitwise("&"), _min),
    "or": (_bitwise("|"), _max),
    "xor": (_bitwise("xor"), lambda a, b: _remainder(_add(a, b), integer(2))),
}
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
# Functions of jax.numpy whose jaxprs choose by signs.
FUNCTIONS = {"floor_divide": _floor_divide, "remainder": _remainder}


class Indices:
    """Evaluates the index map of one operand. `reads` are the scalars that it reads."""

    def __init__(self, sizes: Sequence[int], scalars: Sequence[tuple[int, int]]) -> None:
        self._sizes = sizes
        self._scalars = scalars
        self._known: dict[Any, Read] = {}

    @property
    def reads(self) -> list[Read]:
        return list(self._known.values())

    def evaluate(self, closed: Any) -> list[Value]:
        jaxpr = closed.jaxpr
        arguments: list[Any] = [
            Value(f"d{k}", 0, max(size - 1, 0)) for k, size in enumerate(self._sizes)
        ]
        arguments += range(len(jaxpr.invars) - len(arguments))  # the numbers of the scalar operands
        return self._run(jaxpr, list(closed.consts), arguments)

    def map_text(self, results: Sequence[Value]) -> str:
        names = [f"d{k}" for k in range(len(self._sizes))]
        bounds = [
            f"{name} in [0, {size - 1}]" for name, size in zip(names, self._sizes, strict=True)
        ]
        bounds += [f"{read.name} in [{read.bounds[0]}, {read.bounds[1]}]" for read in self.reads]
        runtime = f"{{{', '.join(read.name for read in self.reads)}}}" if self.reads else ""
        texts = [result.text for result in results]
        domain = f", domain: {', '.join(bounds)}" if bounds else ""
        return f"({', '.join(names)}){runtime} -> ({', '.join(texts)}){domain}"

    def _run(self, jaxpr: Any, constants: Sequence[Any], arguments: Sequence[Any]) -> list[Any]:
        known: dict[Any, Any] = {}
        for variable, value in zip(jaxpr.constvars, constants, strict=True):
            known[variable] = integer(_scalar(value))
        known.update(zip(jaxpr.invars, arguments, strict=True))

        def value_of(atom: Any) -> Any:
            return integer(_scalar(atom.val)) if hasattr(atom, "val") else known[atom]

        for equation in jaxpr.eqns:
            values = [value_of(atom) for atom in equation.invars]
            results = self._step(equation, values)
            known.update(zip(equation.outvars, results, strict=True))
        return [value_of(atom) for atom in jaxpr.outvars]

    def _step(self, equation: Any, values: list[Any]) -> list[Any]:
        name = equation.primitive.name
        if name == "get":
            return [self._read(equation, values)]
        inner = equation.params.get("jaxpr") or equation.params.get("call_jaxpr")
        if inner is not None:
            function = FUNCTIONS.get(str(equation.params.get("name")))
            if function is not None:
                return [_checked(function(*values), equation)]
            body = getattr(inner, "jaxpr", inner)
            return self._run(body, getattr(inner, "consts", ()), values)
        return [_checked(_operation(name, equation, values), equation)]

    def _read(self, equation: Any, values: list[Any]) -> Value:
        """One variable for each element: those of the same index are the same."""
        operand = values[0]
        index = [value.text for value in values[1:]]
        key = (operand, str(equation.params.get("tree")), tuple(index))
        if key not in self._known:
            number = sum(1 for one in self._known if one[0] == operand)
            name = f"scalar{operand}" + (f"_{number}" if number else "")
            given = self._scalars[operand] if operand < len(self._scalars) else None
            low, high = given or _range_of(equation.outvars[0].aval.dtype)
            self._known[key] = Read(name, (int(low), int(high)))
        read = self._known[key]
        low, high = read.bounds
        return Value(read.name, low, high)


def _operation(name: str, equation: Any, values: list[Value]) -> Value:
    if name in COMPARISONS:
        return _compare(name, *values)
    is_truth = equation.outvars[0].aval.dtype == bool
    if name == "not" and is_truth:
        return _not(values[0])
    if name in BITWISE:
        return BITWISE[name][is_truth](*values)
    if name not in OPERATIONS:
        raise Error(f"expected arithmetic of integers in an index map, found '{name}'")
    if name == "convert_element_type" and is_truth:
        return _compare("ne", values[0], integer(0))
    return OPERATIONS[name](*values)


def _checked(value: Value, equation: Any) -> Value:
    aval = equation.outvars[0].aval
    if aval.shape not in ((), (1,)):
        raise Error(f"expected an index map of single integers, found an array of {aval.shape}")
    if aval.dtype == bool:
        return value
    low, high = _range_of(aval.dtype)
    if value.low < low or value.high > high:
        raise Error(f"{value.text} leaves {aval.dtype}: it can be {value.low} or {value.high}")
    return value


def _range_of(dtype: Any) -> tuple[int, int]:
    bits = 8 * dtype.itemsize
    if dtype.kind == "u":
        return 0, (1 << bits) - 1
    if dtype.kind != "i":
        raise Error(f"expected integers in an index map, found {dtype}")
    return -(1 << (bits - 1)), (1 << (bits - 1)) - 1


def _scalar(value: Any) -> int:
    if getattr(value, "size", 1) != 1:
        raise Error("expected an index map of single integers, found an array of constants")
    return int(value.item() if hasattr(value, "item") else value)
