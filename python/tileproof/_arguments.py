# SPDX-License-Identifier: Apache-2.0
"""What the functions of the package take as a text, an array, an element type or a time."""

from __future__ import annotations

import contextlib
import math
import sys
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ._errors import Error

if TYPE_CHECKING:
    from numpy.typing import NDArray

_Class = TypeVar("_Class", bound=type)

_NUMPY_NAMES = {
    "bool": "pred", "int8": "s8", "int16": "s16", "int32": "s32", "int64": "s64",
    "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64",
    "float16": "f16", "float32": "f32", "float64": "f64",
    "complex64": "c64", "complex128": "c128", "bfloat16": "bf16",
    "float8_e4m3fn": "f8e4m3fn", "float8_e5m2": "f8e5m2", "float8_e4m3b11fnuz": "f8e4m3b11fnuz",
    "float8_e4m3fnuz": "f8e4m3fnuz", "float8_e5m2fnuz": "f8e5m2fnuz", "float8_e3m4": "f8e3m4",
    "float8_e4m3": "f8e4m3", "float8_e8m0fnu": "f8e8m0fnu", "float4_e2m1fn": "f4e2m1fn",
    "int4": "s4", "uint4": "u4", "int2": "s2", "uint2": "u2", "int1": "s1", "uint1": "u1",
}  # fmt: skip


def element_type_of(kind: Any) -> str:
    """The element type of XLA that a type is: of NumPy, ml_dtypes, JAX or PyTorch, or its name.

    >>> element_type_of("f32"), element_type_of(np.int64), element_type_of("bfloat16")
    ('f32', 's64', 'bf16')
    """
    name = kind if isinstance(kind, str) else str(kind).removeprefix("torch.")
    if not isinstance(kind, str | None) and name not in _NUMPY_NAMES:
        with contextlib.suppress(TypeError, ValueError):
            name = np.dtype(kind).name
    name = _NUMPY_NAMES.get(name, name if isinstance(kind, str) else "")
    if not (name.isascii() and name.isalnum()):
        raise Error(f"expected an element type such as f32, found {kind!r}")
    return name


def dtype_of(element_type: str | None) -> np.dtype[Any] | None:
    """The type of NumPy, or of ml_dtypes, of an element type of XLA, if it is installed."""
    name = next((name for name, own in _NUMPY_NAMES.items() if own == element_type), "")
    try:
        return np.dtype(name) if name else None
    except TypeError:
        try:
            import ml_dtypes
        except ImportError:
            return None
        kind: np.dtype[Any] = np.dtype(getattr(ml_dtypes, name))
        return kind


def written(cls: _Class) -> _Class:
    """Makes the values of a class equal, hashed, printed and pickled as their texts are. `own_text`
    is what makes the value again, where `text` does not."""

    def eq(self: Any, other: object) -> bool:
        return self.text == other.text if isinstance(other, cls) else NotImplemented  # type: ignore

    def own(self: Any) -> str:
        return str(getattr(self, "own_text", self.text))

    for name, method in {
        "__eq__": eq,
        "__hash__": lambda self: hash(self.text),
        "__str__": lambda self: self.text,
        "__repr__": lambda self: f"{type(self).__name__}({own(self)!r})",
        "__reduce__": lambda self: (type(self), (own(self),)),
    }.items():
        setattr(cls, name, method)
    return cls


def text_of(source: Any) -> str:
    """A text is itself; a pathlib.Path is a file that holds one.

    Bytes that are no UTF-8, as those of a module in binary, become surrogates, and bytes again when
    the program reads them.
    """
    if isinstance(source, str):
        return str(source)
    if not isinstance(source, PurePath):
        raise TypeError(f"expected a text or a pathlib.Path, found {type(source).__name__}")
    with open(source, "rb") as file:
        return file.read().decode("utf-8", "surrogateescape")


def has_strides(x: Any) -> bool:
    """Whether it is an array that has a layout: of NumPy, PyTorch or JAX, and no list."""
    return any(hasattr(type(x), name) for name in ("strides", "stride", "addressable_shards"))


