# SPDX-License-Identifier: Apache-2.0
"""Layouts as NumPy and CuTe use them, and the commands as functions."""

import doctest
import importlib
import inspect
import itertools
import pickle
import pkgutil
import sys
import types

import ml_dtypes
import numpy as np
import pytest

import tileproof as tp

TILED = tp.Layout("f32[3,5]{1,0:T(2,2)}")
NESTED = tp.Layout("((4,2),(4,3)):((4,16),(1,32))")
SWIZZLED = tp.Layout("Sw<3,3,3> o 0 o (8,64):(64,1)")
MMA = tp.ThreadLayout(
    "tensor<16x16xf16, #ttg.blocked<{sizePerThread=[1,4], threadsPerWarp=[8,4],"
    " warpsPerCTA=[1,1], order=[1,0]}>>"
)

PUBLIC = [n for n, one in vars(tp).items() if n[0] != "_" and not inspect.ismodule(one)]


@pytest.mark.parametrize("name", [m.name for m in pkgutil.iter_modules(tp.__path__)])
def test_the_examples_of_the_docstrings(name):
    if name in ("_relay", "_native", "pytest_plugin", "strategies"):
        return
    module = importlib.import_module(f"tileproof.{name}")
    assert doctest.testmod(module).failed == 0


def test_every_public_name_says_what_it_is():
    for name in PUBLIC:
        said = inspect.getdoc(getattr(tp, name)) or ""
        assert said and not said.startswith(f"{name}("), name  # what dataclass writes says nothing


@pytest.mark.parametrize("a", [TILED, NESTED, SWIZZLED, tp.Layout("f32[4]"), tp.Layout("f32[]")])
def test_a_layout_in_brackets_is_the_array_of_its_offsets(a):
    table = a.offsets()
    assert np.array_equal(a[...], table)
    assert a.size == table.size
    parts = [0, -1, slice(None), slice(1, None), slice(None, None, 2), slice(None, None, -1), ...]
    for rank in range(a.rank + 1):
        for key in itertools.product(parts, repeat=rank):
            if key.count(...) < 2:
                assert np.array_equal(a[key], table[key]), key
    if a.rank == 0:
        with pytest.raises(TypeError):
            len(a)
        return
    assert len(a) == len(table)
    assert all(np.array_equal(row, known) for row, known in zip(a, table, strict=True))
    for wrong in (a.dims[0], -a.dims[0] - 1, (0,) * (a.rank + 1), (..., ...)):
        with pytest.raises(IndexError):
            a[wrong]


@pytest.mark.parametrize("a", [TILED, SWIZZLED, tp.Layout("f32[4]"), tp.Layout("f32[2,3,4]")])
def test_arrays_masks_and_none_choose_as_in_numpy(a):
    table = a.offsets()
    keys = [None, (None, 0), [0, -1], np.array([[0, 1], [1, 0]]), table > table.mean(), True, False]
    keys += [([0, 1], [1, 0]), (..., [1, 0]), (slice(1, None), None, [0])] if a.rank > 1 else []
    for key in keys:
        found = a[key]
        assert np.array_equal(found, table[key]) and np.shape(found) == table[key].shape, key
    for wrong in ([a.dims[0]], np.zeros(7, bool), [0.5], "x", {}):
        with pytest.raises(IndexError):
            a[wrong]
    with pytest.raises(tp.Error, match="expected dimensions of at most"):
        tp.Layout("f32[1000000000,8]")[[0]]
    assert tp.Layout("f32[1000000000,8]")[999_999_999, -2:].tolist() == [7999999998, 7999999999]


def test_a_layout_of_what_one_has():
    assert tp.layout((4, (2, 3)), (2, (1, 8))).text == "(4,(2,3)):(2,(1,8))"
    assert tp.layout(8, 2).text == tp.layout((8,), (2,)).text == "(8):(2)"
    x = np.zeros((3, 5), np.float32)
    assert tp.layout(x.T) == tp.Layout.from_array(x.T) and tp.layout(TILED) == TILED
    assert tp.layout(MMA.text) == tp.layout(MMA) == MMA
    assert tp.equivalent(x, "(3,5):(5,1)") and tp.equivalent(MMA, MMA.text)
    assert tp.make_layout((4, (2, 3))).text == "(4,(2,3)):(1,(4,8))"
    assert TILED.dtype == x.dtype and TILED.ndim == x.ndim and TILED.nbytes == 24 * x.itemsize
    assert NESTED.dtype is None
    with pytest.raises(TypeError, match=r"layout\(\.\.\) takes arrays and shapes"):
        tp.Layout((4, 8))
    with pytest.raises(tp.Error, match="expected a dimension size"):
        tp.layout("f32[3,")


