# SPDX-License-Identifier: Apache-2.0
"""Indexing maps: evaluation, simplification, composition, building."""

import pickle
import random

import numpy as np
import pytest
from hypothesis import find, given, settings

import tileproof as tp
from tileproof import _program, strategies

HUGE = "(d0) -> (d0 * 9223372036854775807), domain: d0 in [0, 9]"
PARITY = "(d0) -> ((-d0) mod 2), domain: d0 in [0, 127]"


def test_a_map_is_a_function():
    m = tp.IndexingMap(PARITY)
    assert m(5) == (1,)
    for outside in (200, np.array([0, 200])):
        with pytest.raises(IndexError, match=r"the point \(200\) is not in the domain"):
            m(outside)
    assert m.evaluate_at([200]) is None and [200] not in m.domain and [5] in m.domain
    assert str(m.simplify()) == "(d0) -> (d0 mod 2), domain: d0 in [0, 127]"
    (values,) = m(np.arange(4))
    assert values.tolist() == [0, 1, 0, 1]
    (grid,) = m(np.arange(4).reshape(2, 2))
    assert grid.shape == (2, 2)


def test_simplify_keeps_the_digits_of_tiles():
    m = tp.IndexingMap("(d0) -> (d0 * 128 + (d0 floordiv 8) * 1024), domain: d0 in [0, 127]")
    digits = "(d0) -> ((d0 floordiv 8) * 2048 + (d0 mod 8) * 128), domain: d0 in [0, 127]"
    assert str(m.simplify(keep=(8, 128))) == digits
    assert str(m.simplify(keep="tiles")) == digits
    assert m.simplify(keep=(16,)) == m.simplify()
    for wrong in ((8, 1), (0,), "tile"):
        with pytest.raises(tp.Error, match="to keep, found"):
            m.simplify(keep=wrong)


def test_variables_of_all_kinds():
    m = tp.IndexingMap(
        "(d0)[s0]{rt0} -> (d0 + rt0, s0), domain: d0 in [0, 3], s0 in [0, 1], rt0 in [0, 2]"
    )
    assert m(1, 0, 2) == (3, 0)
    assert [v.name for v in m.domain.variables] == ["d0", "s0", "rt0"]
    assert m.domain.dimensions[0] == tp.Variable("d0", 0, 3)
    assert len(m.domain.ranges) == len(m.domain.runtime) == 1
    assert len(list(m.domain.points())) == 24
    assert (1, 0, 2) in m.domain
    assert (1, 0, 3) not in m.domain
    assert "d0 in [0, 3]" in repr(m.domain)
    with pytest.raises(tp.Error, match="at most 5 points"):
        list(m.domain.points(most=5))
    assert not m.is_empty


def test_compose_and_compare():
    first = tp.IndexingMap("(d0) -> (d0 * 2), domain: d0 in [0, 9]")
    second = tp.IndexingMap("(d0) -> (d0 + 1), domain: d0 in [0, 99]")
    both = first.compose(second).simplify()
    assert both(4) == (9,)
    assert both.equivalent("(d0) -> (1 + d0 + d0), domain: d0 in [0, 9]")
    verdict = both.equivalent("(d0) -> (d0 * 3 + 1), domain: d0 in [0, 9]")
    assert not verdict
    assert both(*verdict.at) == verdict.left != verdict.right
    outside = tp.equivalent(first, "(d0) -> (d0 * 2), domain: d0 in [0, 8]")
    assert (outside.at, outside.right) == ((9,), None)
    with pytest.raises(tp.Error):
        first.compose(tp.IndexingMap("(d0, d1) -> (d0), domain: d0 in [0, 1], d1 in [0, 1]"))


def test_the_trace_names_lemmas_and_is_a_proof():
    trace = tp.IndexingMap(PARITY).trace()
    assert "by pull-multiple(x = -d0, y = d0, c = 2)" in trace
    status, output, _ = _program.run("simplify", "--check", _program.Input(trace))
    assert status == 0, output
    wrong = _program.Input(trace.replace("127", "126", 1))
    status, output, _ = _program.run("simplify", "--check", wrong)
    assert status == 1, output


def test_maps_shrink_to_short_ones():
    found = find(
        strategies.maps(),
        lambda m: m.results > 0 and m.simplify().text != m.text,
        settings=settings(max_examples=500),
        random=random.Random(1),
    )
    assert len(found.text) <= 60, found


