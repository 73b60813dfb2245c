// Packs word vectors into the form that src/experiments/resources.h reads.
//   node tools/data/pack-word-vectors.mjs WORDS.txt VECTORS.f32 OUT.bin
// WORDS.txt: one word a line. VECTORS.f32: little-endian float32, one row a word.
// Each row is kept as one float32 scale (its largest entry / 127) and int8 entries. Prints the
// root-mean-square rounding error beside the root-mean-square entry.
import { readFileSync, writeFileSync } from 'node:fs';

const [wordsPath, vectorsPath, outPath] = process.argv.slice(2);
if (!outPath) {
  console.error('usage: pack-word-vectors.mjs WORDS.txt VECTORS.f32 OUT.bin');
  process.exit(2);
}
const words = readFileSync(wordsPath, 'utf8')
  .split('\n')
  .filter((word) => word !== '');
const raw = readFileSync(vectorsPath);
const columns = raw.length / 4 / words.length;
if (!Number.isInteger(columns)) {
  console.error(`${raw.length / 4} numbers cannot be shared out to ${words.length} words`);
  process.exit(1);
}
const names = Buffer.from(words.map((word) => word + '\n').join(''), 'utf8');
const header = Buffer.alloc(20);
header.write('ATWV', 0, 'ascii');
header.writeUInt32LE(1, 4);
header.writeUInt32LE(words.length, 8);
header.writeUInt32LE(columns, 12);
header.writeUInt32LE(names.length, 16);

const body = Buffer.alloc(words.length * (columns + 4));
let squares = 0;
let errors = 0;
for (let i = 0; i < words.length; ++i) {
  const row = Array.from({ length: columns }, (_, j) => raw.readFloatLE(4 * (i * columns + j)));
  const scale = Math.fround(Math.max(...row.map(Math.abs)) / 127) || 1;
  body.writeFloatLE(scale, i * (columns + 4));
  row.forEach((value, j) => {
    const whole = Math.max(-127, Math.min(127, Math.round(value / scale)));
    body.writeInt8(whole, i * (columns + 4) + 4 + j);
    squares += value * value;
    errors += (value - scale * whole) ** 2;
  });
}
writeFileSync(outPath, Buffer.concat([header, names, body]));
const size = words.length * columns;
console.log(
  `${words.length} words x ${columns}; rms entry ${Math.sqrt(squares / size).toFixed(4)}, ` +
    `rms rounding error ${Math.sqrt(errors / size).toFixed(5)} ` +
    `(${((100 * Math.sqrt(errors)) / Math.sqrt(squares)).toFixed(2)} %)`,
);
