# SPDX-License-Identifier: Apache-2.0
"""The errors of the package: what is wrong, where, and what was expected there."""

from __future__ import annotations

import re

_PLACE = re.compile(r"(?:line (?P<line>\d+), ?)?column (?P<column>\d+): ")
_EXPECTED = re.compile(r"expected (?P<expected>.*?), found (?P<found>[^;]*)")
_HINT = re.compile(r"did you mean (?P<hint>[^?]*)\?")


class Error(ValueError):
    """A text or a value that Tileproof refuses.

    `line` and `column` count from 1 and are None where the message names no place. `str()` has the
    line of the text with a caret under the place:

        column 7: expected a dimension size, found '}'
          f32[3,}
                ^
    """

    def __init__(self, message: str, text: str = "") -> None:
        place = _PLACE.search(message)
        expected = _EXPECTED.search(message)
        hint = _HINT.search(message)
        self.message = message
        self.text = text
        self.line: int | None = None
        self.column: int | None = None
        if place is not None:
            self.line = int(place["line"]) if place["line"] else 1
            self.column = int(place["column"])
        self.expected = expected["expected"] if expected is not None else None
        self.found = expected["found"] if expected is not None else None
        self.hint = hint["hint"] if hint is not None else None
        super().__init__(message + self.caret)

    @property
    def caret(self) -> str:
        """The line of the text and a caret below the place, or an empty string."""
        lines = self.text.split("\n")
        if self.column is None or self.line is None or self.line > len(lines):
            return ""
        line = lines[self.line - 1]
        if not line or self.column > len(line) + 1:
            return ""
        start = max(0, self.column - 60)
        return f"\n  {line[start : start + 100]}\n  {' ' * (self.column - 1 - start)}^"

    def __reduce__(self) -> tuple[type[Error], tuple[str, str]]:
        return type(self), (self.message, self.text)


class Unsupported(Exception):
    """An implementation under test raises this for requests that it does not support."""


class ProgramError(RuntimeError):
    """The program `tileproof` ended in a way that it should not."""


def error_from_message(message: str, text: str) -> Error:
    """Makes the error that the extension module raises."""
    return Error(message, text)
