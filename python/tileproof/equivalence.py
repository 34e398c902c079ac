# SPDX-License-Identifier: Apache-2.0
"""Are two layouts, maps or modules the same? Proven, or shown where they differ."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from . import _native, _program
from ._arguments import milliseconds, text_of
from ._errors import Error
from .indexing_map import IndexingMap, _text_of


@dataclass(frozen=True)
class Step:
    """An instruction on the way from a result to where two modules begin to differ."""

    instruction: str
    opcode: str
    at: tuple[int, ...]  # the element of its result
    value: str  # of that element
    place: str  # file, line and column; empty if the text has none

    def __str__(self) -> str:
        return f"{self.instruction}[{', '.join(map(str, self.at))}] = {self.value}"


@dataclass(frozen=True)
class ResultEquality:
    """Of one array of the results of two modules. It is true if and only if equality is proven."""

    leaf: tuple[int, ...]  # the number of the array
    verdict: str  # "equal", "different" or "undecided"
    laws: tuple[str, ...] = ()  # laws of floating-point arithmetic that the proof uses
    at: tuple[int, ...] | None = None  # an element that differs
    device: int | None = None  # of partitioned modules
    left: tuple[Step, ...] = ()  # down to the first difference
    right: tuple[Step, ...] = ()
    left_reads: tuple[Step, ...] = ()  # what the last step reads, the first elements
    right_reads: tuple[Step, ...] = ()
    local: tuple[int, ...] | None = None  # of partitioned modules: the same in the device's part
    why: str = ""  # what differs, or the open question

    def __bool__(self) -> bool:
        return self.verdict == "equal"

    def __str__(self) -> str:
        what = self.verdict + (f", with the laws {', '.join(self.laws)}" if self.laws else "")
        if self.device is not None:
            what += f" on device {self.device}"
        if self.at is not None:
            what += f" at [{', '.join(map(str, self.at))}]"
        lines = [f"result {', '.join(map(str, self.leaf))}: {what}"]
        lines += [f"  {self.why}"] if self.why else []
        for side, path, reads in (
            ("LEFT ", self.left, self.left_reads),
            ("RIGHT", self.right, self.right_reads),
        ):
            if path:
                steps = ", ".join(map(str, path))
                of = f" of {', '.join(map(str, reads))}" if reads else ""
                place = f", at {path[-1].place}" if path[-1].place else ""
                lines.append(f"  {side}  {steps}: {path[-1].opcode}{of}{place}")
        return "\n".join(lines)


@dataclass(frozen=True)
class Equivalence:
    """The answer of `equivalent`. It is true if and only if equality is proven."""

    equal: bool | None  # None: undecided within the time
    at: tuple[int, ...] | None = None  # where they differ: an index, or a value of each variable
    left: Any = None  # the offset or the results there; None outside of the domain
    right: Any = None
    by: str = ""  # the method that decided
    notes: tuple[str, ...] = ()  # differences that move no element
    results: tuple[ResultEquality, ...] = ()  # of modules: an answer for each array of the results

    def __bool__(self) -> bool:
        return self.equal is True

    def __str__(self) -> str:
        if self.results:
            return "\n".join([*map(str, self.results), *self.notes])
        said = {True: "equal", False: "different", None: "undecided"}[self.equal]
        where = "" if self.at is None else f" at {self.at}: {self.left} and {self.right}"
        return "\n".join([said + where, *self.notes])


def equivalent(
    left: Any,
    right: Any,
    *,
    args: Sequence[Any] | None = None,
    laws: Sequence[str] = (),
    exact: bool = False,
    sharding: Any = None,
    timeout: float = 2.0,
) -> Equivalence:
    """Compares two layouts of any systems, two maps, a map and a layout, or two modules of HLO:
    values of this package, their texts, or a pathlib.Path of a file that holds a text.

        equivalent("f16[64,96]{0,1:T(16,16)(16,1)}", "zN:f16[64,96]")       true
        equivalent("f32[128,256]{1,0:T(8,128)}", "f32[128,256]").at         (1, 0)

    Of modules it compares the values of each result; lowered functions of JAX are modules, and
    with `args` so are functions, which JAX lowers for these arguments:

        equivalent(before, after, args=(x, y))

    `laws` allows laws of floating-point arithmetic, by name or level; `exact` allows no other order
    of reductions. `sharding` says which part of each array each device holds: what
    `tileproof equiv --sharding` reads, as json.load gives it, or a pathlib.Path. A compiled
    function of JAX says it itself, so that before and after partitioning can be compared as they
    are:

        lowered = jax.jit(f, in_shardings=..).lower(x)
        equivalent(lowered, lowered.compile())

    `timeout` limits the solver, in seconds.
    """
    if args is not None:
        left, right = (_lowered(side, args) for side in (left, right))
    texts = [_text(*sides) for sides in ((left, right), (right, left))]
    options = [f"--timeout={milliseconds(timeout)}", *(f"--law={law}" for law in laws)]
    options += ["--exact"] if exact else []
    for given in [_placement(left), _placement(right)] if sharding is None else [sharding]:
        if given is not None:
            text = text_of(given) if isinstance(given, PurePath) else json.dumps(given)
            options += ["--sharding", _program.Input(text)]
    lines = _program.run_json("equiv", *options, *texts)
    if not lines:
        raise Error("expected two layouts, two maps or two modules")
    answer = lines[0]
    results = tuple(_result(result) for result in answer.get("results", ()))
    at = answer.get("at", next((result.at for result in results if result.at is not None), None))
    if isinstance(at, dict):  # of maps, and of layouts of threads
        at = (
            [*at["dims"], *at["ranges"], *at["runtime"]]
            if "dims" in at
            else [at[name] for name in ("register", "lane", "warp", "block")]
        )
    return Equivalence(
        equal=answer["equal"],
        at=None if at is None else tuple(at),
        left=_value(answer.get("left")),
        right=_value(answer.get("right")),
        by=answer.get("by", ""),
        notes=(*answer.get("notes", ()), *map(_layout_note, answer.get("layouts", ()))),
        results=results,
    )


def assert_equivalent(left: Any, right: Any, **options: Any) -> None:
    """Raises AssertionError unless `equivalent(left, right, ..)` is true. Its message has the
    element that differs and, of modules, the instructions down to where they begin to differ."""
    answer = equivalent(left, right, **options)
    if not answer:
        raise AssertionError(str(answer))


def _placement(side: Any) -> dict[str, Any] | None:
    """Which part of each array each device of a compiled function of JAX holds."""
    if not hasattr(side, "input_shardings"):
        return None
    import jax

    arrays = jax.tree.leaves(side.in_avals)
    given = jax.tree.leaves(side.input_shardings, is_leaf=lambda one: one is None)
    parameters = [pair for pair in zip(given, arrays, strict=True) if pair[0] is not None]
    results = [(one.sharding, one) for one in jax.tree.leaves(side.out_info)]
    devices = max((len(one.device_set) for one, _ in [*parameters, *results]), default=1)
    if devices == 1:
        return None

    def texts(pairs: Sequence[tuple[Any, Any]]) -> list[str]:
        return [str(one._to_xla_hlo_sharding(len(array.shape))) for one, array in pairs]

    return {
        "devices": devices,
        "padded": True,
        "parameters": texts(parameters),
        "results": texts(results),
    }


def _lowered(side: Any, args: Sequence[Any]) -> Any:
    if not callable(side) or isinstance(side, _native.IndexingMap | _native.Layout):
        raise TypeError(f"expected a function beside args, found {type(side).__name__}")
    if hasattr(side, "lower"):
        return side.lower(*args)
    import jax

    return jax.jit(side).lower(*args)


def _result(result: Mapping[str, Any]) -> ResultEquality:
    path = result.get("path", {})
    local, whole = result.get("at"), result.get("global")
    at = local if whole is None else whole
    return ResultEquality(
        leaf=tuple(result["leaf"]),
        verdict=result["verdict"],
        laws=tuple(result.get("laws", ())),
        at=None if at is None else tuple(at),
        device=result.get("device"),
        local=None if whole is None or local is None else tuple(local),
        left=_steps(path.get("left", ())),
        right=_steps(path.get("right", ())),
        left_reads=_steps(path.get("left_reads", ())),
        right_reads=_steps(path.get("right_reads", ())),
        why=result.get("difference", result.get("open", "")),
    )


def _layout_note(layout: Mapping[str, Any]) -> str:
    """Of a parameter or a result that lies in memory in another order."""
    number, leaf = layout.get("parameter"), layout["leaf"][0]
    part = "" if number is None or leaf == 0 else f", array {leaf}"
    what = f"result {leaf}" if number is None else f"parameter {number}{part}"
    return f"layout of {what}: {layout['left']} in LEFT, {layout['right']} in RIGHT"


def _steps(steps: Sequence[Mapping[str, Any]]) -> tuple[Step, ...]:
    return tuple(
        Step(
            one["instruction"], one["opcode"], tuple(one["at"]), one["value"], one.get("place", "")
        )
        for one in steps
    )


def _text(side: Any, other: Any) -> _program.Input:
    """The text of one side. KNOWN EMPTY does not say how many variables and results there are."""
    if isinstance(side, IndexingMap) and side.is_empty:
        like = IndexingMap(other) if isinstance(other, str | PurePath) else other
        return _program.Input(_text_of(side, results=getattr(like, "results", 0)))
    return _program.input_of(side)


def _value(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
