# SPDX-License-Identifier: Apache-2.0
"""Indexing maps: which elements of one array an element of another array reads."""

from __future__ import annotations

import html
import inspect
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import index
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from . import _native, commands, facts
from ._arguments import integers, text_of, written
from ._errors import Error

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Variable:
    """A variable of a map with its closed bounds."""

    name: str
    low: int
    high: int


class Expression:
    """An expression over variables, written with Python's operators.

    `//` is floordiv and `%` is mod, as in Python: `Expression("d0") // 8` is `d0 floordiv 8`.
    """

    __slots__ = ("text",)
    __array_ufunc__ = None  # numbers of NumPy leave the operators to us

    def __init__(self, text: str) -> None:
        self.text = text

    def minimum(self, other: object) -> Expression:
        return Expression(f"min{self._with(',', other)}")

    def maximum(self, other: object) -> Expression:
        return Expression(f"max{self._with(',', other)}")

    def _with(self, operator: str, other: object, swapped: bool = False) -> Expression:
        if not isinstance(other, Expression):
            if isinstance(other, bool | np.bool_) or not hasattr(other, "__index__"):
                raise TypeError(f"expected an integer or an expression, found {other!r}")
            other = index(other)
        left, right = (other, self) if swapped else (self, other)
        return Expression(f"({left} {operator} {right})")

    def __add__(self, other: object) -> Expression:
        return self._with("+", other)

    def __radd__(self, other: object) -> Expression:
        return self._with("+", other, True)

    def __sub__(self, other: object) -> Expression:
        return self._with("-", other)

    def __rsub__(self, other: object) -> Expression:
        return self._with("-", other, True)

    def __mul__(self, other: object) -> Expression:
        return self._with("*", other)

    def __rmul__(self, other: object) -> Expression:
        return self._with("*", other, True)

    def __floordiv__(self, other: object) -> Expression:
        return self._with("floordiv", other)

    def __mod__(self, other: object) -> Expression:
        return self._with("mod", other)

    def __divmod__(self, other: object) -> tuple[Expression, Expression]:
        return self // other, self % other

    def __and__(self, other: object) -> Expression:
        return self._with("&", other)

    def __or__(self, other: object) -> Expression:
        return self._with("|", other)

    def __xor__(self, other: object) -> Expression:
        return self._with("xor", other)

    def __lshift__(self, other: object) -> Expression:
        return self._with("<<", other)

    def __rshift__(self, other: object) -> Expression:
        return self._with(">>", other)

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __bool__(self) -> bool:
        raise TypeError("an expression has no truth; minimum(..) and maximum(..) compare two")

    def __neg__(self) -> Expression:
        return Expression(f"(-{self})")

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Expression({self.text!r})"


class Domain:
    """The points of a map: its bounds, and the constraints within them."""

    def __init__(self, map_: IndexingMap) -> None:
        self._map = map_

    @property
    def dimensions(self) -> tuple[Variable, ...]:
        return _variables(self._map.dimensions)

    @property
    def ranges(self) -> tuple[Variable, ...]:
        return _variables(self._map.ranges)

    @property
    def runtime(self) -> tuple[Variable, ...]:
        return _variables(self._map.runtime)

    @property
    def variables(self) -> tuple[Variable, ...]:
        return self.dimensions + self.ranges + self.runtime

    def points(self, most: int = 1_000_000) -> Iterator[tuple[int, ...]]:
        """All points, in the order of the variables. An error if there may be over `most`."""
        sizes = [max(0, v.high - v.low + 1) for v in self.variables]
        count = 1
        for size in sizes:
            count *= size
        if count > most:
            raise Error(f"expected bounds of at most {most} points, found {count}")
        for point in itertools.product(*(range(v.low, v.high + 1) for v in self.variables)):
            if self._map.evaluate_at(point) is not None:
                yield point

    def __contains__(self, point: Sequence[int]) -> bool:
        return self._map.evaluate_at(point) is not None

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        return self.points()

    def __repr__(self) -> str:
        return f"Domain({', '.join(f'{v.name} in [{v.low}, {v.high}]' for v in self.variables)})"


