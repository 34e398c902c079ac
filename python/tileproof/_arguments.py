# SPDX-License-Identifier: Apache-2.0
"""What the functions of the package take as a text, an array or a time."""

from __future__ import annotations

import math
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import numpy as np

from ._errors import Error

if TYPE_CHECKING:
    from numpy.typing import NDArray


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
    kind = type(x)
    if hasattr(kind, "__array__") or hasattr(kind, "__dlpack__"):
        array = np.from_dlpack(x) if not hasattr(kind, "__array__") else x.__array__()
    else:
        _expect_numbers(x)
        array = np.asarray(x)
    if not isinstance(array, np.ndarray) or isinstance(array, np.ma.MaskedArray):
        raise TypeError(f"expected an array, found {kind.__name__}")
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
