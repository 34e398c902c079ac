# SPDX-License-Identifier: Apache-2.0
"""Runs the program `tileproof` that is inside the package."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from ._arguments import has_strides, text_of
from ._errors import Error, ProgramError


def path() -> str:
    """The program of this package; TILEPROOF_PROGRAM names another one."""
    return os.environ.get("TILEPROOF_PROGRAM") or str(Path(__file__).parent / "bin" / "tileproof")


class Input(str):
    """An argument that is a text of any size. The program reads it in a file, so it never takes the
    text for an option or the name of a file."""


def input_of(x: Any) -> Input:
    """As an argument: a value with a text, a text, a pathlib.Path, an array with strides, and
    jax.jit(f).lower(..) or its .compile()."""
    for name in ("own_text", "text"):
        own = getattr(x, name, None)
        if isinstance(own, str):
            return Input(own)
    if hasattr(x, "compiler_ir"):  # lowered
        return Input(x.compiler_ir(dialect="hlo").as_hlo_text())
    if hasattr(x, "as_text"):  # compiled
        return Input(x.as_text())
    if has_strides(x):
        from .layouts import layout

        return Input(layout(x).text)
    return Input(text_of(x))


def run(*arguments: str) -> tuple[int, str, str]:
    """Runs a command. Returns its status, its output, and its errors."""
    if any("\0" in argument for argument in arguments if not isinstance(argument, Input)):
        raise Error("expected a name or a number, found the character NUL in it")
    with tempfile.TemporaryDirectory(prefix="tileproof") as folder:
        command = [path()]
        for argument in arguments:
            if isinstance(argument, Input):
                file = Path(folder, f"text{len(command)}")
                file.write_bytes(argument.encode("utf-8", "surrogateescape"))
                argument = f"@{file}"
            command.append(argument)
        try:
            done = subprocess.run(
                command, stdin=subprocess.DEVNULL, capture_output=True, check=False
            )
        except OSError as error:
            raise ProgramError(f"cannot start {path()}: {error.strerror}") from error
    output, errors = (
        stream.decode("utf-8", "replace").replace(f"{folder}{os.sep}", "")
        for stream in (done.stdout, done.stderr)
    )
    return done.returncode, output, errors


def run_json(command: str, *arguments: str, text: str = "") -> list[Any]:
    """Runs a command with --json and returns the lines of its output.

    Raises Error for what the program refuses. `text` is the input, for the caret.
    """
    status, output, errors = run(command, "--json", *arguments)
    lines = [json.loads(line) for line in output.splitlines()]
    for line in lines:
        if isinstance(line, dict) and set(line) == {"error"}:
            raise Error(line["error"]["message"] + _file_hint(arguments), text)
    if status not in (0, 1, 3) and not lines:
        raise Error(errors.strip().removeprefix("tileproof: ") or f"status {status}", text)
    return lines


def _file_hint(arguments: tuple[str, ...]) -> str:
    """What to write instead of the name of a file, which is a text like any other."""
    for one in arguments:
        if isinstance(one, Input) and len(one) < 1000 and "\0" not in one and os.path.isfile(one):
            return f"; a file is a pathlib.Path: Path({str(one)!r})"
    return ""


def output(*arguments: str, text: str = "") -> str:
    """Runs a command and returns its output. Raises Error, with what it says, if it fails."""
    status, output, errors = run(*arguments)
    if status != 0:
        said = (errors.strip() or output.strip()).removeprefix("tileproof: ")
        raise Error(said.removeprefix(f"{arguments[0]}: ") or f"status {status}", text)
    return output


def main() -> None:
    """Replaces this process by the program: the command `tileproof` of the package."""
    try:
        os.execv(path(), ["tileproof", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"tileproof: cannot start {path()}: {error.strerror}")
