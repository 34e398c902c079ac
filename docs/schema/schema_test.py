#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that every JSON line of every command fits its schema in this folder.

    schema_test.py PROGRAM           the calls below; each line must fit; each key of a schema must occur
    schema_test.py PROGRAM --write   writes the schemas that the outputs have; look at the difference

The test vectors must fit their schema, too. A schema has one definition for each form of a line. The validator below knows the part of JSON Schema that they
use. If Debian's python3-jsonschema is there, it checks the same lines.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
MAP = '(d0) -> ((-d0) mod 2), domain: d0 in [0, 127]'
PLAIN = '(d0) -> (d0 mod 2), domain: d0 in [0, 127]'
SHAPE = 'f32[3,5]{1,0:T(2,2)}'
THREADS = 'tensor<8xf32, #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [4], warpsPerCTA = [1], order = [0]}>>'
BASES = '#ttg.linear<{register = [[1]], lane = [[4], [2]], warp = [[0]], block = [[0]]}>'
HLO = 'r = f32[2,4,4] reshape(f32[4,8] p)'
MODULE = '''HloModule m
ENTRY main {
  t = f32[9,8]{1,0:T(8,128)} parameter(0)
  r = s32[4] parameter(1)
  g = f32[4,8] gather(t, r), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,8}
  u = (f32[4,8], s32[]) custom-call(g, r), custom_call_target="x"
  v = f32[4,8] get-tuple-element(u), index=0
  b = f32[2,4,8] broadcast(v), dimensions={1,2}
  s = f32[?] custom-call(r), custom_call_target="y"
  ROOT z = (f32[2,4,8]) tuple(b)
}
'''
COPY = 'HloModule m, is_scheduled=true  ENTRY e { p = f32[2,3]{0,1} parameter(0)  ROOT c = f32[2,3]{0,1} copy(p) }'
CALL = 'r = f32[2] custom-call(f32[2] p), custom_call_target="x"'
CUT = ', sharding={devices=[2]<=[2]}'
PARTS = f'HloModule p, num_partitions=2\nENTRY e {{ p = f32[2] parameter(0){CUT} ROOT r = f32[2] negate(p){CUT} }}'
RECIPROCAL = 'ENTRY e { p = f32[] parameter(0) o = f32[] constant(1) i = f32[] divide(o, p) ROOT r = f32[] multiply(p, i) }'
REFUSED = 'HloModule b\nENTRY e { q = f32[2,3] parameter(0) ROOT r = f32[7] reshape(q) }\n'


def grid(index_map, shape, semantics='arbitrary'):
    """A grid of 2 x 3 steps; an input has the memory of the output."""
    operand = {'shape': shape, 'block': [2], 'index_map': index_map}
    operands = [{'name': 'x', 'kind': 'in', 'alias': 'y', **operand}, {'name': 'y', 'kind': 'out', **operand}]
    return json.dumps({'grid': [2, 3], 'semantics': [semantics] * 2, 'operands': operands})


def shards(name, *slices):
    """A file for `check --shards`: a slice of an array of 4 elements on each device."""
    devices = [{'device': device, 'slice': [one]} for device, [one] in enumerate(slices)]
    return json.dumps([{**({'name': name} if name else {}), 'shape': [4], 'devices': devices}])


