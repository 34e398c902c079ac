# SPDX-License-Identifier: Apache-2.0
"""Hypothesis strategies that draw from the generators of the judge.

    @given(layouts())
    def test_tile(layout): ...

A generator makes its choices from bytes; fewer and smaller bytes make a simpler value, so
Hypothesis shrinks to what the judge would show. Needs the package hypothesis.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

from . import _native
from .hlo import HloModule
from .indexing_map import IndexingMap
from .layouts import Layout, Shape, layout

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

_CHOICES = 256  # bytes


def _texts(kind: str) -> SearchStrategy[str]:
    return st.binary(max_size=_CHOICES).map(lambda choices: _native._generated(kind, choices))


def shapes() -> SearchStrategy[Shape]:
    """Tiled layouts of XLA, of up to a few thousand elements."""
    return _texts("shape").map(Shape)


def layouts() -> SearchStrategy[Layout]:
    """Layouts of all systems."""
    return _texts("layout").map(layout)


def maps() -> SearchStrategy[IndexingMap]:
    """Indexing maps with small domains, with constraints, range and runtime variables."""
    return _texts("map").map(IndexingMap)


def hlo_modules() -> SearchStrategy[HloModule]:
    """Computations of a few instructions of all kinds."""
    return _texts("module").map(HloModule)
