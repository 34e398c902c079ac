# SPDX-License-Identifier: Apache-2.0
"""Are two layouts, maps or modules the same? Proven, or shown where they differ."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from . import _program
from ._arguments import milliseconds
from ._errors import Error
from .hlo import hlo_text
from .indexing_map import IndexingMap, _text_of
from .layout import Layout


@dataclass(frozen=True)
class Equivalence:
    """The answer of `equivalent`. It is true if and only if equality is proven."""

    equal: bool | None  # None: undecided within the time
    at: tuple[int, ...] | None = None  # where they differ: an index, or a value of each variable
    left: Any = None  # the offset or the results there; None outside of the domain
    right: Any = None
    by: str = ""  # the method that decided
    notes: tuple[str, ...] = ()  # differences that move no element

    def __bool__(self) -> bool:
        return self.equal is True


def equivalent(left: Any, right: Any, *, timeout: float = 2.0) -> Equivalence:
    """Compares two layouts of any systems, two maps, a map and a layout, or two modules of HLO:
    values of this package, their texts, or a pathlib.Path of a file that holds a text.

        equivalent("f16[64,96]{0,1:T(16,16)(16,1)}", "zN:f16[64,96]")       true
        equivalent("f32[128,256]{1,0:T(8,128)}", "f32[128,256]").at         (1, 0)

    `timeout` limits the solver, in seconds.
    """
    texts = [_program.Input(_text(*sides)) for sides in ((left, right), (right, left))]
    lines = _program.run_json("equiv", f"--timeout={milliseconds(timeout)}", *texts)
    if not lines:
        raise Error("expected two layouts or two maps")
    answer = lines[0]
    at = answer.get("at")
    if isinstance(at, dict):
        at = [*at["dims"], *at["ranges"], *at["runtime"]]
    return Equivalence(
        equal=answer["equal"],
        at=None if at is None else tuple(at),
        left=_value(answer.get("left")),
        right=_value(answer.get("right")),
        by=answer.get("by", ""),
        notes=tuple(answer.get("notes", ())),
    )


def _text(side: Any, other: Any) -> str:
    """The text of one side. KNOWN EMPTY does not say how many variables and results there are."""
    if isinstance(side, IndexingMap) and side.is_empty:
        like = IndexingMap(other) if isinstance(other, str | PurePath) else other
        return _text_of(side, results=getattr(like, "results", 0))
    return side.text if isinstance(side, Layout | IndexingMap) else hlo_text(side)


def _value(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
