"""Small JAX programs of many kinds: the real input that Tileproof's HLO corpus is dumped from.

PROGRAMS holds (name, function, arguments) for each; arguments are shapes with types, as nothing is
run. Sizes are small where the structure is what matters, and unequal, so that no two dimensions can
be mistaken for each other. BOUNDED has programs of a size that is known only at run time. The
programs are dumped by make_dumps.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax import export, lax
from jax.sharding import PartitionSpec as P

f32, bf16, s8, s32 = jnp.float32, jnp.bfloat16, jnp.int8, jnp.int32
PROGRAMS = []


def array(*dims, dtype=f32):
    return jax.ShapeDtypeStruct(dims, dtype)


def program(*args):
    def add(function):
        PROGRAMS.append((function.__name__, function, args))
        return function

    return add


def layer_norm(x, scale, bias):
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(variance + 1e-5) * scale + bias


def attend(q, k, v, mask):
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / np.sqrt(q.shape[-1])
    scores = jnp.where(mask, scores, -1e9)
    return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), v)


def conv(x, w, **options):
    return lax.conv_general_dilated(x, w, dimension_numbers=("NHWC", "HWIO", "NHWC"), **options)


# ---- dense networks ----


MLP = {"w1": array(12, 40), "b1": array(40), "w2": array(40, 5), "b2": array(5)}


def mlp_loss(p, x, labels):
    hidden = jax.nn.gelu(x @ p["w1"] + p["b1"])
    logits = jax.nn.log_softmax(hidden @ p["w2"] + p["b2"])
    return -jnp.take_along_axis(logits, labels[:, None], axis=1).mean()


@program(MLP, MLP, array(17, 12), array(17, dtype=s32))
def mlp_train_step(p, momentum, x, labels):
    loss, gradient = jax.value_and_grad(mlp_loss)(p, x, labels)
    momentum = jax.tree.map(lambda m, g: 0.9 * m + g, momentum, gradient)
    return jax.tree.map(lambda w, m: w - 0.01 * m, p, momentum), momentum, loss


@program(array(6, 125))
def softmax(x):
    return jax.nn.softmax(x, axis=-1)


@program(array(9, 33), array(33), array(33))
def layer_norm_gradient(x, scale, bias):
    return jax.grad(lambda *a: jnp.sum(jnp.sin(layer_norm(*a))), argnums=(0, 1, 2))(x, scale, bias)


@program(array(2, 10, 3, 8), array(2, 10, 3, 8), array(2, 10, 3, 8))
def causal_attention(q, k, v):
    mask = jnp.tril(jnp.ones((10, 10), bool))
    return attend(q, k, v, mask)


BLOCK = {"qkv": array(24, 3, 4, 6), "out": array(4, 6, 24), "up": array(24, 96), "down": array(96, 24),
         "scale": array(24), "bias": array(24)}


def block(p, x):
    h = layer_norm(x, p["scale"], p["bias"])
    q, k, v = jnp.moveaxis(jnp.einsum("bte,ecnd->btcnd", h, p["qkv"]), 2, 0)
    mask = jnp.arange(x.shape[1])[:, None] >= jnp.arange(x.shape[1])[None, :]
    x = x + jnp.einsum("btnd,nde->bte", attend(q, k, v, mask), p["out"])
    return x + jax.nn.silu(layer_norm(x, p["scale"], p["bias"]) @ p["up"]) @ p["down"]


@program(BLOCK, array(3, 11, 24))
def transformer_block_gradient(p, x):
    return jax.grad(lambda p: jnp.mean(block(p, x) ** 2))(p)


MODEL = {"table": array(60, 24), "blocks": [BLOCK] * 6}


def model_loss(p, tokens):
    x = p["table"][tokens[:, :-1]]
    for weights in p["blocks"]:
        x = block(weights, x)
    scores = jax.nn.log_softmax(x @ p["table"].T)
    return -jnp.take_along_axis(scores, tokens[:, 1:, None], axis=-1).mean()


@program(MODEL, MODEL, MODEL, array(dtype=s32), array(3, 17, dtype=s32))
def language_model_train_step(p, first, second, step, tokens):
    """Six blocks written out, and Adam: the largest module here."""
    loss, gradient = jax.value_and_grad(model_loss)(p, tokens)
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, gradient)
    second = jax.tree.map(lambda v, g: 0.99 * v + 0.01 * g * g, second, gradient)
    rate = 1e-3 / (1 - 0.9 ** (step + 1.0))
    p = jax.tree.map(lambda w, m, v: w - rate * m / (jnp.sqrt(v) + 1e-8), p, first, second)
    return p, first, second, loss


@program(array(4, 16, dtype=bf16), array(7, 2, 16, dtype=bf16), array(7, 2, 16, dtype=bf16),
         array(dtype=s32))
def decode_with_cache(x, keys, values, step):
    """Rotary positions, and one step of a cache that is written and read by a running position."""
    angle = step * 10000.0 ** (-jnp.arange(8, dtype=f32) / 8)
    even, odd = x[:, 0::2].astype(f32), x[:, 1::2].astype(f32)
    x = jnp.stack([even * jnp.cos(angle) - odd * jnp.sin(angle),
                   even * jnp.sin(angle) + odd * jnp.cos(angle)], -1).reshape(4, 16).astype(bf16)
    keys = lax.dynamic_update_slice(keys, x[None, 0:2], (step, 0, 0))
    values = lax.dynamic_update_slice(values, x[None, 2:4], (step, 0, 0))
    weight = jax.nn.softmax(jnp.einsum("hd,thd->ht", x[:2], keys).astype(f32))
    return keys, values, jnp.einsum("ht,thd->hd", weight.astype(bf16), values)


# ---- convolutions and windows ----


@program(array(2, 15, 17, 3), array(3, 5, 3, 8))
def conv_strided(x, w):
    return jax.nn.relu(conv(x, w, window_strides=(2, 3), padding="SAME"))


@program(array(2, 14, 13, 4), array(3, 2, 4, 6))
def conv_dilated(x, w):
    return conv(x, w, window_strides=(1, 1), padding=((2, 1), (-1, 3)), rhs_dilation=(2, 3))


@program(array(1, 9, 8, 6), array(3, 3, 2, 12))
def conv_grouped(x, w):
    return conv(x, w, window_strides=(1, 2), padding="VALID", feature_group_count=3)


@program(array(2, 6, 5, 4), array(3, 4, 4, 7))
def conv_transposed(x, w):
    return lax.conv_transpose(x, w, (2, 3), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


@program(array(2, 12, 11, 4), array(3, 3, 4, 6), array(3, 3, 2, 9))
def conv_gradients(x, w, grouped):
    """Gradients turn kernels around, dilate, pad below zero, and group batches."""
    def loss(x, w, grouped):
        y = conv(x, w, window_strides=(2, 2), padding="SAME")
        y = conv(y, grouped, window_strides=(1, 1), padding="VALID", feature_group_count=3)
        return jnp.sum(y * y)

    return jax.grad(loss, argnums=(0, 1, 2))(x, w, grouped)


@program(array(3, 5, 21), array(7, 5, 4))
def conv_one_dimensional(x, w):
    return lax.conv_general_dilated(x, w, (2,), [(3, 0)], dimension_numbers=("NCH", "OIH", "NCH"))


@program(array(6, 14, 5), array(4, 5, 9))
def conv_batch_groups(x, w):
    return lax.conv_general_dilated(x, w[:, :, :8], (1,), [(1, 2)], batch_group_count=2,
                                    dimension_numbers=("NHC", "HIO", "NHC"))


@program(array(2, 10, 13, 3))
def pooling(x):
    window, strides = (1, 3, 2, 1), (1, 2, 2, 1)
    largest = lax.reduce_window(x, -jnp.inf, lax.max, window, strides, "SAME")
    mean = lax.reduce_window(x, 0.0, lax.add, window, strides, "VALID", window_dilation=(1, 2, 1, 1))
    smallest = lax.reduce_window(x, jnp.inf, lax.min, (1, 2, 2, 1), (1, 1, 1, 1),
                                 ((0, 0), (1, 0), (0, 2), (0, 0)), base_dilation=(1, 2, 3, 1))
    return largest, mean / 6, smallest


@program(array(2, 10, 12, 3))
def max_pool_gradient(x):
    def loss(x):
        y = lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
        return jnp.sum(y ** 2)

    return jax.grad(loss)(x)


@program(array(5, 31), array(4, 6, 7, dtype=s32))
def cumulative(x, y):
    return jnp.cumsum(x, 1), lax.cummax(y, 2, reverse=True), jnp.cumprod(x, 0)


@program(array(4, 9, 8, 5), array(5), array(5), array(3, 3, 5, 6))
def batch_norm_train_step(x, scale, bias, w):
    def loss(scale, bias, w):
        mean, variance = x.mean((0, 1, 2)), x.var((0, 1, 2))
        y = (x - mean) * lax.rsqrt(variance + 1e-3) * scale + bias
        return jnp.mean(conv(jax.nn.relu(y), w, window_strides=(1, 1), padding="SAME") ** 2), (
            mean, variance)

    return jax.value_and_grad(loss, argnums=(0, 1, 2), has_aux=True)(scale, bias, w)


RESNET = {"stem": array(5, 5, 3, 8), "a": array(3, 3, 8, 8), "b": array(3, 3, 8, 8),
          "wide": array(3, 3, 8, 16), "skip": array(1, 1, 8, 16), "head": array(16, 10)}


@program(RESNET, array(2, 28, 30, 3), array(2, 10))
def residual_network_gradient(p, x, target):
    def loss(p):
        y = jax.nn.relu(conv(x, p["stem"], window_strides=(2, 2), padding="SAME"))
        y = lax.reduce_window(y, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
        z = jax.nn.relu(conv(y, p["a"], window_strides=(1, 1), padding="SAME"))
        y = y + conv(z, p["b"], window_strides=(1, 1), padding="SAME")
        y = conv(y, p["wide"], window_strides=(2, 2), padding="SAME") + conv(
            y, p["skip"], window_strides=(2, 2), padding="SAME")
        return jnp.sum((y.mean((1, 2)) @ p["head"] - target) ** 2)

    return jax.grad(loss)(p)


# ---- recurrent networks, loops, branches ----


LSTM = {"wx": array(6, 4, 10), "wh": array(10, 4, 10), "b": array(4, 10)}


def lstm(p, xs):
    def step(state, x):
        h, c = state
        i, f, g, o = jnp.einsum("be,egh->gbh", x, p["wx"]) + jnp.einsum(
            "bk,kgh->gbh", h, p["wh"]) + p["b"][:, None]
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    start = jnp.zeros((xs.shape[1], 10))
    return lax.scan(step, (start, start), xs)


@program(LSTM, array(8, 3, 6))
def lstm_gradient(p, xs):
    return jax.grad(lambda p: jnp.sum(lstm(p, xs)[1]))(p)


@program(array(7, 5), array(5, 5))
def rnn_backwards(xs, w):
    return lax.scan(lambda h, x: (jnp.tanh(h @ w + x), h), jnp.zeros(5), xs, reverse=True)


@program(array(6, 6), array(dtype=s32), array(6))
def loops_and_branches(a, which, x):
    def power_step(state):
        i, v = state
        v = a @ v
        return i + 1, v / jnp.linalg.norm(v)

    _, v = lax.while_loop(lambda s: s[0] < 20, power_step, (0, x))
    w = lax.switch(which, [lambda v: v[::-1], lambda v: jnp.roll(v, 2), lambda v: -v], v)
    return lax.cond(which > 1, lambda: w + v, lambda: w * v)


@program(array(13, 4))
def associative_scan(x):
    return lax.associative_scan(lambda a, b: a * 0.5 + b, x)


# ---- moving elements ----


@program(array(11, 7, 5), array(6, 2, dtype=s32), array(4, dtype=s32), array(3, 4, dtype=s32))
def gathers(x, pairs, rows, grid):
    """Index vectors of two, rows, a grid of rows, one element per row, and a window each."""
    windows = jax.vmap(lambda start: lax.dynamic_slice(x, (start[0], start[1], 0), (3, 2, 5)))(pairs)
    last = x[pairs[:, 0], pairs[:, 1]]
    each = jnp.take_along_axis(x[:4, :, 0], rows[:, None] % 7, axis=1)
    return windows, last, x[rows], x[:, grid], each


@program(array(11, 7, 5), array(6, 2, dtype=s32), array(6, 5), array(4, dtype=s32), array(4, 7, 5))
def scatters(x, pairs, vectors, rows, planes):
    added = x.at[pairs[:, 0], pairs[:, 1]].add(vectors)
    written = x.at[rows].set(planes, mode="drop", unique_indices=True)
    largest = x.at[:, rows].max(planes[:, 0][None, :, :] * jnp.ones((11, 1, 1)))
    counts = jnp.zeros(9, s32).at[rows].add(1)
    return added, written, largest, counts


@program(array(3, 8, 6), array(3, 4, dtype=s32), array(3, 4, 6))
def batched_gather_and_scatter(x, index, update):
    taken = jax.vmap(lambda a, i: a[i])(x, index)
    put = jax.vmap(lambda a, i, u: a.at[i].add(u))(x, index, update)
    return taken, put


@program(array(50, 9), array(5, 12, dtype=s32), array(9, 4))
def embedding_gradient(table, tokens, w):
    def loss(table):
        return jnp.sum(jax.nn.log_softmax(table[tokens].mean(1) @ w)[:, 0])

    return jax.value_and_grad(loss)(table)


@program(array(6, 19), array(6, 19, dtype=s32))
def sorting(x, y):
    keys, payload = lax.sort((x, y), dimension=1, num_keys=1)
    return keys, payload, jnp.argsort(y, 0), lax.top_k(x, 3), jnp.median(x)


@program(array(9, 8, 7), array(dtype=s32), array(dtype=s32), array(2, 8, 3))
def dynamic_slices(x, i, j, update):
    part = lax.dynamic_slice(x, (i, 0, j), (4, 8, 2))
    middle = lax.dynamic_slice(x, (2, j, i), (3, 1, 7))
    return part, middle, lax.dynamic_update_slice(x, update, (j, 0, i))


@program(array(6, 7, 5), array(), array(4, 7, 5))
def padding_and_pieces(x, fill, y):
    padded = lax.pad(x, fill, ((1, 2, 1), (-1, 3, 0), (0, -2, 2)))
    pieces = lax.slice(x, (1, 0, 2), (6, 7, 5), (2, 3, 1))
    return (padded, pieces, jnp.concatenate([x, y, x[1:3]], 0), x[::-1, :, ::-1], jnp.flip(y, 1),
            jnp.tile(y, (2, 1, 3)), jnp.repeat(x, 3, axis=1), jnp.roll(x, (2, -1), (0, 2)))


@program(array(2, 3, 4, 5, 6))
def reshapes_and_transposes(x):
    a = x.reshape(6, 20, 6).transpose(2, 0, 1)
    b = x.transpose(4, 1, 0, 3, 2).reshape(18, 40)
    c = x.reshape(2, 3, 4, 1, 30).reshape(24, 5, 6)
    return a, b, c, x.reshape(-1), jnp.moveaxis(x, 0, 3)[None, ..., None], x.reshape(9, 16, 5)


@program(array(7, dtype=s32), array(4, 3))
def iotas(labels, x):
    one_hot = jax.nn.one_hot(labels, 10)
    grid = lax.broadcasted_iota(s32, (3, 5, 4), 1)
    where = jnp.where(jnp.arange(12).reshape(4, 3) % 2 == 0, x, -x)
    return one_hot, grid, where, jnp.eye(4, 6), jnp.linspace(0.0, 1.0, 9), jnp.triu(x, 1)


@program(array(8, 12), array(8, 12))
def conversions(x, y):
    words = lax.bitcast_convert_type(x, jnp.uint8)
    halves = lax.bitcast_convert_type(words.reshape(8, 12, 2, 2), jnp.uint16)
    z = lax.complex(x, y)
    return halves, x.astype(bf16), jnp.abs(z), jnp.real(z * z), jnp.clip(x, -1, y), x.view(s32)


# ---- contractions ----


@program(array(4, 5, 6), array(6, 7), array(4, 7, 5), array(5, 4, 8))
def einsums(a, b, c, d):
    return (jnp.einsum("ijk,kl->ijl", a, b), jnp.einsum("ijk,kl,ilj->i", a, b, c),
            jnp.einsum("ijk,jim->imk", a, d), jnp.einsum("iji->ij", jnp.ones((3, 4, 3))),
            jnp.einsum("ijk->", a), jnp.einsum("a,b->ab", b[0], b[:, 0]),
            jnp.einsum("jim,ilj->ml", d, c))


@program(array(9, 16), array(16, 24, dtype=s8), array(24))
def quantised_matmul(x, w, scales):
    limit = jnp.max(jnp.abs(x), axis=1, keepdims=True) / 127.0
    q = jnp.round(x / limit).astype(s8)
    y = lax.dot_general(q, w, (((1,), (0,)), ((), ())), preferred_element_type=s32)
    return y.astype(f32) * limit * scales


@program(array(18, 10), array(10, 4), array(4, 10, 20), array(4, 20, 10))
def mixture_of_experts(x, router, up, down):
    """Each token goes to its two best experts, each of which takes at most 12."""
    weights, experts = lax.top_k(jax.nn.softmax(x @ router), 2)
    chosen = jax.nn.one_hot(experts.reshape(-1), 4, dtype=s32)
    place = jnp.sum((jnp.cumsum(chosen, 0) - 1) * chosen, -1).reshape(18, 2)
    slots = jnp.zeros((4, 12, 10)).at[experts, place].add(x[:, None], mode="drop")
    hidden = jax.nn.relu(jnp.einsum("ecd,edh->ech", slots, up))
    out = jnp.einsum("ech,ehd->ecd", hidden, down)
    taken = out.at[experts, place].get(mode="fill", fill_value=0.0)
    return jnp.sum(taken * weights[..., None] * (place < 12)[..., None], axis=1)


@program(array(30, 8), array(4, 8, 5), array(4, dtype=s32))
def ragged_dot(x, w, sizes):
    return lax.ragged_dot(x, w, sizes)


@program(array(6, 20), array(20))
def variadic_reductions(x, y):
    return (jnp.argmax(x, 1), jnp.argmin(x, 0), jnp.var(x, 1), jax.nn.logsumexp(x, 0),
            jnp.any(x > y), jnp.prod(x), jnp.linalg.norm(x, axis=1))


@program(array(3, dtype=jnp.uint32), array(5, 4))
def random_dropout(seed, x):
    key = jax.random.wrap_key_data(seed[:2])
    return jnp.where(jax.random.bernoulli(key, 0.8, x.shape), x / 0.8, 0.0)


# ---- several devices ----


def on_devices(function, inputs, outputs, axes=(("x", 4),)):
    names, sizes = zip(*axes)
    devices = np.array(jax.devices()[:np.prod(sizes)]).reshape(sizes)
    return jax.shard_map(function, mesh=jax.sharding.Mesh(devices, names), in_specs=inputs,
                         out_specs=outputs, check_vma=False)


@program(array(16, 6), array(8, 12))
def collectives(x, y):
    def local(x, y):
        total = lax.psum(x, "x")
        everything = lax.all_gather(x, "x", axis=1, tiled=True)
        share = lax.psum_scatter(y, "x", scatter_dimension=1, tiled=True)
        exchanged = lax.all_to_all(y, "x", 1, 0, tiled=True)
        ring = lax.ppermute(x, "x", [(i, (i + 1) % 4) for i in range(4)])
        largest = lax.pmax(y, "x") + lax.axis_index("x")
        return total, everything, share, exchanged, ring, largest

    return on_devices(local, (P("x"), P("x")), (P(), P("x"), P("x"), P("x"), P("x"), P("x")))(x, y)


@program(array(8, 12), array(12, 10))
def matmul_on_a_mesh(x, w):
    def local(x, w):
        return lax.psum(x @ w, "model")

    return on_devices(local, (P("data", "model"), P("model", None)), P("data", None),
                      (("data", 2), ("model", 4)))(x, w)


@program(array(4, 6, 3), array(3, 5))
def data_parallel_gradient(x, w):
    def local(x, w):
        gradient = jax.grad(lambda w: jnp.sum(jnp.tanh(x @ w) ** 2))(w)
        return w - 0.1 * lax.pmean(gradient, "x")

    return on_devices(local, (P("x"), P()), P())(x, w)


# ---- loops, spectra, factorizations, narrow types, eight devices ----

BLOCK = {"qkv": array(4, 12, 36), "out": array(4, 12, 12), "up": array(4, 12, 20),
         "down": array(4, 20, 12), "scale": array(4, 12), "bias": array(4, 12)}


def scanned_block(x, p):
    y = layer_norm(x, p["scale"], p["bias"])
    q, k, v = (a.reshape(*x.shape[:2], 3, 4) for a in jnp.split(y @ p["qkv"], 3, axis=-1))
    mask = jnp.tril(jnp.ones((x.shape[1], x.shape[1]), bool))
    x = x + attend(q, k, v, mask).reshape(x.shape) @ p["out"]
    return x + jax.nn.gelu(x @ p["up"]) @ p["down"], x.mean()


@program(BLOCK, array(2, 7, 12))
def scan_over_blocks(p, x):
    return lax.scan(scanned_block, x, p)


@program(BLOCK, array(2, 7, 12))
def scan_over_blocks_gradient(p, x):
    return jax.grad(lambda p: lax.scan(jax.checkpoint(scanned_block), x, p)[0].sum())(p)


@program(array(9, 5), array(9, 5))
def linear_recurrence(a, b):
    def join(left, right):
        return left[0] * right[0], left[1] * right[0] + right[1]

    return lax.associative_scan(join, (a, b), reverse=True)


@program(array(23, 4), array(23, dtype=s32))
def segment_reductions(x, segments):
    return (jax.ops.segment_sum(x, segments, 6), jax.ops.segment_max(x, segments, 6),
            jax.ops.segment_prod(x[:, 0], segments, 6, indices_are_sorted=True))


@program(array(11, 6), array(5, 4, dtype=s32), array(5, dtype=s32))
def ragged_gather_with_fill(table, rows, lengths):
    valid = jnp.arange(4)[None, :] < lengths[:, None]
    taken = jnp.take(table, jnp.where(valid, rows, 11), axis=0, mode="fill", fill_value=-1.0)
    return taken.sum(1), jnp.take_along_axis(table, rows[:, :1] % 11, axis=0, mode="clip")


@program(array(3, 16), array(6, 10))
def spectra(x, y):
    wave = jnp.fft.rfft(x)
    filtered = jnp.fft.irfft(wave * jnp.exp(-jnp.arange(9.0)), n=16)
    return filtered, jnp.abs(jnp.fft.fftshift(jnp.fft.fft2(y)))


@program(array(2, 5, 5), array(2, 5, 3))
def cholesky_solve(a, b):
    factor = jnp.linalg.cholesky(a @ a.swapaxes(1, 2) + jnp.eye(5))
    return jax.scipy.linalg.solve_triangular(factor, b, lower=True), jnp.diagonal(factor, 0, 1, 2)


@program(array(4, 3, dtype=jnp.complex64), array(3, 5, dtype=jnp.complex64))
def complex_products(x, y):
    z = x @ y
    return z.real - z.imag, jnp.conj(z).T, lax.complex(z.imag, z.real)[::-1]


@program(array(6, 16, dtype=jnp.int4), array(16, 10, dtype=jnp.int4), array(10))
def int4_matmul(x, w, scales):
    wide = x.astype(s8), w.astype(s8)
    product = lax.dot_general(*wide, (((1,), (0,)), ((), ())), preferred_element_type=s32)
    packed = jnp.concatenate([x[:, :4], x[:, 12:]], axis=1)
    return product.astype(f32) * scales, packed


@program(array(2, dtype=jnp.uint32), array(13, dtype=s32))
def random_numbers(seed, weights):
    key = jax.random.wrap_key_data(seed)
    first, second, third = jax.random.split(key, 3)
    return (jax.random.normal(first, (4, 3)), jax.random.permutation(second, weights),
            jax.random.categorical(third, weights.astype(f32), shape=(5,)))


def blocked(q, k, v, size):
    """Attention of a query against blocks of keys, with a running maximum and sum."""
    def step(state, kv):
        high, total, out = state
        scores = q @ kv[0].T
        higher = jnp.maximum(high, scores.max(-1))
        weights = jnp.exp(scores - higher[:, None])
        shrink = jnp.exp(high - higher)
        return (higher, total * shrink + weights.sum(-1), out * shrink[:, None] + weights @ kv[1]), None

    blocks = k.reshape(-1, size, k.shape[1]), v.reshape(-1, size, v.shape[1])
    start = jnp.full(q.shape[0], -1e9), jnp.zeros(q.shape[0]), jnp.zeros((q.shape[0], v.shape[1]))
    (_, total, out), _ = lax.scan(step, start, blocks)
    return out / total[:, None]


@jax.custom_vjp
def blocked_attention(q, k, v):
    return blocked(q, k, v, 4)


def blocked_backward(saved, g):
    q, k, v = saved
    weights = jax.nn.softmax(q @ k.T, axis=-1)
    scores = weights * (g @ v.T - ((g @ v.T) * weights).sum(-1, keepdims=True))
    return scores @ k, scores.T @ q, weights.T @ g


blocked_attention.defvjp(lambda q, k, v: (blocked(q, k, v, 4), (q, k, v)), blocked_backward)


@program(array(6, 5), array(12, 5), array(12, 3))
def blocked_attention_gradient(q, k, v):
    return jax.value_and_grad(lambda *a: blocked_attention(*a).sum(), argnums=(0, 1, 2))(q, k, v)


@program(array(10, 4), array(6, 4))
def running_window(x, state):
    """A buffer that a counted loop fills, row after row."""
    def body(i, buffer):
        return lax.dynamic_update_slice(buffer, (2 * x[i])[None], (i, 0))

    return lax.fori_loop(0, 6, body, state), lax.fori_loop(2, 5, body, state)


@program(array(5, 8, 3), array(8, 8))
def stacked_rollout(x, w):
    """Two outputs for each step, one from the state before it and one from the input alone."""
    def step(h, row):
        return jnp.sin(w @ h), (h[::-1], row * 2)

    return lax.scan(step, jnp.ones((8, 3)), x)


@program(array(6, 4), array(4))
def carried_forward(xs, start):
    return lax.scan(lambda c, x: (x, c), start, xs)


@program(array(7, 3), array(3, 3))
def map_and_vmap(xs, w):
    return lax.map(lambda x: jnp.cumsum(x @ w), xs), jax.vmap(jnp.outer)(xs, xs)


@program(array(5), array(dtype=s32))
def newton_until(x, steps):
    def go_on(state):
        return (state[1] > 1e-3) & (state[0] < steps)

    def step(state):
        i, _, x = state
        y = x - 0.5 * (x - jnp.sin(x))
        return i + 1, jnp.abs(y - x).max(), y

    return lax.while_loop(go_on, step, (0, jnp.inf, x))


@program(array(4, 6), array(dtype=s32), array(dtype=jnp.bool_))
def nested_branches(x, which, flag):
    inner = lambda x: lax.cond(flag, lambda x: x[::-1], lambda x: x * 2, x)
    return lax.switch(which, [inner, lambda x: x[:, ::-1], lambda x: jnp.roll(x, 1, 0)], x)


@program(array(3, 4, 5))
def nested_loops(x):
    def row(total, plane):
        return lax.scan(lambda c, r: (c + r, c * r), total, plane)

    return lax.scan(row, jnp.zeros(5), x)


@program(array(9, 9), array(9, dtype=s32))
def masks(x, positions):
    one_hot = jax.nn.one_hot(positions, 12)
    return jnp.tril(x), jnp.triu(x, 2), one_hot.T @ x, jnp.where(jnp.eye(9, dtype=bool), 0.0, x)


@program(array(16, 8), array(8, 24))
def eight_devices(x, w):
    def local(x, w):
        gathered = lax.all_gather(x, "d", axis=0, tiled=True)
        product = gathered @ w
        swapped = lax.all_to_all(product, "d", 0, 1, tiled=True)
        shifted = lax.ppermute(swapped, "d", [(i, (i + 3) % 8) for i in range(8)])
        return lax.psum_scatter(shifted.T, "d", scatter_dimension=0, tiled=True), lax.psum(x, "d")

    return on_devices(local, (P("d"), P(None, "d")), (P("d"), P()), (("d", 8),))(x, w)


@program(array(8, 6, 4), array(4, 4))
def pipeline_of_stages(x, w):
    """Each device passes its block to the next, eight times round."""
    def local(x, w):
        def stage(i, x):
            return lax.ppermute(jnp.tanh(x @ w), "d", [(j, (j + 1) % 8) for j in range(8)])

        return lax.fori_loop(0, 8, stage, x)

    return on_devices(local, (P("d"), P()), P("d"), (("d", 8),))(x, w)


@program(array(12, 4, dtype=bf16), array(12, 4, dtype=jnp.float8_e4m3fn), array(3, 4, dtype=s8))
def narrow_floats(x, y, z):
    scaled = x * y.astype(bf16)
    return scaled.reshape(4, 3, 4).max(1), lax.bitcast_convert_type(x, jnp.int16), z.astype(f32).sum(0)


@program(array(2, 9, 4), array(3, 4, 5))
def depthwise_recurrence(x, w):
    """A causal convolution, then a recurrence along time."""
    padded = jnp.pad(x, ((0, 0), (2, 0), (0, 0)))
    mixed = sum(padded[:, t:t + 9] @ w[t] for t in range(3))
    step = lambda h, u: (0.9 * h + u, h)
    return lax.scan(step, jnp.zeros((2, 5)), mixed.swapaxes(0, 1))[1].swapaxes(0, 1)


# ---- a size that is known only at run time ----
#
# jax.export leaves the size open, and dump.py gives it MOST_ROWS as its bound. What JAX broadcasts to
# an open size (a bias, a constant, a mask) XLA cannot read with a bound, so these have none.

MOST_ROWS = 8
BOUNDED = []
ROWS, = export.symbolic_shape("rows")


def bounded(*args):
    def add(function):
        BOUNDED.append((function.__name__, function, args))
        return function

    return add


@bounded(array(ROWS, 6), array(6, 4), array(ROWS, 6), array(dtype=jnp.bool_))
def bounded_layers(x, w, y, flag):
    hidden = jnp.tanh(x @ w) @ w.T
    halves = hidden.reshape(hidden.shape[0], 2, 3).transpose(1, 0, 2)
    chosen = lax.cond(flag, lambda: jnp.maximum(x, lax.rev(y, (1,))), lambda: x * y)
    return halves, jnp.where(x > y, chosen, hidden), jnp.concatenate([x, hidden], 1), w.T @ (x.T @ y).T


@bounded(array(ROWS, 5), array(7, 5), array(ROWS, 7), array(dtype=s32))
def bounded_table(x, keys, y, column):
    scores = jnp.einsum("ij,kj->ik", x, keys) - jnp.exp(y)
    written = lax.dynamic_update_slice(scores, x.astype(bf16).astype(f32), (0, column))
    return lax.sort(written, dimension=1), jnp.cumsum(y, 1), scores.sum(1), scores.max(0)


@bounded(array(ROWS, 4), array(4, 4), array(3, 4, 4))
def bounded_loops(x, w, layers):
    step = lambda x, layer: (jnp.tanh(x @ layer), None)
    return lax.fori_loop(0, 5, lambda i, x: jnp.sin(x @ w), x), lax.scan(step, x, layers)[0]
