# SPDX-License-Identifier: Apache-2.0
"""Commands of `tileproof` about one or two maps or layouts, as functions of the same name.

A layout is a map, too: from the index of an element to its offset.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import index
from pathlib import PurePath
from typing import Any, Literal

from . import _program
from ._arguments import text_of
from .facts import Banks, Fact, bank_conflicts, check_map
from .indexing_map import IndexingMap, _text_of
from .layouts import Layout


@dataclass(frozen=True)
class Block:
    """Results that vary together, and the tuples of values that they have."""

    results: tuple[int, ...]  # their numbers
    count: int
    text: str
    low: int | None = (
        None  # of one result: the least value, the greatest, and the step, if it is one
    )
    high: int | None = None
    step: int | None = None


@dataclass(frozen=True)
class Image:
    """What a map reaches."""

    count: int | None
    blocks: tuple[Block, ...]
    slots: int | None = None  # of a layout: the elements that its memory has room for

    def __str__(self) -> str:
        return "\n".join(block.text for block in self.blocks)


@dataclass(frozen=True)
class DifferentPoint:
    """A point, and what two maps have there; None outside of the domain."""

    at: tuple[int, ...]  # values of the dimensions, the ranges, the runtime variables
    left: tuple[int, ...] | None
    right: tuple[int, ...] | None


@dataclass(frozen=True)
class Differences:
    """Where two maps differ. It is true if they do."""

    equal: bool
    different: int  # points
    points: int
    complete: bool  # whether all points were compared
    first: tuple[DifferentPoint, ...]

    def __bool__(self) -> bool:
        return not self.equal


def simplify(
    map_: IndexingMap | str | PurePath, keep: Sequence[int] | Literal["tiles"] = ()
) -> IndexingMap:
    """The same map in the shortest form that Tileproof finds (IndexingMap.simplify).

    >>> simplify("(d0) -> ((-d0) mod 2), domain: d0 in [0, 127]").text
    '(d0) -> (d0 mod 2), domain: d0 in [0, 127]'
    """
    own = map_ if isinstance(map_, IndexingMap) else IndexingMap(map_)
    return own.simplify(keep)


def compose(first: Any, second: Any) -> IndexingMap:
    """x -> second(first(x)), simplified. Of layouts the map to an offset, by `tileproof compose`;
    `composition` is that of CuTe, and makes a layout.

    >>> compose("(d0) -> (d0 floordiv 8, d0 mod 8), domain: d0 in [0, 31]", "f32[4,8]{1,0}").text
    '(d0) -> (d0), domain: d0 in [0, 31]'
    """
    return _map_of("compose", first, second)


def inverse(x: Any) -> IndexingMap:
    """From the results of a map, or from an offset, back to the index.

    >>> inverse("f32[3,4]{1,0}")(6)
    (1, 2)
    """
    return _map_of("inverse", x)


def image(x: Any) -> Image:
    """Which results a map has, or which offsets a layout uses, and how many.

    >>> image("f32[3,5]{1,0:T(2,2)}").count
    15
    """
    answer = _program.run_json("image", _input(x))[0]
    blocks = tuple(
        Block(**{**block, "results": tuple(block["results"])}) for block in answer["blocks"]
    )
    return Image(answer["count"], blocks, answer.get("slots"))


def diff(left: Any, right: Any, *, limit: int = 20) -> Differences:
    """Where two maps or layouts differ; the first `limit` points.

    >>> d = diff("f32[4,6]{1,0:T(2,2)}", "f32[4,6]{1,0:T(2,3)}")
    >>> d.different, d.points, d.first[0].at
    (16, 24, (0, 2))
    """
    most = f"--limit={index(limit)}"
    answer = _program.run_json("diff", most, _input(left), _input(right))[0]
    points = tuple(
        DifferentPoint(_point(one["at"]), _results(one["left"]), _results(one["right"]))
        for one in answer["differences"]
    )
    return Differences(
        answer["equal"], answer["different"], answer["points"], answer["complete"], points
    )


def evaluate(
    x: Any, at: Sequence[Any], ranges: Sequence[Any] = (), runtime: Sequence[Any] = ()
) -> tuple[int, ...] | None:
    """The results at a point by the definition; None outside of the domain.

    >>> evaluate("(d0)[s0] -> (d0 * 2 + s0), domain: d0 in [0, 9], s0 in [0, 1]", [7], [1])
    (15,)
    """
    options = [f"--at={_numbers(at)}"]
    options += [f"--ranges={_numbers(ranges)}"] if len(ranges) > 0 else []
    options += [f"--runtime={_numbers(runtime)}"] if len(runtime) > 0 else []
    return _results(_program.run_json("evaluate", *options, _input(x))[0]["results"])


def check(
    x: Any,
    *,
    inside: Any = None,
    one_to_one: bool = False,
    onto: Any = None,
    width: int | None = None,
    unsigned: bool = False,
    timeout: float = 5.0,
) -> dict[str, Fact]:
    """Facts of a map or a layout, each proven or refuted by a point (IndexingMap.check).

    >>> check("(k) -> (k floordiv 2), domain: k in [0, 7]", one_to_one=True)["one_to_one"].at
    ((0,), (1,))
    """
    return check_map(_input(x), inside, one_to_one, onto, width, unsigned, timeout)


def explain(layout: Layout | str | PurePath, at: Sequence[Any]) -> dict[str, Any]:
    """The steps from an index to its offset (Layout.explain).

    >>> explain("f32[3,5]{1,0:T(2,2)}", (2, 3))["offset"]
    17
    """
    own = layout if isinstance(layout, Layout) else Layout(layout)
    return own.explain(at)


def banks(
    layout: Any,
    access: Any,
    *,
    element_type: str | None = None,
    vector: int | None = None,
    banks: int = 32,
    bank_bytes: int = 4,
    amd_read: bool = False,
) -> Banks:
    """The bank conflicts of an access to shared memory (Layout.banks).

    >>> banks("f16[64,64]{1,0}", "ldmatrix").ways
    8
    """
    return bank_conflicts(_input(layout), access, element_type, vector, banks, bank_bytes, amd_read)


def _input(x: Any) -> _program.Input:
    if isinstance(x, IndexingMap):
        return _program.Input(_text_of(x))
    own = getattr(x, "text", None)
    return _program.Input(own if isinstance(own, str) else text_of(x))


def _map_of(command: str, *inputs: Any) -> IndexingMap:
    return IndexingMap(_program.run_json(command, *map(_input, inputs))[0]["map"])


def _numbers(numbers: Sequence[Any]) -> str:
    return ",".join(str(index(number)) for number in numbers)


def _point(point: dict[str, Any]) -> tuple[int, ...]:
    return (*point["dims"], *point["ranges"], *point["runtime"])


def _results(results: list[int] | None) -> tuple[int, ...] | None:
    return None if results is None else tuple(results)
