// .npy files by the published format, in every way of writing the same array.
import fc from 'fast-check';

const kinds = {
  b1: [1, 'setUint8'],
  i1: [1, 'setInt8'],
  u1: [1, 'setUint8'],
  i2: [2, 'setInt16'],
  u2: [2, 'setUint16'],
  i4: [4, 'setInt32'],
  u4: [4, 'setUint32'],
  i8: [8, 'setBigInt64'],
  u8: [8, 'setBigUint64'],
  f4: [4, 'setFloat32'],
  f8: [8, 'setFloat64'],
};

const layout = fc.record({
  kind: fc.constantFrom(...Object.keys(kinds)),
  little: fc.boolean(),
  fortran: fc.boolean(),
  version: fc.integer({ min: 1, max: 3 }),
  quote: fc.constantFrom("'", '"'),
  space: fc.constantFrom('', ' ', '  '),
  order: fc.shuffledSubarray(['descr', 'fortran_order', 'shape'], { minLength: 3 }),
  shape: fc.array(fc.nat(4), { maxLength: 3 }),
});

function headerText({ kind, little, fortran, quote, space, order, shape }) {
  const sides = shape.join(`,${space}`) + (shape.length === 1 ? ',' : '');
  const mark = kinds[kind][0] === 1 ? '|' : little ? '<' : '>';
  const values = {
    descr: `${quote}${mark}${kind}${quote}`,
    fortran_order: fortran ? 'True' : 'False',
    shape: `(${sides})`,
  };
  const entries = order.map((name) => `${quote}${name}${quote}:${space}${values[name]}`);
  return `{${entries.join(`,${space}`)},${space}}`;
}

// The place in a file of the entry that comes `index`-th in row-major order.
function placeOf(index, shape, fortran) {
  if (!fortran) return index;
  const subscripts = [];
  for (let side = shape.length - 1, rest = index; side >= 0; --side) {
    subscripts[side] = rest % shape[side];
    rest = Math.floor(rest / shape[side]);
  }
  return subscripts.reduceRight((place, subscript, side) => place * shape[side] + subscript, 0);
}

function bytesOf(about, values) {
  const { kind, little, fortran, version, shape } = about;
  const [size, write] = kinds[kind];
  const lengthBytes = version === 1 ? 2 : 4;
  const text = `${headerText(about)}\n`;
  const file = Buffer.alloc(8 + lengthBytes + text.length + values.length * size);
  file.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, version, 0]);
  file.writeUIntLE(text.length, 8, lengthBytes);
  file.write(text, 8 + lengthBytes, 'latin1');
  const view = new DataView(file.buffer, file.byteOffset + 8 + lengthBytes + text.length);
  values.forEach((value, index) => {
    const entry = write.includes('Big') ? BigInt(value) : value;
    view[write](placeOf(index, shape, fortran) * size, entry, little);
  });
  return file;
}

// { bytes, shape, values }: values in row-major order, small and at least 0, so that each type
// holds them.
export const npyFiles = layout.chain((about) => {
  const count = about.shape.reduce((product, side) => product * side, 1);
  const largest = about.kind === 'b1' ? 1 : 100;
  return fc
    .array(fc.nat(largest), { minLength: count, maxLength: count })
    .map((values) => ({ bytes: bytesOf(about, values), shape: about.shape, values }));
});
