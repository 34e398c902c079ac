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

from . import _native, _program, facts
from ._arguments import as_array, text_of
from ._errors import Error
from .facts import Banks

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from .indexing_map import IndexingMap

_NUMPY_NAMES = {
    "bool": "pred", "int8": "s8", "int16": "s16", "int32": "s32", "int64": "s64",
    "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64",
    "float16": "f16", "float32": "f32", "float64": "f64",
    "complex64": "c64", "complex128": "c128", "bfloat16": "bf16",
    "float8_e4m3fn": "f8e4m3fn", "float8_e5m2": "f8e5m2", "float8_e4m3b11fnuz": "f8e4m3b11fnuz",
    "float8_e4m3fnuz": "f8e4m3fnuz", "float8_e5m2fnuz": "f8e5m2fnuz", "float8_e3m4": "f8e3m4",
    "float8_e4m3": "f8e4m3", "float8_e8m0fnu": "f8e8m0fnu", "float4_e2m1fn": "f4e2m1fn",
    "int4": "s4", "uint4": "u4", "int2": "s2", "uint2": "u2",
}  # fmt: skip


def _type_name(dtype: Any) -> str:
    name = np.dtype(dtype).name
    if name not in _NUMPY_NAMES:
        raise Error(f"expected an element type of XLA, found the NumPy type {name}")
    return _NUMPY_NAMES[name]


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
        super().__init__(text_of(text))

    @classmethod
    def of(
        cls,
        element_type: str,
        dims: Sequence[int],
        minor_to_major: Sequence[int] | None = None,
        tiles: Sequence[Sequence[int | None]] = (),
        *,
        tail: int = 1,
        element_bits: int = 0,
        memory_space: int = 0,
    ) -> Layout:
        """A tiled layout from its parts; None in a tile is `*`.

        Layout.of("f32", (3, 5), (1, 0), [(2, 2)]).text      'f32[3,5]{1,0:T(2,2)}'
        """
        if not (isinstance(element_type, str) and element_type.isalnum()):
            raise Error(f"expected an element type such as f32, found {element_type!r}")
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
        return cls(f"{element_type}[{_numbers(dims)}]{{{_numbers(order)}{text}}}")

    @classmethod
    def from_strides(cls, shape: Sequence[int], strides: Sequence[int]) -> NestedLayout:
        """The layout of strides, counted in elements, as those of PyTorch are."""
        if len(shape) != len(strides):
            raise Error(f"expected {len(shape)} strides, found {len(strides)}")
        return NestedLayout(f"({_numbers(shape)}):({_numbers(strides)})")

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
        return cls.of(_type_name(x.dtype), x.shape, order, tiles)

    def __eq__(self, other: object) -> bool:
        return self.text == other.text if isinstance(other, Layout) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.text!r})"

    def __str__(self) -> str:
        return self.text

    def __reduce__(self) -> tuple[type[Layout], tuple[str]]:
        return type(self), (self.text,)

    @property
    def size(self) -> int:
        """How many elements the array has."""
        return math.prod(self.dims)

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

    @property
    def formula(self) -> str:
        """The offset as a formula of d0, d1, .., as `tileproof layout` prints it."""
        own = super().formula
        if own or not self.elements:
            return own
        answer = _program.run_json("layout", _program.Input(self.text))[0]
        if "formula" in answer:
            return str(answer["formula"])
        return str(answer["map"]).partition(" -> (")[2].partition("), domain:")[0].rstrip(")")

    def __getitem__(self, key: Any) -> Any:
        """The offsets of a part of the array, as NumPy indexes it: an integer or an array."""
        ranges, kept = _ranges(key, self.dims)
        offsets = self._offset_of_arrays(*np.ix_(*ranges)) if ranges else np.array(self.offset())
        found = offsets.reshape(kept)
        return found if kept else int(found)

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
        if not isinstance(other, Layout):
            return NotImplemented
        from .layout_algebra import composition

        return composition(self, other)

    def coalesce(self, profile: Any = None) -> Layout:
        """The same function of a number with the fewest modes (tileproof.coalesce)."""
        from .layout_algebra import coalesce

        return coalesce(self, profile)

    def complement(self, size: Any) -> Layout:
        """What, beside this, reaches each of the first `size` numbers once."""
        from .layout_algebra import complement

        return complement(self, size)

    def inverse(self) -> IndexingMap:
        """The map from an offset back to the index (tileproof.inverse)."""
        from .commands import inverse

        return inverse(self)

    def _repr_html_(self) -> str:
        if not self.elements:
            return f"<code>{html.escape(self.text)}</code>"
        return f"{self.svg()}<p><code>offset = {html.escape(self.formula)}</code></p>"

    def _offset_of_arrays(self, *index: Any) -> NDArray[np.int64]:
        """The offsets at indices given by arrays of integers, which NumPy's rules broadcast; one
        array is of numbers of elements."""
        arrays = [as_array(one) for one in index]
        if len(arrays) == 1 and self.rank > 1:
            try:
                arrays = list(np.unravel_index(arrays[0], self.dims, order="F"))
            except ValueError as error:
                raise IndexError(str(error)) from None
        return self._offsets_of(np.broadcast_arrays(*arrays))

    def _indices_of_array(self, offset: ArrayLike) -> tuple[NDArray[np.int64], ...]:
        """The indices at offsets: an array for each dimension, -1 in padding."""
        return tuple(self._indices_of(as_array(offset)))

    def tile(
        self,
        x: Any,
        out: NDArray[Any] | None = None,
        *,
        packed: bool = False,
        threads: int = 1,
    ) -> Any:
        """Copies an array into the order of this layout. Padding is 0.

        Returns a one-dimensional array of `elements` elements of the same type, or fills `out`.
        With `packed`, elements of 1, 2 or 4 bits share bytes, and the result has `uint8` bytes; `x`
        is then an array of integers that fit, or of the type of the layout (ml_dtypes).
        """
        array = as_array(x)
        return self._tile(self._codes(array) if packed else array, out, packed, threads)

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
        memory = as_array(buffer)
        if not packed and dtype is not None:
            raise Error("expected `dtype` with packed=True only")
        if packed:
            kind = np.dtype(dtype or getattr(out, "dtype", np.int8))
            self._check_code_type(kind)
            out = np.empty(self.dims, kind) if out is None else out
            if getattr(out, "dtype", kind) != kind:
                raise Error(f"expected `out` of type {kind}, found {out.dtype}")
        return self._untile(memory, out, packed, threads)

    def _codes(self, array: NDArray[Any]) -> NDArray[Any]:
        """Elements of 1, 2 or 4 bits as integers."""
        if array.dtype.kind in "iub":
            return array
        self._check_code_type(array.dtype)
        return array.view(np.uint8) & 0xF if self.element_type == "f4e2m1fn" else array.astype(int)

    def _check_code_type(self, kind: np.dtype[Any]) -> None:
        """Expects a type of one byte that holds all values of the elements."""
        name = self.element_type or ""
        own = _NUMPY_NAMES.get(kind.name) == name and name not in ("", "pred")
        bit = kind == np.bool_ and name == "u1"
        integer = kind == np.int8 or (kind == np.uint8 and not name.startswith("s"))
        if kind.itemsize != 1 or not (own or bit or integer):
            raise Error(f"expected integers of one byte that hold {name or 'it'}, found {kind}")

    def explain(self, index: Sequence[Any]) -> dict[str, Any]:
        """The steps from a logical index to its offset, as `tileproof explain --json` has them."""
        self.offset(*index)  # an index outside is an IndexError
        text = ",".join(map(_coordinate, index))
        where = f"--index={text}" if text else "--offset=0"
        answer = _program.run_json("explain", where, _program.Input(self.text))[0]
        return cast("dict[str, Any]", answer["elements"][0])

    def plot(self, *, color: str = "offset", path: bool = False, beside: Any = None) -> Picture:
        """The picture of `svg`, which a notebook shows: a.plot(color="bank").save("a.svg")."""
        return Picture(self.svg(color=color, path=path, beside=beside))

    def svg(self, *, color: str = "offset", path: bool = False, beside: Any = None) -> str:
        """A picture. `color` is offset, tile, line or bank; `beside` draws a second layout."""
        options = [f"--color={color}"] + (["--path"] if path else [])
        if beside is not None:
            options += ["--beside", _program.Input(_any(beside).text)]
        return self._layout_command("--svg", "-", *options)

    def banks(
        self,
        access: Any,
        *,
        element_type: str | None = None,
        vector: int | None = None,
        banks: int = 32,
        bank_bytes: int = 4,
        amd_read: bool = False,
    ) -> Banks:
        """The bank conflicts of an access to this layout in shared memory (tileproof.banks)."""
        return facts.banks(
            self,
            access,
            element_type=element_type,
            vector=vector,
            banks=banks,
            bank_bytes=bank_bytes,
            amd_read=amd_read,
        )

    def as_(self, system: str, *, element_type: str | None = None) -> Layout:
        """The same layout in the notation of xla, tla, cute or dnnl, proven equal."""
        options = [f"--type={element_type}"] if element_type else []
        return layout(self._layout_command(f"--as={system}", *options).splitlines()[0])

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


def layout(text: Layout | str | PurePath) -> Layout:
    """The layout of a text, of the class of its system; ThreadLayout reads those of threads."""
    written = text.text if isinstance(text, Layout) else text_of(text)
    return _CLASSES[_native.Layout(written).system](written)


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
    return _any(from_)._relayout_to(_any(to), as_array(x), out, threads)


def relayout_plan(from_: Layout | str | PurePath, to: Layout | str | PurePath) -> str:
    """What `relayout` does, as text: its loops and its innermost copy."""
    return _any(from_)._plan_to(_any(to))


def _ranges(key: Any, dims: tuple[int, ...]) -> tuple[list[range], tuple[int, ...]]:
    """The indices of each dimension that a key in brackets chooses, and the shape that is left."""
    keys = list(key) if isinstance(key, tuple) else [key]
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


def _depth(shape: Any) -> int:
    return 1 + max(map(_depth, shape), default=0) if isinstance(shape, tuple) else 0


def _any(layout: Layout | str | PurePath) -> Layout:
    return layout if isinstance(layout, Layout) else Layout(layout)


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
