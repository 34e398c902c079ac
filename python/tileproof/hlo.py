# SPDX-License-Identifier: Apache-2.0
"""HLO modules: which elements flow where, which tiles are read, and how much of each operand."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from operator import index
from pathlib import PurePath
from typing import Any

from . import _program
from ._arguments import written
from ._errors import Error
from .indexing_map import IndexingMap


@dataclass(frozen=True)
class RuntimeSource:
    """The element that a runtime variable is: of which instruction, at which index."""

    instruction: str
    map: IndexingMap


@dataclass(frozen=True)
class OperandMaps:
    """The maps from one array of the result to one array of the operands; from the operand to the
    result with the direction "input_to_output". All of them together say what flows."""

    operand: int
    leaf: int  # number of the array, if the operand is a tuple
    result: int  # number of the array, if the result is a tuple
    maps: tuple[IndexingMap, ...]
    runtime: tuple[tuple[RuntimeSource, ...], ...]  # one tuple for each map


@dataclass(frozen=True)
class Instruction:
    """What `tileproof map --json` says of an instruction."""

    computation: str
    name: str
    opcode: str
    kind: str  # "mapped", "conservative", "no data flow", "not analysed"
    operands: tuple[OperandMaps, ...] = ()
    reason: str | None = None  # why it is conservative or not analysed
    verdict: str | None = None  # of `verify`: "proven", "refuted", ..

    @property
    def inexact(self) -> bool:
        """Whether elements may flow that the maps do not show: everything may reach everything."""
        return self.kind == "conservative"


@dataclass(frozen=True)
class OperandUse:
    """How many of an operand's elements an instruction reads; least and most differ if it depends
    on values at run time."""

    operand: int
    leaf: int
    elements: int
    least: int | None
    most: int | None


@dataclass(frozen=True)
class Utilization:
    """What an instruction reads of each operand."""

    computation: str
    instruction: str
    read: tuple[OperandUse, ...] = field(default=())


@dataclass(frozen=True)
class TileOffset:
    """A summand of an offset that is only known at run time: factor * the element `index` of an
    instruction, moved into [low, high]."""

    instruction: str
    index: tuple[int, ...]
    factor: int
    low: int
    high: int


@dataclass(frozen=True)
class OperandTile:
    """What a tile of the result reads of an operand."""

    operand: int
    leaf: int
    tile: tuple[tuple[int, int, int], ...] | None  # (offset, size, stride) of each dimension
    moved: tuple[tuple[TileOffset, ...], ...] = ()  # summands of the offset of each dimension
    why: str | None = None  # why there is no tile


@dataclass(frozen=True)
class TileReads:
    """What a tile of an instruction's result reads."""

    instruction: str
    needs: tuple[OperandTile, ...]


@dataclass(frozen=True)
class Traffic:
    """The accesses of warps to one array, and the transactions that they need."""

    array: str  # "result", or the operand and its name
    elements: int | None = None
    bits: int | None = None  # of an element
    accesses: int | None = None
    transactions: int | None = None
    most: int | None = None  # transactions of one access
    uncounted: str | None = None  # why nothing is counted


@dataclass(frozen=True)
class Coalescing:
    """The memory transactions of a kernel that computes an instruction."""

    instruction: str
    warp: int  # threads
    width: int  # bytes of a transaction
    arrays: tuple[Traffic, ...]


@dataclass(frozen=True)
class Buffer:
    """The memory of an array of a module, in bytes."""

    computation: str
    instruction: str
    leaf: int  # number of the array, if the result is a tuple
    shape: str
    allocated: int
    used: int
    padding: int
    percent: float  # of it that is padding
    smaller: str | None = None  # a layout of the same array with less padding


class Listing(list[Any]):
    """A list of dataclasses. `to_pandas()` is a table of them."""

    def to_pandas(self) -> Any:
        import pandas

        return pandas.DataFrame([asdict(item) for item in self])


@written
class HloModule:
    """A module: its text, the pathlib.Path of a file, or a lowered computation of JAX.

    HloModule("t = f32[16,8] transpose(f32[8,16] p), dimensions={1,0}").indexing()
    """

    __slots__ = ("text",)

    def __init__(self, source: Any) -> None:
        self.text = str(_program.input_of(source))
        _program.run_json("map", _program.Input(self.text), "--summary", text=self.text)

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text)}</pre>"

    def indexing(self, *, direction: str = "output_to_input") -> Listing:
        return indexing(self, direction=direction)

    def verify(self) -> Listing:
        return verify(self)

    def utilization(self) -> Listing:
        return utilization(self)

    def tile(self, tile: Sequence[Sequence[int]], *, instruction: str | None = None) -> TileReads:
        return tile_of(self, tile, instruction=instruction)


def indexing(source: Any, *, direction: str = "output_to_input") -> Listing:
    """The maps of every instruction of a module: a list of Instruction.

    `direction` is "output_to_input" or "input_to_output".
    """
    return _listing(source, *_direction(direction))


