# SPDX-License-Identifier: Apache-2.0
"""Tiled layouts and indexing maps: defined, computed, proven and judged.

import tileproof as tp
a = tp.Layout("f32[3,5]{1,0:T(2,2)}")
a.offset(2, 3)                               # 17
tp.equivalent("f32[8,128]{1,0:T(8,128)}", "f32[8,128]")    # true
"""

from ._errors import Error as Error, ProgramError as ProgramError, Unsupported as Unsupported
from .commands import (
    Block as Block,
    Differences as Differences,
    DifferentPoint as DifferentPoint,
    Image as Image,
    compose as compose,
    diff as diff,
    evaluate as evaluate,
    explain as explain,
    image as image,
    inverse as inverse,
    simplify as simplify,
)
from .conformance import (
    Failure as Failure,
    Report as Report,
    conform as conform,
    implementation as implementation,
)
from .equivalence import (
    Equivalence as Equivalence,
    ResultEquality as ResultEquality,
    Step as Step,
    assert_equivalent as assert_equivalent,
    equivalent as equivalent,
)
from .facts import (
    BankClash as BankClash,
    BankPhase as BankPhase,
    Banks as Banks,
    Fact as Fact,
    banks as banks,
    check as check,
    check_grid as check_grid,
)
from .hlo import (
    Buffer as Buffer,
    Coalescing as Coalescing,
    HloModule as HloModule,
    Instruction as Instruction,
    OperandMaps as OperandMaps,
    OperandTile as OperandTile,
    OperandUse as OperandUse,
    RuntimeSource as RuntimeSource,
    TileOffset as TileOffset,
    TileReads as TileReads,
    Traffic as Traffic,
    Utilization as Utilization,
    coalescing as coalescing,
    indexing as indexing,
    tile_of as tile_of,
    utilization as utilization,
    verify as verify,
    waste as waste,
)
from .indexing_map import (
    Domain as Domain,
    Expression as Expression,
    IndexingMap as IndexingMap,
    Variable as Variable,
)
from .layout_algebra import (
    algebra as algebra,
    blocked_product as blocked_product,
    coalesce as coalesce,
    complement as complement,
    composition as composition,
    downcast as downcast,
    filter_zeros as filter_zeros,
    flat_divide as flat_divide,
    flat_product as flat_product,
    flatten as flatten,
    left_inverse as left_inverse,
    logical_divide as logical_divide,
    logical_product as logical_product,
    make_layout as make_layout,
    max_common_layout as max_common_layout,
    max_common_vector as max_common_vector,
    raked_product as raked_product,
    recast as recast,
    right_inverse as right_inverse,
    slice_and_offset as slice_and_offset,
    tile_to_shape as tile_to_shape,
    tiled_divide as tiled_divide,
    tiled_product as tiled_product,
    upcast as upcast,
    zipped_divide as zipped_divide,
    zipped_product as zipped_product,
)
from .layouts import (
    BlockedLayout as BlockedLayout,
    Layout as Layout,
    NestedLayout as NestedLayout,
    Picture as Picture,
    Shape as Shape,
    layout as layout,
    relayout as relayout,
    relayout_plan as relayout_plan,
)
from .thread_layout import Holder as Holder, ThreadLayout as ThreadLayout

__version__ = "0.1.0"

# The names of the commands, for those who know them.
equiv, grid, map, tile = equivalent, check_grid, indexing, tile_of