def test_element_types_have_many_names():
    bf16 = tp.Layout.of("bf16", (4, 8))
    for kind in ("bfloat16", ml_dtypes.bfloat16, np.dtype(ml_dtypes.bfloat16)):
        assert tp.Layout.of(kind, (4, 8)) == bf16
    assert bf16.dtype == ml_dtypes.bfloat16
    for kind in (np.float16, "float16", "f16", np.dtype("f2")):
        assert SWIZZLED.banks("ldmatrix", element_type=kind).ways == 1
        assert "bank" in tp.Layout("(8,64):(64,1)").plot(color="bank", element_type=kind)
    for wrong in (None, object, "f32]", 3, "", "--help"):
        with pytest.raises(tp.Error):
            tp.Layout.of(wrong, (4, 8))


class Tensor:
    """What PyTorch does with types that NumPy lacks, without PyTorch."""

    def __init__(self, bits, dtype):
        self.bits, self.dtype = bits, dtype

    def __array__(self, *_, **__):
        if self.dtype != str(self.bits.dtype):
            raise TypeError("Got unsupported ScalarType")
        return self.bits

    def element_size(self):
        return self.bits.itemsize

    def view(self, dtype):
        return Tensor(self.bits, dtype)


@pytest.mark.parametrize("kind", ["bfloat16", "float8_e4m3fn", "float8_e5m2", "int4"])
@pytest.mark.parametrize("has_ml_dtypes", [True, False])
def test_tensors_of_types_that_numpy_lacks(kind, has_ml_dtypes, monkeypatch):
    torch = types.SimpleNamespace(
        Tensor=Tensor, int16="int16", uint8="uint8", from_numpy=lambda x: Tensor(x, str(x.dtype))
    )
    monkeypatch.setitem(sys.modules, "torch", torch)
    if not has_ml_dtypes:
        monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    bits = np.arange(15, dtype=np.int16 if kind == "bfloat16" else np.uint8).reshape(3, 5)
    memory = TILED.tile(Tensor(bits, f"torch.{kind}"))
    assert isinstance(memory, Tensor) and memory.dtype == f"torch.{kind}"
    assert np.array_equal(memory.bits, TILED.tile(bits))
    assert np.array_equal(TILED.untile(memory).bits, bits)


def test_answers_print_as_the_program_does():
    banks = tp.banks("f16[64,64]{1,0}", "ldmatrix")
    assert str(banks).startswith(
        "8-way conflicts: 512 cycles, 64 without conflicts\n  bank 0: lane 0"
    )
    assert len(repr(banks)) < 100
    assert str(tp.check("(i) -> (i), domain: i in [0, 9]", inside=(9,))["inside"]) == (
        "does not hold: i = 9 gives (9), outside dimension 0 of size 9; 1 of 10 points does"
    )
    said = str(tp.diff("f32[4,6]{1,0}", "f32[4,6]{0,1}", limit=1))
    assert said == "22 of 24 points differ\n  (0, 1): (1,) and (4,)"
    assert TILED.explain(2, 3) == TILED.explain((2, 3)) == tp.explain(TILED, [2, 3])


def test_the_name_of_a_file_is_no_text(tmp_path):
    file = tmp_path / "before.hlo"
    file.write_text("ENTRY e { ROOT p = f32[2] parameter(0) }")
    assert tp.equivalent(file, file)
    with pytest.raises(tp.Error, match=r"a file is a pathlib\.Path: Path\("):
        tp.equivalent(str(file), str(file))


