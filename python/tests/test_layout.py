# SPDX-License-Identifier: Apache-2.0
"""Layouts: the transcript of the manual, NumPy arrays, memory, errors."""

import itertools
import pickle
import random
import sys
import threading
import time

import ml_dtypes
import numpy as np
import pytest
from hypothesis import find, given, settings

import tileproof as tp
from tileproof import strategies

SMALL = "f32[3,5]{1,0:T(2,2)}"
SYSTEMS = [
    SMALL,
    "bf16[16,256]{1,0:T(8,128)(2,1)}",
    "s32[4,3,2]{0,2,1:T(*,4)}",
    "((2,2),3):((1,6),2)",
    "zN:f16[64,96]",
    "dnnl:nChw16c:f32[2,20,5,3]",
    "Sw<3,3,3> o 0 o (8,64):(64,1)",
    "Sw<2,0,-3> o 5 o (4,(3,2)):(6,(1,3))",
    "memref<4x3xf32, strided<[1, 4], offset: 5>>",
    "f32[]",
    "pred[0,4]",
]


def all_indices(layout):
    return itertools.product(*(range(n) for n in layout.dims))


def test_an_index_and_an_offset():
    a = tp.Layout(SMALL)
    assert a.offset(2, 3) == 17
    assert a.offset(np.array([0, 2]), np.array([1, 3])).tolist() == [1, 17]
    assert a.index(17) == (2, 3)
    assert a.index(14) is None
    assert a.offsets().dtype == np.int64
    assert a.offsets().shape == (3, 5)
    assert (a.elements, a.padding, a.bytes, a.bits) == (24, 9, 96, 32)
    assert a.dims == (3, 5)
    assert "floordiv" in a.formula
    assert a.element_type == "f32"


def test_tile_and_untile():
    a = tp.Layout(SMALL)
    x = np.arange(15, dtype=np.float32).reshape(3, 5)
    b = a.tile(x)
    assert b.tolist()[:8] == [0, 1, 5, 6, 2, 3, 7, 8]
    assert len(b) == 24
    assert (a.untile(b) == x).all()


@pytest.mark.parametrize("text", SYSTEMS)
def test_all_ways_to_ask_for_offsets_agree(text):
    a = tp.layout(text)
    box = a.offsets()
    columns = np.indices(a.dims)
    if a.dims:
        assert (a.offset(*columns) == box).all()
    for index in all_indices(a):
        offset = a.offset(*index)
        assert offset == box[index]
        assert a.index(offset) == index
    indices = a.index(np.arange(a.elements))
    padding = 0
    for offset in range(a.elements):
        index = a.index(offset)
        padding += index is None
        found = tuple(int(column[offset]) for column in indices)
        assert found == ((-1,) * len(a.dims) if index is None else index)
    assert padding == a.padding


@settings(max_examples=60, deadline=None)
@given(strategies.layouts())
def test_random_layouts_tile_and_untile(a):
    if a.elements > 1 << 20:
        return
    x = np.arange(int(np.prod(a.dims)), dtype=np.int32).reshape(a.dims)
    if injective(a):
        assert (a.untile(a.tile(x)) == x).all()
    else:
        with pytest.raises(tp.Error, match="no two elements share an offset"):
            a.tile(x)


def injective(a):
    offsets = a.offsets().ravel()
    return len(set(offsets.tolist())) == offsets.size


@pytest.mark.parametrize("condition", [lambda a: a.padding > 0, lambda a: a.text.count(")(") == 1])
def test_shapes_shrink_to_short_ones(condition):
    found = find(
        strategies.shapes(),
        condition,
        settings=settings(max_examples=500),
        random=random.Random(1),
    )
    assert len(found.text) <= 32, found


@settings(max_examples=40, deadline=None)
@given(strategies.shapes())
def test_the_definition_gives_the_same_offsets(a):
    for index in itertools.islice(all_indices(a), 3):
        assert a.explain(index)["offset"] == a.offset(*index)


