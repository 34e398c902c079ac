# SPDX-License-Identifier: Apache-2.0
"""Answers with the blocked formats of oneDNN 2 (libdnnl.so.2, by its C interface): tileproof conform -- python onednn_peer.py

f32[32,32]{1,0:T(16,16)(4,1)} has the blocks 4a 16b 4a. The layout becomes a memory descriptor with inner blocks. Each tile must
not be longer than the rank, and must divide the tile before it. Then oneDNN reorders the numbers 1, 2, 3, .. from row-major
order into this format. The result shows the offset of each element, and the padding, which oneDNN fills with 0.
"""

import ctypes
import math

from peer import Unsupported, array_of, each, index_inside, run

MOST_DIMS = 12
MOST = 1 << 20  # elements
S32, BLOCKED, CPU, IN_ORDER = 4, 2, 1, 1  # of dnnl_types.h
FROM, TO = 1, 17  # DNNL_ARG_FROM, DNNL_ARG_TO

Sizes = ctypes.c_int64 * MOST_DIMS


class Blocking(ctypes.Structure):
    _fields_ = [("strides", Sizes), ("count", ctypes.c_int), ("sizes", Sizes), ("dims", Sizes)]


class Descriptor(ctypes.Structure):
    """dnnl_memory_desc_t. The other formats of its union, and what follows it, are smaller than `rest`."""
    _fields_ = [("rank", ctypes.c_int), ("dims", Sizes), ("type", ctypes.c_int), ("padded", Sizes), ("padded_offsets", Sizes),
                ("offset", ctypes.c_int64), ("format", ctypes.c_int), ("blocking", Blocking), ("rest", ctypes.c_char * 512)]


class Argument(ctypes.Structure):
    _fields_ = [("arg", ctypes.c_int), ("memory", ctypes.c_void_p)]


DNNL = ctypes.CDLL("libdnnl.so.2")
DNNL.dnnl_memory_desc_get_size.restype = ctypes.c_size_t


def call(name, *arguments):
    status = getattr(DNNL, "dnnl_" + name)(*arguments)
    if status != 0:
        raise Unsupported(f"oneDNN: {name} returned {status}")


def made(name, *arguments):
    """The object that a function makes at its first argument."""
    result = ctypes.c_void_p()
    call(name, ctypes.byref(result), *arguments)
    return result


ENGINE = made("engine_create", CPU, ctypes.c_size_t(0))
STREAM = made("stream_create", ENGINE, IN_ORDER)


def blocks_of(shape):
    """The blocks of the tiles, major to minor: size, dimension, the steps in the dimension of one step in the block."""
    blocks = []
    for t, tile in enumerate(shape["tiles"]):
        if len(tile) > (len(blocks) if t else len(shape["dims"])) or None in tile:
            raise Unsupported("a tile longer than the tile before, or that combines dimensions")
        inside = []
        for back, size in zip(reversed(range(len(tile))), tile):
            if t == 0:
                inside.append([size, shape["minor_to_major"][back], 1])
                continue
            whole = blocks[len(blocks) - 1 - back]
            if whole[0] % size != 0:
                raise Unsupported("a tile that does not divide the one before")
            inside.append([size, whole[1], whole[2]])
            whole[0] //= size
            whole[2] *= size
        blocks += inside
    blocks = [block for block in blocks if block[0] != 1]
    if any(a[1] == b[1] and a[2] < b[2] for i, a in enumerate(blocks) for b in blocks[i + 1:]):
        raise Unsupported("blocks of a dimension not in decreasing order")
    if len(blocks) > MOST_DIMS:
        raise Unsupported("more than 12 blocks")
    return blocks


def descriptor_of(dims, padded, strides, blocks=()):
    result = Descriptor(rank=len(dims), type=S32, format=BLOCKED)
    result.dims[:len(dims)], result.padded[:len(dims)] = dims, padded
    result.blocking.strides[:len(dims)] = strides
    result.blocking.count = len(blocks)
    for i, (size, dimension, _) in enumerate(blocks):
        result.blocking.sizes[i], result.blocking.dims[i] = size, dimension
    return result


def blocked_of(shape):
    dims = shape["dims"]
    if not 1 <= len(dims) <= MOST_DIMS or shape["tail"] != 1 or 0 in dims:
        raise Unsupported("a rank outside of 1 to 12, a tail, or no elements")
    blocks = blocks_of(shape)
    block = [math.prod(size for size, dimension, _ in blocks if dimension == d) for d in range(len(dims))]
    padded, strides = [-(-size // b) * b for size, b in zip(dims, block)], [0] * len(dims)
    stride = math.prod(block)
    for d in shape["minor_to_major"]:
        strides[d] = stride
        stride *= padded[d] // block[d]
    if stride > MOST:
        raise Unsupported("a large array")
    return descriptor_of(dims, padded, strides, blocks)


def memory_of(shape):
    """The row-major number of the element at each offset, from 1; 0 is padding."""
    to, dims = blocked_of(shape), shape["dims"]
    source = descriptor_of(dims, dims, [math.prod(dims[d + 1:]) for d in range(len(dims))])
    count = DNNL.dnnl_memory_desc_get_size(ctypes.byref(to)) // 4
    counted, placed = (ctypes.c_int32 * math.prod(dims))(*range(1, math.prod(dims) + 1)), (ctypes.c_int32 * count)(*[-1] * count)
    memories = [made("memory_create", ctypes.byref(one), ENGINE, data) for one, data in ((source, counted), (to, placed))]
    described = made("reorder_primitive_desc_create", ctypes.byref(source), ENGINE, ctypes.byref(to), ENGINE, None)
    reorder = made("primitive_create", described)
    call("primitive_execute", reorder, STREAM, 2, (Argument * 2)((FROM, memories[0]), (TO, memories[1])))
    call("stream_wait", STREAM)
    for what, one in (("primitive", reorder), ("primitive_desc", described), ("memory", memories[0]), ("memory", memories[1])):
        call(what + "_destroy", one)
    return list(placed)


def linearize(request):
    shape = array_of(request)
    memory = memory_of(shape)

    def offset(index):
        number = 0
        for i, size in zip(index_inside(shape["dims"], index), shape["dims"]):
            number = number * size + i
        return memory.index(number + 1)

    return each(request, "index", "indices", offset)


def delinearize(request):
    shape = array_of(request)
    memory = memory_of(shape)

    def index(offset):
        if not isinstance(offset, int) or not 0 <= offset < len(memory):
            raise ValueError("not an offset in the array")
        number, found = memory[offset] - 1, []
        for size in reversed(shape["dims"]):
            number, i = divmod(number, size)
            found.insert(0, i)
        return found if memory[offset] > 0 else None

    return each(request, "offset", "offsets", index)


if __name__ == "__main__":
    run("oneDNN", "2", {"layout.linearize": linearize, "layout.delinearize": delinearize})