def verify(source: Any, *, direction: str = "output_to_input") -> Listing:
    """The same, each proven against the definition of its operation."""
    return _listing(source, "--verify", *_direction(direction))


def utilization(source: Any) -> Listing:
    """How many elements of each operand are read: a list of Utilization."""
    text = _program.input_of(source)
    result = Listing()
    for line in _program.run_json("utilization", text, text=text):
        if "read" in line:
            read = tuple(
                OperandUse(r["operand"], r["leaf"], r["elements"], r.get("least"), r.get("most"))
                for r in line["read"]
            )
            result.append(Utilization(line["computation"], line["instruction"], read))
    return result


def waste(source: Any) -> Listing:
    """The padding of every buffer, most of it first: a list of Buffer.

    >>> waste("r = f32[9]{0:T(8)} negate(f32[9]{0:T(8)} p)")[0].padding
    28
    """
    text = _program.input_of(source)
    lines = _program.run_json("waste", text, text=text)
    return Listing(
        Buffer(**{**line, "smaller": line["smaller"] and line["smaller"]["shape"]})
        for line in lines
        if "summary" not in line
    )


def tile_of(
    source: Any, tile: Sequence[Sequence[int]], *, instruction: str | None = None
) -> TileReads:
    """The tiles of the operands that a tile of a result reads; by default of the root.

    A tile has (offset, size) or (offset, size, stride) of each dimension.
    """
    written = ",".join(":".join(str(index(n)) for n in part) for part in tile)
    line = _one_line(source, instruction, "tile", f"--tile={written}")
    return TileReads(line["instruction"], tuple(_operand_tile(item) for item in line["needs"]))


def coalescing(
    source: Any,
    threads: IndexingMap | str | PurePath,
    *,
    warp: int = 32,
    width: int = 32,
    instruction: str | None = None,
) -> Coalescing:
    """The memory transactions of the warps of a kernel, which computes one instruction."""
    sizes = (f"--warp={index(warp)}", f"--width={index(width)}")
    options = ("--threads", _program.input_of(threads), *sizes)
    line = _one_line(source, instruction, "coalescing", *options)
    arrays = tuple(Traffic(**array) for array in line["arrays"])
    return Coalescing(line["instruction"], line["warp"], line["width"], arrays)


def _one_line(source: Any, instruction: str | None, command: str, *options: str) -> dict[str, Any]:
    """What a command says of one instruction."""
    text = _program.input_of(source)
    named = () if instruction is None else (f"--instruction={instruction}",)
    (line,) = _program.run_json(command, text, *options, *named, text=text)
    assert isinstance(line, dict)
    return line


def _operand_tile(item: dict[str, Any]) -> OperandTile:
    tile = item["tile"]
    moved: tuple[tuple[TileOffset, ...], ...] = ()
    if isinstance(tile, dict):
        moved = tuple(
            tuple(
                TileOffset(m["instruction"], tuple(m["index"]), m["factor"], *m["feasible"])
                for m in dimension
            )
            for dimension in tile["moved"]
        )
        tile = tile["tile"]
    if tile is None or isinstance(tile, str):
        why = item.get("why", tile or "nothing is read")
        return OperandTile(item["operand"], item["leaf"], None, why=why)
    sizes = tuple((offset, size, stride) for offset, size, stride in tile)
    return OperandTile(item["operand"], item["leaf"], sizes, moved, item.get("why"))


def _direction(direction: str) -> list[str]:
    if direction not in ("output_to_input", "input_to_output"):
        raise Error(f"expected output_to_input or input_to_output, found {direction}")
    return ["--direction", direction]


def _listing(source: Any, *options: str) -> Listing:
    text = _program.input_of(source)
    result = Listing()
    for line in _program.run_json("map", text, *options, text=text):
        if "instruction" not in line:
            continue
        operands = tuple(_operand(line, item) for item in line.get("lists", ()))
        result.append(
            Instruction(
                computation=line["computation"],
                name=line["instruction"],
                opcode=line["opcode"],
                kind=line["kind"],
                operands=operands,
                reason=line.get("reason"),
                verdict=line.get("verdict"),
            )
        )
    return result


def _operand(line: dict[str, Any], item: dict[str, Any]) -> OperandMaps:
    maps, runtime = [], []
    for one in item.get("maps", ()):
        maps.append(IndexingMap(one["map"]))
        runtime.append(
            tuple(
                RuntimeSource(source["instruction"], IndexingMap(source["map"]))
                for source in one.get("runtime", ())
            )
        )
    return OperandMaps(
        operand=item.get("operand", line.get("operand", 0)),
        leaf=item.get("leaf", line.get("leaf", 0)),
        result=item.get("result", line.get("result", 0)),
        maps=tuple(maps),
        runtime=tuple(runtime),
    )
