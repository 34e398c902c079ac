# SPDX-License-Identifier: Apache-2.0
"""Grids of tiles, and those of Pallas kernels: the interpreter of Pallas runs random ones."""

import os
import random

import numpy as np
import pytest

import tileproof as tp

OUT = {"name": "out", "kind": "out", "shape": [4], "block": [2]}


def test_a_grid_that_leaves_a_block_unwritten():
    facts = tp.check_grid(
        {"grid": [2], "operands": [{**OUT, "index_map": "(i) -> (0), domain: i in [0, 1]"}]}
    )
    assert not facts["covered"] and facts["covered"].at == (2,)
    assert facts["covered"].why == "out[2] is never written"
    assert facts["inside"] and facts["once"] and facts["races"]


def test_a_grid_that_races():
    grid = {"grid": [2], "semantics": ["parallel"]}
    facts = tp.check_grid(
        {**grid, "operands": [{**OUT, "index_map": "(i) -> (0), domain: i in [0, 1]"}]}
    )
    assert not facts["races"] and facts["races"].at == (1,)


@pytest.mark.parametrize("grid", [{}, {"grid": [1]}, {"grid": "2", "operands": []}])
def test_what_is_no_grid(grid):
    with pytest.raises(tp.Error, match="expected"):
        tp.check_grid(grid)


# ---- Pallas ----

jax = pytest.importorskip("jax")
pl = pytest.importorskip("jax.experimental.pallas")
pltpu = pytest.importorskip("jax.experimental.pallas.tpu")
jnp = jax.numpy
pallas = pytest.importorskip("tileproof.pallas")
GRIDS = 2000 if os.environ.get("TILEPROOF_ONE_IN") == "1" else 25  # random ones; by night 2,000


def copy_kernel(*refs):
    refs[-1][...] = jnp.ones_like(refs[-1])


def array(*sizes, dtype="float32"):
    return jax.ShapeDtypeStruct(sizes, dtype)


def call(grid, out, block, index_map, *, semantics=None, inputs=(), aliases=None):
    """A call with one output; `inputs` are (block, index map)."""
    return pl.pallas_call(
        copy_kernel,
        grid=grid,
        in_specs=[pl.BlockSpec(*one) for one in inputs],
        out_specs=pl.BlockSpec(block, index_map),
        out_shape=array(*out),
        input_output_aliases=aliases or {},
        compiler_params=pltpu.CompilerParams(dimension_semantics=semantics) if semantics else None,
    )


def test_a_matrix_product():
    product = call(
        (4, 2, 8),
        (32, 16),
        (8, 8),
        lambda i, j, k: (i, j),
        semantics=("parallel", "parallel", "arbitrary"),
        inputs=[((8, 16), lambda i, j, k: (i, k)), ((16, 8), lambda i, j, k: (k, j))],
    )
    checked = pallas.check(product, array(32, 128), array(128, 16))
    assert checked, str(checked)
    (one,) = checked.calls
    assert one.name == "copy_kernel" and one.grid["grid"] == [4, 2, 8]
    assert [operand["kind"] for operand in one.grid["operands"]] == ["in", "in", "out"]
    assert set(one.facts) == {"inside", "covered", "once", "races"}


def test_a_product_whose_sum_runs_in_parallel_races():
    product = call((4, 8), (32,), (8,), lambda i, k: (i,), semantics=("parallel", "parallel"))
    checked = pallas.check(product)
    assert not checked and checked.calls[0].facts["races"].at == (0, 1)
    assert "step (0, 0) and step (0, 1) both touch" in str(checked)


def test_the_sum_must_be_the_last_dimension():
    checked = pallas.check(call((8, 4), (32,), (8,), lambda k, i: (i,)))
    assert not checked.calls[0].facts["once"]


def test_a_grid_that_is_too_small():
    checked = pallas.check(call((3,), (32,), (8,), lambda i: (i,)))
    assert checked.calls[0].facts["covered"].at == (24,)


def test_an_index_map_that_leaves_the_array():
    checked = pallas.check(call((4,), (32,), (8,), lambda i: (i * 2,)))
    assert checked.calls[0].facts["inside"].at == (2,)


