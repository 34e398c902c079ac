# SPDX-License-Identifier: Apache-2.0
"""Tiled layouts and indexing maps: defined, computed, proven and judged.

import tileproof as tp
a = tp.Layout("f32[3,5]{1,0:T(2,2)}")
a.offset(2, 3)                               # 17
tp.equivalent("f32[8,128]{1,0:T(8,128)}", "f32[8,128]")    # true
"""

from ._errors import Error, ProgramError, Unsupported
from .conformance import Failure, Report, conform, implementation
from .equivalence import Equivalence, ResultEquality, Step, assert_equivalent, equivalent
from .facts import BankClash, BankPhase, Banks, Fact, check_grid
from .hlo import (
    Coalescing,
    HloModule,
    Instruction,
    OperandMaps,
    OperandTile,
    OperandUse,
    RuntimeSource,
    TileOffset,
    TileReads,
    Traffic,
    Utilization,
    coalescing,
    indexing,
    tile_of,
    utilization,
    verify,
)
from .indexing_map import Domain, Expression, IndexingMap, Variable
from .layout import BlockedLayout, Layout, NestedLayout, Shape, layout, relayout, relayout_plan

__version__ = "0.1.0"

__all__ = [
    "BankClash",
    "BankPhase",
    "Banks",
    "BlockedLayout",
    "Coalescing",
    "Domain",
    "Equivalence",
    "Error",
    "Expression",
    "Fact",
    "Failure",
    "HloModule",
    "IndexingMap",
    "Instruction",
    "Layout",
    "NestedLayout",
    "OperandMaps",
    "OperandTile",
    "OperandUse",
    "ProgramError",
    "Report",
    "ResultEquality",
    "RuntimeSource",
    "Shape",
    "Step",
    "TileOffset",
    "TileReads",
    "Traffic",
    "Unsupported",
    "Utilization",
    "Variable",
    "assert_equivalent",
    "check_grid",
    "coalescing",
    "conform",
    "equivalent",
    "implementation",
    "indexing",
    "layout",
    "relayout",
    "relayout_plan",
    "tile_of",
    "utilization",
    "verify",
]