def calls(program, scratch):
    """Command, the form that its lines have (None: "summary" or "line"), arguments, standard input."""
    def file(name, text):
        with open(os.path.join(scratch, name), 'w') as out:
            out.write(text)
        return out.name
    module, refused = file('module.hlo', MODULE), file('refused.hlo', REFUSED)
    shapes = file('shapes', '\n'.join([SHAPE, 'no layout'] + [f'f32[{i},5]' for i in range(1, 25)]))
    requests = file('requests', run(program, ['generate', '--suite', 'layout', '--count', '5'])[0])
    answers = file('answers', run(program, ['respond'], open(requests).read())[0])
    wrong = file('wrong', open(answers).read().replace('"result":', '"result":1,"x":'))
    trace = file('trace', run(program, ['simplify', '--trace', MAP])[0])
    broken = file('broken', open(trace).read().replace('x = -d0', 'x = d0'))
    fake = fuzz_targets(scratch)
    return [
        ('algebra', 'result', ['composition', '(6,2):(8,2)', '(4,3):(3,1)']),
        ('algebra', 'law', ['laws']),
        ('algebra', 'outcome', ['laws', 'A = 4:1  B = 2:1  C = 2:0  m = 8  tiler = <2:1>  slicer = _  Sw<1,0,2>']),
        ('coalescing', 'coalescing', [HLO, '--threads', '(th_x) -> (0, 0, th_x), domain: th_x in [0, 3]']),
        ('coalescing', 'coalescing', [module, '--instruction', 'g', '--threads',
                                      '(th_x) -> (0, th_x), domain: th_x in [0, 3]']),
        ('compose', 'map', [PLAIN, 'f32[2]']),
        ('conform', None, ['--suite', 'layout', '--count', '3', '--', program, 'respond']),
        ('conform', None, ['--suite', 'layout', '--count', '30', '--', program, 'zoo', '--respond', 'OPEN-21']),
        ('conform', None, ['--suite', 'layout', '--count', '3', '--', 'cat']),
        ('diff', 'diff', [SHAPE, 'f32[3,5]']),
        ('diff', 'diff', ['f32[100000,100000]{1,0:T(8,128)}', 'f32[100000,100000]']),
        ('diff', 'diff', ['(d0) -> (d0), domain: d0 in [0, 2]', '(d0) -> (d0), domain: d0 in [0, 1]']),
        ('diff', 'diff', ['f32[100000,100000]', 'f32[100000,100000]']),
        ('equiv', 'layouts', [SHAPE, 'f32[3,5]']),
        ('equiv', 'layouts', [SHAPE, SHAPE.replace('T(2,2)', 'T(2,2)S(1)')]),
        ('equiv', 'maps', [MAP, PLAIN]),
        ('equiv', 'maps', [PLAIN, PLAIN.replace('127', '126')]),
        ('equiv', 'maps', [SHAPE, '(d0, d1) -> (d0 * 5 + d1), domain: d0 in [0, 2], d1 in [0, 4]']),
        ('equiv', 'values', ['r = f32[2] negate(f32[2] p)', 'r = f32[2] abs(f32[2] p)']),
        ('equiv', 'values', ['r = f32[2] add(f32[2] p, f32[2] q)', 'r = f32[2] add(f32[2] q, f32[2] p)']),
        ('equiv', 'values', [PARTS, 'r = f32[4] abs(f32[4] p)']),
        ('equiv', 'values', ['r = f32[4] abs(f32[4] p)', PARTS]),
        ('equiv', 'values', [PARTS.replace(CUT, ''), 'r = f32[4] abs(f32[4] p)']),
        ('equiv', 'values', ['--law', 'reciprocal', RECIPROCAL, 'ENTRY e { p = f32[] parameter(0) ROOT r = f32[] divide(p, p) }']),
        ('equiv', 'values', [CALL, CALL.replace('x', 'y')]),
        ('equiv', 'values', ['r = f32[2] negate(f32[2] p)', 'r = bf16[2] convert(f32[2] p)']),
        ('equiv', 'values', [COPY, COPY.replace('{0,1}', '')]),
        ('equiv', 'values', [COPY.replace('{0,1} p', ' p'), COPY.replace('f32[2,3]{0,1} c', 'f32[2,3] c')]),
        ('equiv', 'move', ['--reshape', 'f32[2,3]', '[6]']),
        ('equiv', 'move', ['--reshape', 'f32[2,3] strides=(4,8)', '[6]']),
        ('equiv', 'move', ['--reshape', 'f32[16,128]{1,0:T(8,128)}', 'f32[2,8,128]{2,1,0:T(8,128)}']),
        ('equiv', 'move', ['--bitcast', 'f32[16,128]{1,0:T(8,128)}', 'f32[16,128]{1,0}']),
        ('equiv', 'move', ['--transpose', '1,0', 'f32[3,4]', 'f32[4,3]']),
        ('evaluate', 'point', [PLAIN, '--at', '7', '--at', '200']),
        ('evaluate', 'point', ['(d0) -> (d0 * 2), domain: d0 in [0, 9223372036854775807]', '--at', '9223372036854775807']),
        ('explain', 'explanation', [SHAPE, '--index', '2,3', '--offset', '23']),
        ('explain', 'explanation', ['(3,5):(5,1)', '--index', '2,3']),
        ('fuzz', 'campaign', ['layout', 'shape_text', 'hlo_text', '--time', '10s', *fake]),
        ('banks', 'banks', ['f16[8,64]{1,0}', '--access', 'ldmatrix']),
        ('banks', 'banks', ['(8,72):(72,1)', '--type', 'f16', '--vector', '16', '--access', '(lane) -> (lane, 0), domain: lane in [0, 7]']),
        ('check', 'facts', [PLAIN, '--inside', '4', '--one-to-one', '--onto', '999', '--width', '2']),
        ('check', 'facts', [SHAPE, '--inside', '24', '--one-to-one', '--width', '32']),
        ('check', 'facts', ['-', '--lines', '--one-to-one'], PLAIN + '\n' + SHAPE + '\n'),
        ('check', 'shards', ['--shards', shards('w', [[0, 2]], [[1, 4]])]),
        ('check', 'shards', ['--shards', shards(None, [[0, 2]], [[2, 4]])]),
        ('grid', 'grid', ['-'], grid('(i, j) -> (i), domain: i in [0, 1], j in [0, 2]', [4])),
        ('grid', 'grid', ['-'], grid('(i, j) -> (j), domain: i in [0, 1], j in [0, 2]', [7])),
        ('grid', 'grid', ['-'], grid('(i, j) -> (1 - i), domain: i in [0, 1], j in [0, 2]', [4], 'parallel')),
        ('grid', 'grid', ['-'], grid('(i, j) -> (i + j * 3), domain: i in [0, 1], j in [0, 2]', [4])),
        ('grid', 'grid', ['-'], grid('(i, j){n} -> (n), domain: i in [0, 1], j in [0, 2], n in [0, 1]', [4])),
        ('image', 'image', [SHAPE]),
        ('image', 'image', ['(d0) -> (d0, d0 * 2), domain: d0 in [1, 9]']),
        ('image', 'image', ['(d0) -> (d0 * 2), domain: d0 in [1, 9]']),
        ('inverse', 'map', [PLAIN]),
        ('judge', None, ['--requests', requests, '--answers', answers]),
        ('judge', None, ['--requests', requests, '--answers', wrong]),
        ('layout', 'tiled', [SHAPE]),
        ('layout', 'tiled', [SHAPE, '--index', '2,3']),
        ('layout', 'tiled', [SHAPE, '--offset', '23']),
        ('layout', 'tiled', [SHAPE, '--offset', '17']),
        ('layout', 'nested', ['zN:f16[64,96]', '--offset', '1044']),
        ('layout', 'nested', ['((4,2),3):((4,16),1)', '--index', '(1,1),2']),
        ('layout', 'nested', ['(4,9223372036854775807):(1,4)']),
        ('layout', 'swizzled', ['Sw<3,3,3> o 0 o (8,64):(64,1)']),
        ('layout', 'swizzled', ['Sw<3,3,3> o 0 o (8,64):(64,1)', '--index', '7,56']),
        ('layout', 'threads', [THREADS]),
        ('layout', 'threads', [BASES]),
        ('layout', 'threads', [BASES.replace('[4]', '[8]')]),
        ('layout', 'owners', [THREADS, '--index', '3']),
        ('layout', 'elements', [THREADS, '--lane', '1']),
        ('equiv', 'threads', [THREADS, THREADS]),
        ('equiv', 'threads', [THREADS, BASES]),
        ('equiv', 'threads', [THREADS, THREADS.replace('[4]', '[8]')]),
        ('layout', 'converted', [THREADS, '--as', 'map']),
        ('layout', 'converted', [SHAPE, '--as', 'cute']),
        ('layout', 'converted', ['f32[64,2]{0,1:T(2,8)(2,3)}', '--as', 'cute']),
        ('layout', 'format', ['bf16[8,3,200]{2,1,0}', '--format', 'tpu']),
        ('layout', 'sharding', ['f32[5,6]', '--sharding', '{devices=[4,1]<=[4]}']),
        ('layout', 'listed', [module]),
        ('map', None, [module]),
        ('map', None, ['r = f32[8,4] negate(f32[8,4] p), sharding={replicated}']),
        ('map', None, ['r = f32[8] collective-permute(f32[8] p), source_target_pairs={{0,1}}']),
        ('map', None, ['--verify', module]),
        ('map', None, [refused]),
        ('map', None, ['--direction', 'input_to_output', HLO]),
        ('prove', None, [SHAPE, '(4,2):(1,1)']),
        ('prove', None, ['@' + shapes]),
        ('relayout', 'relayout', [SHAPE, 'f32[3,5]']),
        ('relayout', 'relayout', ['Sw<1,0,1> o 0 o (2,2):(2,1)', '(2,2):(2,1)']),
        ('relayout', 'threads', [THREADS, THREADS]),
        ('simplify', 'map', [MAP]),
        ('simplify', 'map', ['--keep', 'tiles', MAP]),
        ('simplify', 'narrow', ['--width', '32', MAP]),
        ('simplify', 'narrow', ['--width', '3', MAP]),
        ('simplify', 'trace', ['--trace', MAP]),
        ('simplify', 'checked', ['--check', '@' + trace]),
        ('simplify', 'checked', ['--check', '@' + broken]),
        ('simplify', None, ['--lines'], MAP + '\nno map\n'),
        ('simplify', 'mlir', ['--mlir', '#map = affine_map<(d0) -> (d0)> memref<4xf32> memref<?xf32>']),
        ('tile', None, [HLO, '--tile', '0:1,0:1,0:1']),
        ('tile', None, [HLO, '--operand', '0', '--tile', '0:1,0:1']),
        ('tile', None, [module, '--instruction', 'g', '--tile', '0:1,0:1']),
        ('tile', None, [module, '--instruction', 'u', '--tile', '0:1,0:1']),
        ('tile', None, ['r = f32[2] dynamic-slice(f32[8] p, s32[] i), dynamic_slice_sizes={2}', '--tile', '0:1']),
        ('tile', None, ['r = f32[8] pad(f32[2] p, f32[] z), padding=0_6', '--tile', '4:2']),
        ('tile', None, ['n = f32[8] negate(f32[8] p)', '--tile',
                        '(t) -> offsets [t * 4] sizes [4] strides [1] upper bounds [8]']),
        ('tile', None, ['s = s32[] get-dimension-size(f32[4] x), dimensions={0}', '--tile',
                        '() -> offsets [] sizes [] strides [] upper bounds []']),
        ('utilization', None, [module]),
        ('utilization', None, [HLO]),
        ('waste', None, [module]),
        ('zoo', None, ['OPEN-21']),
        # Errors have one form, whatever the command.
        ('layout', 'error', ['f32[3,5']),
        ('map', 'error', ['t = f32[3,2] transpsoe(f32[2,3] p)']),
        ('map', 'error', [module + '\nx']),
        ('layout', 'error', ['@' + trace]),
        ('equiv', 'error', [MAP, '--timeuot', '3']),
        ('simplify', 'error', ['(d0) ->\n (d1), domain: d0 in [0, 1]']),
    ]