@written
class IndexingMap(_native.IndexingMap):
    """An indexing map, as XLA and MLIR print it.

        m = IndexingMap("(d0) -> ((-d0) mod 2), domain: d0 in [0, 127]")
        m(5)                 (1,)
        str(m.simplify())    '(d0) -> (d0 mod 2), domain: d0 in [0, 127]'

    A call has the values of the dimensions, then of ranges and runtime variables. The result is a
    tuple. With arrays (lists or those of NumPy, no tuples), which NumPy's rules broadcast, each
    result is an array. A point outside of the domain is an IndexError; `point in m.domain` asks,
    and m.evaluate_at(point) is None there.

    A text is only ever a text; a pathlib.Path is a file that holds one.

    Maps are equal if their texts are; `equivalent` compares what they mean. A map without points
    has the text KNOWN EMPTY, as XLA prints it, after `simplify`; it has the variables of `like`.
    """

    __slots__ = ()

    def __init__(self, text: str | PurePath, like: IndexingMap | None = None) -> None:
        super().__init__(text_of(text), like)

    @classmethod
    def build(
        cls,
        function: Callable[..., Any],
        bounds: Mapping[str, tuple[int, int] | int] | Sequence[tuple[int, int] | int],
        *,
        ranges: Sequence[str] = (),
        runtime: Sequence[str] = (),
        constraints: Sequence[tuple[Callable[..., Any], tuple[int, int]]] = (),
    ) -> IndexingMap:
        """A map from a Python function of its variables.

            IndexingMap.build(lambda d0, d1: (d0 // 8, d1 % 2), [(0, 127), (0, 3)])

        The parameters of the function are the variables, and `bounds` has (low, high) of each, or
        its size n for (0, n - 1). `ranges` and `runtime` name those that are range and runtime
        variables.
        """
        names = list(inspect.signature(function).parameters)
        if not isinstance(bounds, Mapping):
            if len(bounds) != len(names):
                raise Error(f"expected bounds of {len(names)} variables, found {len(bounds)}")
            bounds = dict(zip(names, bounds, strict=True))
        missing = [name for name in names if name not in bounds]
        if missing:
            raise Error(f"expected bounds of {missing[0]}, found none")
        closed = {name: (0, n - 1) if isinstance(n, int) else n for name, n in bounds.items()}
        arguments = [Expression(name) for name in names]
        results = function(*arguments)
        results = results if isinstance(results, tuple | list) else (results,)
        conditions = [(condition(*arguments), interval) for condition, interval in constraints]
        return cls(_text(names, ranges, runtime, closed, results, conditions))

    @classmethod
    def from_sympy(
        cls, results: Sequence[Any], bounds: Mapping[Any, tuple[int, int]]
    ) -> IndexingMap:
        """A map from SymPy expressions: floor(x / 8), Mod(x, 8), sums and products of symbols."""
        names = [str(symbol) for symbol in bounds]
        named = {str(symbol): interval for symbol, interval in bounds.items()}
        return cls(_text(names, (), (), named, [_from_sympy(r) for r in results], ()))

    def _repr_html_(self) -> str:
        return f"<code>{html.escape(self.text)}</code>"

    @property
    def domain(self) -> Domain:
        return Domain(self)

    def _results_of_arrays(self, *values: Any) -> tuple[NDArray[np.int64], ...]:
        return tuple(self._results_of(integers(*values)))

    def simplify(self, keep: Sequence[int] | Literal["tiles"] = ()) -> IndexingMap:
        """The same map in the shortest form that Tileproof finds.

        `keep` has tile sizes whose digits stay: with 8, `(d0 // 8) * 1024 + (d0 % 8) * 128` does
        not become `d0 * 128`. "tiles" keeps the digits of every divisor of the map.
        """
        if isinstance(keep, str) and keep != "tiles":
            raise Error(f"expected 'tiles' or sizes to keep, found {keep!r}")
        if len(keep) == 0:
            return IndexingMap(self._simplified_text(), self)
        sizes = () if isinstance(keep, str) else keep
        return IndexingMap(self._kept_text(sizes, isinstance(keep, str)), self)

    def compose(self, second: IndexingMap) -> IndexingMap:
        """x -> second(self(x)). Nothing is simplified."""
        return IndexingMap(self._composed_text(second), self)

    def __matmul__(self, first: object) -> IndexingMap:
        """(m @ n)(x) is m(n(x))."""
        return first.compose(self) if isinstance(first, IndexingMap) else NotImplemented

    def trace(self) -> str:
        """The steps of `simplify`, each with its lemma: `tileproof simplify --trace`."""
        return self._trace_text()

    def equivalent(self, other: IndexingMap | str | PurePath, *, timeout: float = 2.0) -> Any:
        """Whether both have the same domain and results (tileproof.equivalent)."""
        from .equivalence import equivalent

        return equivalent(self, other, timeout=timeout)

    check = facts.check
    diff = commands.diff
    image = commands.image
    inverse = commands.inverse

    @property
    def own_text(self) -> str:
        return _text_of(self)


