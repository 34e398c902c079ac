# SPDX-License-Identifier: Apache-2.0
"""Judges an implementation that is written in Python.

    def mine(shape, index):
        return 0                                             # wrong, on purpose

    report = conform({"layout.linearize": mine}, cases=300, seed=1)
    report.passed                                            # False
    report.failures[0].request, report.failures[0].expected

A function answers one operation of the protocol (docs/protocol.md). Its parameters are the keys of
the request: linearize(shape, index). Texts are strings that have the parsed form as attributes:
shape.dims, shape.minor_to_major, shape.tiles.
"""

from __future__ import annotations

import difflib
import inspect
import json
import os
import socket
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from . import _program
from ._arguments import milliseconds
from ._errors import Error, ProgramError, Unsupported

Functions = Mapping[str, Callable[..., Any]]
_F = TypeVar("_F", bound=Callable[..., Any])

_registered: dict[str, Callable[..., Any]] = {}


def implementation(operation: str) -> Callable[[_F], _F]:
    """Marks a function as the implementation of an operation; `conform()` judges all of them.

    @implementation("layout.linearize")
    def linearize(shape, index): ...
    """

    def register(function: _F) -> _F:
        function.__tileproof_operation__ = operation  # type: ignore[attr-defined]
        _registered[operation] = function
        return function

    return register


class Text(str):
    """A text of a request, with its parsed form as attributes: Text.dims, Text.tiles, .."""

    parsed: Any

    def __getattr__(self, name: str) -> Any:
        parsed = self.__dict__.get("parsed")
        if isinstance(parsed, dict) and name in parsed:
            return parsed[name]
        if parsed is None and not name.startswith("__"):
            raise InvalidText(f"not a valid text: {self}")
        raise AttributeError(f"the parsed text has no {name}: {self}")


class InvalidText(AttributeError, ValueError):
    """A function asks for the parsed form of a text that is not valid. As a ValueError, it answers
    that the request is invalid."""


@dataclass(frozen=True)
class Failure:
    """One cause of failures, at its smallest request."""

    op: str
    verdict: str  # "wrong", "error", "crash", ..
    request: dict[str, Any]
    answer: Any  # what the implementation answered
    expected: Any  # the right result; for an invalid request the error; or why there is none
    count: int  # cases with this cause
    case: str  # its number: conform(.., case=..) asks it again
    cause: str

    @property
    def replay(self) -> str:
        """A line of Python that asks the request again."""
        return f"tileproof.conform(.., case={self.case!r})"

    def __str__(self) -> str:
        return (
            f"{self.verdict} {self.op}: {json.dumps(self.request)}\n"
            f"  answer    {self.answer}\n  expected  {self.expected}\n  replay    {self.replay}"
        )


@dataclass(frozen=True)
class Report:
    """What the judge found. It is true if nothing failed and something was answered."""

    cases: int
    counts: Mapping[str, int]  # of each verdict
    failures: tuple[Failure, ...]
    exceptions: tuple[str, ...]  # the first traceback of each kind of exception
    command: tuple[str, ...]

    @property
    def passed(self) -> bool:
        return not self.failures and self.counts.get("pass", 0) > 0

    def __bool__(self) -> bool:
        return self.passed

    def __str__(self) -> str:
        counts = ", ".join(f"{n} {verdict}" for verdict, n in self.counts.items() if n)
        return "\n".join([f"{self.cases} cases: {counts}", *map(str, self.failures)])


def conform(
    functions: Functions | Callable[..., Any] | None = None,
    *,
    suite: str | Sequence[str] = (),
    cases: int = 1000,
    seed: int = 1,
    case: str | None = None,
    timeout: float = 2.0,
    exhaustive: bool = False,
    level: str | None = None,
) -> Report:
    """Judges functions: a dictionary of them by operation, a function that is marked with
    `implementation`, or by default all marked ones.

    Asks `cases` requests of each suite; by default the suites of the given operations. Other
    operations are unsupported. A name that is no operation is an error. With the level "valid-only"
    no request is invalid, for functions that do not check what they are given. A function raises
    ValueError or IndexError for invalid requests, and Unsupported for requests that it leaves out.
    """
    table = _table(functions)
    _expect_operations(table)
    suites = [suite] if isinstance(suite, str) else list(suite)
    if not suites:
        suites = sorted({_SUITES.get(op, op.split(".")[0]) for op in table})
    options = [f"--suite={name}" for name in suites]
    options += [f"--seed={seed}", f"--timeout={milliseconds(timeout)}ms"]
    options += ["--exhaustive"] if exhaustive else [f"--count={cases}"]
    options += [] if case is None else [f"--case={case}"]
    options += [] if level is None else [f"--level={level}"]
    with tempfile.TemporaryDirectory(prefix="tileproof") as folder:
        server = _Server(os.path.join(folder, "socket"), table)
        try:
            relay = [sys.executable, str(Path(__file__).with_name("_relay.py")), server.path]
            lines = _program.run_json("conform", *options, "--", *relay)
        finally:
            server.close()
    if lines[0].get("interrupted"):
        raise ProgramError("the judge was interrupted by a signal")
    report = _report(lines[0], tuple(server.exceptions.values()))
    if report.cases == 0 and case is None:
        raise Error(f"suite {', '.join(suites)} asks nothing of {', '.join(table)}")
    return report


