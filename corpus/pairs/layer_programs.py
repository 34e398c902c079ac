#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Layers of a model, whole and on a mesh of devices, and faults whose instruction is known.

    layer_programs.py FOLDER X Y LAYERS      writes NAME.left.hlo and NAME.right.hlo for each kind, on X * Y devices

A layer multiplies twice, turns the rows by those of one device, adds its rows of a table, and adds all that to what it got. On the
mesh, the devices of a row (y) share a product. `scattered` gathers the rows before it and scatters the sums after it, as with
sequence parallelism; `summed` has the same rows on all devices of a mesh row, and sums by an all-reduce.
"""
import os
import sys

# The columns of the arrays that are added up, and those of a product on each device.
SMALL, LARGE = (4, 2), (4096, 1024)


def programs(x, y, layers, is_scattered, sizes=SMALL):
    """The whole module and the one of x * y devices, which are equal up to the order of reductions."""
    width, inner = sizes
    devices = x * y
    rows = devices if is_scattered else x  # one on each device
    whole = ['HloModule whole\n', 'ENTRY e {', f'  x.0 = f32[{rows},{width}] parameter(0)', f'  bias = f32[{rows},{width}] parameter(1)',
             '  zero = f32[] constant(0)', f'  zeros = f32[{rows},{inner * y}] broadcast(zero), dimensions={{}}']
    for k in range(layers):
        whole += [f'  u.{k} = f32[{width},{inner * y}] parameter({2 + 2 * k})', f'  w.{k} = f32[{inner * y},{width}] parameter({3 + 2 * k})',
                  *products(k, rows, inner * y, width, f'x.{k}'),
                  f'  last.{k} = f32[1,{width}] slice(y.{k}), slice={{[{rows - 1}:{rows}],[0:{width}]}}',
                  f'  others.{k} = f32[{rows - 1},{width}] slice(y.{k}), slice={{[0:{rows - 1}],[0:{width}]}}',
                  f'  turned.{k} = f32[{rows},{width}] concatenate(last.{k}, others.{k}), dimensions={{0}}',
                  f'  biased.{k} = f32[{rows},{width}] add(turned.{k}, bias)', f'  x.{k + 1} = f32[{rows},{width}] add(x.{k}, biased.{k})']
    whole += [f'  ROOT result = f32[{rows},{width}] negate(x.{layers})', '}\n']

    cut = f'devices=[{devices},1]<=[{devices}]' if is_scattered else f'devices=[{x},1,{y}]<=[{devices}] last_tile_dim_replicate'
    columns = f'<=[{x},{y}]T(1,0) last_tile_dim_replicate'
    gathered = y if is_scattered else 1
    parts = [f'HloModule parts, num_partitions={devices}\n',
             'a {\n  i = f32[] parameter(0)\n  j = f32[] parameter(1)\n  ROOT k = f32[] add(i, j)\n}\n', 'ENTRY e {',
             f'  x.0 = f32[1,{width}] parameter(0), sharding={{{cut}}}', f'  bias = f32[{rows},{width}] parameter(1), sharding={{replicated}}',
             '  zero = f32[] constant(0)', f'  zeros = f32[{gathered},{inner}] broadcast(zero), dimensions={{}}', '  none = s32[] constant(0)',
             '  id = u32[] partition-id()', '  number = s32[] convert(id)', '  size = s32[] constant(1)']
    of_groups = f'replica_groups={groups(x, y)}, use_global_device_ids=true'
    table = ', '.join(str(v if is_scattered else v // y) for v in range(devices))
    for k in range(layers):
        parts += [f'  u.{k} = f32[{width},{inner}] parameter({2 + 2 * k}), sharding={{devices=[1,{y},{x}]{columns}}}',
                  f'  w.{k} = f32[{inner},{width}] parameter({3 + 2 * k}), sharding={{devices=[{y},1,{x}]{columns}}}']
        if is_scattered:
            parts += [f'  all.{k} = f32[{y},{width}] all-gather(x.{k}), channel_id={3 * k + 1}, {of_groups}, dimensions={{0}}',
                      *products(k, y, inner, width, f'all.{k}'),
                      f'  sum.{k} = f32[1,{width}] reduce-scatter(y.{k}), channel_id={3 * k + 2}, {of_groups}, dimensions={{0}}, to_apply=a']
        else:
            parts += [*products(k, 1, inner, width, f'x.{k}'), f'  sum.{k} = f32[1,{width}] all-reduce(y.{k}), channel_id={3 * k + 2}, {of_groups}, to_apply=a']
        parts += [f'  turned.{k} = f32[1,{width}] collective-permute(sum.{k}), channel_id={3 * k + 3}, source_target_pairs={pairs(x, y, is_scattered)}']
        if has_table(k, is_scattered):
            parts += [f'  table.{k} = s32[{devices}] constant({{{table}}})',
                      f'  one.{k} = s32[1] dynamic-slice(table.{k}, number), dynamic_slice_sizes={{1}}', f'  start.{k} = s32[] reshape(one.{k})']
        else:
            parts += [f'  start.{k} = s32[] multiply(number, size)']
        parts += [f'  own.{k} = f32[1,{width}] dynamic-slice(bias, start.{k}, none), dynamic_slice_sizes={{1,{width}}}',
                  f'  biased.{k} = f32[1,{width}] add(turned.{k}, own.{k})', f'  x.{k + 1} = f32[1,{width}] add(x.{k}, biased.{k})']
    parts += [f'  ROOT result = f32[1,{width}] negate(x.{layers}), sharding={{{cut}}}', '}\n']
    return '\n'.join(whole), '\n'.join(parts)


def products(k, rows, inner, width, x):
    dims = 'lhs_contracting_dims={1}, rhs_contracting_dims={0}'
    return [f'  h.{k} = f32[{rows},{inner}] dot({x}, u.{k}), {dims}', f'  r.{k} = f32[{rows},{inner}] maximum(h.{k}, zeros)',
            f'  y.{k} = f32[{rows},{width}] dot(r.{k}, w.{k}), {dims}']


def has_table(k, is_scattered):
    return not is_scattered or k % 2 == 1


def groups(x, y):
    return f'[{x},{y}]<=[{x * y}]'


def pairs(x, y, is_scattered, target=lambda v: v):
    devices, step = x * y, 1 if is_scattered else y
    return '{' + ','.join(f'{{{v},{(target(v) + step) % devices}}}' for v in range(devices)) + '}'


def faults(x, y, k, is_scattered):
    """Faults in layer k: the instruction, what is written there, what in its place, and the instruction where the path ends."""
    step = 1 if is_scattered else y
    ring = pairs(x, y, is_scattered)
    exchanged = pairs(x, y, is_scattered, lambda v: {0: step, step: 0}.get(v, v))
    yield f'turned.{k}', ring, exchanged, f'turned.{k}'
    yield f'turned.{k}', ring, ring[:ring.rindex(',{')] + '}', f'turned.{k}'
    yield f'r.{k}', 'maximum', 'minimum', f'r.{k}'
    listed = [[i * y + j for j in range(y)] for i in range(x)]
    if is_scattered:
        listed[0][-1], listed[1][0] = listed[1][0], listed[0][-1]
        mixed = '{' + ','.join('{' + ','.join(map(str, group)) + '}' for group in listed) + '}'
        yield f'sum.{k}', groups(x, y), mixed, f'sum.{k}'
        yield f'all.{k}', groups(x, y), mixed, f'all.{k}'
    else:
        yield f'sum.{k}', groups(x, y), groups(2 * x, y // 2), f'sum.{k}'
        yield f'turned.{k}', f'sum.{k}', f'y.{k}', f'y.{k}'  # no all-reduce
    if has_table(k, is_scattered):
        yield f'table.{k}', '{0, ', '{1, ', f'table.{k}'
    else:
        yield f'start.{k}', 'multiply(number, size)', 'multiply(none, size)', f'start.{k}'  # without partition-id
        yield f'start.{k}', 'multiply(number, size)', 'add(number, size)', f'start.{k}'


def main():
    folder, x, y, layers = sys.argv[1], *map(int, sys.argv[2:])
    for is_scattered in (True, False):
        name = os.path.join(folder, f'{"scattered" if is_scattered else "summed"}_{x}_{y}_{layers}')
        for text, side in zip(programs(x, y, layers, is_scattered), ('left', 'right')):
            with open(f'{name}.{side}.hlo', 'w') as out:
                out.write(text)


if __name__ == '__main__':
    main()