def _text_of(map_: IndexingMap, results: int = 0) -> str:
    """A text that is read back, for KNOWN EMPTY too: with so many results, as it has none."""
    if not map_.is_empty:
        return map_.text
    empty = {v.name: (0, -1) for v in map_.domain.variables}
    names = [[v.name for v in kind] for kind in (map_.domain.ranges, map_.domain.runtime)]
    never = () if empty else [("0", (1, 1))]
    return _text(list(empty), names[0], names[1], empty, [0] * results, never)


def _variables(native: list[tuple[str, tuple[int, int]]]) -> tuple[Variable, ...]:
    return tuple(Variable(name, low, high) for name, (low, high) in native)


def _text(
    names: Sequence[str],
    ranges: Sequence[str],
    runtime: Sequence[str],
    bounds: Mapping[str, tuple[int, int]],
    results: Sequence[Any],
    constraints: Sequence[tuple[Any, tuple[int, int]]],
) -> str:
    dims = [name for name in names if name not in ranges and name not in runtime]
    head = f"({', '.join(dims)})"
    head += f"[{', '.join(ranges)}]" if ranges else ""
    head += f"{{{', '.join(runtime)}}}" if runtime else ""
    items = [(name, bounds[name]) for name in (*dims, *ranges, *runtime)] + list(constraints)
    domain = ", ".join(f"{what} in [{low}, {high}]" for what, (low, high) in items)
    text = f"{head} -> ({', '.join(map(str, results))})"
    return f"{text}, domain: {domain}" if domain else text


def _from_sympy(expression: Any) -> str:
    import sympy

    if isinstance(expression, sympy.Integer | int):
        return str(int(expression))
    if isinstance(expression, sympy.Symbol):
        return str(expression)
    parts = [part for part in expression.args]
    if isinstance(expression, sympy.Add):
        return "(" + " + ".join(map(_from_sympy, parts)) + ")"
    if isinstance(expression, sympy.Mul):
        return "(" + " * ".join(map(_from_sympy, parts)) + ")"
    if isinstance(expression, sympy.Mod):
        return f"({_from_sympy(parts[0])} mod {_from_sympy(parts[1])})"
    if isinstance(expression, sympy.floor):
        numerator, denominator = sympy.fraction(sympy.together(parts[0]))
        return f"({_from_sympy(sympy.expand(numerator))} floordiv {_from_sympy(denominator)})"
    raise Error(f"expected sums, products, floor and Mod, found {expression}")