def test_element_blocks_and_squeezed_dimensions():
    halo = call(
        (3,),
        (6, 5),
        (2, None),
        lambda i: (i, 4),
        inputs=[((pl.Element(4, padding=(1, 1)),), lambda i: (i * 2,))],
    )
    operands = pallas.check(halo, array(6)).calls[0].grid["operands"]
    assert operands[0]["block"] == [{"element": 4, "padding": [1, 1]}]
    assert operands[1]["block"] == [2, None]


def test_scalars_that_are_prefetched():
    spec = pltpu.PrefetchScalarGridSpec(
        num_scalar_prefetch=1,
        grid=(4,),
        in_specs=[pl.BlockSpec((None, 128), lambda i, pages: (pages[i] // 2, 0))],
        out_specs=pl.BlockSpec((None, 128), lambda i, pages: (i, 0)),
    )
    paged = pl.pallas_call(copy_kernel, grid_spec=spec, out_shape=array(4, 128))
    arguments = (array(4, dtype="int32"), array(8, 128))
    assert pallas.check(paged, *arguments, scalars=[(0, 15)])
    outside = pallas.check(paged, *arguments, scalars=[(0, 16)])
    assert not outside.calls[0].facts["inside"]
    assert not pallas.check(paged, *arguments).calls[0].facts["inside"]


def test_an_input_that_is_overwritten_before_it_is_read():
    shifted = call(
        (4,), (8,), (2,), lambda i: (i,), inputs=[((2,), lambda i: (3 - i,))], aliases={0: 0}
    )
    assert not pallas.check(shifted, array(8)).calls[0].facts["aliases"]
    in_place = call(
        (4,), (8,), (2,), lambda i: (i,), inputs=[((2,), lambda i: (i,))], aliases={0: 0}
    )
    assert pallas.check(in_place, array(8))


def test_calls_inside_of_functions_and_loops():
    inner = call((4,), (8,), (2,), lambda i: (i,))

    def outer(x):
        y = jax.jit(lambda: inner())()
        return jax.lax.fori_loop(0, 3, lambda _, z: z + inner(), y) + x

    assert len(pallas.check(outer, array(8)).calls) == 2


def test_what_is_no_map():
    with pytest.raises(tp.Error, match="expected a function that calls pallas_call"):
        pallas.check(lambda x: x + 1, array(8))
    with pytest.raises(tp.Error, match="leaves int32"):
        pallas.check(call((4,), (64,), (2,), lambda i: (i * 2**30,)))


# ---- The interpreter of Pallas is the witness ----

FORMS = [
    lambda i, a, b: i,
    lambda i, a, b: i * a,
    lambda i, a, b: i + a,
    lambda i, a, b: (i + a) // b,
    lambda i, a, b: (i * a) % b,
    lambda i, a, b: jax.lax.rem(i - a, b),
    lambda i, a, b: jax.lax.div(i - a, b),
    lambda i, a, b: (i - a) // b,
    lambda i, a, b: (i - a) % b,
    lambda i, a, b: jnp.minimum(i, a),
    lambda i, a, b: jnp.maximum(i - a, 0),
    lambda i, a, b: jnp.where(i < 100, i, a),
    lambda i, a, b: jnp.where((i < 100) & (i >= 0), i, a),
    lambda i, a, b: jax.lax.clamp(0, i - a, b),
    lambda i, a, b: jnp.clip(i - a, 0, b),
    lambda i, a, b: abs(i - a),
    lambda i, a, b: jnp.sign(i - a) + 1,
    lambda i, a, b: (i >> 1) | (i & 1),
    lambda i, a, b: i ^ 1,
    lambda i, a, b: i << 1,
    lambda i, a, b: a - i,
    lambda i, a, b: i * i + a,
    lambda i, a, b: jnp.where(i < a, i, b * i),
    lambda i, a, b: jnp.where((i < a) | (i == b), 1, i),
    lambda i, a, b: jnp.where((i >= a) & ~(i != b), 1, i),
    lambda i, a, b: jnp.where((i > a) ^ (i <= b), i, 0),
    lambda i, a, b: jax.lax.select_n(jnp.minimum(i, 2), a, i, b),
    lambda i, a, b: jax.lax.select(i < a, i // b, 0),
    lambda i, a, b: (i < a).astype(jnp.int32) + i,
]


@pytest.mark.parametrize("seed", range(2 * len(FORMS)))
def test_index_maps_are_what_jax_computes(seed):
    choose = random.Random(seed)
    sizes = [choose.randint(1, 4) for _ in range(2)]
    form, a, b = FORMS[seed // 2], choose.randint(0, 3), choose.randint(1, 4)
    index_map = lambda i, j: (form(i, a, b), form(j, a, b) if seed % 2 else j)  # noqa: E731
    checked = pallas.check(call(tuple(sizes), (64, 64), (1, 1), index_map))
    text = checked.calls[0].grid["operands"][0]["index_map"]
    ours = tp.IndexingMap(text)
    for i in range(sizes[0]):
        for j in range(sizes[1]):
            theirs = [int(one) for one in index_map(jnp.int32(i), jnp.int32(j))]
            assert list(ours(i, j)) == theirs, f"{text} at {i}, {j}"


def random_operand(choose, sizes, scalar):
    """The shape, block and index map of an output, most of whose blocks lie in the array."""
    shape, block, parts = [], [], []
    for _ in range(choose.randint(1, 2)):
        form, a, b = choose.choice(FORMS), choose.randint(0, 3), choose.randint(1, 4)
        of = choose.sample(range(len(sizes)), choose.randint(1, len(sizes)))

        def part(*steps, form=form, a=a, b=b, of=of):
            index = form(sum(steps[k] for k in of), a, b)
            return index % (steps[-1][0] + 1) if scalar is not None and len(of) > 1 else index

        points = [[jnp.int32(step) for step in point] for point in np.ndindex(sizes)]
        values = [int(part(*point, [scalar])) for point in points]
        greatest = max(0, *values)
        kind = choose.choice(["blocks", "blocks", "blocks", "squeezed", "element"])
        size = 1 if kind == "squeezed" else choose.randint(1, 3)
        if kind == "element":  # the interpreter pads no alias, and moves what begins in front of it
            least = min(values)
            shape.append(max(values) - least + size)
            block.append(pl.Element(size))
            part = lambda *steps, part=part, least=least: part(*steps) - least  # noqa: E731
        else:
            shape.append(max((greatest + 1) * size - choose.randint(0, size - 1), 1))
            block.append(None if kind == "squeezed" else size)
        shape[-1] += choose.choice([0, 0, 0, 1, size])
        parts.append(part)
    return shape, block, lambda *steps: tuple(part(*steps) for part in parts)


def random_call(choose):
    """A call whose output `steps` gets the number of the last step that writes an element, counted
    from 1, and `gaps` how often that was neither this step nor the one before it."""
    sizes = tuple(choose.randint(1, 4) for _ in range(choose.randint(1, 3)))
    scalar = choose.choice([None, 0, 1, 2])
    shape, block, index_map = random_operand(choose, sizes, scalar)

    def kernel(*refs):
        steps, gaps = refs[-2:]
        number = 0
        for k, size in enumerate(sizes):
            number = number * size + pl.program_id(k)
        gaps[...] += (steps[...] != 0) & (steps[...] != number)
        steps[...] = jnp.full_like(steps, number + 1)

    spec = pl.BlockSpec(block, index_map if scalar is not None else lambda *s: index_map(*s, None))
    scalars = 0 if scalar is None else 1
    made = pl.pallas_call(
        kernel,
        grid_spec=pltpu.PrefetchScalarGridSpec(
            num_scalar_prefetch=scalars, grid=sizes, in_specs=[spec] * 2, out_specs=[spec] * 2
        ),
        out_shape=[array(*shape, dtype="int32")] * 2,
        input_output_aliases={scalars: 0, scalars + 1: 1},
        interpret=True,
    )
    values = [] if scalar is None else [np.full(1, scalar, np.int32)]
    return made, [*values, *[np.zeros(shape, np.int32)] * 2], [(scalar, scalar)] * scalars


@pytest.mark.parametrize("seed", range(GRIDS))
def test_the_interpreter_writes_what_is_covered(seed):
    made, arguments, scalars = random_call(random.Random(seed))
    checked = pallas.check(made, *arguments, scalars=scalars).calls[0]
    facts = checked.facts
    if not facts["inside"]:  # the interpreter moves a block that is outside
        return
    steps, gaps = (np.asarray(one) for one in made(*arguments))
    assert bool(facts["covered"]) == bool((steps > 0).all()), f"{checked}, {steps}"
    assert bool(facts["once"]) == bool((gaps == 0).all()), f"{checked}, {gaps}"
    if not facts["covered"]:
        assert steps[facts["covered"].at] == 0, f"{checked}, {steps}"