def fuzz_targets(scratch):
    """Options that name targets which stand for real ones: one that finds nothing and one that fails."""
    library = os.path.join(HERE, '..', '..', 'fuzz', 'campaign', 'testdata', 'fake_target.sh')
    wrong = "[ $mode = merge ] && keep; [ $mode = minimise ] && cp \"$first\" \"$exact\"; starts; fail b 'a difference'"
    for name, body in (('layout', '[ $mode = merge ] && keep /dev/null; starts; ends'), ('shape_text', wrong)):
        path = os.path.join(scratch, name + '_fuzzer')
        with open(path, 'w') as out:
            out.write(f'#!/bin/bash\n. {os.path.abspath(library)}\n{body}\n')
        os.chmod(path, 0o755)
    return ['--programs', scratch, '--corpus', os.path.join(scratch, 'campaign')]


def run(program, arguments, text=''):
    done = subprocess.run([program] + arguments, input=text, capture_output=True, text=True, timeout=300)
    return done.stdout, done.returncode


def form_of(line, form):
    if isinstance(line.get('error'), dict):
        return 'error'
    if form is not None:
        return form
    return 'summary' if 'summary' in line else 'line'


# ---- What the outputs have ----

def kind(value):
    if value is None:
        return 'null'
    for name, python in (('boolean', bool), ('integer', int), ('number', float), ('string', str), ('array', list)):
        if isinstance(value, python):
            return name
    return 'object'


