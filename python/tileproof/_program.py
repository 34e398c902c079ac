# SPDX-License-Identifier: Apache-2.0
"""Runs the program `tileproof` that is inside the package."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from ._errors import Error, ProgramError


def path() -> str:
    """The program of this package; TILEPROOF_PROGRAM names another one."""
    return os.environ.get("TILEPROOF_PROGRAM") or str(Path(__file__).parent / "bin" / "tileproof")


def run(*arguments: str, stdin: str | None = None) -> tuple[int, str, str]:
    """Runs a command. Returns its status, its output, and its errors."""
    try:
        done = subprocess.run(
            [path(), *arguments],
            input=stdin,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
    except OSError as error:
        raise ProgramError(f"cannot start {path()}: {error.strerror}") from error
    return done.returncode, done.stdout, done.stderr


def run_json(*arguments: str, stdin: str | None = None, text: str = "") -> list[Any]:
    """Runs a command with --json and returns the lines of its output.

    Raises Error for what the program refuses. `text` is the input, for the caret.
    """
    status, output, errors = run(arguments[0], "--json", *arguments[1:], stdin=stdin)
    lines = [json.loads(line) for line in output.splitlines()]
    for line in lines:
        if isinstance(line, dict) and set(line) == {"error"}:
            raise Error(line["error"]["message"], text)
    if status not in (0, 1, 3) and not lines:
        raise Error(errors.strip().removeprefix("tileproof: ") or f"status {status}", text)
    return lines


def main() -> None:
    """Replaces this process by the program: the command `tileproof` of the package."""
    try:
        os.execv(path(), ["tileproof", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"tileproof: cannot start {path()}: {error.strerror}")
