// Writes tests/reference/ACCURACY.md: how exact the special functions and the quadrature rules are.
//
//   node tools/accuracy.mjs            builds attnlab_accuracy, runs it, writes the table
//
// In tests: accuracyTable(await measure()) without building.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compile, inToolchain } from './compile.mjs';
import { Failure, isMain, runMain } from './failure.mjs';
import { logFolder, project } from './paths.mjs';

export const accuracyFile = join(project, 'tests/reference/ACCURACY.md');

// Stated in prose in their headers, and so not read from there.
const STATED = {
  'simd exp, double': 1,
  'simd exp, float': 1.1,
  'simd exp_nonpositive_fast, double': 1.1,
  'simd exp_nonpositive_fast, float': 1.1,
  'simd log1p_of_unit, double': 1,
  gaussian_pairs: 4,
  'gauss_hermite, nodes': 1e-14,
  'gauss_hermite, weights': 1e-12,
  'gauss_legendre, nodes': 2e-15,
  'gauss_legendre, weights': 1e-12,
};

const read = (path) => readFileSync(join(project, path), 'utf8');

// The functions of one number that the headers declare, with the bound that stands after each:
// `double exp(double x);    // 1; …` or `// relative 2e-15; …`.
export function declaredBounds() {
  const source = read('src/core/portable.h') + read('src/core/special.h');
  const declared = /^double (\w+)\(double .*\);\s*\/\/ (?:relative )?([\d.e-]+)/gm;
  return new Map([...source.matchAll(declared)].map(([, name, bound]) => [name, Number(bound)]));
}

// → the rows: { name, range, points, error, unit, source, stated }.
export async function measure() {
  const log = join(logFolder, 'accuracy.log');
  const program = join(project, 'build/native/attnlab_accuracy');
  const { code } = await inToolchain([program], { log, timeout: 600 });
  if (code !== 0) throw new Failure('The accuracy could not be measured.', { log });
  const bounds = declaredBounds();
  return readFileSync(log, 'utf8')
    .trim()
    .split('\n')
    .map((line) => {
      const [name, range, points, error, unit, source] = line.split('\t');
      const stated = bounds.get(name) ?? STATED[name];
      return { name, range, points: Number(points), error: Number(error), unit, source, stated };
    });
}

// Two digits: all that another C library of the same precision leaves alone.
const digits = (value) => (value >= 0.01 ? value.toPrecision(2) : value.toExponential(1));

const row = (...cells) => `| ${cells.join(' | ')} |`;

export function accuracyTable(rows) {
  return [
    '# Accuracy',
    '',
    'The largest errors of the special functions and quadrature rules of `src/core`, natively; the',
    'WebAssembly builds give the same bits in doubles. Written by `node tools/accuracy.mjs`, which runs',
    '`tests/reference/accuracy.cpp`. An error in ulp is in units in the last place of the exact value, as',
    'rounded to the type; "stated" is the bound in the header. Arguments are random: uniform on a range,',
    'or over its powers of two where it is given by them. The sources are the C library in long double,',
    'with corrections where its rounding would be seen, and polynomials and Newton’s method in quad',
    'precision.',
    '',
    row('function', 'range', 'points', 'largest error', 'stated', 'unit', 'source'),
    row('---', '---', '---:', '---:', '---:', '---', '---'),
    ...rows.map(({ name, range, points, error, unit, source, stated }) =>
      row(`\`${name}\``, range, points, digits(error), stated ?? '', unit, source),
    ),
    '',
  ].join('\n');
}

if (isMain(import.meta.url)) {
  await runMain(async () => {
    if (process.argv.length > 2) throw new Failure('usage: node tools/accuracy.mjs');
    await compile('native', ['attnlab_accuracy']);
    writeFileSync(accuracyFile, accuracyTable(await measure()));
  });
}
