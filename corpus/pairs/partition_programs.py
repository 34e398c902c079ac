#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Functions of JAX, whole and as XLA partitions them over 2 to 8 devices of the host: the files of partitioned.tar.xz.

    partition_programs.py DIR

For each function: DIR/NAME.left.mlir, the StableHLO that JAX lowers, and DIR/NAME.right.hlo, the module of one device as
the partitioner left it. Made with jax 0.10.2.
"""
import glob
import os
import re
import shutil
import sys
import tempfile

DUMP = tempfile.mkdtemp()
os.environ['XLA_FLAGS'] = (f'--xla_force_host_platform_device_count=8 --xla_dump_to={DUMP} --xla_dump_hlo_as_text '
                           '--xla_dump_hlo_pass_re=spmd-partitioning --xla_dump_large_constants')

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
from jax import lax  # noqa: E402
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P  # noqa: E402


def mesh(**axes):
    return jax.make_mesh(tuple(axes.values()), tuple(axes), axis_types=(AxisType.Auto,) * len(axes))


PROGRAMS = {}
X8, X4, X2 = {'x': 8}, {'x': 4}, {'x': 2}
XY = {'x': 4, 'y': 2}
CUBE = {'x': 2, 'y': 2, 'z': 2}
F, I = jnp.float32, jnp.int32


def program(axes, *arguments, out=None):
    """A function whose arguments are (shape, axes of each dimension[, element type]); `out` the same for its results."""
    def add(function):
        PROGRAMS[function.__name__] = (function, axes, arguments, out)
        return function
    return add


def manual(axes, *arguments, ins, outs, check=True, names=frozenset()):
    """The body of a shard_map over the axes of these names, or all."""
    def add(function):
        def whole(*xs):
            return jax.shard_map(function, mesh=mesh(**axes), in_specs=tuple(P(*i) for i in ins),
                                 out_specs=P(*outs), check_vma=check, axis_names=names)(*xs)
        whole.__name__ = function.__name__
        PROGRAMS[function.__name__] = (whole, axes, [(shape, None, *rest) for shape, *rest in arguments], None)
        return function
    return add


# ---- Sharded arrays: the partitioner inserts what devices exchange ----

@program(X4, ((8, 4), ('x', None)), ((4, 6), (None, None)), out=('x', None))
def rows_of_a_product(a, b):
    return a @ b


@program(X4, ((6, 8), (None, 'x')), ((8, 4), ('x', None)), out=(None, None))
def contracted_product(a, b):
    return a @ b


@program(X8, ((6, 8), (None, 'x')), ((8, 8), ('x', None)), out=('x', None))
def contracted_and_scattered(a, b):
    return a @ b


@program(XY, ((8, 4), ('x', 'y')), ((4, 6), ('y', None)), out=('x', None))
def product_on_two_axes(a, b):
    return a @ b


@program(XY, ((8, 4), ('x', None)), ((4, 6), (None, 'y')), out=('x', 'y'))
def outer_product_blocks(a, b):
    return a @ b


@program(X4, ((4, 3, 5), ('x', None, None)), ((4, 5, 2), ('x', None, None)), out=('x', None, None))
def batched_product(a, b):
    return jnp.einsum('bij,bjk->bik', a, b)


@program(XY, ((8, 4), ('x', None)), ((4, 8), (None, 'y')), ((8, 4), ('y', None)), out=('x', None))
def two_layers(x, w, v):
    return jnp.maximum(x @ w, 0) @ v


@program(X4, ((8, 4), (None, 'x')), out=('x', None))
def rows_from_columns(x):
    return x * 2


@program(XY, ((8, 4), ('x', 'y')), out=('y', 'x'))
def axes_exchanged(x):
    return x + 1


@program(X4, ((8, 6), ('x', None)), out=(None, 'x'))
def transposed_and_gathered(x):
    return jnp.pad(x, ((0, 0), (1, 1)))


@program(X4, ((8, 3), ('x', None)), out=('x', None))
def rolled(x):
    return jnp.roll(x, 1, axis=0)


@program(X4, ((8, 3), ('x', None)), out=('x', None))
def rolled_back_by_three(x):
    return jnp.roll(x, -3, axis=0)


@program(X4, ((8,), ('x',)), out=('x',))
def reversed_in_parts(x):
    return x[::-1]


@program(X4, ((1, 16, 2), (None, 'x', None)), ((3, 2, 2), (None, None, None)), out=(None, 'x', None))
def halo_convolution(x, k):
    return lax.conv_general_dilated(x, k, (1,), 'SAME', dimension_numbers=('NWC', 'WIO', 'NWC'))


@program(X2, ((1, 8, 8, 2), (None, 'x', None, None)), ((3, 3, 2, 2), (None, None, None, None)), out=(None, 'x', None, None))
def halo_convolution_of_images(x, k):
    return lax.conv_general_dilated(x, k, (1, 1), 'SAME', dimension_numbers=('NHWC', 'HWIO', 'NHWC'))


@program(X4, ((16,), ('x',)), out=('x',))
def differences_of_neighbors(x):
    return x - jnp.concatenate([x[:1], x[:-1]])


@program(X4, ((10,), ('x',)), out=('x',))
def ten_elements_on_four_devices(x):
    return x * x


@program(X4, ((10, 3), ('x', None)), out=(None,))
def sum_of_ten_rows_on_four(x):
    return x.sum(0)


@program(X4, ((10, 3), ('x', None)), out=(None,))
def maximum_of_ten_rows_on_four(x):
    return x.max(0)


@program(X8, ((6, 5), (None, 'x')), ((5, 3), ('x', None)), out=(None, None))
def contracted_over_five_on_eight(a, b):
    return a @ b


@program(X4, ((8, 6), ('x', None)), out=('x', None))
def softmax_of_rows(x):
    return jax.nn.softmax(x, axis=1)


@program(X4, ((4, 8), (None, 'x')), out=(None, 'x'))
def softmax_over_devices(x):
    return jax.nn.softmax(x, axis=1)


@program(X4, ((4, 8), (None, 'x')), out=(None, None))
def sums_of_prefixes(x):
    return jnp.cumsum(x, axis=1)


@program(XY, ((8, 6), ('x', None)), out=(None, None))
def replicated_over_an_axis(x):
    return (x * x).sum(1, keepdims=True) + x


@program(CUBE, ((4, 4, 4), ('x', 'y', 'z')), out=('z', None, 'x'))
def three_axes(x):
    return x * 3


@program(XY, ((8, 4), (('x', 'y'), None)), out=(('y', 'x'), None))
def order_of_axes(x):
    return -x


@program(X4, ((8, 4), ('x', None)), ((3,), (None,), I), out=(None, None))
def rows_looked_up(table, indices):
    return table[indices]


@program(X4, ((8, 4), ('x', None)), ((2, 4), (None, None)), ((), (), I), out=('x', None))
def rows_written(x, new, at):
    return lax.dynamic_update_slice(x, new, (jnp.clip(at, 0, 6), 0))


@program(X4, ((8, 3), ('x', None)), ((8,), ('x',)), ((3,), (None,)), out=(None,))
def gradient_of_a_batch(x, y, w):
    return w - 0.1 * jax.grad(lambda w: ((x @ w - y) ** 2).sum())(w)


@program(XY, ((4, 6, 8), ('x', None, None)), ((8, 2, 4), (None, 'y', None)), ((2, 4, 8), ('y', None, None)), out=('x', None, None))
def heads_on_devices(x, w, v):
    h = jnp.einsum('bsd,dhk->bhsk', x, w)
    p = jnp.einsum('bhsk,bhtk->bhst', h, h)
    return jnp.einsum('bhst,bhtk,hkd->bsd', p, h, v)


# ---- shard_map: the program says what devices exchange ----

@manual(X4, ((8, 4),), ((4, 6),), ins=[(None, 'x'), ('x',)], outs=())
def sum_of_products(a, b):
    return lax.psum(a @ b, 'x')


@manual(X8, ((8, 3),), ins=[('x',)], outs=('x',))
def ring_shift(x):
    return lax.ppermute(x, 'x', [(i, (i + 1) % 8) for i in range(8)])


@manual(X8, ((8, 3),), ins=[('x',)], outs=('x',))
def shift_with_zeros(x):
    return lax.ppermute(x, 'x', [(i, i + 1) for i in range(7)])


@manual(X4, ((8, 2),), ((8, 2),), ((8, 2),), ins=[('x',)] * 3, outs=('x',))
def ring_attention(q, k, v):
    ring = [(i, (i + 1) % 4) for i in range(4)]
    total = jnp.zeros_like(q)
    for _ in range(4):
        total = total + (q @ k.T) @ v
        k, v = lax.ppermute(k, 'x', ring), lax.ppermute(v, 'x', ring)
    return total


@manual(X4, ((8, 3),), ((4, 3),), ins=[(None, None), ('x',)], outs=(None, None), check=False)
def pipeline(x, w):
    stage = lax.axis_index('x')
    carried = jnp.zeros((2, 3))
    results = jnp.zeros((8, 3))
    for step in range(7):
        fed = x[2 * step:2 * step + 2] if step < 4 else jnp.zeros((2, 3))
        carried = jnp.where(stage == 0, fed, carried) * w
        if step >= 3:
            results = results.at[2 * (step - 3):2 * (step - 3) + 2].set(carried)
        carried = lax.ppermute(carried, 'x', [(i, i + 1) for i in range(3)])
    return lax.psum(jnp.where(stage == 3, results, 0), 'x')


@manual(X4, ((16, 2),), ((4, 2, 2),), ins=[('x',), ('x',)], outs=('x',))
def experts(tokens, w):
    sent = lax.all_to_all(tokens.reshape(4, 1, 2), 'x', 0, 0, tiled=False)
    done = jnp.einsum('esd,df->esf', sent, w[0])
    return lax.all_to_all(done, 'x', 0, 0, tiled=False).reshape(4, 2)


@manual(X4, ((8, 4),), ins=[('x',)], outs=(None, 'x'))
def all_to_all_of_blocks(x):
    return lax.all_to_all(x, 'x', 1, 0, tiled=True)


@manual(X4, ((8, 3),), ((3, 4),), ((4,),), ins=[('x',), (None, None), ('x',)], outs=('x',))
def reduce_scatter_step(x, w, old):
    g = (x @ w).sum(0)
    return old - lax.psum_scatter(g, 'x', tiled=True)


@manual(XY, ((8, 4),), ((4, 6),), ins=[('x', 'y'), ('y',)], outs=('x',))
def product_of_a_mesh(a, b):
    return lax.psum(a @ b, 'y')


@manual(XY, ((8, 4),), ins=[('x', 'y')], outs=(('y', 'x'),))
def gathered_and_cut(x):
    rows = lax.all_gather(x, 'y', axis=1, tiled=True)
    n = lax.axis_index('y')
    mine = lax.dynamic_slice(rows, (n, 0), (1, 4))
    return mine


@manual(X4, ((8, 2),), ins=[('x',)], outs=('x',))
def index_of_a_device(x):
    return x + lax.axis_index('x').astype(F)


@manual(X4, ((8, 2),), ins=[('x',)], outs=())
def maximum_of_all(x):
    return lax.pmax(x.max(0), 'x')


def named(axes, spec):
    return NamedSharding(mesh(**axes), P(*spec))


@manual(XY, ((8, 4),), ins=[('x',)], outs=('x',), names={'x'})
def manual_along_one_axis(x):
    return lax.ppermute(x * 3, 'x', [(i, (i + 1) % 4) for i in range(4)])


@program(XY, ((8, 4), ('x', 'y')), out=('x', 'y'))
def manual_within_manual(x):
    def outer(x):
        x = lax.ppermute(x, 'x', [(0, 1), (1, 0), (2, 3), (3, 2)])
        cut = P(None, 'y')
        return 2 * jax.shard_map(lambda y: y - lax.psum(y, 'y'), in_specs=cut, out_specs=cut, axis_names={'y'})(x)
    return jax.shard_map(outer, mesh=mesh(**XY), in_specs=P('x'), out_specs=P('x'), axis_names={'x'})(x)

# ---- Of real sizes ----

DT = {'d': 4, 't': 2}


@program(DT, ((16, 128, 64), ('d', None, None)), ((64, 4, 16), (None, 't', None)), ((4, 16, 64), ('t', None, None)),
         out=('d', None, None))
def causal_attention_by_heads(x, w, v):
    q = jnp.einsum('bsd,dhk->bhsk', x, w)
    scores = jnp.einsum('bhqk,bhsk->bhqs', q, q) / 4.0
    scores = jnp.where(jnp.tril(jnp.ones((128, 128), bool)), scores, -1e9)
    heads = jnp.einsum('bhqs,bhsk->bhqk', jax.nn.softmax(scores, -1), q)
    return jnp.einsum('bhqk,hkd->bqd', heads, v) + x


@program(DT, ((16, 128, 64), ('d', None, None)), ((64, 256), ('d', 't')), ((256, 64), ('t', 'd')), out=('d', None, None))
def layer_of_gathered_weights(x, w, v):
    return x + jax.nn.gelu(x @ w) @ v


@program(DT, ((16, 32, 64), ('d', None, None)), ((64, 512), (None, 't')), ((16, 32), ('d', None), I), out=())
def cross_entropy_of_cut_words(x, w, y):
    return -jnp.take_along_axis(jax.nn.log_softmax(x @ w, -1), y[..., None], -1).mean()


@program(X8, ((1024, 32), ('x', None)), ((1024,), ('x',), I), out=(None, None))
def sums_of_segments(x, s):
    return jax.ops.segment_sum(x, s, num_segments=16)


@program(X8, ((1024, 32), ('x', None)), ((64,), (None,), I), ((64, 32), (None, None)), out=('x', None))
def rows_set(x, i, u):
    return x.at[i].set(u)


@program(XY, ((8, 64, 64, 16), ('x', 'y', None, None)), ((3, 3, 16, 32), (None,) * 4), out=('x', 'y', None, None))
def convolution_of_cut_images(x, k):
    return lax.conv_general_dilated(x, k, (1, 1), 'SAME', dimension_numbers=('NHWC', 'HWIO', 'NHWC'))


@program(XY, ((8, 64, 64, 16), ('x', 'y', None, None)), ((3, 3, 16, 32), (None,) * 4), out=('x', 'y', None, None))
def every_other_window_of_cut_images(x, k):
    return lax.conv_general_dilated(x, k, (2, 2), 'SAME', dimension_numbers=('NHWC', 'HWIO', 'NHWC'))


@program(X8, ((64, 4096), (None, 'x')), out=(None,))
def index_of_the_greatest_cut_word(x):
    return jnp.argmax(x, -1)


@program(X8, ((32, 64, 64, 16), ('x', None, None, None)), ((32, 64, 64, 32), ('x', None, None, None)), out=(None,) * 4)
def gradient_of_a_filter(x, g):
    def product(k):
        return jnp.vdot(lax.conv_general_dilated(x, k, (1, 1), 'SAME', dimension_numbers=('NHWC', 'HWIO', 'NHWC')), g)
    return jax.grad(product)(jnp.zeros((3, 3, 16, 32)))


@program(XY, ((16, 64, 128), ('x', None, None)), ((8, 128, 64), ('y', None, None)), ((128, 8), (None, None)),
         out=('x', None, None))
def weighted_experts(x, w, g):
    return jnp.einsum('bsef,bse->bsf', jnp.einsum('bsd,edf->bsef', x, w), jax.nn.softmax(x @ g, -1))


@program(X8, ((16, 256, 64), ('x', None, None)), ((64, 64), (None, None)), out=(None, None))
def gradients_added_in_a_loop(x, w):
    def loss(w, batch):
        return jnp.sum(jnp.tanh(batch @ w) ** 2)

    def step(total, i):
        return total + jax.grad(loss)(w, lax.dynamic_slice_in_dim(x, i * 64, 64, 1)), None
    return lax.scan(step, jnp.zeros_like(w), jnp.arange(4))[0]


@program(DT, ((64, 256), ('d', 't')), out=('d', 't'))
def gradient_clipped_by_its_norm(g):
    return g * jnp.minimum(1.0, 1.0 / jnp.sqrt(jnp.sum(g * g)))


def without_notes(text):
    text = re.sub(r', metadata=\{[^}]*\}', '', text)
    return re.sub(r'\nFileNames\n.*?\n\n\n', '\n', text, flags=re.S)


def make(name, folder):
    function, axes, arguments, out = PROGRAMS[name]
    arrays = [jax.ShapeDtypeStruct(shape, rest[0] if rest else F) for shape, _, *rest in arguments]
    # A size that does not divide is cut inside: JAX divides no argument so.
    ins = [None if spec is None or ragged(axes, shape, spec) else named(axes, spec) for shape, spec, *_ in arguments]
    constraints = [named(axes, spec) if spec is not None and ragged(axes, shape, spec) else None
                   for shape, spec, *_ in arguments]

    def constrained(*xs):
        xs = [x if c is None else lax.with_sharding_constraint(x, c) for x, c in zip(xs, constraints)]
        return function(*xs)
    constrained.__name__ = name
    result = jax.eval_shape(function, *arrays)
    outs = None if out is None or ragged(axes, result.shape, out) else named(axes, out)
    where = {} if all(i is None for i in ins) and outs is None and not any(constraints) else \
        {'in_shardings': tuple(i if i is not None else named(axes, ()) for i in ins)}
    if where and outs is not None:
        where['out_shardings'] = outs
    for old in glob.glob(os.path.join(DUMP, '*')):
        if os.path.isfile(old):
            os.remove(old)
    lowered = jax.jit(constrained, **where).lower(*arrays)
    lowered.compile()
    after, = glob.glob(os.path.join(DUMP, f'*jit_{name}.*after_spmd-partitioning*.txt'))
    with open(after) as file:
        partitioned = without_notes(file.read())
    for end, text in (('left.mlir', lowered.as_text()), ('right.hlo', partitioned)):
        with open(os.path.join(folder, f'{name}.{end}'), 'w') as file:
            file.write(text)


def ragged(axes, shape, spec):
    def parts(cut):
        names = cut if isinstance(cut, tuple) else () if cut is None else (cut,)
        count = 1
        for axis in names:
            count *= axes[axis]
        return count
    return any(size % parts(cut) for size, cut in zip(shape, spec))


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    for name in PROGRAMS:
        make(name, folder)
    shutil.rmtree(DUMP)
    print(len(PROGRAMS), 'functions')


main()