@pytest.mark.parametrize("kind", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">i4"])
def test_indices_of_every_integer_type(kind):
    a = tp.Layout(SMALL)
    i, j = np.array([0, 2], kind), np.array([1, 3], kind)
    assert a.offset(i, j).tolist() == [1, 17]
    assert a.offset(i[:, None], j[None, :]).tolist() == [[1, 5], [13, 17]]
    assert a.offset(i[::-1], 3).tolist() == [17, 5]
    assert [c.tolist() for c in a.index(np.array([17, 14], kind))] == [[2, -1], [3, -1]]


def test_a_misaligned_array_of_indices():
    raw = np.zeros(17, np.uint8)
    indices = raw[1:17].view(np.int64)
    indices[:] = [0, 2]
    assert tp.Layout(SMALL).offset(indices, indices).tolist() == [0, 16]


@pytest.mark.parametrize(
    "kind",
    [
        np.int8,
        np.float16,
        np.float64,
        np.complex64,
        np.complex128,
        ml_dtypes.bfloat16,
        ml_dtypes.float8_e4m3fn,
        ml_dtypes.int4,
    ],
)
def test_elements_of_every_width(kind):
    a = tp.Layout("f32[5,7]{0,1:T(2,4)}")
    x = np.arange(35).reshape(5, 7).astype(np.int8).astype(kind)
    b = a.tile(x)
    assert b.dtype == x.dtype
    assert (a.untile(b) == x).all()
    reversed_rows = x[::-1, ::-1]
    assert (a.untile(a.tile(reversed_rows)) == reversed_rows).all()
    backwards = np.zeros((5, 7), kind)[::-1]
    assert (a.untile(b, out=backwards) == x).all()
    fields = np.zeros((5, 7), np.dtype([("x", kind), ("y", "i1")], align=False))["x"]
    assert (a.untile(b, out=fields) == x).all()
    assert (a.untile(a.tile(fields)) == x).all()
    out = np.zeros((5, 14), kind)[:, ::2]
    assert a.untile(b, out=out) is out
    assert (out == x).all()


def test_source_and_destination_may_overlap():
    a, b = tp.Layout("u1[4,4]{1,0}"), tp.Layout("u1[4,4]{0,1}")
    memory = np.arange(16, dtype=np.uint8)
    square = memory.reshape(4, 4)
    columns = square.T.ravel().tolist()
    assert b.tile(square, out=memory).tolist() == columns
    assert b.untile(memory, out=square).ravel().tolist() == list(range(16))
    assert tp.relayout(memory, a, b, memory).tolist() == columns


def test_packed_elements_of_four_bits():
    a = tp.Layout("s4[3,3]{1,0:E(4)}")
    x = np.array([[1, -2, 3], [-4, 5, -6], [7, -8, 0]], np.int8)
    packed = a.tile(x, packed=True)
    assert packed.dtype == np.uint8
    assert packed[:2].tolist() == [0xE1, 0xC3]
    assert (a.untile(packed, packed=True) == x).all()
    unsigned = tp.Layout("u2[5]{0:E(2)}")
    assert unsigned.untile(unsigned.tile(np.arange(5, dtype=np.uint8) % 4, packed=True),
                           packed=True, dtype=np.uint8).tolist() == [0, 1, 2, 3, 0]  # fmt: skip


def test_large_arrays_are_copied_in_parts():
    a = tp.Layout("f32[300,517]{1,0:T(8,128)}")
    x = np.arange(300 * 517, dtype=np.float32).reshape(300, 517)
    b = a.tile(x)
    assert (b[a.offsets()] == x).all()
    assert (a.untile(b) == x).all()


