// The same matrix as CSV, TSV, semicolons or JSON, in every way of writing it.
import fc from 'fast-check';

const entry = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer({ min: -99, max: 99 }),
);
export const matrices = fc
  .tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 4 }))
  .chain(([rows, columns]) =>
    fc.array(fc.array(entry, { minLength: columns, maxLength: columns }), {
      minLength: rows,
      maxLength: rows,
    }),
  );

const style = fc.record({
  separator: fc.constantFrom(',', ';', '\t'),
  lineEnd: fc.constantFrom('\n', '\r\n', '\r'),
  quote: fc.boolean(),
  mark: fc.constantFrom('', '\ufeff'),
  before: fc.constantFrom('', '# made by hand', ' ', '#,;\t'),
  header: fc.boolean(),
  space: fc.constantFrom('', ' '),
  lastEnd: fc.boolean(),
});

// -0 would be written as 0.
const written = (value) => (Object.is(value, -0) ? '-0' : String(value));

function separated(rows, about) {
  const { separator, lineEnd, quote, mark, before, header, space, lastEnd } = about;
  const cell = (text) => (quote ? `"${text}"` : `${space}${text}${space}`);
  const lines = rows.map((row) => row.map((value) => cell(written(value))).join(separator));
  if (header) lines.unshift(rows[0].map((_, i) => cell(`x${i}`)).join(separator));
  const end = lastEnd ? lineEnd : '';
  return `${mark}${before ? before + lineEnd : ''}${lines.join(lineEnd)}${end}`;
}

const numberText = (value) => (Object.is(value, -0) ? '-0' : JSON.stringify(value));
const nested = (rows) => `[${rows.map((row) => `[${row.map(numberText)}]`)}]`;
const flat = (rows) =>
  `{"data":[${rows.flat().map(numberText)}],"shape":[${rows.length},${rows[0].length}]}`;

// { rows, text }
export const tableTexts = fc
  .tuple(matrices, style, fc.constantFrom('separated', 'nested', 'flat'))
  .map(([rows, about, kind]) => {
    if (kind === 'nested') return { rows, text: nested(rows) };
    if (kind === 'flat') return { rows, text: flat(rows) };
    return { rows, text: separated(rows, about) };
  });
