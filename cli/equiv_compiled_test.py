#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs of JAX before and after XLA's own optimization: corpus/pairs/compiled.tsv.

    equiv_compiled_test.py PROGRAM CORPUS

At each level as many results are proven equal as the table says, or more, and none is different: XLA is right.
"""
import json
import os
import subprocess
import sys
import tarfile
import tempfile

LEVELS = [[], ['--law', 'approximate'], ['--law', 'real']]


def failures(program, corpus, scratch):
    with tarfile.open(os.path.join(corpus, 'pairs', 'compiled.tar.xz')) as archive:
        archive.extractall(scratch)
    with open(os.path.join(corpus, 'pairs', 'compiled.tsv')) as table:
        rows = [line.rstrip('\n').split('\t') for line in table if not line.startswith('#')]
    for name, results, *expected in rows:
        sides = [os.path.join(scratch, f'{name}.{side}.hlo') for side in ('left', 'right')]
        for level, count in zip(LEVELS, expected):
            if count == '-':
                continue
            asked = ['equiv', '--json', '--ignore-layouts', *level, *sides]
            done = subprocess.run([program, *asked], capture_output=True, text=True, timeout=300)
            if done.returncode not in (0, 3):
                yield f'tileproof {" ".join(asked)}: status {done.returncode}: {done.stdout}{done.stderr}'
                continue
            verdicts = [one['equal'] for one in json.loads(done.stdout)['results']]
            if len(verdicts) != int(results) or verdicts.count(True) < int(count):
                yield f'tileproof {" ".join(asked)}: {verdicts}, expected {count} proven of {results}'
    if len(rows) < 16:
        yield f'only {len(rows)} programs'


def main():
    program, corpus = sys.argv[1:]
    with tempfile.TemporaryDirectory() as scratch:
        found = list(failures(program, corpus, scratch))
    for failure in found:
        print('FAILED:', failure)
    sys.exit(1 if found else 0)


main()