def test_other_threads_run_while_memory_is_copied():
    a = tp.Layout("u8[4096,4096]{1,0:T(8,128)}")
    x = np.zeros(a.dims, np.uint8)
    memory = np.zeros(a.elements, np.uint8)
    steps, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            steps[0] += 1
            time.sleep(0)  # lets the other thread go on

    thread = threading.Thread(target=count)
    thread.start()
    switch = sys.getswitchinterval()
    sys.setswitchinterval(1000)  # Python itself changes threads only where one waits
    try:
        seen = 0
        for _ in range(200):
            before = steps[0]
            a.tile(x, out=memory)
            seen += steps[0] > before
            if seen:
                break
    finally:
        stop.set()
        sys.setswitchinterval(switch)
        thread.join()
    assert seen


def test_relayout_is_untile_then_tile():
    x = np.arange(64 * 96, dtype=np.float16).reshape(64, 96)
    a, b = tp.Layout("f16[64,96]{1,0:T(8,128)}"), tp.Layout("zN:f16[64,96]")
    assert (tp.relayout(a.tile(x), a, b) == b.tile(x)).all()
    out = np.empty(b.elements, np.float16)
    assert tp.relayout(a.tile(x), a, b.text, out, threads=2) is out
    assert (out == b.tile(x)).all()
    assert "for d" in tp.relayout_plan(a.text, b)
    for wrong in (np.zeros(3), np.zeros(a.elements, "S3"), np.zeros(a.elements, object)):
        with pytest.raises(tp.Error):
            tp.relayout(wrong, a, b)
    with pytest.raises(tp.Error, match="layouts of one shape"):
        tp.relayout(x.ravel(), a, "f32[3]")


def test_a_box_of_offsets():
    a = tp.Layout(SMALL)
    assert a.offsets([1, 1], [2, 2]).tolist() == [[3, 6], [13, 16]]
    assert a.offsets([1, 1]).shape == (2, 4)
    assert a.offsets([3, 5]).shape == (0, 0)
    nested = tp.Layout("(4,3):(3,1)")
    assert nested.offsets([1, 1], [2, 2]).tolist() == [[4, 5], [7, 8]]
    for begin, shape in [([0], None), (None, [1]), ([-1, 0], [1, 1]), ([1, 1], [3, 5])]:
        with pytest.raises((tp.Error, IndexError)):
            a.offsets(begin, shape)


def test_values():
    a = tp.Layout(SMALL)
    assert a == tp.Layout(SMALL)
    assert a != tp.Layout("f32[3,5]")
    assert a != SMALL
    assert hash(a) == hash(tp.Layout(SMALL))
    assert eval(repr(a), {"Layout": tp.Layout}) == a
    assert str(a) == a.text == SMALL
    assert pickle.loads(pickle.dumps(a)) == a
    assert tp.Layout.of("f32", (3, 5), (1, 0), [(2, 2)]) == a
    star = tp.Layout.of("s4", (3, 5), tiles=[(None, 4)], tail=8, element_bits=4, memory_space=1)
    assert star.text == "s4[3,5]{1,0:T(*,4)L(8)E(4)S(1)}"
    assert "<svg" in a._repr_html_()
    assert "svg" not in tp.Layout("f32[0]")._repr_html_()


def test_classes_of_the_systems():
    assert type(tp.layout(SMALL)) is tp.Shape
    assert type(tp.layout("(4,8):(8,1)")) is tp.NestedLayout
    assert type(tp.layout("dnnl:ab:f32[2,3]")) is tp.BlockedLayout
    assert type(tp.layout("zN:f16[64,96]")) is tp.Layout
    assert type(tp.layout("memref<4x8xf32, strided<[16, 1]>>")) is tp.Layout
    assert type(tp.layout("Sw<1,0,2> o 0 o (4,8):(8,1)")) is tp.Layout
    for make in (tp.Shape, tp.NestedLayout, tp.BlockedLayout):
        with pytest.raises(tp.Error, match="expected a"):
            make("zN:f16[64,96]")


