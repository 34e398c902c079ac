# SPDX-License-Identifier: Apache-2.0
"""The algebra of CuTe: layouts made of layouts, as `tileproof algebra` computes them.

An operand is a layout or its text, an integer, or a tuple: of integers a shape, with None for `_` a
coordinate, of layouts a tiler. Each function has the name and the meaning that it has in CuTe.
"""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, Any, cast

from . import _program
from ._errors import Error

if TYPE_CHECKING:
    from .layouts import Layout


def algebra(operation: str, *operands: Any) -> Layout:
    """The layout that an operation of `tileproof algebra` makes of its operands.

    >>> algebra("composition", "(6,2):(8,2)", "(4,3):(3,1)")
    NestedLayout('((2,2),3):((24,2),8)')
    """
    return _layout(_result(operation, *operands))


def make_layout(shape: Any, stride: Any = None) -> Layout:
    """The layout of a shape and strides; without strides the first mode counts fastest.

    >>> make_layout((4, (2, 3)), (2, (1, 8))), make_layout((4, 8))
    (NestedLayout('(4,(2,3)):(2,(1,8))'), NestedLayout('(4,8):(1,4)'))
    """
    if stride is None:
        stride, _ = _compact(shape, 1)
    return _layout(f"{_operand(shape)}:{_operand(stride)}")


def _compact(shape: Any, step: int) -> tuple[Any, int]:
    """The strides of a shape whose first mode counts fastest, and the number of its elements."""
    if not isinstance(shape, tuple):
        return step, step * index(shape)
    strides = []
    for mode in shape:
        stride, step = _compact(mode, step)
        strides.append(stride)
    return tuple(strides), step


def coalesce(a: Any, profile: Any = None) -> Layout:
    """The same function of a number with the fewest modes; with a profile, mode by mode.

    >>> coalesce("(2,(1,6)):(1,(6,2))")
    NestedLayout('12:1')
    """
    return algebra("coalesce", a, *([] if profile is None else [profile]))


def composition(a: Any, b: Any) -> Layout:
    """i -> a(b(i)); `b` may be a tiler. Also written a @ b.

    >>> composition("(4,8):(8,1)", "(2,2):(1,4)")
    NestedLayout('(2,2):(8,1)')
    """
    return algebra("composition", a, b)


def complement(a: Any, size: Any) -> Layout:
    """What, beside `a`, reaches each of the first `size` numbers once.

    >>> complement("4:2", 24)
    NestedLayout('(2,3):(1,8)')
    """
    return algebra("complement", a, size)


def logical_divide(a: Any, tiler: Any) -> Layout:
    """Each mode of `a` as (a tile, which tile).

    >>> logical_divide("(8,8):(8,1)", (2, 4))
    NestedLayout('((2,4),(4,2)):((8,16),(1,4))')
    """
    return algebra("logical_divide", a, tiler)


def zipped_divide(a: Any, tiler: Any) -> Layout:
    """The same as ((a tile of each mode), (which tile of each mode)).

    >>> zipped_divide("(8,8):(8,1)", (2, 4))
    NestedLayout('((2,4),(4,2)):((8,1),(16,4))')
    """
    return algebra("zipped_divide", a, tiler)


def tiled_divide(a: Any, tiler: Any) -> Layout:
    """The same as ((a tile of each mode), which tile of mode 0, of mode 1, ..)."""
    return algebra("tiled_divide", a, tiler)


def flat_divide(a: Any, tiler: Any) -> Layout:
    """The same without nesting: (tile of mode 0, .., which tile of mode 0, ..)."""
    return algebra("flat_divide", a, tiler)


def logical_product(a: Any, b: Any) -> Layout:
    """Copies of `a`, one for each coordinate of `b`.

    >>> logical_product("(2,2):(1,2)", "3:1")
    NestedLayout('((2,2),3):((1,2),4)')
    """
    return algebra("logical_product", a, b)


def zipped_product(a: Any, b: Any) -> Layout:
    """The same as ((modes of a), (modes of b))."""
    return algebra("zipped_product", a, b)


def tiled_product(a: Any, b: Any) -> Layout:
    """The same as ((modes of a), mode 0 of b, mode 1 of b, ..)."""
    return algebra("tiled_product", a, b)