def merged(values):
    """The schema of all of these values."""
    kinds = sorted({kind(value) for value in values})
    if 'number' in kinds and 'integer' in kinds:
        kinds.remove('integer')
    schema = {'type': kinds[0] if len(kinds) == 1 else kinds}
    objects = [value for value in values if isinstance(value, dict)]
    if objects:
        keys = sorted({key for value in objects for key in value})
        schema['properties'] = {key: merged([value[key] for value in objects if key in value]) for key in keys}
        schema['required'] = [key for key in keys if all(key in value for value in objects)]
        schema['additionalProperties'] = False
    items = [item for value in values if isinstance(value, list) for item in value]
    if items:
        schema['items'] = merged(items)
    return schema


# Numbers that may have a fraction, though those of the calls above happen to have none.
FRACTIONS = {'percent', 'seconds', 'slowest'}
# Objects whose keys are data: of the protocol, names of operations and verdicts.
NUMBERS = {'type': 'object', 'additionalProperties': {'type': 'integer'}}
OPEN = {'request': {'type': 'object'}, 'right': {'type': 'object'}, 'ops': {'type': 'object', 'additionalProperties': NUMBERS},
        **{name: NUMBERS for name in ('verdicts', 'unsupported', 'beyond_limits', 'unnamed_ops', 'not_asked', 'undecidable', 'undecided')}}


