# SPDX-License-Identifier: Apache-2.0
"""Layouts: where each element of an array is in memory."""

from __future__ import annotations

import html
import itertools
import math
from collections.abc import Iterator, Sequence
from operator import index
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, SupportsIndex, cast

import numpy as np

from . import _native, _packing, _program, commands, facts, layout_algebra as algebra
from ._arguments import (
    as_array,
    dtype_of,
    element_type_of,
    has_strides,
    integers,
    tensor_like,
    text_of,
    written,
)
from ._errors import Error

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


_NUMBER_OR_SLICE = (int, np.integer, slice, type(...))
_MOST_NUMBERS = 1 << 27  # that are made to index by arrays


@written
class Layout(_native.Layout):
    """A layout of an array, in any of the six text forms.

        Layout("f32[3,5]{1,0:T(2,2)}")                 a tiled layout of XLA
        Layout("((16,4),(16,6)):((16,256),(1,1024))")  a nested layout of CuTe or CATLASS
        Layout("zN:f16[64,96]")                        a tag of CATLASS
        Layout("dnnl:nChw16c:f32[2,32,5,5]")           a format of oneDNN
        Layout("Sw<3,3,3> o 0 o (8,64):(64,1)")        a swizzled layout of CuTe
        Layout("memref<4x8xf32, strided<[1, 4]>>")     a type of MLIR

    a(2, 3), or a.offset(2, 3), is the offset, in elements, of an element; index(17) is the index at
    an offset, or None in padding. An index or offset outside is an IndexError.

    In brackets a layout is the array of its offsets, as NumPy indexes it: a[2, :] are those of row
    2, a[-1, ::2] of every other column of the last one, a[...] all of them.

    A tuple is a coordinate, never an array. It is one dimension of a nested layout, of a tag or of
    a swizzled layout, as in CuTe: offset((1, 0), 5) of ((4,2),(4,3)):((4,16),(1,32)). It may also
    be the whole index: offset(a.index(17)) is 17. One integer is the number of an element of such a
    layout, whose first dimension counts fastest: offset(41).

    Lists and NumPy arrays are arrays of indices. offset broadcasts them and returns an array; index
    returns an array for each dimension, -1 in padding.

    A text is only ever a text; a pathlib.Path is a file that holds one.

    Layouts are equal if their texts are; `tileproof.equivalent` compares what they mean.
    """

    __slots__ = ()

    def __init__(self, text: str | PurePath) -> None:
        if not isinstance(text, str | PurePath):
            kind = type(text).__name__
            raise TypeError(f"expected a text, found {kind}: layout(..) takes arrays and shapes")
        super().__init__(text_of(text))

    @classmethod
    def of(
        cls,
        element_type: Any,
        dims: Sequence[int],
        minor_to_major: Sequence[int] | None = None,
        tiles: Sequence[Sequence[int | None]] = (),
        *,
        tail: int = 1,
        element_bits: int = 0,
        memory_space: int = 0,
    ) -> Layout:
        """A tiled layout from its parts; None in a tile is `*`. The element type is a name of XLA,
        or a type of NumPy, ml_dtypes, JAX or PyTorch.

        Layout.of(np.float32, (3, 5), (1, 0), [(2, 2)]).text      'f32[3,5]{1,0:T(2,2)}'
        """
        order = range(len(dims))[::-1] if minor_to_major is None else minor_to_major
        text = "".join("(" + _numbers(tile, star=True) + ")" for tile in tiles)
        text = f"T{text}" if text else ""
        for letter, number, default in (
            ("L", tail, 1),
            ("E", element_bits, 0),
            ("S", memory_space, 0),
        ):
            text += f"{letter}({index(number)})" if number != default else ""
        text = f":{text}" if text else ""
        name = element_type_of(element_type)
        return cls(f"{name}[{_numbers(dims)}]{{{_numbers(order)}{text}}}")

    @classmethod
    def from_strides(cls, shape: Sequence[Any], strides: Sequence[Any]) -> NestedLayout:
        """The layout of strides, counted in elements, as those of PyTorch are. Both may be nested
        tuples, as CuTe has them."""
        if len(shape) != len(strides):
            raise Error(f"expected {len(shape)} strides, found {len(strides)}")
        return NestedLayout(":".join(_coordinate(tuple(one)) for one in (shape, strides)))

    @classmethod
    def from_array(cls, x: Any) -> NestedLayout:
        """The layout of an array with strides: of NumPy (bytes) or PyTorch (elements)."""
        if callable(getattr(x, "stride", None)):
            return cls.from_strides(tuple(x.shape), tuple(x.stride()))
        array = as_array(x)
        if any(step % max(array.itemsize, 1) for step in array.strides):
            raise Error(f"expected strides that are multiples of {array.itemsize} bytes")
        steps = [step // max(array.itemsize, 1) for step in array.strides]
        return cls.from_strides(array.shape, steps)

    @classmethod
    def from_jax(cls, x: Any) -> Layout:
        """The layout of a jax.Array on its device (jax.experimental.layout)."""
        format_ = getattr(x, "format", None) or x.layout
        layout = getattr(format_, "layout", None) or format_.device_local_layout
        order = tuple(layout.major_to_minor)[::-1]
        tiles = tuple(getattr(layout, "tiling", None) or getattr(layout, "_tiling", None) or ())
        return cls.of(x.dtype, x.shape, order, tiles)

    @property
    def size(self) -> int:
        """How many elements the array has."""
        return math.prod(self.dims)

    @property
    def ndim(self) -> int:
        """How many dimensions there are."""
        return len(self.dims)

    @property
    def nbytes(self) -> int | None:
        """How many bytes its memory has: `bytes`."""
        return self.bytes

    @property
    def dtype(self) -> np.dtype[Any] | None:
        """The type of NumPy or ml_dtypes that its elements have, if there is one."""
        return dtype_of(self.element_type)

    @property
    def padding(self) -> int | None:
        """How many offsets have no element; None if more than 2^20 elements may share offsets."""
        known = super().padding
        if known is not None or self.size > 1 << 20:
            return known
        used = np.unique(self.offsets())
        return None if used.size and used[0] < 0 else self.elements - used.size

    @property
    def cosize(self) -> int:
        """How many elements its memory has room for: `elements`."""
        return self.elements

    @property
    def rank(self) -> int:
        """How many dimensions, or modes, there are."""
        return len(self.dims)

    @property
    def depth(self) -> int:
        """How deep the coordinates are nested: 1 for an array without nesting."""
        return _depth(self.shape)

    def __getitem__(self, key: Any) -> Any:
        """The offsets of a part of the array, as NumPy indexes it: an integer or an array."""
        keys = key if isinstance(key, tuple) else (key,)
        if not self.dims:
            return np.array(self.offset())[key]
        if len(keys) == len(self.dims) and all(type(one) is int for one in keys):
            ends = zip(keys, self.dims, strict=True)
            return self.offset(*(at + size if -size <= at < 0 else at for at, size in ends))
        if all(isinstance(one, _NUMBER_OR_SLICE) and not isinstance(one, bool) for one in keys):
            ranges, shape = _ranges(keys, self.dims)
            at: Sequence[Any] = np.ix_(*ranges)
        else:  # arrays, masks, None: NumPy chooses among the numbers along each dimension
            if sum(self.dims) > _MOST_NUMBERS:
                raise Error(f"expected dimensions of at most {_MOST_NUMBERS}, found {self.dims}")
            numbers = np.ogrid[tuple(slice(size) for size in self.dims)]
            at = [np.broadcast_to(one, self.dims)[key] for one in numbers]
            shape = at[0].shape
        found = self._offset_of_arrays(*at).reshape(shape)
        return found if shape else int(found)

    def __len__(self) -> int:
        if not self.dims:
            raise TypeError("a layout without dimensions has no length")
        return self.dims[0]

    def __iter__(self) -> Iterator[Any]:
        """The offsets of each part along the first dimension."""
        return (Layout.__getitem__(self, i) for i in range(len(self)))

    def __bool__(self) -> bool:
        return True

    def __matmul__(self, other: object) -> Layout:
        """The composition of CuTe: (a @ b)(i) is a(b(i))."""
        return algebra.composition(self, other)

    blocked_product = algebra.blocked_product
    coalesce = algebra.coalesce
    complement = algebra.complement
    composition = algebra.composition
    flat_divide = algebra.flat_divide
    left_inverse = algebra.left_inverse
    logical_divide = algebra.logical_divide
    logical_product = algebra.logical_product
    raked_product = algebra.raked_product
    recast = algebra.recast
    right_inverse = algebra.right_inverse
    tiled_divide = algebra.tiled_divide
    zipped_divide = algebra.zipped_divide
    image = commands.image
    inverse = commands.inverse

    def _repr_html_(self) -> str:
        if not self.elements:
            return f"<code>{html.escape(self.text)}</code>"
        return f"{self.svg()}<p><code>offset = {html.escape(self.formula)}</code></p>"

    def _offset_of_arrays(self, *index: Any) -> NDArray[np.int64]:
        """The offsets at indices given by arrays of integers, which NumPy's rules broadcast; one
        array is of numbers of elements."""
        arrays = _places(*index)
        if len(arrays) == 1 and self.rank > 1:
            try:
                arrays = integers(*np.unravel_index(arrays[0], self.dims, order="F"))
            except ValueError as error:
                raise IndexError(str(error)) from None
        return self._offsets_of(arrays)

    def _indices_of_array(self, offset: ArrayLike) -> tuple[NDArray[np.int64], ...]:
        """The indices at offsets: an array for each dimension, -1 in padding."""
        return tuple(self._indices_of(*_places(offset)))

    def tile(
        self,
        x: Any,
        out: NDArray[Any] | None = None,
        *,
        packed: bool = False,
        threads: int = 1,
    ) -> Any:
        """Copies an array into the order of this layout. Padding is 0.

        Returns a one-dimensional array of `elements` elements of the same type, or fills `out`; a
        tensor of PyTorch gives a tensor.
        With `packed`, elements of 1, 2 or 4 bits share bytes, and the result has `uint8` bytes; `x`
        is then an array of integers that fit, or of the type of the layout (ml_dtypes).
        """
        array = as_array(x)
        if packed:
            bits, is_signed = self._packing()
            codes = _packing.codes_of(self._codes(array), bits, is_signed)
            made = _packing.pack(self._tile(codes, None, threads), bits)
            return tensor_like(x, made, False) if out is None else _packing.filled(out, made)
        made = self._tile(array, out, threads)
        if made is None:
            made = self._tile(np.array(array), out, threads)
        return made if made is out else tensor_like(x, made)

    def untile(
        self,
        buffer: Any,
        out: NDArray[Any] | None = None,
        *,
        packed: bool = False,
        dtype: Any = None,
        threads: int = 1,
    ) -> Any:
        """Copies memory in the order of this layout into an array: the inverse of `tile`.

        `buffer` is a one-dimensional array of `elements` elements, or with `packed` the bytes of
        elements of 1, 2 or 4 bits; `dtype` is then the type of the result (int8).
        """
        memory, given = as_array(buffer), out
        if not packed and dtype is not None:
            raise Error("expected `dtype` with packed=True only")
        if packed:
            kind = np.dtype(dtype or getattr(out, "dtype", np.int8))
            self._check_code_type(kind)
            out = np.empty(self.dims, kind) if out is None else out
            if getattr(out, "dtype", kind) != kind:
                raise Error(f"expected `out` of type {kind}, found {out.dtype}")
            memory = _packing.unpack(memory, *self._packing(), self.elements).view(kind)
        made = self._untile(memory, out, threads)
        if made is None:  # the order of `out` is none of a copy, or both share memory
            made = self._untile(np.array(memory), None, threads)
            if out is not None:
                np.copyto(out, made)
        return given if given is not None else tensor_like(buffer, made, not packed)

    def _packing(self) -> tuple[int, bool]:
        """How many bits an element has, and whether it has a sign."""
        bits, name = self._packed_bits, self.element_type or "none"
        if bits is None:
            raise Error(f"expected an element type of 1, 2 or 4 bits, found {name}")
        return bits, name.startswith("s")

    def _codes(self, array: NDArray[Any]) -> NDArray[Any]:
        """Elements of 1, 2 or 4 bits as integers."""
        if array.dtype.kind in "iub":
            return array
        self._check_code_type(array.dtype)
        return array.view(np.uint8) & 0xF if self.element_type == "f4e2m1fn" else array.astype(int)

    def _check_code_type(self, kind: np.dtype[Any]) -> None:
        """Expects a type of one byte that holds all values of the elements."""
        name = self.element_type or ""
        own = name not in ("", "pred") and element_type_of(kind) == name
        bit = kind == np.bool_ and name == "u1"
        integer = kind == np.int8 or (kind == np.uint8 and not name.startswith("s"))
        if kind.itemsize != 1 or not (own or bit or integer):
            raise Error(f"expected integers of one byte that hold {name or 'it'}, found {kind}")

    def explain(self, *index: Any) -> dict[str, Any]:
        """The steps from a logical index to its offset, as `tileproof explain --json` has them:
        explain(2, 3) or explain((2, 3))."""
        if len(index) == 1 and isinstance(index[0], Sequence):
            index = tuple(index[0])
        self.offset(*index)  # an index outside is an IndexError
        text = ",".join(map(_coordinate, index))
        where = f"--index={text}" if text else "--offset=0"
        answer = _program.run_json("explain", where, _program.Input(self.text))[0]
        return cast("dict[str, Any]", answer["elements"][0])

    def plot(
        self,
        *,
        color: str = "offset",
        path: bool = False,
        beside: Any = None,
        element_type: Any = None,
    ) -> Picture:
        """A picture that a notebook shows: a.plot(color="bank").save("a.svg"). `color` is offset,
        tile, line or bank; `beside` draws a second layout."""
        options = [f"--color={color}"] + (["--path"] if path else []) + _type_option(element_type)
        if beside is not None:
            options += ["--beside", _program.Input(_any(beside).text)]
        return Picture(self._layout_command("--svg", "-", *options))

    svg = plot

    banks = facts.banks
    check = facts.check

    def as_(self, system: str, *, element_type: Any = None) -> Layout:
        """The same layout in the notation of xla, tla, cute or dnnl, proven equal."""
        options = _type_option(element_type)
        return _any(self._layout_command(f"--as={system}", *options).splitlines()[0])

    def _layout_command(self, *options: str) -> str:
        return _program.output("layout", _program.Input(self.text), *options, text=self.text)


class Picture(str):
    """A drawing in SVG."""

    __slots__ = ()

    def __new__(cls, text: str) -> Picture:
        return super().__new__(cls, text_of(text))

    def _repr_svg_(self) -> str:
        return str(self)

    def save(self, path: str | PurePath) -> None:
        """Writes it into a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self)


class Shape(Layout):
    """A tiled layout of XLA: Shape("bf16[16,256]{1,0:T(8,128)(2,1)}")."""

    __slots__ = ()

    def __init__(self, text: str | PurePath) -> None:
        super().__init__(text)
        _expect(self, "tiled", "f32[3,5]{1,0:T(2,2)}")


class NestedLayout(Layout):
    """A nested layout of CuTe or CATLASS: NestedLayout("(4,(2,3)):(2,(1,8))")."""

    __slots__ = ()

    def __init__(self, text: str | PurePath) -> None:
        super().__init__(text)
        _expect(self, "nested", "(4,8):(8,1)")


class BlockedLayout(Layout):
    """A format of oneDNN on an array: BlockedLayout("dnnl:nChw16c:f32[2,32,5,5]")."""

    __slots__ = ()

    def __init__(self, text: str | PurePath) -> None:
        super().__init__(text)
        _expect(self, "blocked", "dnnl:nChw16c:f32[2,32,5,5]")


_CLASSES: dict[str, type[Layout]] = {
    "tiled": Shape,
    "nested": NestedLayout,
    "blocked": BlockedLayout,
    "tagged": Layout,
    "swizzled": Layout,
    "memref": Layout,
}


def layout(x: Any, stride: Any = None) -> Any:
    """The layout that a value has: of a text or a pathlib.Path, of the class of its system; of an
    array of NumPy, PyTorch or JAX; or of a shape and strides, nested as in CuTe.

    >>> layout("f32[3,5]"), layout((4, (2, 3)), (2, (1, 8))), layout(np.zeros((3, 5)).T)
    (Shape('f32[3,5]'), NestedLayout('(4,(2,3)):(2,(1,8))'), NestedLayout('(5,3):(1,5)'))
    """
    if stride is not None:
        if not isinstance(x, Sequence):
            x, stride = (x,), (stride,)
        return Layout.from_strides(x, stride)
    if hasattr(x, "text"):
        x = x.text
    if has_strides(x):
        return Layout.from_jax(x) if hasattr(x, "addressable_shards") else Layout.from_array(x)
    text = text_of(x)
    if _native._has_thread_layout(text):
        from .thread_layout import ThreadLayout

        return ThreadLayout(text)
    return _CLASSES[_native.Layout(text).system](text)


def relayout(
    x: Any,
    from_: Layout | str | PurePath,
    to: Layout | str | PurePath,
    out: NDArray[Any] | None = None,
    *,
    threads: int = 1,
) -> Any:
    """Copies memory in the order of one layout into the order of another of the same array.

    `x` is a one-dimensional array of the elements of `from_`. Padding of the result is 0.
    """
    memory = as_array(x)
    made = _any(from_)._relayout_to(_any(to), memory, out, threads)
    if made is None:
        made = _any(from_)._relayout_to(_any(to), np.array(memory), out, threads)
    return made if made is out else tensor_like(x, made)


def relayout_plan(from_: Layout | str | PurePath, to: Layout | str | PurePath) -> str:
    """What `relayout` does, as text: its loops and its innermost copy."""
    return _any(from_)._plan_to(_any(to))


def _ranges(chosen: tuple[Any, ...], dims: tuple[int, ...]) -> tuple[list[range], tuple[int, ...]]:
    """The indices of each dimension that numbers and slices choose, and the shape that is left."""
    keys = list(chosen)
    places = [i for i, one in enumerate(keys) if one is Ellipsis]
    if len(places) > 1:
        raise IndexError("expected one `...` at most")
    missing = len(dims) - (len(keys) - len(places))
    if missing < 0:
        raise IndexError(f"expected at most {len(dims)} indices, found {len(keys) - len(places)}")
    place = places[0] if places else len(keys)
    keys[place : place + len(places)] = [slice(None)] * missing
    ranges, kept = [], []
    for one, size in zip(keys, dims, strict=True):
        if isinstance(one, slice):
            ranges.append(range(*one.indices(size)))
            kept.append(len(ranges[-1]))
        else:
            at = index(one)
            if not -size <= at < size:
                raise IndexError(f"index {at} is outside a dimension of size {size}")
            ranges.append(range(at % size, at % size + 1))
    return ranges, tuple(kept)


def _places(*given: Any) -> list[NDArray[np.int64]]:
    """Indices or offsets. Those beyond int64 are outside of every array."""
    try:
        return integers(*given)
    except Error as error:
        raise IndexError(error.message) from None


def _type_option(element_type: Any) -> list[str]:
    return [] if element_type is None else [f"--type={element_type_of(element_type)}"]


def _depth(shape: Any) -> int:
    return 1 + max(map(_depth, shape), default=0) if isinstance(shape, tuple) else 0


def _any(x: Any) -> Layout:
    found = x if isinstance(x, Layout) else layout(x)
    if not isinstance(found, Layout):
        raise TypeError(f"expected a layout of an array, found {type(found).__name__}")
    return found


def _expect(value: Layout, system: str, example: str) -> None:
    if value.system != system:
        raise Error(f"expected a {system} layout such as {example}, found {value.text}")


def _numbers(numbers: Sequence[SupportsIndex | None], *, star: bool = False) -> str:
    found = itertools.islice(numbers, 1000)  # no array has so many dimensions
    return ",".join("*" if star and n is None else str(index(cast(Any, n))) for n in found)


def _coordinate(value: Any) -> str:
    """An integer, or a tuple of coordinates."""
    if isinstance(value, tuple):
        return f"({','.join(map(_coordinate, value))})"
    return str(index(value))
