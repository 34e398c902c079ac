# SPDX-License-Identifier: Apache-2.0
"""Layouts: where each element of an array is in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, SupportsIndex, cast

import numpy as np

from . import _native, _program
from ._errors import Error

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_SUB_BYTE = {"s1": 1, "u1": 1, "s2": 2, "u2": 2, "s4": 4, "u4": 4, "f4e2m1fn": 4}
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


def _as_numpy(x: Any) -> NDArray[Any]:
    """An array of NumPy, or of anything that shares its memory with NumPy, without a copy."""
    if isinstance(x, np.ndarray):
        return x
    if hasattr(x, "__array__") or hasattr(x, "__array_interface__"):
        return np.asarray(x)
    if hasattr(x, "__dlpack__"):
        return np.from_dlpack(x)
    return np.asarray(x)


class Layout(_native.Layout):
    """A layout of an array, in any of the six text forms.

        Layout("f32[3,5]{1,0:T(2,2)}")                 a tiled layout of XLA
        Layout("((16,4),(16,6)):((16,256),(1,1024))")  a nested layout of CuTe or CATLASS
        Layout("zN:f16[64,96]")                        a tag of CATLASS
        Layout("dnnl:nChw16c:f32[2,32,5,5]")           a format of oneDNN
        Layout("Sw<3,3,3> o 0 o (8,64):(64,1)")        a swizzled layout of CuTe
        Layout("memref<4x8xf32, strided<[1, 4]>>")     a type of MLIR

    offset(2, 3) is the offset, in elements, of an element; index(17) is the index at an offset, or
    None in padding. Both take arrays of integers: offset broadcasts them and returns an array;
    index returns an array for each dimension, -1 in padding. An index or offset outside is an
    IndexError.

    Layouts are equal if their texts are; `tileproof.equivalent` compares what they mean.
    """

    __slots__ = ()

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
        order = list(range(len(dims)))[::-1] if minor_to_major is None else list(minor_to_major)
        text = "".join(
            "(" + ",".join("*" if n is None else str(n) for n in tile) + ")" for tile in tiles
        )
        text = f"T{text}" if text else ""
        text += f"L({tail})" if tail != 1 else ""
        text += f"E({element_bits})" if element_bits else ""
        text += f"S({memory_space})" if memory_space else ""
        text = f":{text}" if text else ""
        sizes = ",".join(map(str, dims))
        return cls(f"{element_type}[{sizes}]{{{','.join(map(str, order))}{text}}}")

    @classmethod
    def from_strides(cls, shape: Sequence[int], strides: Sequence[int]) -> NestedLayout:
        """The layout of strides, counted in elements, as those of PyTorch are."""
        if len(shape) != len(strides):
            raise Error(f"expected {len(shape)} strides, found {len(strides)}")
        sizes, steps = (",".join(map(str, numbers)) for numbers in (shape, strides))
        return NestedLayout(f"({sizes}):({steps})")

    @classmethod
    def from_array(cls, x: Any) -> NestedLayout:
        """The layout of an array with strides: of NumPy (bytes) or PyTorch (elements)."""
        if callable(getattr(x, "stride", None)):
            return cls.from_strides(tuple(x.shape), tuple(x.stride()))
        array = _as_numpy(x)
        if any(step % array.itemsize for step in array.strides):
            raise Error(f"expected strides that are multiples of {array.itemsize} bytes")
        return cls.from_strides(array.shape, [step // array.itemsize for step in array.strides])

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

    def _repr_html_(self) -> str:
        return self.svg() if self.elements else f"<code>{self.text}</code>"

    def _offset_of_arrays(self, *index: Any) -> NDArray[np.int64]:
        """The offsets at indices given by arrays of integers, which NumPy's rules broadcast."""
        if len(index) != len(self.dims):
            raise Error(f"expected {len(self.dims)} coordinates, found {len(index)}")
        arrays = np.broadcast_arrays(*index)
        out = np.empty(arrays[0].shape, np.int64)
        columns = [_native_order(array) for array in arrays]
        if out.size:
            self.offsets_of(columns, out)
        return out

    def _indices_of_array(self, offset: ArrayLike) -> tuple[NDArray[np.int64], ...]:
        """The indices at offsets: an array for each dimension, -1 in padding."""
        offsets = _native_order(offset)
        out = np.empty((len(self.dims), *offsets.shape), np.int64)
        if out.size:
            self.indices_of(offsets, out)
        return tuple(out)

    def offsets(
        self, begin: Sequence[int] | None = None, shape: Sequence[int] | None = None
    ) -> NDArray[np.int64]:
        """The offsets of all elements, or of the box of this shape from index `begin` on."""
        first = [0] * len(self.dims) if begin is None else list(begin)
        if len(first) != len(self.dims):
            raise Error(f"expected a box of {len(self.dims)} dimensions, found {len(first)}")
        sizes = [n - b for n, b in zip(self.dims, first, strict=True)]
        sizes = sizes if shape is None else list(shape)
        if len(sizes) != len(self.dims):
            raise Error(f"expected a box of {len(self.dims)} dimensions, found {len(sizes)}")
        for b, n, d in zip(first, sizes, self.dims, strict=True):
            if b < 0 or n < 0 or b + n > d:
                raise IndexError(f"the box {first} + {sizes} is not in the array {list(self.dims)}")
        out = np.empty(sizes, np.int64)
        if out.size:
            self.box_offsets(first, sizes, out)
        return out

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
        With `packed`, elements of 1, 2 or 4 bits share bytes, and the result has `uint8` bytes.
        """
        array = _as_numpy(x)
        self._check_shape(array)
        bits = self._sub_byte_bits() if packed else None
        memory = np.empty(self.elements, array.dtype) if bits or out is None else out
        self._check_memory(memory, array.dtype, writeable=True)
        if out is not None and np.may_share_memory(array, memory):
            array = array.copy()
        self._copy(True, array, memory, threads)
        if bits is None:
            return memory
        result = np.empty(-(-self.elements * bits // 8), np.uint8) if out is None else out
        _check_bytes(result, -(-self.elements * bits // 8))
        _native.pack_bits(memory.view(np.uint8), bits, result)
        return result

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
        memory = _as_numpy(buffer)
        if packed:
            bits = self._sub_byte_bits()
            _check_bytes(memory, -(-self.elements * bits // 8), writeable=False)
            kind = np.dtype(np.int8 if dtype is None else dtype)
            if kind.itemsize != 1:
                raise Error(f"expected a type of one byte, found {kind.name}")
            unpacked = np.empty(self.elements, np.uint8)
            signed = (self.element_type or "").startswith("s")
            _native.unpack_bits(np.ascontiguousarray(memory), bits, signed, unpacked)
            memory = unpacked.view(kind)
        self._check_memory(memory, memory.dtype, writeable=False)
        array = np.empty(self.dims, memory.dtype) if out is None else out
        self._check_shape(array)
        if array.dtype != memory.dtype:
            raise Error(f"expected `out` of type {memory.dtype}, found {array.dtype}")
        if not array.flags.writeable:
            raise Error("expected `out` to be writeable")
        if not array.size:
            return array
        if out is not None and np.may_share_memory(array, memory):
            memory = memory.copy()
        if _element_strides(array) is None or min(array.strides, default=1) <= 0:
            array[...] = self.untile(memory, threads=threads)  # such an array is no destination
        else:
            self._copy(False, array, np.ascontiguousarray(memory), threads)
        return array

    def explain(self, index: Sequence[SupportsIndex]) -> dict[str, Any]:
        """The steps from a logical index to its offset, as `tileproof explain --json` has them."""
        text = ",".join(str(int(i)) for i in index)
        where = f"--index={text}" if text else "--offset=0"
        answer = _program.run_json("explain", where, self.text)[0]
        return cast("dict[str, Any]", answer["elements"][0])

    def svg(self, *, color: str = "offset", path: bool = False, beside: Any = None) -> str:
        """A picture. `color` is offset, tile, line or bank; `beside` draws a second layout."""
        options = ["--color", color] + (["--path"] if path else [])
        options += [] if beside is None else ["--beside", str(beside)]
        status, output, errors = _program.run("layout", self.text, "--svg", "-", *options)
        if status != 0:
            raise Error(errors.strip().removeprefix("tileproof: layout: "), self.text)
        return output

    def as_(self, system: str, *, element_type: str | None = None) -> Layout:
        """The same layout in the notation of xla, tla, cute or dnnl, proven equal."""
        options = ["--type", element_type] if element_type else []
        status, output, errors = _program.run("layout", self.text, "--as", system, *options)
        if status != 0:
            raise Error(errors.strip().removeprefix("tileproof: layout: "), self.text)
        return layout(output.splitlines()[0])

    def _sub_byte_bits(self) -> int:
        name = self.element_type or ""
        bits = self.bits if self.bits in (1, 2, 4) else _SUB_BYTE.get(name)
        if bits is None:
            raise Error(f"expected an element type of 1, 2 or 4 bits, found {name or 'none'}")
        return bits

    def _check_shape(self, array: NDArray[Any]) -> None:
        if array.shape != self.dims:
            raise Error(f"expected an array of shape {self.dims}, found {array.shape}")
        if array.dtype.hasobject:
            raise Error(f"expected an array of numbers, found {array.dtype}")

    def _check_memory(self, memory: NDArray[Any], dtype: np.dtype[Any], *, writeable: bool) -> None:
        if memory.shape != (self.elements,):
            raise Error(f"expected memory of shape ({self.elements},), found {memory.shape}")
        if memory.dtype != dtype:
            raise Error(f"expected memory of type {dtype}, found {memory.dtype}")
        if memory.dtype.hasobject:
            raise Error(f"expected memory of numbers, found {memory.dtype}")
        if writeable and not (memory.flags.writeable and memory.flags.c_contiguous):
            raise Error("expected `out` to be contiguous and writeable")

    def _copy(
        self, to_memory: bool, array: NDArray[Any], memory: NDArray[Any], threads: int
    ) -> None:
        _check_width(array)
        strides = _element_strides(array)
        if strides is None:
            array = np.ascontiguousarray(array)
            strides = [step // array.itemsize for step in array.strides]
        address, place = array.ctypes.data, memory.ctypes.data
        self.copy(to_memory, address, strides, array.itemsize, place, threads)


class Shape(Layout):
    """A tiled layout of XLA: Shape("bf16[16,256]{1,0:T(8,128)(2,1)}")."""

    __slots__ = ()

    def __init__(self, text: str) -> None:
        super().__init__(text)
        _expect(self, "tiled", "f32[3,5]{1,0:T(2,2)}")


class NestedLayout(Layout):
    """A nested layout of CuTe or CATLASS: NestedLayout("(4,(2,3)):(2,(1,8))")."""

    __slots__ = ()

    def __init__(self, text: str) -> None:
        super().__init__(text)
        _expect(self, "nested", "(4,8):(8,1)")


class BlockedLayout(Layout):
    """A format of oneDNN on an array: BlockedLayout("dnnl:nChw16c:f32[2,32,5,5]")."""

    __slots__ = ()

    def __init__(self, text: str) -> None:
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


def layout(text: str) -> Layout:
    """The layout of a text, of the class of its system."""
    return _CLASSES[_native.Layout(text).system](text)


def relayout(
    x: Any, from_: Layout | str, to: Layout | str, out: Any = None, *, threads: int = 1
) -> Any:
    """Copies memory in the order of one layout into the order of another of the same array.

    `x` is a one-dimensional array of the elements of `from_`. Padding of the result is 0.
    """
    source = from_ if isinstance(from_, Layout) else Layout(from_)
    target = to if isinstance(to, Layout) else Layout(to)
    if source.dims != target.dims:
        raise Error(f"expected layouts of one shape, found {source.dims} and {target.dims}")
    memory = _as_numpy(x)
    source._check_memory(memory, memory.dtype, writeable=False)
    _check_width(memory)
    result = np.empty(target.elements, memory.dtype) if out is None else out
    target._check_memory(result, memory.dtype, writeable=True)
    shares = np.may_share_memory(memory, result)
    memory = memory.copy() if shares else np.ascontiguousarray(memory)
    address, place = memory.ctypes.data, result.ctypes.data
    source.relayout_to(target, address, memory.itemsize, place, threads)
    return result


def relayout_plan(from_: Layout | str, to: Layout | str) -> str:
    """What `relayout` does, as text: its loops and its innermost copy."""
    source = from_ if isinstance(from_, Layout) else Layout(from_)
    return source.plan_to(to if isinstance(to, Layout) else Layout(to))


def _expect(value: Layout, system: str, example: str) -> None:
    if value.system != system:
        raise Error(f"expected a {system} layout such as {example}, found {value.text}")


def _check_width(array: NDArray[Any]) -> None:
    if array.itemsize not in (1, 2, 4, 8, 16):
        raise Error(f"expected elements of 1, 2, 4, 8 or 16 bytes, found {array.itemsize}")


def _element_strides(array: NDArray[Any]) -> list[int] | None:
    """The strides in elements, or None if they are no multiples of an element."""
    if any(step % array.itemsize for step in array.strides):
        return None
    return [step // array.itemsize for step in array.strides]


def _native_order(array: ArrayLike) -> NDArray[Any]:
    result = np.asarray(array)
    if result.dtype.kind not in "iu":
        raise TypeError(f"expected integers, found an array of {result.dtype}")
    native = result.dtype.newbyteorder("=")
    aligned = result.flags.aligned and result.dtype == native
    whole = all(step % result.itemsize == 0 for step in result.strides)
    return result if aligned and whole else result.astype(native)


def _check_bytes(memory: NDArray[Any], size: int, *, writeable: bool = True) -> None:
    if memory.shape != (size,) or memory.dtype != np.uint8:
        raise Error(f"expected {size} bytes (uint8), found {memory.dtype} of shape {memory.shape}")
    if writeable and not (memory.flags.writeable and memory.flags.c_contiguous):
        raise Error("expected `out` to be contiguous and writeable")