def loosen(schema):
    for key, value in schema.get('properties', {}).items():
        if key in FRACTIONS:
            value['type'] = 'number'
        if key in OPEN and value.get('type') == 'object':
            schema['properties'][key] = OPEN[key]
        else:
            loosen(value)
    if 'items' in schema:
        loosen(schema['items'])
    return schema


def write(command, forms):
    schema = {
        '$schema': 'https://json-schema.org/draft/2020-12/schema',
        'title': f'A line of `tileproof {command} --json`' if command != 'error' else 'An error, of every command with --json',
        'anyOf': [{'$ref': f'#/$defs/{form}'} for form in sorted(forms)],
        '$defs': {form: loosen(merged(lines)) for form, lines in sorted(forms.items())},
    }
    with open(os.path.join(HERE, command + '.json'), 'w') as out:
        json.dump(schema, out, indent=1)
        out.write('\n')


# ---- Whether a line fits ----

TYPES = {'null': lambda v: v is None, 'boolean': lambda v: isinstance(v, bool),
         'integer': lambda v: isinstance(v, int) and not isinstance(v, bool),
         'number': lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
         'string': lambda v: isinstance(v, str), 'array': lambda v: isinstance(v, list),
         'object': lambda v: isinstance(v, dict)}


def problem(value, schema, seen, at='$'):
    """None, or what is wrong with the value. Adds the keys that occur to `seen`."""
    if schema is True:
        return None
    types = schema.get('type')
    types = [types] if isinstance(types, str) else types
    if types and not any(TYPES[name](value) for name in types):
        return f'{at}: expected {types}, found {kind(value)}'
    if 'oneOf' in schema and sum(problem(value, one, set(), at) is None for one in schema['oneOf']) != 1:
        return f'{at}: not one of several'
    if value not in schema.get('enum', [value]) or value != schema.get('const', value):
        return f'{at}: another value'
    if 'pattern' in schema and not re.search(schema['pattern'], value):
        return f'{at}: expected {schema["pattern"]}'
    if isinstance(value, dict) and len(value) < schema.get('minProperties', 0):
        return f'{at}: too few keys'
    if isinstance(value, dict):
        properties = schema.get('properties', {})
        for key in schema.get('required', []):
            if key not in value:
                return f'{at}: no {key}'
        for key, inside in value.items():
            rest = schema.get('additionalProperties', True)
            if key in properties:
                seen.add((id(schema), key))
                rest = properties[key]
            elif rest is False:
                return f'{at}: unexpected {key}'
            wrong = problem(inside, rest, seen, f'{at}.{key}')
            if wrong:
                return wrong
    if isinstance(value, list) and 'items' in schema:
        for i, item in enumerate(value):
            wrong = problem(item, schema['items'], seen, f'{at}[{i}]')
            if wrong:
                return wrong
    return None


def keys_of(schema):
    if not isinstance(schema, dict):
        return
    for key, inside in schema.get('properties', {}).items():
        yield id(schema), key
        yield from keys_of(inside)
    if 'items' in schema:
        yield from keys_of(schema['items'])


