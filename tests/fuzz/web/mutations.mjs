// Inputs that are nearly right: a valid one, and a few changes to its bytes, letters or branches.
import fc from 'fast-check';

const edit = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  kind: fc.constantFrom('replace', 'insert', 'remove', 'repeat'),
  byte: fc.oneof(fc.nat(255), fc.constantFrom(...Buffer.from('\0",;\n\r\t#\\[]{}-+.eE019()<>'))),
});

function applyEdit(bytes, { at, kind, byte }) {
  const place = Math.floor(at * bytes.length);
  const [before, after] = [bytes.subarray(0, place), bytes.subarray(place)];
  if (kind === 'insert') return Buffer.concat([before, Buffer.of(byte), after]);
  if (kind === 'remove') return Buffer.concat([before, after.subarray(1)]);
  if (kind === 'repeat') return Buffer.concat([before, after, after.subarray(0, byte)]);
  return Buffer.concat([before, Buffer.of(byte), after.subarray(1)]);
}

// bytes: an arbitrary of Uint8Array.
export const mutatedBytes = (bytes) =>
  fc
    .tuple(bytes, fc.array(edit, { maxLength: 6 }))
    .map(([start, edits]) => Uint8Array.from(edits.reduce(applyEdit, Buffer.from(start))));

export const mutatedText = (text) =>
  mutatedBytes(text.map((all) => Buffer.from(all))).map((bytes) => Buffer.from(bytes).toString());

// Names that mean something to readers or to JavaScript itself.
const name = fc.oneof(
  fc.constantFrom(
    ...['__proto__', 'constructor', 'toString', 'valueOf', 'toJSON', 'then', 'length', 'data'],
    ...['shape', 'tables', 'columns', 'texts', 'params', 'format', 'grid', 'from', 'to', 'count'],
  ),
  fc.string({ maxLength: 6 }),
);
const leaf = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.constantFrom(null, true, false, '', 'NaN', 'Infinity', '-Infinity', '-0', 1e308, -1, 2 ** 53),
  fc.string({ maxLength: 8 }),
);

// Any JSON value. Keys such as __proto__ stay keys, as JSON.parse makes them.
export const anyJson = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, leaf, tie('list'), tie('object')),
  list: fc.array(tie('value'), { maxLength: 4 }),
  object: fc.array(fc.tuple(name, tie('value')), { maxLength: 4 }).map(Object.fromEntries),
})).value;

// The tree with the branch at a path replaced, taken out, or put in under a new name.
function graft(tree, [step, ...rest], change) {
  if (typeof tree !== 'object' || tree === null || step === undefined) return change.value;
  const keys = Object.keys(tree);
  if (change.kind === 'add' && rest.length === 0) {
    return Array.isArray(tree)
      ? [...tree, change.value]
      : Object.fromEntries([...Object.entries(tree), [change.name, change.value]]);
  }
  if (keys.length === 0) return change.value;
  const key = keys[step % keys.length];
  const entries = Object.entries(tree).flatMap(([each, value]) => {
    if (each !== key) return [[each, value]];
    if (change.kind === 'remove' && rest.length === 0) return [];
    return [[each, graft(value, rest, change)]];
  });
  return Array.isArray(tree) ? entries.map(([, value]) => value) : Object.fromEntries(entries);
}

const change = fc.record({
  path: fc.array(fc.nat(9), { maxLength: 5 }),
  kind: fc.constantFrom('replace', 'remove', 'add'),
  name,
  value: anyJson,
});

// tree: an arbitrary of JSON values.
export const mutatedJson = (tree) =>
  fc
    .tuple(tree, fc.array(change, { maxLength: 3 }))
    .map(([start, changes]) => changes.reduce((all, one) => graft(all, one.path, one), start));
