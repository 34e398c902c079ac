# SPDX-License-Identifier: Apache-2.0
"""Commands of `tileproof` about one or two maps or layouts, as functions of the same name.

A layout is a map, too: from the index of an element to its offset.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import index
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Literal, cast

from . import _program
from .facts import point_of

if TYPE_CHECKING:
    from .indexing_map import IndexingMap


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

    def __str__(self) -> str:
        seen = "" if self.complete else " compared"
        lines = [f"{self.different} of {self.points} points{seen} differ"]
        lines += [f"  {one.at}: {one.left} and {one.right}" for one in self.first]
        return "\n".join(lines)


def simplify(
    map_: IndexingMap | str | PurePath, keep: Sequence[int] | Literal["tiles"] = ()
) -> IndexingMap:
    """The same map in the shortest form that Tileproof finds (IndexingMap.simplify).

    >>> simplify("(d0) -> ((-d0) mod 2), domain: d0 in [0, 127]").text
    '(d0) -> (d0 mod 2), domain: d0 in [0, 127]'
    """
    from .indexing_map import IndexingMap

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
    answer = _program.run_json("image", _program.input_of(x))[0]
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
    answer = _program.run_json("diff", most, _program.input_of(left), _program.input_of(right))[0]
    points = tuple(
        DifferentPoint(point_of(one["at"]), _results(one["left"]), _results(one["right"]))
        for one in answer["differences"]
    )
    return Differences(
        answer["equal"], answer["different"], answer["points"], answer["complete"], points
    )


def evaluate(
    x: Any, at: Any, ranges: Sequence[Any] = (), runtime: Sequence[Any] = ()
) -> tuple[int, ...] | None:
    """The results at a point, or at one number, by the definition; None outside of the domain.

    >>> evaluate("(d0)[s0] -> (d0 * 2 + s0), domain: d0 in [0, 9], s0 in [0, 1]", [7], [1])
    (15,)
    """
    options = [f"--at={_numbers(at if isinstance(at, Sequence) else [at])}"]
    options += [f"--ranges={_numbers(ranges)}"] if len(ranges) > 0 else []
    options += [f"--runtime={_numbers(runtime)}"] if len(runtime) > 0 else []
    return _results(_program.run_json("evaluate", *options, _program.input_of(x))[0]["results"])


def explain(x: Any, *index: Any) -> dict[str, Any]:
    """The steps from an index to its offset (Layout.explain).

    >>> explain("f32[3,5]{1,0:T(2,2)}", 2, 3)["offset"]
    17
    """
    from .layouts import layout

    return cast("dict[str, Any]", layout(x).explain(*index))


def _map_of(command: str, *inputs: Any) -> IndexingMap:
    from .indexing_map import IndexingMap

    return IndexingMap(_program.run_json(command, *map(_program.input_of, inputs))[0]["map"])


def _numbers(numbers: Sequence[Any]) -> str:
    return ",".join(str(index(number)) for number in numbers)


def _results(results: list[int] | None) -> tuple[int, ...] | None:
    return None if results is None else tuple(results)