def test_element_types_of_the_systems():
    found = [tp.layout(text).element_type for text in SYSTEMS]
    fields = ["f32", "bf16", "s32", None, "f16", "f32", None, None, "f32", "f32", "pred"]
    assert found == fields


def test_strides():
    x = np.zeros((4, 6), np.float32)[:, ::2]
    assert tp.Layout.from_array(x).text == "(4,3):(6,2)"
    assert tp.Layout.from_strides((4, 3), (1, 4)).offset(2, 1) == 6
    with pytest.raises(tp.Error, match="expected 2 strides"):
        tp.Layout.from_strides((4, 3), (1,))
    odd = np.zeros(10, np.uint8)[1:9].view(np.dtype([("a", "<u2"), ("b", "u1"), ("c", "u1")]))["a"]
    with pytest.raises(tp.Error, match="multiples of 2 bytes"):
        tp.Layout.from_array(np.lib.stride_tricks.as_strided(odd, strides=(3,)))

    class Tensor:  # as PyTorch has it: strides in elements
        shape = (2, 3)

        def stride(self):
            return (3, 1)

    assert tp.Layout.from_array(Tensor()).text == "(2,3):(3,1)"


def test_layouts_of_jax():
    class Tiled:
        major_to_minor = (1, 0)
        tiling = ((8, 128),)

    class Format:
        layout = Tiled()

    class Array:
        format = Format()
        dtype = np.dtype(np.float32)
        shape = (16, 256)

    assert tp.Layout.from_jax(Array()).text == "f32[16,256]{0,1:T(8,128)}"
    Array.dtype = np.dtype("M8[s]")
    with pytest.raises(tp.Error, match="expected an element type"):
        tp.Layout.from_jax(Array())


def test_pictures_steps_and_other_notations():
    a = tp.Layout(SMALL)
    assert a.svg(color="tile", path=True).startswith("<svg")
    assert "<svg" in a.svg(beside="f32[3,5]")
    with pytest.raises(tp.Error):
        a.svg(color="none")
    assert a.explain((2, 3))["physical"] == [1, 1, 0, 1]
    assert tp.Layout("zN:f16[64,96]").as_("cute").text == "((16,4),(16,6)):((16,256),(1,1024))"
    nested = tp.Layout("((16,4),(16,6)):((16,256),(1,1024))")
    assert tp.equivalent(nested.as_("xla", element_type="f16"), nested)
    with pytest.raises(tp.Error):
        a.as_("klingon")


def test_dlpack_and_lists():
    class Shared:
        def __init__(self, x):
            self.x = x

        def __dlpack__(self, **options):
            return self.x.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.x.__dlpack_device__()

    a = tp.Layout("s32[2,2]{0,1}")
    assert a.tile(Shared(np.array([[1, 2], [3, 4]], np.int32))).tolist() == [1, 3, 2, 4]
    assert a.tile([[1, 2], [3, 4]]).tolist() == [1, 3, 2, 4]
    assert a.untile(memoryview(np.array([1, 3, 2, 4]))).tolist() == [[1, 2], [3, 4]]


def test_an_invalid_text_has_a_caret():
    with pytest.raises(tp.Error) as caught:
        tp.Layout("f32[3,}")
    error = caught.value
    assert isinstance(error, ValueError)
    assert (error.line, error.column, error.found) == (1, 7, "'}'")
    assert str(error).endswith("\n  f32[3,}\n        ^")
    assert pickle.loads(pickle.dumps(error)).column == 7
    assert tp.Error("none").caret == ""


