// A result that holds what is hard to write down and read back.
export const hard = [
  0,
  -0,
  0.1,
  1 / 3,
  5e-324,
  1.7976931348623157e308,
  -1e21,
  NaN,
  Infinity,
  -Infinity,
];
export const texts = [
  'plain',
  'with, comma',
  'with "quotes"',
  'two\nlines',
  ' blanks ',
  'λ √n',
  '',
  'NaN',
  '1.5',
  '# no comment',
];
export const result = {
  status: 'diverged',
  divergedAt: 12,
  experiment: 'sample.hard',
  params: {
    snr: Infinity,
    sizes: [1, NaN],
    kernel: 'Infinity?',
    centred: true,
    tokens: { data: Float64Array.of(1, -0), shape: [1, 2] },
  },
  seed: '18446744073709551615',
  version: '0.1.0',
  tables: {
    points: { columns: { name: texts, value: Float64Array.from(hard) } },
    empty: { columns: { value: new Float64Array(0) } },
  },
};