def test_maps_from_python_and_sympy():
    m = tp.IndexingMap.build(lambda d0, d1: (d0 // 8, d1 % 2 - 1), [(0, 127), (0, 3)])
    assert m(17, 3) == (2, 0)
    several = tp.IndexingMap.build(
        lambda i, k, n: (3 - i + 2 * k, -k + (1 + n), i * 2 - k),
        {"i": (0, 3), "k": (0, 1), "n": (0, 5)},
        ranges=["k"],
        runtime=["n"],
        constraints=[(lambda i, k, n: i % 2, (0, 0))],
    )
    assert several(2, 1, 4) == (3, 4, 3)
    assert several.evaluate_at([1, 1, 4]) is None
    assert tp.IndexingMap.build(lambda: (), []).text == "() -> ()"
    assert tp.IndexingMap.build(lambda d0: d0, [(0, 1)])(1) == (1,)
    with pytest.raises(tp.Error, match="bounds of 1 variables"):
        tp.IndexingMap.build(lambda d0: d0, [])
    with pytest.raises(tp.Error, match="bounds of d0"):
        tp.IndexingMap.build(lambda d0: d0, {})
    with pytest.raises(TypeError):
        tp.IndexingMap.build(lambda d0: d0 + 0.5, [(0, 1)])
    assert repr(tp.Expression("d0") + 1) == "Expression('(d0 + 1)')"
    of_numpy = tp.IndexingMap.build(
        lambda i, n: (i * np.int64(8), np.int32(8) * i, *divmod(i + n, np.uint8(4))),
        [(0, 9), (0, 3)],
    )
    assert of_numpy(7, 2) == (56, 56, 2, 1)
    of_bits = tp.IndexingMap.build(
        lambda i: (i & 6, i ^ (i >> 1), 1 | i, i << 2, i.minimum(3), i.maximum(3)), [(0, 9)]
    )
    assert of_bits(5) == (4, 7, 5, 20, 3, 5)
    for wrong in (True, np.True_, 0.5, "1"):
        with pytest.raises(TypeError, match="expected an integer or an expression"):
            tp.Expression("d0") + wrong
    with pytest.raises(TypeError, match="minimum"):
        bool(tp.Expression("d0"))
    sympy = pytest.importorskip("sympy")
    x, y = sympy.symbols("x y", integer=True)
    made = tp.IndexingMap.from_sympy(
        [sympy.floor(x / 8), sympy.Mod(x, 8) + 2 * y, sympy.Integer(3)],
        {x: (0, 127), y: (0, 3)},
    )
    assert made(17, 2) == (2, 5, 3)
    with pytest.raises(tp.Error, match="sums, products"):
        tp.IndexingMap.from_sympy([sympy.sqrt(x)], {x: (0, 1)})


def test_a_map_without_points():
    m = tp.IndexingMap("(d0)[s0]{rt0} -> (d0), domain: d0 in [1, 0], s0 in [0, 1], rt0 in [0, 1]")
    empty = m.simplify()
    assert empty.is_empty
    assert str(empty) == "KNOWN EMPTY"
    assert empty.evaluate_at([0, 0, 0]) is None
    assert m.equivalent(empty) and empty.equivalent(m) and empty.equivalent(empty)
    assert m.equivalent(m.simplify()) and tp.equivalent(str(m), empty)
    full = tp.IndexingMap(m.text.replace("d0 in [1, 0]", "d0 in [0, 0]"))
    assert full.equivalent(empty).at == (0, 0, 0)
    none = tp.IndexingMap("() -> (), domain: 0 in [1, 1]")
    assert none.equivalent(none.simplify())
    with pytest.raises(tp.Error, match="variables"):
        tp.IndexingMap(PARITY).equivalent(empty)
    again = eval(repr(empty), {"IndexingMap": tp.IndexingMap})
    assert (
        list(again.domain.points()) == list(pickle.loads(pickle.dumps(empty)).domain.points()) == []
    )
    assert list(tp.IndexingMap("() -> (), domain: 0 in [1, 1]").simplify().domain.points()) == []
    assert "0 in [1, 1]" in repr(tp.IndexingMap("() -> (), domain: 0 in [1, 1]").simplify())


def test_values():
    m = tp.IndexingMap(PARITY)
    assert m == tp.IndexingMap(PARITY)
    assert m != PARITY
    assert len({m, tp.IndexingMap(PARITY)}) == 1
    assert eval(repr(m), {"IndexingMap": tp.IndexingMap}) == m
    assert m._repr_html_() == "<code>" + m.text.replace(">", "&gt;") + "</code>"
    assert pickle.loads(pickle.dumps(m)) == m


@settings(max_examples=60, deadline=None)
@given(strategies.maps())
def test_simplified_maps_have_the_same_values(m):
    simple = m.simplify()
    for point in list(m.domain.points())[:50]:
        assert m(*point) == simple(*point)


@pytest.mark.parametrize(
    ("wrong", "exception"),
    [
        (lambda m: tp.IndexingMap("(d0) -> (d0"), tp.Error),
        (lambda m: m(1, 2), tp.Error),
        (lambda m: m(), tp.Error),
        (lambda m: m(np.array([1]), np.array([2])), tp.Error),
        (lambda m: m(np.array([1, 200])), IndexError),
        (lambda m: m(np.array([0.5])), TypeError),
        (lambda m: m("x"), TypeError),
        (lambda m: m(2**70), (tp.Error, TypeError)),
        (lambda m: tp.IndexingMap(HUGE)(9), tp.Error),
        (lambda m: tp.IndexingMap(HUGE)(np.array([9])), tp.Error),
        (lambda m: m.equivalent("nonsense"), tp.Error),
    ],
)  # fmt: skip
def test_wrong_arguments_are_exceptions(wrong, exception):
    with pytest.raises(exception):
        wrong(tp.IndexingMap(PARITY))


def test_facts_are_proven_or_refuted():
    half = tp.IndexingMap("(k) -> (k floordiv 2), domain: k in [0, 7]")
    facts = half.check(inside=(4,), one_to_one=True, onto=(4,), width=32)
    assert [facts[name].holds for name in ("inside", "onto", "width")] == [True] * 3
    assert not facts["one_to_one"] and facts["one_to_one"].at == ((0,), (1,))
    assert (facts["one_to_one"].against, facts["one_to_one"].of) == (4, 8)
    assert half.check(inside=[(1, 3)])["inside"].at == (0,)
    assert half.check(onto=tp.Layout("f32[5]"))["onto"].at == (4,)
    with pytest.raises(tp.Error, match="expected --inside, --one-to-one, --onto or --width"):
        half.check()
    with pytest.raises(tp.Error, match="expected a map of 2 results, found 1"):
        half.check(inside=(4, 4))
