# SPDX-License-Identifier: Apache-2.0
"""Elements of 1, 2 or 4 bits that share bytes: the first element in the low bits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._errors import Error

if TYPE_CHECKING:
    from numpy.typing import NDArray


def codes_of(x: NDArray[Any], bits: int, is_signed: bool) -> NDArray[np.uint8]:
    """The low bits of integers, one a byte. An error if one does not fit."""
    low = -(1 << (bits - 1)) if is_signed else 0
    high = low + (1 << bits) - 1
    for end in (x.min(), x.max()) if x.size else ():
        if not low <= int(end) <= high:
            raise Error(f"expected numbers in [{low}, {high}], found {end}")
    return x.astype(np.uint8) & np.uint8((1 << bits) - 1)


def pack(codes: NDArray[np.uint8], bits: int) -> NDArray[np.uint8]:
    """The bytes of elements."""
    count = 8 // bits  # in a byte
    parts = np.zeros((-(-codes.size // count), count), np.uint8)
    parts.reshape(-1)[: codes.size] = codes
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    made: NDArray[np.uint8] = np.bitwise_or.reduce(parts << shifts, axis=1)
    return made


def unpack(memory: NDArray[Any], bits: int, is_signed: bool, elements: int) -> NDArray[np.int8]:
    """The inverse, one element a byte."""
    bytes_ = -(-elements * bits // 8)
    if memory.shape != (bytes_,) or memory.dtype != np.uint8:
        raise Error(f"expected {bytes_} bytes, found {memory.dtype} of shape {memory.shape}")
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    codes = (memory[:, None] >> shifts & ((1 << bits) - 1)).reshape(-1)[:elements]
    if is_signed:
        half = np.uint8(1 << (bits - 1))
        codes = (codes ^ half) - half
    return np.ascontiguousarray(codes).view(np.int8)


def filled(out: Any, made: NDArray[Any]) -> Any:
    """`out`, with these elements."""
    if not isinstance(out, np.ndarray):
        raise TypeError(f"expected `out` to be an array of NumPy, found {type(out).__name__}")
    if out.shape != made.shape or out.dtype != made.dtype:
        raise Error(f"expected {made.size} bytes, found {out.dtype} of shape {out.shape}")
    if not out.flags.writeable:
        raise Error("expected `out` to be writeable")
    np.copyto(out, made)
    return out
