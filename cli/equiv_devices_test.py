#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whole modules against partitioned ones: the labelled pairs about sharding, with --sharding.

    equiv_devices_test.py PROGRAM CORPUS

Each answer must be right. An equality of `exact` pairs rests on no law, and a difference names a device. Then files
that are no placements: each is an error of one line that says what was expected.
"""
import json
import os
import subprocess
import sys
import tarfile
import tempfile

WHOLE = 'HloModule w\nENTRY e { p = f32[8] parameter(0) ROOT r = f32[8] negate(p) }'
PARTS = 'HloModule p, num_partitions=4\nENTRY e { p = f32[2] parameter(0) ROOT r = f32[2] negate(p) }'
MESH = '"devices": 4, "mesh": {"axes": ["x"], "shape": [4]}'
FILES = [  # a file, the status, and words of the answer
    ('{%s, "parameters": [[["x"]]], "results": [[["x"]]]}' % MESH, 0, 'result 0: equal'),
    ('{%s, "parameters": [[["x"]]], "results": [{"axes": [["x"]], "padded": true}]}' % MESH, 0, 'result 0: equal'),
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
        status, output, _ = equiv(program, [path + '.left.hlo', path + '.right.hlo', '--json',
                                            '--sharding', path + '.sharding.json'] + law)
        if status != {'equal': 0, 'different': 1}[truth]:
            yield f'{name}: {status}: {output}'
            continue
        results = json.loads(output)['results']
        if truth == 'equal' and exactness == 'exact' and any(one['laws'] for one in results):
            yield f'{name}: rests on laws: {output}'
        if truth == 'different' and not any('device' in one and 'global' in one for one in results):
            yield f'{name}: names no device: {output}'
    if len(rows) < 34:
        yield f'only {len(rows)} pairs'


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
        failures = list(pair_failures(program, corpus, scratch)) + list(file_failures(program, scratch))
    for failure in failures:
        print('FAILED:', failure)
    sys.exit(1 if failures else 0)


main()