def as_array(x: Any) -> NDArray[Any]:
    """An array of NumPy, or of what shares its memory with NumPy, without a copy; lists as arrays.

    A tuple is a coordinate and no array. An address of memory is believed of NumPy alone: an object
    that has nothing but __array_interface__ is refused.
    """
    if isinstance(x, np.ma.MaskedArray):
        raise TypeError("expected an array without a mask")
    if isinstance(x, np.ndarray):
        return x
    if isinstance(x, tuple):
        raise TypeError("expected an array, found a tuple: arrays are lists or those of NumPy")
    if is_tensor(x):
        return _array_of_tensor(x)
    kind = type(x)
    if hasattr(kind, "__array__") or hasattr(kind, "__dlpack__"):
        array = np.from_dlpack(x) if not hasattr(kind, "__array__") else x.__array__()
    else:
        _expect_numbers(x)
        array = np.asarray(x)
    return _checked(array, x)


def integers(*given: Any) -> list[NDArray[np.int64]]:
    """Arrays of integers as NumPy broadcasts them: each of int64, in row-major order, aligned."""
    made = []
    for x in np.broadcast_arrays(*map(as_array, given)):
        if x.dtype.kind not in "iu":
            raise TypeError(f"expected integers, found an array of {x.dtype}")
        if x.dtype.kind == "u" and x.size and x.max() > np.iinfo(np.int64).max:
            raise Error("expected numbers of at most 64 bits")
        made.append(np.require(x, np.int64, ["C_CONTIGUOUS", "ALIGNED"]))
    return made


def is_tensor(x: Any) -> bool:
    """Whether it is a tensor of PyTorch, which need not be installed."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(x, torch.Tensor)


def _array_of_tensor(x: Any) -> NDArray[Any]:
    """The memory of a tensor. Types that NumPy lacks are those of ml_dtypes, or bits without it."""
    try:
        return _checked(x.__array__(), x)
    except TypeError:
        torch = sys.modules["torch"]
        bits = torch.int16 if x.element_size() == 2 else torch.uint8
        array = _checked(x.view(bits).__array__(), x)
    try:
        import ml_dtypes
    except ImportError:
        return array
    return array.view(getattr(ml_dtypes, str(x.dtype).removeprefix("torch."), array.dtype))


def tensor_like(x: Any, array: NDArray[Any], same_type: bool = True) -> Any:
    """The array as a tensor of PyTorch, of the type of `x`, if `x` is a tensor."""
    if not is_tensor(x):
        return array
    torch = sys.modules["torch"]
    if array.dtype.isbuiltin != 1:
        array = array.view(np.int16 if array.itemsize == 2 else np.uint8)
    tensor = torch.from_numpy(array)
    return tensor.view(x.dtype) if same_type else tensor


def _checked(array: Any, x: Any) -> NDArray[Any]:
    if not isinstance(array, np.ndarray) or isinstance(array, np.ma.MaskedArray):
        raise TypeError(f"expected an array, found {type(x).__name__}")
    return array


def _expect_numbers(x: Any) -> None:
    """NumPy would believe an address of memory from an item of a list, too."""
    kind = type(x)
    if isinstance(x, list | tuple):
        items = list.__iter__(x) if isinstance(x, list) else tuple.__iter__(x)
        for item in items:  # as NumPy sees them, whatever a subclass says
            _expect_numbers(item)
    elif isinstance(x, np.ndarray | np.generic):
        return
    elif hasattr(kind, "__array_interface__") or hasattr(kind, "__array_struct__"):
        raise TypeError(f"expected an array, found {kind.__name__}: pass numpy.asarray(..) of it")
    elif hasattr(kind, "__getitem__") and not hasattr(kind, "__array__") and not _is_plain(x):
        raise TypeError(f"expected an array or a list, found {kind.__name__}")


def _is_plain(x: Any) -> bool:
    """A sequence whose items are numbers or characters, whatever it says of itself."""
    if isinstance(x, range | str):
        return True
    try:
        memoryview(x).release()
    except TypeError:
        return False
    return True


def milliseconds(seconds: float) -> int:
    """A limit of time for the program."""
    if not (isinstance(seconds, int | float) and math.isfinite(seconds) and seconds >= 0):
        raise Error(f"expected a time in seconds, at least 0, found {seconds!r}")
    return max(1, int(seconds * 1000))