def check(found):
    failures, lines, seen, expected = [], 0, set(), {}
    try:
        import jsonschema
    except ImportError:
        jsonschema = None
    for command, forms in sorted(found.items()):
        try:
            schema = json.load(open(os.path.join(HERE, command + '.json')))
        except FileNotFoundError:
            failures.append(f'{command}: no schema')
            continue
        for form, definition in schema['$defs'].items():
            expected.update({key: f'{command}, {form}: {key[1]}' for key in keys_of(definition)})
        found[command]['schema'] = schema  # keeps the ids alive
        for form, examples in forms.items():
            if form == 'schema':
                continue
            for line in examples:
                lines += 1
                definition = schema['$defs'].get(form)
                wrong = 'no such form' if definition is None else problem(line, definition, seen)
                if wrong:
                    failures.append(f'{command}, {form}: {wrong}: {json.dumps(line)[:300]}')
                elif jsonschema:
                    jsonschema.validate(line, schema)
    failures += [f'{what} never occurs' for key, what in expected.items() if key not in seen]
    return failures, lines, 'and jsonschema' if jsonschema else 'without jsonschema'


def mutants(found):
    """The validator must refuse a line without a key, with another key, or with another type."""
    missed = []
    for command, forms in found.items():
        schema = forms['schema']
        for form, examples in forms.items():
            if form == 'schema' or not examples:
                continue
            definition, line = schema['$defs'][form], examples[0]
            changed = [{**line, 'surprise': 1}]
            changed += [{key: value for key, value in line.items() if key != gone} for gone in definition['required']]
            changed += [{**line, key: {'no': 'such'}} for key, value in line.items() if not isinstance(value, dict)]
            missed += [f'{command}, {form}: accepts {json.dumps(wrong)[:200]}' for wrong in changed
                       if problem(wrong, definition, set()) is None]
    return missed


def vectors():
    """What is wrong with the test vectors, which have a schema of their own, and how many lines there are."""
    folder = os.path.join(HERE, '..', '..', 'corpus', 'vectors')
    schema = json.load(open(os.path.join(folder, 'schema.json')))
    failures, lines = [], 0
    for name in sorted(os.listdir(folder)):
        for text in open(os.path.join(folder, name)) if name.endswith('.jsonl') else ():
            lines += 1
            line = json.loads(text)
            wrong = problem(line, schema, set())
            failures += [f'vectors, {name}: {wrong}: {text[:300]}'] if wrong else []
    changed = [{**line, 'color': 7}, {**line, 'flags': ['no-such-flag']}]
    changed += [{key: value for key, value in line.items() if key != gone} for gone in schema['required']]
    failures += [f'vectors: accepts {json.dumps(bad)[:200]}' for bad in changed if problem(bad, schema, set()) is None]
    return failures, lines


def main():
    program = os.path.abspath(sys.argv[1])
    found = {}
    with tempfile.TemporaryDirectory() as scratch:
        for command, form, arguments, *text in calls(program, scratch):
            split = arguments.index('--') if '--' in arguments else len(arguments)
            called = [command, '--json'] + arguments[:split] + arguments[split:]
            output, status = run(program, called, text[0] if text else '')
            if status not in (0, 1, 2, 3) or not output:
                sys.exit(f'FAILED: {called}: status {status}, output {output!r}')
            for line in output.splitlines():
                value = json.loads(line)
                this = form_of(value, form)
                found.setdefault('error' if this == 'error' else command, {}).setdefault(this, []).append(value)
    with_json = [line.split()[0] for line in run(program, ['--help'])[0].split('Subcommands:')[1].splitlines()
                 if line.startswith('  ') and line.split() and line[2] != ' ']
    with_json = [command for command in with_json if '--json' in run(program, [command, '--help'])[0]]
    if '--write' in sys.argv:
        for command, forms in found.items():
            write(command, forms)
        return
    failures, lines, how = check(found)
    failures += [] if failures else mutants(found)
    of_vectors, more = vectors()
    failures, lines = failures + of_vectors, lines + more
    failures += [f'{command} has --json and is not called here' for command in with_json
                 if command not in found]
    for failure in failures:
        print('FAILED:', failure)
    print(f'{len(found)} schemas, {lines} lines, {how}')
    sys.exit(1 if failures else 0)


main()
