#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs of JAX as it lowers them and as XLA's CPU compiler leaves them: the files of compiled.tar.xz.

    compile_programs.py DIR [NAME ..]

For each program: DIR/NAME.left.hlo, the module that JAX hands to XLA, and DIR/NAME.right.hlo, the module that XLA runs.
Made with jax 0.10.2.
"""
import os
import re
import sys

import jax
import jax.numpy as jnp
from jax import lax

F, I, BF, U8, S8 = jnp.float32, jnp.int32, jnp.bfloat16, jnp.uint8, jnp.int8
PROGRAMS = {}


def program(*arguments):
    """A function of arguments that are trees of (shape..) or (shape.., element type)."""
    def add(function):
        PROGRAMS[function.__name__] = (function, arguments)
        return function
    return add


def array(*shape):
    kind = F
    if shape and not isinstance(shape[-1], int):
        *shape, kind = shape
    return jax.ShapeDtypeStruct(tuple(shape), kind)


def norm(x, g, b):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(((x - mean) ** 2).mean(-1, keepdims=True) + 1e-5) * g + b


def heads(x, n):
    return x.reshape(*x.shape[:-1], n, -1).swapaxes(-3, -2)


def attend(q, k, v, masked=True):
    s = jnp.einsum('...qd,...kd->...qk', q, k) / jnp.sqrt(jnp.float32(q.shape[-1]))
    if masked:
        s = jnp.where(jnp.tril(jnp.ones(s.shape[-2:], bool)), s, -1e9)
    return jnp.einsum('...qk,...kd->...qd', jax.nn.softmax(s), v)


def block(x, w):
    y = norm(x, w['g1'], w['b1'])
    q, k, v = (heads(part, 2) for part in jnp.split(y @ w['qkv'], 3, axis=-1))
    x = x + attend(q, k, v).swapaxes(-3, -2).reshape(x.shape) @ w['out']
    return x + jax.nn.gelu(norm(x, w['g2'], w['b2']) @ w['up']) @ w['down']


def layers(n, d, f):
    return {'g1': array(n, d), 'b1': array(n, d), 'g2': array(n, d), 'b2': array(n, d), 'qkv': array(n, d, 3 * d),
            'out': array(n, d, d), 'up': array(n, d, f), 'down': array(n, f, d)}


@program(layers(2, 4, 6), array(2, 3, 4))
def transformer(w, x):
    """Value and gradient, a scan over the layers, each computed again backwards."""
    def loss(w):
        y, _ = lax.scan(lambda x, w: (jax.checkpoint(block)(x, w), None), x, w)
        return (y ** 2).mean()
    return jax.value_and_grad(loss)(w)


@program(array(8, 4), array(8, 4), array(8, 4))
def flash(q, k, v):
    """Attention in blocks of queries and of keys, with running maximum and sum: nested loops."""
    def of_queries(_, i):
        qs = lax.dynamic_slice(q, (i * 4, 0), (4, 4))

        def of_keys(j, state):
            m, l, acc = state
            ks, vs = (lax.dynamic_slice(a, (j * 2, 0), (2, 4)) for a in (k, v))
            s = qs @ ks.T * 0.5
            new = jnp.maximum(m, s.max(1))
            p, old = jnp.exp(s - new[:, None]), jnp.exp(m - new)
            return new, l * old + p.sum(1), acc * old[:, None] + p @ vs
        m, l, acc = lax.fori_loop(0, 4, of_keys, (jnp.full(4, -jnp.inf), jnp.zeros(4), jnp.zeros((4, 4))))
        return None, acc / l[:, None]
    return lax.scan(of_queries, None, jnp.arange(2))[1].reshape(8, 4)


CONVNET = {'a': array(3, 3, 2, 4), 'ga': array(4), 'ba': array(4), 'b': array(3, 3, 4, 4), 'w': array(16, 3), 'c': array(3)}


@program(CONVNET, CONVNET, array(2, 8, 8, 2), array(2, I))
def convnet(w, momentum, x, labels):
    """A training step: convolutions, batch norm, max pool, cross entropy, momentum."""
    def conv(x, k, stride):
        return lax.conv_general_dilated(x, k, (stride, stride), 'SAME', dimension_numbers=('NHWC', 'HWIO', 'NHWC'))

    def loss(w):
        y = conv(x, w['a'], 1)
        mean, var = y.mean((0, 1, 2)), y.var((0, 1, 2))
        y = jax.nn.relu((y - mean) * lax.rsqrt(var + 1e-5) * w['ga'] + w['ba'])
        y = lax.reduce_window(y, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), 'VALID')
        y = jax.nn.relu(conv(y, w['b'], 2))
        y = y.reshape(2, -1) @ w['w'] + w['c']
        return -jnp.take_along_axis(jax.nn.log_softmax(y), labels[:, None], 1).mean()
    value, g = jax.value_and_grad(loss)(w)
    momentum = jax.tree.map(lambda m, g: 0.9 * m + g, momentum, g)
    return value, jax.tree.map(lambda w, m: w - 0.01 * m, w, momentum), momentum


@program(array(6, 4), array(4, 3), array(3, 4, 5), array(3, 5, 4))
def moe(x, gate, up, down):
    """Experts of a capacity: the two best of three for each token, by one-hot products."""
    p = jax.nn.softmax(x @ gate)
    weights, experts = lax.top_k(p, 2)
    chosen = jax.nn.one_hot(experts, 3)
    place = jnp.cumsum(chosen.reshape(-1, 3), 0).reshape(chosen.shape) * chosen - 1
    slots = jax.nn.one_hot(place.astype(I), 4) * chosen[..., None]
    inputs = jnp.einsum('tkec,td->ecd', slots, x)
    outputs = jnp.einsum('ecf,efd->ecd', jax.nn.silu(jnp.einsum('ecd,edf->ecf', inputs, up)), down)
    return jnp.einsum('tkec,tk,ecd->td', slots, weights, outputs), chosen.sum((0, 1))


@program(array(4, 6), array(4, 6))
def numerics(x, y):
    return (jax.nn.gelu(x, approximate=False), jax.nn.softplus(x), jnp.logaddexp(x, y), jax.nn.logsumexp(x, 1),
            jnp.expm1(x) / jnp.log1p(y * y), jnp.clip(x, -1, 1) % 0.5, jnp.sign(x) * jnp.sqrt(jnp.abs(y)), x ** 3 - y ** 2)


@program(array(4, 8), array(8, 6, S8), array(6), array(4, 8, BF), array(4, U8))
def quantized(x, w, scale, b, packed):
    """Weights and activations of 8 bits, of 4 bits in bytes, and floats as bytes."""
    s = jnp.abs(x).max(1, keepdims=True) / 127
    xs = jnp.clip(jnp.round(x / s), -127, 127).astype(S8)
    exact = lax.dot(xs, w, preferred_element_type=I)
    low, high = (packed & 15).astype(I) - 8, (packed >> 4).astype(I) - 8
    return (exact.astype(F) * s * scale, x @ (w.astype(F) * scale), xs, jnp.stack([low, high], 1).reshape(-1),
            lax.bitcast_convert_type(x, U8), b.astype(F) @ w.astype(F), (b @ w.astype(BF)))


@program(array(2, 8, 4, BF), array(2, 8, 4, BF), array(2, 1, 4, BF), array(2, 1, 4, BF), array(2, 1, 4, BF), array(I))
def kv_cache(keys, values, q, k, v, at):
    """One step of decoding: the caches are written at `at`, later places are masked."""
    keys, values = (lax.dynamic_update_slice(a, b, (0, at, 0)) for a, b in ((keys, k), (values, v)))
    s = jnp.einsum('bqd,bkd->bqk', q, keys).astype(F) * 0.5
    s = jnp.where(jnp.arange(8) <= at, s, -1e9)
    return jnp.einsum('bqk,bkd->bqd', jax.nn.softmax(s).astype(BF), values), keys, values


@program(array(2, 3), array(5, 5), array(5), array(I))
def beam(scores, transition, start, steps):
    """Beam search of as many steps as are asked for."""
    def step(state):
        i, tokens, scores, parents = state
        every = (scores[..., None] + jax.nn.log_softmax(transition)[tokens]).reshape(2, -1)
        best, where = lax.top_k(every, 3)
        return i + 1, (where % 5).astype(I), best, jnp.take_along_axis(parents, where // 5, 1)
    first = lax.top_k(start, 3)[1].astype(I)
    return lax.while_loop(lambda s: s[0] < steps, step, (0, jnp.stack([first, first]), scores, jnp.tile(jnp.arange(3), (2, 1))))


@program(array(2, jnp.uint32), array(3, 4))
def random_numbers(key, x):
    a, b, c, d = jax.random.split(key, 4)
    keep = jax.random.bernoulli(a, 0.9, x.shape)
    return (jnp.where(keep, x / 0.9, 0), jax.random.normal(b, (3, 4)), jax.random.randint(c, (5,), 0, 9),
            jax.random.categorical(d, x))


@program(array(4, 4), array(4, 2))
def linalg(a, b):
    """Factors by LAPACK, whose calls XLA knows nothing of, and what is computed around them."""
    spd = a @ a.T + 4 * jnp.eye(4)
    q, r = jnp.linalg.qr(a)
    return (jnp.linalg.cholesky(spd), jax.scipy.linalg.cho_solve((jnp.linalg.cholesky(spd), True), b), q, r,
            jnp.linalg.inv(a), jnp.linalg.slogdet(a)[1], jnp.linalg.eigh(spd)[0], jnp.linalg.svd(a, compute_uv=False),
            jnp.linalg.solve(a, b), jnp.trace(a), jnp.linalg.matrix_power(a, 3))


@program(array(8, 2, 4), array(8, 2, 4), array(4, 3), array(2, 4))
def ssm(gate, x, out, state):
    """A recurrence by associative scan and by scan."""
    def join(left, right):
        return left[0] * right[0], right[0] * left[1] + right[1]
    decay = jax.nn.sigmoid(gate)
    _, states = lax.associative_scan(join, (decay, x))
    last, ys = lax.scan(lambda h, t: ((t[0] * h + t[1]),) * 2, state, (decay, x))
    return states @ out, last, ys


@program(array(2, 6, 8, 3), array(I), array(I))
def image(x, i, j):
    grey = x @ jnp.array([0.299, 0.587, 0.114])
    window = lax.reduce_window(x, 0.0, lax.add, (1, 2, 2, 1), (1, 2, 2, 1), 'VALID') / 4
    return (x[:, ::-1], jnp.rot90(x, axes=(1, 2)), lax.dynamic_slice(x, (0, i, j, 0), (2, 4, 4, 3)),
            jnp.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)), mode='reflect'), window, jnp.repeat(jnp.repeat(x, 2, 1), 2, 2),
            x.reshape(2, 3, 2, 4, 2, 3).transpose(0, 1, 3, 2, 4, 5).reshape(2, 3, 4, 12), grey,
            (x - x.mean((1, 2), keepdims=True)) / x.std((1, 2), keepdims=True), jnp.roll(x, 3, 2))


@program(array(5, 3), array(8, I), array(8, I), array(3, 4), array(4, 2))
def gnn(nodes, senders, receivers, w1, w2):
    """Gradients of two rounds of messages along edges."""
    def loss(ws):
        h = nodes
        for w in ws:
            sums = jax.ops.segment_sum(h[senders], receivers, 5)
            count = jax.ops.segment_sum(jnp.ones(8), receivers, 5)
            h = jax.nn.relu(sums / jnp.maximum(count, 1)[:, None] @ w)
        return (h ** 2).sum()
    return jax.grad(loss)([w1, w2])


ADAM = {'embed': array(7, 4), 'layers': layers(2, 4, 6), 'g': array(4), 'b': array(4)}


@program(ADAM, ADAM, ADAM, array(2, 3, I), array(2, 3, I), array(I))
def language_model(w, m, v, tokens, labels, step):
    """A training step: tied embeddings, layers in a row, cross entropy, Adam."""
    def loss(w):
        x = w['embed'][tokens]
        for i in range(2):
            x = block(x, jax.tree.map(lambda a: a[i], w['layers']))
        y = norm(x, w['g'], w['b']) @ w['embed'].T
        return -jnp.take_along_axis(jax.nn.log_softmax(y), labels[..., None], -1).mean()
    value, g = jax.value_and_grad(loss)(w)
    m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, g)
    v = jax.tree.map(lambda v, g: 0.99 * v + 0.01 * g * g, v, g)
    t = (step + 1).astype(F)
    return value, jax.tree.map(lambda w, m, v: w - 1e-3 * (m / (1 - 0.9 ** t)) / (jnp.sqrt(v / (1 - 0.99 ** t)) + 1e-8), w, m, v), m, v


@program(array(4, 6), array(6, 8), array(8), array(8, 3), array(4, 3))
def mlp(x, a, b, c, y):
    """A training step of two layers: mean squared error, gradient descent with decay."""
    def loss(w):
        return ((jnp.tanh(x @ w[0] + w[1]) @ w[2] - y) ** 2).mean()
    value, g = jax.value_and_grad(loss)((a, b, c))
    return value, *(w * 0.999 - 0.1 * g for w, g in zip((a, b, c), g))


@program(array(6, 2, 3), array(2, 4), array(2, 4), array(3, 16), array(4, 16), array(16))
def lstm(xs, h, c, w, u, b):
    """Gradients through time."""
    def loss(w, u, b):
        def cell(state, x):
            h, c = state
            i, f, g, o = jnp.split(x @ w + h @ u + b, 4, axis=-1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            return (jax.nn.sigmoid(o) * jnp.tanh(c), c), None
        return (lax.scan(cell, (h, c), xs)[0][0] ** 2).sum()
    return jax.grad(loss, (0, 1, 2))(w, u, b)


@program(array(2, 4, 4, 2), array(2), array(2))
def batch_norm(x, g, b):
    def loss(x, g, b):
        mean, var = x.mean((0, 1, 2)), x.var((0, 1, 2))
        return (((x - mean) * lax.rsqrt(var + 1e-5) * g + b) ** 3).sum()
    return jax.grad(loss, (0, 1, 2))(x, g, b)


@program(array(3, 4), array(4), array(4))
def layer_norm(x, g, b):
    return jax.grad(lambda x, g, b: (norm(x, g, b) ** 2).sum(), (0, 1, 2))(x, g, b)


@program(layers(1, 4, 6), array(2, 3, 4))
def one_block(w, x):
    """The gradient of a block of a transformer."""
    return jax.grad(lambda w: (block(x, jax.tree.map(lambda a: a[0], w)) ** 2).sum())(w)


@program(layers(2, 4, 6), array(2, 3, 4))
def blocks_in_a_scan(w, x):
    return jax.grad(lambda w: (lax.scan(lambda x, w: (block(x, w), None), x, w)[0] ** 2).sum())(w)


def without_notes(text):
    text = re.sub(r', (metadata|backend_config)=\{("[^"]*"|[^{}"]|\{[^{}]*\})*\}', '', text)
    return re.sub(r'\nFileNames\n.*?\n\n\n', '\n', text, flags=re.S)


def make(name, folder):
    function, arguments = PROGRAMS[name]
    lowered = jax.jit(function, keep_unused=True).lower(*arguments)
    for side, text in (('left', lowered.as_text('hlo')), ('right', lowered.compile().as_text())):
        with open(os.path.join(folder, f'{name}.{side}.hlo'), 'w') as file:
            file.write(without_notes(text))


def main():
    folder, *names = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    for name in names or PROGRAMS:
        make(name, folder)


main()