def flat_product(a: Any, b: Any) -> Layout:
    """The same without nesting."""
    return algebra("flat_product", a, b)


def blocked_product(a: Any, b: Any) -> Layout:
    """A matrix of blocks `a` in the order of `b`: mode i is (mode i of a, mode i of b)."""
    return algebra("blocked_product", a, b)


def raked_product(a: Any, b: Any) -> Layout:
    """The same, but the blocks interleave: mode i is (mode i of b, mode i of a)."""
    return algebra("raked_product", a, b)


def tile_to_shape(a: Any, shape: Any, order: Any = None) -> Layout:
    """`a` repeated until it has a shape, mode 0 first or in an order.

    >>> tile_to_shape("(8,64):(64,1)", (16, 128))
    NestedLayout('((8,2),(64,2)):((64,512),(1,1024))')
    """
    return algebra("tile_to_shape", a, shape, *([] if order is None else [order]))


def right_inverse(a: Any) -> Layout:
    """r with a(r(i)) = i.

    >>> right_inverse("(4,8):(8,1)")
    NestedLayout('(8,4):(4,1)')
    """
    return algebra("right_inverse", a)


def left_inverse(a: Any) -> Layout:
    """l with l(a(i)) = i."""
    return algebra("left_inverse", a)


def upcast(a: Any, factor: int) -> Layout:
    """The layout of elements that are `factor` times as wide.

    >>> upcast("(8,64):(64,1)", 2)
    NestedLayout('(8,32):(32,1)')
    """
    return algebra("upcast", a, factor)


def downcast(a: Any, factor: int) -> Layout:
    """The layout of the parts of elements that are cut into `factor`."""
    return algebra("downcast", a, factor)


def recast(a: Any, old_bits: int, new_bits: int) -> Layout:
    """The layout of the same memory in elements of another width.

    >>> recast("(8,64):(64,1)", 16, 8)
    NestedLayout('(8,128):(128,1)')
    """
    return algebra("recast", a, old_bits, new_bits)


def max_common_layout(a: Any, b: Any) -> Layout:
    """The longest prefix of coordinates that both put into the same places."""
    return algebra("max_common_layout", a, b)


def max_common_vector(a: Any, b: Any) -> Layout:
    """The elements that both have side by side, so that one vector copies them.

    >>> max_common_vector("8:1", "4:1").size
    4
    """
    return algebra("max_common_vector", a, b)


def flatten(a: Any) -> Layout:
    """Without nesting."""
    return algebra("flatten", a)


def filter_zeros(a: Any) -> Layout:
    """Without modes that move nothing (CuTe's filter): of size 1 or stride 0.

    >>> filter_zeros("(2,3):(0,1)")
    NestedLayout('3:1')
    """
    return algebra("filter", a)


def slice_and_offset(coordinate: Any, a: Any) -> tuple[Layout, int]:
    """The modes where a coordinate is None, and the offset of the rest.

    >>> slice_and_offset((2, None), "(4,8):(8,1)")
    (NestedLayout('(8):(1)'), 16)
    """
    offset, found, rest = _result("slice", a, coordinate).partition(" + ")
    return (_layout(rest), int(offset)) if found else (_layout(offset), 0)


def _layout(text: str) -> Layout:
    from .layouts import layout

    return cast("Layout", layout(text))


def _result(operation: str, *operands: Any) -> str:
    if not isinstance(operation, str) or operation.startswith(("-", "@")):
        raise Error(f"expected an operation of `tileproof algebra`, found {operation!r}")
    texts = [_program.Input(_operand(one)) for one in operands]
    answer = _program.run_json("algebra", operation, *texts)[0]
    return str(answer["result"])


def _operand(value: Any) -> str:
    text = value if isinstance(value, str) else getattr(value, "text", None)
    if isinstance(text, str):
        return text
    if isinstance(value, tuple):
        tiler = any(isinstance(getattr(part, "text", part), str) for part in value)
        parts = ",".join(map(_operand, value))
        return f"<{parts}>" if tiler else f"({parts})"
    if value is None:
        return "_"
    if hasattr(value, "__index__") and not isinstance(value, bool):
        return str(index(value))
    raise TypeError(f"expected a layout, an integer or a tuple, found {value!r}")
