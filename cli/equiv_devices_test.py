#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whole modules against partitioned ones: the labelled pairs about sharding, with --sharding.

    equiv_devices_test.py PROGRAM CORPUS

Each answer must be right. An equality of `exact` pairs rests on no law, and a difference names a device. Then programs of
JAX against what XLA's partitioner makes of them, without --sharding, and with faults, whose device and element must be
named, and the instruction where the path ends. Then layers of a model on 8 and 256 devices, with faults in each. Then what a
partitioner makes of single operations, small and of real sizes, and the numbers that collectives give. Then files that are no
placements: each is an error of one line that says what was expected.
"""
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile

WHOLE = 'HloModule w\nENTRY e { p = f32[8] parameter(0) ROOT r = f32[8] negate(p) }'
PARTS = 'HloModule p, num_partitions=4\nENTRY e { p = f32[2] parameter(0) ROOT r = f32[2] negate(p) }'
MESH = '"devices": 4, "mesh": {"axes": ["x"], "shape": [4]}'
LAWS = {  # what the partitioner pads with zeros is multiplied
    'halo_convolution': ['--law', 'zero'],
    'halo_convolution_of_images': ['--law', 'zero'],
    'convolution_of_cut_images': ['--law', 'zero'],
    'every_other_window_of_cut_images': ['--law', 'zero'],
}
FILES = [  # a file, the status, and words of the answer
    ('{%s, "parameters": [[["x"]]], "results": [[["x"]]]}' % MESH, 0, 'result 0: equal'),
    ('{%s, "parameters": [[["x"]]], "results": [{"axes": [["x"]], "padded": true}]}' % MESH, 0, 'result 0: equal'),
    ('{"devices": 4, "parameters": ["{devices=[4]<=[4]}"], "results": ["{devices=[4]<=[4]}"]}', 0, 'result 0: equal'),
    ('{"devices": 4, "parameters": ["{devices=[4]3,2,1,0}"], "results": ["{devices=[4]<=[4]}"]}', 1, 'device 0'),
    ('{"devices": 4, "parameters": ["{manual}"], "results": [[["x"]]]}', 2, 'expected a sharding that says'),
    ('{"devices": 4, "parameters": ["{{replicated}, {replicated}}"], "results": []}', 2, 'expected one sharding'),
    ('{"devices": 4, "parameters": [[["x"]]], "results": [[["x"]]]}', 2, 'expected an axis of the mesh'),
    ('{%s, "parameters": [[["x"]]], "results": [[[]]]}' % MESH, 2, 'expected the result of dimensions [8] on each of 4 devices'),
    ('{%s, "parameters": [[["x"]]]}' % MESH, 2, 'expected a member "results"'),
    ('{%s, "parameters": [[["y"]]], "results": [[["x"]]]}' % MESH, 2, 'expected an axis of the mesh, once in an array, found "y"'),
    ('{%s, "parameters": [[["x", "x"]]], "results": [[["x"]]]}' % MESH, 2, 'once in an array'),
    ('{%s, "parameters": [["x"]], "results": [[["x"]]]}' % MESH, 2, 'expected a list of names of axes'),
    ('{%s, "parameters": [[["x"], []]], "results": [[["x"]]]}' % MESH, 2, 'expected a sharding of 1 dimensions'),
    ('{%s, "parameters": [], "results": [[["x"]]]}' % MESH, 2, 'expected 1 shardings'),
    ('{"devices": 8, "mesh": {"axes": ["x"], "shape": [4]}, "parameters": [[["x"]]], "results": [[["x"]]]}', 2,
     'expected a mesh of 8 devices'),
    ('{"devices": 4, "mesh": {"axes": ["x"], "shape": [4, 1]}, "parameters": [], "results": []}', 2, 'for each of 1 axes'),
    ('{"devices": 99999999999, "mesh": {"axes": [], "shape": []}, "parameters": [], "results": []}', 2, 'expected from 1 to'),
    ('[', 2, 'column 2'),
]


def equiv(program, arguments):
    done = subprocess.run([program, 'equiv'] + arguments, capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout, done.stderr


def pair_failures(program, corpus, scratch):
    with tarfile.open(os.path.join(corpus, 'pairs', 'labelled.tar.xz')) as archive:
        archive.extractall(scratch)
    with open(os.path.join(corpus, 'pairs', 'labelled.tsv')) as table:
        rows = [line.rstrip('\n').split('\t') for line in table if not line.startswith('#')]
    rows = [row for row in rows if row[3] == 'sharded']
    for name, truth, exactness, _ in rows:
        path = os.path.join(scratch, name)
        law = ['--law', 'real'] if exactness == 'float-law' else []
        modules = [path + end for end in ('.left.hlo', '.right.hlo', '.right.mlir') if os.path.exists(path + end)]
        files = [path + end for end in ('.left.sharding.json', '.sharding.json') if os.path.exists(path + end)]
        shardings = [word for file in files for word in ('--sharding', file)]
        status, output, _ = equiv(program, modules + ['--json'] + shardings + law)
        if status != {'equal': 0, 'different': 1}[truth]:
            yield f'{name}: {status}: {output}'
            continue
        results = json.loads(output)['results']
        if truth == 'equal' and exactness == 'exact' and any(one['laws'] for one in results):
            yield f'{name}: rests on laws: {output}'
        if truth == 'different' and not any('device' in one and ('global' in one or not one['at']) for one in results):
            yield f'{name}: names no device: {output}'
    if len(rows) < 250:
        yield f'only {len(rows)} pairs'


def with_fault(text, at, old, new):
    """The module with `new` for `old` in the instruction `at`, or, without `old`, with it twice."""
    line = re.search(rf'^ *(ROOT )?%{re.escape(at)} = (.*)$', text, re.M)
    if old:
        changed = line[0].replace(old, new, 1)
    else:
        again = re.sub(r'all-reduce\(%[\w.-]+\)', f'all-reduce(%{at}.once)', line[2])
        changed = f'  %{at}.once = {line[2]}\n  {line[1] or ""}%{at} = {again}'
    return text.replace(line[0], changed, 1)


def partitioned_failures(program, corpus, scratch):
    with tarfile.open(os.path.join(corpus, 'pairs', 'partitioned.tar.xz')) as archive:
        archive.extractall(scratch)
        names = [name.removesuffix('.left.mlir') for name in archive.getnames() if name.endswith('.left.mlir')]
    for name in names:
        path = os.path.join(scratch, name)
        status, output, error = equiv(program, [path + '.left.mlir', path + '.right.hlo', *LAWS.get(name, [])])
        if status != 0:
            yield f'{name}: {status}: {output}{error}'
    with open(os.path.join(corpus, 'pairs', 'partitioned.tsv')) as table:
        faults = [line.rstrip('\n').split('\t') for line in table if not line.startswith('#')]
    for name, at, old, new, device, where, what, blamed in faults:
        path = os.path.join(scratch, name)
        with open(path + '.right.hlo') as file:
            text = with_fault(file.read(), at, old, new)
        with open(path + '.fault.hlo', 'w') as file:
            file.write(text)
        status, output, error = equiv(program, ['--json', path + '.left.mlir', path + '.fault.hlo', *LAWS.get(name, [])])
        result = json.loads(output)['results'][0] if status == 1 else {}
        is_right = status == 1 and result['device'] == int(device) and result['global'] == json.loads(where)
        if not is_right or (blamed and blamed != end_of_path(result)):
            yield f'{name}: {what} ({at}): {status}: {output}{error}'
    if len(names) < 54 or len(faults) < 117:
        yield f'only {len(names)} programs and {len(faults)} faults'


def end_of_path(result):
    return result['path']['right'][-1]['instruction'] if 'path' in result else None


def layer_failures(program, corpus, scratch):
    sys.path.insert(0, os.path.join(corpus, 'pairs'))
    import layer_programs  # of this corpus
    small, large = layer_programs.SMALL, layer_programs.LARGE
    named = 0  # faults of large arrays whose instruction is named
    for x, y, layers, sizes in [(2, 4, 1, small), (2, 4, 3, small), (16, 16, 2, small), (4, 4, 2, large), (16, 16, 2, large)]:
        for is_scattered in (True, False):
            texts = layer_programs.programs(x, y, layers, is_scattered, sizes)
            files = [os.path.join(scratch, name) for name in ('whole.hlo', 'parts.hlo')]
            for file, text in zip(files, texts):
                with open(file, 'w') as out:
                    out.write(text)
            name = f'layers on {x} * {y} devices, scattered: {is_scattered}, sizes {sizes}'
            status, output, error = equiv(program, files)
            if (status, output) != (0, 'result 0: equal, up to the order of reductions\n'):
                yield f'{name}: {status}: {output}{error}'
            for layer in range(layers) if sizes == small else [layers - 1] if x == 4 and is_scattered else []:
                for at, old, new, blamed in layer_programs.faults(x, y, layer, is_scattered):
                    line = re.search(rf'^  {re.escape(at)} = .*$', texts[1], re.M)[0]
                    with open(files[1], 'w') as out:
                        out.write(texts[1].replace(line, line.replace(old, new, 1), 1))
                    status, output, error = equiv(program, ['--json', *files])
                    result = json.loads(output)['results'][0] if status == 1 else {}
                    is_named = 'device' in result and end_of_path(result) == blamed
                    named += is_named and sizes == large
                    # Where an array is too large to be searched, nothing is named, and never something else.
                    if not is_named and (sizes == small or 'device' not in result or 'path' in result):
                        yield f'{name}: {at}, {old} is {new}: {status}: {output}{error}'


    if named < 5:
        yield f'the instructions of only {named} of 6 faults in large arrays are named'


def write(scratch, name, text):
    path = os.path.join(scratch, name)
    with open(path, 'w') as out:
        out.write(text)
    return path


def partitioner_failures(program, corpus, scratch):
    with open(os.path.join(corpus, 'pairs', 'partitioner.txt')) as file:
        text = '\n'.join(line for line in file.read().split('\n') if not line.startswith('#'))
    first, *programs = text.split('\n== ')
    for one in programs:
        head, whole, parts, *faults = re.split(r'\n--(?: |\n)', one.partition('\n')[0] + '\n-- ' + one.partition('\n')[2])
        name, devices, verdict, *laws = head.split(', ')
        allowed = [word for law in laws for word in ('--law', law)]
        left = write(scratch, 'left.hlo', f'HloModule whole\n{first}\nENTRY e {{\n{whole}\n}}\n')
        module = f'HloModule parts, num_partitions={devices.split()[0]}\n{first}\nENTRY e {{\n{parts}\n}}\n'
        status, output, error = equiv(program, [*allowed, left, write(scratch, 'right.hlo', module)])
        if status != ['equal', 'different'].index(verdict):
            yield f'{name}: {status}: {output}{error}'
        for fault in faults:
            old, new = fault.strip().split(' -> ')
            if old not in module:
                yield f'{name}: no {old}'
            status, output, error = equiv(program, [*allowed, left, write(scratch, 'fault.hlo', module.replace(old, new, 1))])
            if status != 1 or 'at device' not in output:
                yield f'{name}: {old} is {new}: {status}: {output}{error}'
    if len(programs) < 43:
        yield f'only {len(programs)} programs of a partitioner'


def nested(numbers, dims):
    """The text of a constant."""
    return numbers.pop(0) if not dims else '{' + ','.join(nested(numbers, dims[1:]) for _ in range(dims[0])) + '}'


def given(name, array, devices):
    """Instructions that give each device its numbers of an array, and the type."""
    kind, _, numbers = array.strip().partition(' ')
    element, dims = kind[:-1].split('[')
    dims = [int(size) for size in dims.split(',')]
    all_of = ','.join(map(str, [devices] + dims))
    one = ','.join(map(str, [1] + dims))
    place = ', '.join(['at'] + ['zero'] * len(dims))
    return kind, (f'{name}.all = {element}[{all_of}] constant({nested(numbers.replace(",", " ").split(), [devices] + dims)})\n'
                  f'{name}.one = {element}[{one}] dynamic-slice({name}.all, {place}), dynamic_slice_sizes={{{one}}}\n'
                  f'{name} = {kind} reshape({name}.one)\n')


def collective_failures(program, corpus, scratch):
    with open(os.path.join(corpus, 'pairs', 'collectives.txt')) as file:
        rows = [line.split('|') for line in file if not line.startswith('#')]
    for name, counts, operation, arrays, results in rows:
        replicas, partitions = map(int, counts.split())
        head = (f'HloModule m, replica_count={replicas}, num_partitions={partitions}\n'
                'add { a = s64[] parameter(0) b = s64[] parameter(1) ROOT s = s64[] add(a, b) }\nENTRY e {\n'
                f'replica = u32[] replica-id() partition = u32[] partition-id() parts = u32[] constant({partitions})\n'
                'before = u32[] multiply(replica, parts) at = u32[] add(before, partition) zero = u32[] constant(0)\n')
        operands = ''.join(given(x, array, replicas * partitions)[1] for x, array in zip('xy', arrays.split(';')))
        expected = [given(f'e{k}', array, replicas * partitions) for k, array in enumerate(results.split(';'))]
        kinds = [kind for kind, _ in expected]
        kind = kinds[0] if len(kinds) == 1 else f'({", ".join(kinds)})'
        left = write(scratch, 'left.hlo', f'{head}{operands}ROOT r = {kind} {operation}\n}}\n')
        right = f'{head}{"".join(text for _, text in expected)}ROOT r = ({", ".join(kinds)}) tuple({", ".join(f"e{k}" for k in range(len(kinds)))})\n}}\n'
        if len(kinds) == 1:
            right = f'{head}{expected[0][1]}ROOT r = {kind} copy(e0)\n}}\n'
        status, output, error = equiv(program, [left, write(scratch, 'right.hlo', right)])
        if status != 0:
            yield f'{name}: {status}: {output}{error}'
    if len(rows) < 28:
        yield f'only {len(rows)} rows of collectives'


def file_failures(program, scratch):
    for text, expected, words in FILES:
        file = os.path.join(scratch, 'placement.json')
        with open(file, 'w') as out:
            out.write(text)
        status, output, error = equiv(program, [WHOLE, PARTS, '--sharding', file])
        if status != expected or words not in output + error:
            yield f'{text}: {status}: {output}{error}'
    status, output, error = equiv(program, [WHOLE, PARTS])
    if status != 3 or 'expected the sharding of parameter 0, [2] on each of 4 devices' not in output:
        yield f'without a file: {status}: {output}{error}'
    swapped = PARTS.replace('f32[2] parameter(0)', 'f32[2] parameter(0), sharding={devices=[4]3,2,1,0}')
    status, output, error = equiv(program, [WHOLE, swapped.replace('negate(p)', 'negate(p), sharding={devices=[4]<=[4]}')])
    if status != 1 or 'different at device 0, result[0]: ' not in output:
        yield f'annotations: {status}: {output}{error}'


def main():
    program, corpus = sys.argv[1:]
    with tempfile.TemporaryDirectory() as scratch:
        failures = [*pair_failures(program, corpus, scratch), *partitioned_failures(program, corpus, scratch),
                    *layer_failures(program, corpus, scratch), *partitioner_failures(program, corpus, scratch),
                    *collective_failures(program, corpus, scratch), *file_failures(program, scratch)]
    for failure in failures:
        print('FAILED:', failure)
    sys.exit(1 if failures else 0)


main()
