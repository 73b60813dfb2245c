// Links are input from strangers: whatever one says, the state is inside the limits; and a state
// comes back from its own link.
import assert from 'node:assert/strict';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import fc from 'fast-check';
import { load } from '../../../dist/lib/index.js';
import { fuzz } from './budget.mjs';
import { mutatedText } from './mutations.mjs';

async function pageModule(path) {
  const entry = fileURLToPath(new URL(`../../../web/page/state/${path}`, import.meta.url));
  const options = { entryPoints: [entry], bundle: true, format: 'esm', write: false };
  const { outputFiles } = await esbuild.build(options);
  return import(
    `data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString('base64')}`
  );
}

const { parseRoute, decodeState, encodeState, formatLink } = await pageModule('link.ts');
const lab = await load({ workers: 0 });
after(() => lab.dispose());
const texts = { t: (key, values = {}) => [key, ...Object.values(values)].join(' ') };

function assertNumber(parameter, value) {
  assert.ok(value >= parameter.minimum && value <= parameter.maximum, `${parameter.name} ${value}`);
}

const checks = {
  number: assertNumber,
  integer(parameter, value) {
    assert.ok(Number.isInteger(value), `${parameter.name} ${value}`);
    assertNumber(parameter, value);
  },
  boolean: (_, value) => assert.equal(typeof value, 'boolean'),
  choice: ({ choices }, value) =>
    assert.ok(
      choices.some(({ name }) => name === value),
      value,
    ),
  numbers(parameter, value) {
    assert.ok(value.length <= parameter.maximumCount && value.length >= parameter.minimumCount);
    for (const entry of value) assertNumber(parameter, entry);
  },
  text: ({ maximum }, value) =>
    assert.ok(new TextEncoder().encode(value).length <= (maximum || 20_000), 'a text too long'),
  matrix(_, { rows, columns, data }) {
    assert.equal(data.length, rows * columns);
    assert.ok(data.length <= 4096 && data.every(Number.isFinite));
  },
};

function checkState(descriptor, state) {
  for (const parameter of descriptor.parameters)
    checks[parameter.type](parameter, state.values[parameter.name]);
  assert.equal(Object.keys(state.values).length, descriptor.parameters.length);
  assert.match(state.seed, /^\d{1,20}$/);
  assert.ok(BigInt(state.seed) < 2n ** 64n, state.seed);
  assert.ok(state.notices.length <= 20 && state.notices.every((notice) => notice.length < 500));
}

const value = fc.oneof(
  fc.double().map(String),
  fc.constantFrom(
    ...['', '-1', '1e309', '0x10', 'NaN', '1e9', '99999999999999999999', '1,2,3', ',,,', '\u22123'],
    ...['true', 'on', '2:2:1,2,3,4', '9:9:1', '0:5:', '999999:999999:1', '<script>', '%', '%zz'],
  ),
  fc.string({ maxLength: 30, unit: 'binary' }),
);

// A link to `descriptor` of its own parameters, in the order of the draw, with wrong names too.
const linkTo = (descriptor) => {
  const names = descriptor.parameters.map(({ name }) => name);
  const name = fc.constantFrom(...names, 'v', 'preset', 'seed', '__proto__', 'toString', 'hide');
  return fc
    .array(fc.tuple(name, value), { maxLength: 8 })
    .map((pairs) => `#/${descriptor.id}?${new URLSearchParams(pairs)}`);
};
const descriptors = fc.constantFrom(...lab.experiments);
const links = descriptors.chain((descriptor) =>
  fc.tuple(fc.constant(descriptor), fc.oneof(linkTo(descriptor), mutatedText(linkTo(descriptor)))),
);

fuzz(
  'whatever a link says, its state is inside the limits, and so is the link made of it',
  1500,
  fc.property(links, ([descriptor, hash]) => {
    const state = decodeState(descriptor, parseRoute(hash).query, texts);
    checkState(descriptor, state);
    const again = encodeState(descriptor, state);
    const back = decodeState(
      descriptor,
      parseRoute(formatLink(descriptor.id, again.query)).query,
      texts,
    );
    checkState(descriptor, back);
    if (again.left.length === 0) assert.deepEqual(back.values, state.values);
    assert.equal(back.seed, state.seed);
    assert.deepEqual(back.notices, []);
  }),
);

fuzz(
  'any text is a route',
  1500,
  fc.property(fc.string({ unit: 'binary', maxLength: 60 }), fc.nat(30_000), (text, times) => {
    const route = parseRoute(`#/${text}${text.slice(0, 2).repeat(times)}`);
    assert.ok(route.place.length <= 20_000);
    assert.equal(typeof route.tooLong, 'boolean');
  }),
);