_SUITES = {
    "layout.offset": "formats",
    "map.simplify": "simplify",
    "map.compose": "compose",
    "map.equal": "equal",
    **{
        f"tla.{name}": "algebra"
        for name in (
            "coalesce",
            "right_inverse",
            "left_inverse",
            "complement",
            "composition",
            "logical_product",
            "logical_divide",
            "zipped_divide",
            "tiled_divide",
        )
    },
    "map.check": "facts",
    "hlo.equal": "values",
    "hlo.exchange": "devices",
    "shard.index": "devices",
    "layout.banks": "facts",
    "grid.check": "facts",
    "layout.owner": "threads",
    "layout.element": "threads",
    "map.transactions": "uses",
    "hlo.utilization": "uses",
    "hlo.tile": "uses",
    "tile.propagate": "tile",
}


def _table(functions: Functions | Callable[..., Any] | None) -> Functions:
    if functions is None:
        functions = dict(_registered)
    elif callable(functions):
        operation = getattr(functions, "__tileproof_operation__", None)
        if operation is None:
            raise Error("expected a function with the decorator tileproof.implementation")
        functions = {operation: functions}
    if not functions:
        raise Error("expected at least one function to judge")
    return functions


def _expect_operations(table: Functions) -> None:
    """The program says which operations there are."""
    schema = json.loads(_program.run("generate", "--schema")[1])
    known = schema["properties"]["op"]["enum"]
    for name in table:
        if name in known:
            continue
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"; did you mean '{near[0]}'?" if near else f": {', '.join(known)}"
        raise Error(f"expected an operation of the protocol, found '{name}'{hint}")


class _Server:
    """Answers requests on a Unix socket by calls of the functions, in a thread."""

    def __init__(self, path: str, functions: Functions) -> None:
        self.path = path
        self.exceptions: dict[str, str] = {}
        self._functions = functions
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(path)
        self._listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as lines:
            for line in lines:
                answer = self._answer(json.loads(line))
                try:
                    connection.sendall(json.dumps(answer).encode() + b"\n")
                except OSError:
                    return

    def _answer(self, request: dict[str, Any]) -> dict[str, Any]:
        number = request.pop("id", None)
        operation = request.pop("op", "")
        if operation == "hello":
            result = {"name": "python", "version": "1", "parsed": True}
            result["ops"] = list(self._functions)
            return {"id": number, "result": result}
        function = self._functions.get(operation)
        if function is None:
            return {"id": number, "unsupported": f"no function for {operation}"}
        try:
            return {"id": number, "result": _plain(_call(function, request))}
        except Unsupported as error:
            return {"id": number, "unsupported": str(error)}
        except NotImplementedError as error:
            return {"id": number, "unsupported": str(error) or "not implemented"}
        except (ValueError, IndexError, OverflowError) as error:
            return {"id": number, "error": str(error)}
        except Exception as error:
            name = f"{type(error).__name__} in {operation}"
            self.exceptions.setdefault(name, traceback.format_exc())
            return {"id": number, "error": f"{type(error).__name__}: {error}"}


def _call(function: Callable[..., Any], request: dict[str, Any]) -> Any:
    parsed = request.pop("parsed", {})
    keys = {}
    for key, value in request.items():
        if key in parsed:
            value = Text(value)
            value.parsed = parsed[key]
        keys[key] = value
    parameters = inspect.signature(function).parameters
    several = {"indices": "index", "offsets": "offset"}
    for many, one in several.items():  # a function of one index answers many, one by one
        if many in keys and many not in parameters and one in parameters:
            rest = _known(parameters, {k: v for k, v in keys.items() if k != many}, one)
            return [function(**rest, **{one: value}) for value in keys[many]]
    return function(**_known(parameters, keys))


def _known(
    parameters: Mapping[str, inspect.Parameter], keys: dict[str, Any], beside: str = ""
) -> dict[str, Any]:
    """The keys that a function takes; it ignores others, as the protocol asks."""
    kinds = {p.kind for p in parameters.values()}
    if inspect.Parameter.VAR_KEYWORD not in kinds:
        keys = {key: value for key, value in keys.items() if key in parameters}
    for name, parameter in parameters.items():
        required = (
            parameter.default is parameter.empty and parameter.kind is not parameter.VAR_KEYWORD
        )
        if required and name != beside and name not in keys:
            raise ValueError(f"the request has no key {name}")
    return keys


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):  # NumPy
        return value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


_ORDER = {"wrong": 0, "error": 2}  # wrong results before refusals and what should be refused


def _report(report: dict[str, Any], exceptions: tuple[str, ...]) -> Report:
    failures = []
    for cluster in report.get("clusters", ()):
        right = cluster.get("right", {})
        request = {key: v for key, v in cluster["request"].items() if key not in ("id", "parsed")}
        failures.append(
            Failure(
                op=cluster["op"],
                verdict=cluster["verdict"],
                request=request,
                answer=_answer_value(cluster["answer"]),
                expected=right.get("result", right.get("error", right.get("no_example"))),
                count=cluster["count"],
                case=cluster["case"],
                cause=cluster["cause"],
            )
        )
    counts: dict[str, int] = {}
    for operation in report.get("ops", {}).values():
        for verdict, n in operation.items():
            if isinstance(n, int):
                counts[verdict] = counts.get(verdict, 0) + n
    failures.sort(key=lambda failure: _ORDER.get(failure.verdict, 1))
    return Report(
        cases=report.get("cases", 0),
        counts=counts,
        failures=tuple(failures),
        exceptions=exceptions,
        command=tuple(report.get("command", ())),
    )


def _answer_value(line: str) -> Any:
    try:
        answer = json.loads(line)
    except ValueError:
        return line
    return answer.get("result", answer) if isinstance(answer, dict) else answer