@pytest.mark.parametrize(
    ("wrong", "exception"),
    [
        (lambda a: a.offset(3, 0), IndexError),
        (lambda a: a.offset(-1, 0), IndexError),
        (lambda a: a.offset(0), tp.Error),
        (lambda a: a.offset(np.array([0])), tp.Error),
        (lambda a: a.offset(0, 2**70), tp.Error),
        (lambda a: a.offset("x", 0), TypeError),
        (lambda a: a.offset(0.5, 0), TypeError),
        (lambda a: a.offset(np.array([0.5]), np.array([1])), TypeError),
        (lambda a: a.offset(np.array([0, 3]), np.array([0, 0])), IndexError),
        (lambda a: a.offset(np.array([2**63], np.uint64), np.array([0])), IndexError),
        (lambda a: a.offset(np.array([0, 1]), np.array([0, 1, 2])), ValueError),
        (lambda a: a.index(24), IndexError),
        (lambda a: a.index(-1), IndexError),
        (lambda a: a.index(np.array([24])), IndexError),
        (lambda a: a.index(np.array([0.5])), TypeError),
        (lambda a: a.tile(np.zeros((3, 4))), tp.Error),
        (lambda a: a.tile(np.zeros((3, 5), object)), tp.Error),
        (lambda a: a.tile(np.zeros((3, 5), "S3")), tp.Error),
        (lambda a: a.tile(np.zeros((3, 5)), out=np.zeros(23)), tp.Error),
        (lambda a: a.tile(np.zeros((3, 5)), out=np.zeros(24, np.int8)), tp.Error),
        (lambda a: a.tile(np.zeros((3, 5)), out=np.zeros(48)[::2]), tp.Error),
        (lambda a: a.tile(np.zeros((3, 5)), packed=True), tp.Error),
        (lambda a: a.untile(np.zeros(25)), tp.Error),
        (lambda a: a.untile(np.zeros((24, 1))), tp.Error),
        (lambda a: a.untile(np.zeros(24), out=np.zeros((3, 4))), tp.Error),
        (lambda a: a.untile(np.zeros(24), out=np.zeros((3, 5), np.int8)), tp.Error),
        (lambda a: a.untile(np.zeros(24), out=read_only((3, 5))), tp.Error),
        (lambda a: a.tile(np.zeros((3, 5)), out=read_only(24)), tp.Error),
        (lambda a: tp.Layout("f32[99999999999,99999999999]"), tp.Error),
        (lambda a: tp.Layout("f32[?]"), tp.Error),
        (lambda a: tp.Layout("(4,4):(0,1)").index(0), tp.Error),
        (lambda a: tp.Layout("s4[4]{0:E(4)}").untile(np.zeros(3, np.uint8), packed=True), tp.Error),
        (
            lambda a: tp.Layout("s4[4]{0:E(4)}").untile(
                np.zeros(2, np.uint8), packed=True, dtype=np.int32
            ),
            tp.Error,
        ),
        (
            lambda a: tp.Layout("s4[4]{0:E(4)}").tile(
                np.zeros(4, np.int8), out=read_only(2, np.uint8), packed=True
            ),
            tp.Error,
        ),
    ],
)
def test_wrong_arguments_are_exceptions(wrong, exception):
    with pytest.raises(exception):
        wrong(tp.Layout(SMALL))


def read_only(shape, kind=np.float64):
    result = np.zeros(shape, kind)
    result.flags.writeable = False
    return result


def test_bank_conflicts_name_the_lanes_that_collide():
    found = tp.Layout("f16[8,64]{1,0}").banks("ldmatrix")
    assert (found.ways, found.cycles, found.ideal) == (8, 64, 8)
    clash = found.phases[0].clash
    assert clash is not None and clash.lanes == (0, 1) and clash.indices == ((0, 0), (1, 0))
    swizzled = tp.Layout("Sw<3,3,3> o 0 o (8,64):(64,1)")
    assert swizzled.banks("ldmatrix", element_type="f16").ways == 1
    columns = tp.IndexingMap("(lane) -> (lane, 0), domain: lane in [0, 7]")
    assert swizzled.banks(columns, element_type="f16", vector=16).phases[0].lanes == tuple(range(8))
    with pytest.raises(tp.Error, match="expected --type"):
        swizzled.banks("ldmatrix")