def test_a_call_is_the_offset():
    assert TILED(2, 3) == TILED((2, 3)) == 17
    assert NESTED(1, 5) == NESTED((1, 0), 5) == NESTED(((1, 0), (1, 1))) == NESTED(41) == 37
    assert NESTED([41, 0]).tolist() == [37, 0]
    assert TILED([0, 2], [1, 3]).tolist() == [1, 17]
    first_fastest = [NESTED(i, j) for j in range(12) for i in range(8)]
    assert [NESTED(n) for n in range(NESTED.size)] == first_fastest
    for number in (-1, 96):
        for wrong in (number, [0, number]):
            with pytest.raises(IndexError):
                NESTED(wrong)
    with pytest.raises(tp.Error, match="expected 2 coordinates"):
        TILED(17)  # an XLA layout has no numbers of elements
    with pytest.raises(IndexError):
        TILED.explain((-1, 0))


def test_sizes_are_those_of_cute():
    assert (NESTED.shape, NESTED.stride) == (((4, 2), (4, 3)), ((4, 16), (1, 32)))
    assert (NESTED.size, NESTED.cosize, NESTED.rank, NESTED.depth) == (96, 96, 2, 2)
    assert (SWIZZLED.shape, SWIZZLED.stride) == ((8, 64), (64, 1))
    assert (TILED.shape, TILED.stride, TILED.size, TILED.cosize) == ((3, 5), None, 15, 24)
    assert tp.Layout("f32[3,5]{0,1}").stride == (1, 3)
    assert tp.Layout("f32[1,5]{0,1}").stride == (0, 1)
    assert tp.Layout("memref<4x8xf32, strided<[1, 4], offset: 3>>").stride == (1, 4)
    assert tp.Layout("dnnl:nChw16c:f32[2,32,5,5]").stride is None
    assert (tp.Layout("8:1").shape, tp.Layout("8:1").depth) == (8, 0)


def test_each_layout_has_a_formula():
    for text in ("zN:f16[64,96]", "dnnl:nChw16c:f32[2,32,5,5]", "memref<4x8xf32, strided<[1, 4]>>"):
        a = tp.Layout(text)
        names = {f"d{d}": n - 1 for d, n in enumerate(a.dims)}
        formula = a.formula.replace("floordiv", "//").replace("mod", "%")
        assert eval(formula, names) == a.offset(*(n - 1 for n in a.dims)), (text, a.formula)


def test_at_is_composition():
    a, b = tp.Layout("(4,8):(8,1)"), tp.Layout("(2,2):(1,4)")
    assert [(a @ b)(i) for i in range(4)] == [a(b(i)) for i in range(4)]
    assert a @ b == tp.composition(a, b) == a.composition(b)
    assert a @ (2, 2) == tp.composition(a, (2, 2))
    with pytest.raises(TypeError):
        a @ 0.5
    m = tp.IndexingMap("(d0) -> (d0 floordiv 8), domain: d0 in [0, 31]")
    n = tp.IndexingMap("(d0) -> (d0 * 3), domain: d0 in [0, 9]")
    assert [(m @ n)(i) for i in range(10)] == [m(*n(i)) for i in range(10)]
    with pytest.raises(TypeError):
        m @ 3


OPERANDS = {
    "coalesce": ["(2,(1,6)):(1,(6,2))"],
    "composition": ["(6,2):(8,2)", "(4,3):(3,1)"],
    "complement": ["4:2", 24],
    "tile_to_shape": ["(8,64):(64,1)", (16, 128)],
    "upcast": ["(8,64):(64,1)", 2],
    "downcast": ["(8,64):(64,1)", 2],
    "recast": ["(8,64):(64,1)", 16, 8],
    "right_inverse": ["(4,8):(8,1)"],
    "left_inverse": ["(4,8):(8,1)"],
    "flatten": ["((4,2),3):((1,4),8)"],
    "filter_zeros": ["(2,3):(0,1)"],
    "max_common_layout": ["8:1", "4:1"],
    "max_common_vector": ["8:1", "4:1"],
    "slice_and_offset": [(None, 2), "(4,8):(8,1)"],
    "algebra": ["coalesce", "(2,4):(1,2)"],
    "make_layout": [(4, (2, 3))],
}


def test_every_operation_of_the_algebra_answers():
    functions = [f for f in vars(_algebra()).values() if _is_public(f)]
    assert len(functions) > 20
    for function in functions:
        name = function.__name__
        divided = ["(8,8):(8,1)", (2, 4)] if "divide" in name else ["(2,2):(1,2)", "(3,2):(1,3)"]
        assert function(*OPERANDS.get(name, divided)) is not None, name


