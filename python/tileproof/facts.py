# SPDX-License-Identifier: Apache-2.0
"""Facts of a map, the bank conflicts of an access, and facts of a tile grid: the answers of
`check`, `banks` and `grid`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from . import _program
from ._arguments import element_type_of, milliseconds
from ._errors import Error


@dataclass(frozen=True)
class Fact:
    """Whether a fact holds. It is true if and only if it is proven."""

    holds: bool | None  # None: undecided within the time
    why: str = ""  # a counterexample, or why it is undecided
    at: Any = None  # the point, the two points, or the element that is never reached
    against: int | None = None  # how many points or elements refute it, if they are counted
    of: int | None = None
    by: str = ""  # the method that decided

    def __bool__(self) -> bool:
        return self.holds is True

    def __str__(self) -> str:
        said = {True: "holds", False: "does not hold", None: "undecided"}[self.holds]
        return f"{said}: {self.why}" if self.why else said


@dataclass(frozen=True)
class BankClash:
    """Two lanes that need different words of one bank."""

    bank: int
    lanes: tuple[int, int]
    words: tuple[int, int]
    indices: tuple[tuple[int, ...], tuple[int, ...]]  # where the vectors of the lanes begin


@dataclass(frozen=True)
class BankPhase:
    """Lanes that are served together."""

    access: tuple[int, ...]  # values of the dimensions after the lane
    value: int  # the number of the vector's first element in its lane
    phase: int
    lanes: tuple[int, ...]
    ways: int
    clash: BankClash | None = None


@dataclass(frozen=True)
class Banks:
    """The conflicts of an access to shared memory."""

    ways: int  # of the worst phase
    cycles: int
    ideal: int  # cycles without conflicts: the number of phases
    phases: tuple[BankPhase, ...] = field(repr=False)

    def __str__(self) -> str:
        said = f"{self.ways}-way conflicts" if self.ways > 1 else "no conflicts"
        lines = [f"{said}: {self.cycles} cycles, {self.ideal} without conflicts"]
        worst = next(
            (one.clash for one in self.phases if one.ways == self.ways and one.clash), None
        )
        if worst is not None:
            (left, right), (one, two) = worst.lanes, worst.indices
            lines.append(f"  bank {worst.bank}: lane {left} at {one}, lane {right} at {two}")
        return "\n".join(lines)


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
    """Facts of a map or a layout, each proven or refuted by a point: `tileproof check`.

    >>> check("(k) -> (k floordiv 2), domain: k in [0, 7]", one_to_one=True)["one_to_one"].at
    ((0,), (1,))

    `inside` and `onto` are sizes or a shape; `inside` may also be pairs of bounds.
    """
    options = [f"--timeout={milliseconds(timeout)}"]
    if inside is not None:
        options.append(f"--inside={_box(inside)}")
    if one_to_one:
        options.append("--one-to-one")
    if onto is not None:
        options.append(f"--onto={_box(onto)}")
    if width is not None:
        options.append(f"--width={_number(width)}")
    if unsigned:
        options.append("--unsigned")
    answer = _program.run_json("check", *options, _program.input_of(x))[0]
    return {name: _fact(fact) for name, fact in answer.items()}


def banks(
    layout: Any,
    access: Any,
    *,
    element_type: Any = None,
    vector: int | None = None,
    banks: int = 32,
    bank_bytes: int = 4,
    amd_read: bool = False,
) -> Banks:
    """The bank conflicts of an access to a layout in shared memory: `tileproof banks`.

    >>> banks("f16[64,64]{1,0}", "ldmatrix").ways
    8

    `access` is a map from lanes and values to an index, a layout of threads and values, or
    ldmatrix, stmatrix, vector, tma. `vector`: the bytes that a lane moves at once.
    """
    given = _program.input_of(access)
    options = [f"--banks={_number(banks)}", f"--bank-bytes={_number(bank_bytes)}"]
    options += [f"--type={element_type_of(element_type)}"] if element_type is not None else []
    options += [f"--vector={_number(vector)}"] if vector is not None else []
    options += ["--amd-read"] if amd_read else []
    pattern = given in ("ldmatrix", "stmatrix", "vector", "tma")
    options += ["--access", str(given) if pattern else given]
    answer = _program.run_json("banks", *options, _program.input_of(layout))[0]
    return Banks(
        ways=answer["ways"],
        cycles=answer["cycles"],
        ideal=answer["ideal"],
        phases=tuple(_phase(phase) for phase in answer["phases"]),
    )


def check_grid(grid: Mapping[str, Any], *, timeout: float = 5.0) -> dict[str, Fact]:
    """Checks the tiles of a kernel: "inside", "covered", "once", "races", and "aliases" if there
    are some. `grid` is the file of `tileproof grid`, as json.load gives it:

        out = {"name": "out", "kind": "out", "shape": [4], "block": [2],
               "index_map": "(i) -> (0), domain: i in [0, 1]"}
        check_grid({"grid": [2], "operands": [out]})["covered"].why     "out[2] is never written"

    Fact.at is the step that refutes a fact, and of `covered` the element. `timeout` limits each
    question to the solver, in seconds.
    """
    text = json.dumps(grid)
    options = [f"--timeout={milliseconds(timeout)}"]
    answer = _program.run_json("grid", *options, _program.Input(text))[0]
    return {
        name: Fact(
            holds=fact["holds"],
            why="" if fact["holds"] else fact.get("why", ""),
            at=tuple(fact["at"] if "at" in fact else fact["element"])
            if "operand" in fact
            else None,
        )
        for name, fact in answer.items()
    }


def _number(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"expected an integer, found {value!r}")
    return value


def _box(box: Any) -> str:
    """Sizes, pairs of bounds, a layout, or the text of one of them."""
    own = getattr(box, "text", None)
    if isinstance(box, str) or isinstance(own, str):
        text = box if isinstance(box, str) else str(own)
        if text.startswith(("@", "-")):
            raise Error(f"expected sizes or a shape, found {text!r}")
        return text
    if not isinstance(box, Sequence):
        raise TypeError(f"expected sizes, pairs of bounds or a shape, found {box!r}")
    parts = []
    for part in box:
        if isinstance(part, Sequence) and not isinstance(part, str) and len(part) == 2:
            parts.append(f"{_number(part[0])}..{_number(part[1])}")
        else:
            parts.append(str(_number(part)))
    return ",".join(parts)


def _fact(fact: dict[str, Any]) -> Fact:
    at = fact.get("at")
    if isinstance(at, dict):
        at = point_of(at)
    elif isinstance(at, list):
        at = tuple(point_of(part) if isinstance(part, dict) else part for part in at)
    return Fact(
        holds=fact["holds"],
        why=fact.get("why", ""),
        at=at,
        against=fact.get("against", 0 if fact["holds"] and "of" in fact else None),
        of=fact.get("of"),
        by=fact.get("by", ""),
    )


def point_of(point: dict[str, Any]) -> tuple[int, ...]:
    """The values of the dimensions, the ranges, the runtime variables."""
    return (*point["dims"], *point["ranges"], *point["runtime"])


def _phase(phase: dict[str, Any]) -> BankPhase:
    found = phase.get("clash")
    clash = None
    if found is not None:
        first, second = (tuple(index) for index in found["from"])
        clash = BankClash(
            bank=found["bank"],
            lanes=(found["lanes"][0], found["lanes"][1]),
            words=(found["words"][0], found["words"][1]),
            indices=(first, second),
        )
    return BankPhase(
        access=tuple(phase["access"]),
        value=phase["value"],
        phase=phase["phase"],
        lanes=tuple(phase["lanes"]),
        ways=phase["ways"],
        clash=clash,
    )
