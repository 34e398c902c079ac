// SPDX-License-Identifier: Apache-2.0
// An implementation of two operations, in JavaScript: tileproof conform -- node respond.js
// Numbers are BigInt, which JSON cannot represent. The hello therefore asks for decimal strings.
const floordiv = (x, c) => (x - (((x % c) + c) % c)) / c;
const operations = {
  '+': (x, y) => x + y,
  '*': (x, y) => x * y,
  floordiv,
  ceildiv: (x, c) => -floordiv(-x, c),
  mod: (x, c) => x - c * floordiv(x, c),
};

function evaluate({ parsed: { map }, ...request }) {
  if (!map) throw Error('expected a map');
  const values = {}, bounds = [];
  for (const [kind, letter] of [['dims', 'd'], ['ranges', 's'], ['runtime', 'rt']]) {
    const given = request[kind] ?? [];
    if (given.length !== map[kind].length) throw Error(`expected ${map[kind].length} ${kind}`);
    given.forEach((value, i) => (values[letter + i] = BigInt(value)));
    map[kind].forEach((variable, i) => bounds.push([letter + i, variable.bounds]));
  }
  const at = (expr) => {
    if (!Array.isArray(expr)) return values[expr] ?? BigInt(expr);
    return operations[expr[0]](at(expr[1]), at(expr[2]));
  };
  const inside = ([expr, [low, high]]) => BigInt(low) <= at(expr) && at(expr) <= BigInt(high);
  const domain = bounds.concat(map.constraints.map(({ expr, bounds }) => [expr, bounds]));
  const results = domain.every(inside) ? map.results.map(at) : null;
  if (results?.some((x) => BigInt.asIntN(64, x) !== x)) throw Error('a result leaves 64 bits');
  return results && results.map(String);
}

// Supports any order of dimensions, but no tiles.
function linearize({ parsed: { shape }, index, indices }) {
  if (!shape?.dims) throw Error('expected an array');
  if (shape.tiles.length > 0) return undefined;
  const one = (at) => {
    const outside = at.some((x, d) => BigInt(x) < 0n || BigInt(x) >= BigInt(shape.dims[d] ?? 0));
    if (outside || at.length !== shape.dims.length) throw Error('outside of the array');
    const order = [...shape.minor_to_major].reverse().map(Number);
    return String(order.reduce((sum, d) => sum * BigInt(shape.dims[d]) + BigInt(at[d]), 0n));
  };
  return index ? one(index) : indices.map(one);
}

const hello = () => ({ name: 'respond.js', window: 64, integers: 'string', parsed: true });
const answers = { hello, 'map.evaluate': evaluate, 'layout.linearize': linearize };
const lines = require('readline').createInterface({ input: process.stdin });
lines.on('line', (line) => {
  const request = JSON.parse(line), reply = { id: request.id };
  try {
    const result = answers[request.op]?.(request);
    Object.assign(reply, result === undefined ? { unsupported: request.op } : { result });
  } catch (why) {
    reply.error = why.message;
  }
  process.stdout.write(JSON.stringify(reply) + '\n');
});