def _algebra():
    return importlib.import_module("tileproof.layout_algebra")


def _is_public(value):
    return (
        inspect.isfunction(value)
        and value.__module__ == "tileproof.layout_algebra"
        and value.__name__[0] != "_"
    )


def test_a_tiler_may_be_shape_or_layouts():
    by_shape = tp.logical_divide("(8,8):(8,1)", (2, 4))
    assert tp.logical_divide("(8,8):(8,1)", (tp.Layout("2:1"), "4:1")) == by_shape
    assert tp.logical_divide("8:1", 2) == tp.logical_divide("8:1", "2:1")
    for wrong in (0.5, True, [2]):
        with pytest.raises(TypeError):
            tp.logical_divide("8:1", wrong)
    with pytest.raises(tp.Error, match=r"offsets in \[0, 2\^63\)"):
        tp.complement("(3,5):(0,1)", 2**63 - 1)
    for wrong in ("--help", "@x", "nothing", 3):
        with pytest.raises(tp.Error):
            tp.algebra(wrong, "8:1")


def test_registers_hold_elements():
    assert MMA.dims == (16, 16)
    sizes = MMA.sizes
    held = {}
    for place in itertools.product(
        *(range(sizes[k]) for k in ("register", "lane", "warp", "block"))
    ):
        held.setdefault(MMA(*place), []).append(tp.Holder(*place))
    assert len(held) == 256
    for at in ((0, 0), (5, 6), (15, 15)):
        assert MMA.owners(*at) == MMA.owners(at) == tuple(sorted(held[at]))
        assert len(held[at]) == MMA.copies
    rows, columns = MMA(np.arange(sizes["register"]), 0)
    assert (rows[0], columns[0]) == MMA(0, 0)
    for outside in ((16, 0), (-1, 0)):
        with pytest.raises(IndexError):
            MMA.owners(outside)
    with pytest.raises(IndexError):
        MMA(0, 32)
    with pytest.raises(ValueError):
        tp.ThreadLayout("f32[3,5]")
    assert MMA.svg() == MMA.plot() and MMA.plot().startswith("<svg")
    assert MMA[5, 6] == MMA.owners(5, 6) and MMA.shape == (16, 16)
    assert pickle.loads(pickle.dumps(MMA)) == MMA


def test_commands_answer_as_the_program_does():
    there = tp.IndexingMap("(d0) -> (d0 floordiv 8, d0 mod 8), domain: d0 in [0, 31]")
    back = tp.inverse(there)
    assert all(back(*there(n)) == (n,) for n in range(32))
    assert tp.compose(there, back).equivalent("(d0) -> (d0), domain: d0 in [0, 31]")
    assert tp.inverse(TILED)(17) == (2, 3)
    assert tp.image(there).count == 32
    assert tp.evaluate(there, [9]) == (1, 1) and tp.evaluate(there, [32]) is None
    assert tp.diff(there, there).equal and not tp.diff(there, there)
    assert tp.check(TILED, one_to_one=True)["one_to_one"]
    assert tp.banks(tp.Layout("f16[64,64]{1,0}"), "ldmatrix").ways == 8
    assert tp.equiv is tp.equivalent and tp.tile is tp.tile_of and tp.map is tp.indexing


def test_a_picture_is_kept_in_a_file(tmp_path):
    file = tmp_path / "a.svg"
    TILED.plot(color="tile").save(file)
    assert file.read_text() == TILED.svg(color="tile") == TILED.plot(color="tile")._repr_svg_()
    assert TILED.formula in TILED._repr_html_()
    assert tp.Layout("f32[0]")._repr_html_() == "<code>f32[0]</code>"


def test_an_impossible_notation_says_why():
    with pytest.raises(tp.Error, match="impossible in dnnl: the digit of 128"):
        tp.Layout("bf16[130]{0:T(8,128)(2,1)}").as_("dnnl")


def test_layouts_and_maps_are_no_functions_to_lower():
    for side in (TILED, tp.IndexingMap("(d0) -> (d0), domain: d0 in [0, 3]")):
        with pytest.raises(TypeError, match="expected a function beside args"):
            tp.equivalent(side, side, args=(1,))
