# SPDX-License-Identifier: Apache-2.0
"""Layouts of threads: which register of which lane, warp and block holds which element."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import index
from pathlib import PurePath
from typing import Any, SupportsIndex

from . import _program
from ._arguments import text_of, written
from .indexing_map import IndexingMap
from .layouts import Picture


@dataclass(frozen=True, order=True)
class Holder:
    """A register that holds an element."""

    register: int
    lane: int
    warp: int
    block: int


@written
class ThreadLayout:
    """A layout of threads: of Triton, CuTe or Mosaic GPU.

    >>> t = ThreadLayout(
    ...     "tensor<16x32xf16, #ttg.blocked<{sizePerThread=[1,4],"
    ...     " threadsPerWarp=[4,8], warpsPerCTA=[4,1], order=[1,0]}>>"
    ... )
    >>> t(2, 9, 1, 0)                            # register 2 of lane 9 of warp 1 of block 0
    (5, 6)
    >>> t.owners(5, 6)
    (Holder(register=2, lane=9, warp=1, block=0),)
    """

    def __init__(self, text: str | PurePath) -> None:
        answer = _program.run_json("layout", _program.Input(text_of(text)))[0]
        if "sizes" not in answer:
            raise ValueError("expected a layout of threads; Layout(..) reads the others")
        self._answer: dict[str, Any] = answer

    @property
    def text(self) -> str:
        return str(self._answer["layout"])

    @property
    def dims(self) -> tuple[int, ...]:
        return tuple(self._answer["dims"])

    shape = dims

    @property
    def sizes(self) -> dict[str, int]:
        """How many registers, lanes, warps and blocks there are."""
        return dict(self._answer["sizes"])

    @property
    def copies(self) -> int:
        """How many registers hold each element."""
        return int(self._answer["copies"])

    @cached_property
    def map(self) -> IndexingMap:
        """From register, lane, warp and block to the index."""
        return IndexingMap(self._answer["map"])

    def __call__(self, register: Any, lane: Any, warp: Any = 0, block: Any = 0) -> Any:
        """The index that a register holds; arrays give an array for each dimension."""
        return self.map(register, lane, warp, block)

    def owners(self, *at: SupportsIndex | Sequence[SupportsIndex]) -> tuple[Holder, ...]:
        """The registers that hold an element, in order: owners(5, 6) or owners((5, 6))."""
        numbers = at[0] if len(at) == 1 and isinstance(at[0], Sequence) else at
        where = ",".join(str(index(one)) for one in numbers)  # type: ignore[arg-type]
        text = _program.Input(self.text)
        try:
            answer = _program.run_json("layout", f"--index={where}", text)[0]
        except ValueError as error:
            if "outside" in str(error):
                raise IndexError(str(error)) from None
            raise
        return tuple(Holder(**one) for one in answer["owners"])

    def __getitem__(self, at: Any) -> tuple[Holder, ...]:
        """The registers that hold an element: t[5, 6]."""
        return self.owners(*at) if isinstance(at, tuple) else self.owners(at)

    def plot(self) -> Picture:
        """A picture: a colour for each thread, with its number and that of its value."""
        return Picture(_program.output("layout", "--svg", "-", _program.Input(self.text)))

    svg = plot

    def _repr_html_(self) -> str:
        return str(self.plot())
