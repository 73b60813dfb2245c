// Values that no caller should hand in, by what is expected of the parameter.
export const throwing = (name) => ({
  get [name]() {
    throw new Error('the getter throws');
  },
});

const thrower = (name) => Object.getOwnPropertyDescriptors(throwing(name));

const nothing = [
  ['null', null],
  ['a symbol', Symbol('x')],
  ['a BigInt', 10n],
  ['a function', () => 1],
  ['a date', new Date(0)],
];

const detached = new Float64Array(2);
structuredClone(detached, { transfer: [detached.buffer] });

export function revoked() {
  const { proxy, revoke } = Proxy.revocable([], {});
  revoke();
  return proxy;
}

const sparse = [1, 2];
sparse[3] = 4;

export const badMatrices = [
  ...nothing,
  ['a number', 5],
  ['a text', '1,2'],
  ['an empty object', {}],
  ['a flat list', [1, 2]],
  ['a typed array', new Float64Array(4)],
  ['too few entries', { data: [1, 2, 3], shape: [2, 2] }],
  ['a fractional side', { data: new Float64Array(5), shape: [2.5, 2] }],
  ['a negative side', { data: new Float64Array(4), shape: [-2, -2] }],
  ['a huge side', { data: new Float64Array(4), shape: [1e18, 1e18] }],
  ['a NaN side', { data: new Float64Array(4), shape: [NaN, 2] }],
  ['a side beyond 32 bits', { data: new Float64Array(0), shape: [2 ** 32 + 2, 0] }],
  ['columns beyond 32 bits', { data: new Float64Array(0), shape: [0, 2 ** 32 + 2] }],
  ['an infinite side', { data: new Float64Array(0), shape: [Infinity, 0] }],
  ['three sides', { data: new Float64Array(8), shape: [2, 2, 2] }],
  ['no shape', { data: new Float64Array(4) }],
  ['BigInts', { data: new BigInt64Array(4), shape: [2, 2] }],
  ['ragged rows', [[1, 2], [3]]],
  ['a hole in a row', [sparse, [1, 2, 3, 4]]],
  ['a missing row', Object.assign([[1, 2]], { 2: [3, 4] })],
  ['texts', [['1', '2']]],
  ['nested too deep', [[[1, 2]]]],
  ['NaN', [[NaN, 1]]],
  ['Infinity', [[Infinity, 1]]],
  ['-Infinity', { data: Float64Array.of(1, -Infinity), shape: [1, 2] }],
  ['a getter that throws', throwing('data')],
  ['a row that throws', Object.defineProperties([[1, 2]], thrower('0'))],
  ['an entry that throws', [Object.defineProperties([1, 2], thrower('0'))]],
  ['a side that throws', { data: [1], shape: Object.defineProperties([1, 1], thrower('0')) }],
  ['detached rows', [detached, detached]],
  ['detached data', { data: detached, shape: [0, 2] }],
  ['a revoked proxy', revoked()],
  ['a revoked row', [revoked()]],
];

export const badVectors = [
  ...nothing,
  ['a number', 5],
  ['a text', '1,2'],
  ['an object', { 0: 1, length: 1 }],
  ['nested', [[1]]],
  ['texts', ['1']],
  ['a hole', sparse],
  ['BigInts', new BigInt64Array(2)],
  ['an entry that throws', Object.defineProperties([1, 2], thrower('0'))],
  ['a revoked proxy', revoked()],
  ['NaN', [NaN, 1]],
  ['Infinity', [1, Infinity]],
];

export const badNumbers = [
  ...nothing,
  ['a text', '1'],
  ['a list', [1]],
  ['an object', { valueOf: () => 1 }],
  ['true', true],
  ['NaN', NaN],
];

export const infinities = [
  ['Infinity', Infinity],
  ['-Infinity', -Infinity],
];

export const badCounts = [...badNumbers, ...infinities, ['-1', -1], ['2.5', 2.5], ['1e18', 1e18]];

export const badFlags = [...nothing, ['a text', 'true'], ['0', 0], ['1', 1]];

export const badNames = [
  ...nothing,
  ['a number', 5],
  ['an unknown name', 'nope'],
  ['an empty name', ''],
  ['__proto__', '__proto__'],
  ['constructor', 'constructor'],
  ['a very long name', 'x'.repeat(1e6)],
];

export const badTexts = [
  ...nothing,
  ['a revoked proxy', revoked()],
  ['a number', 5],
  ['a list', ['a']],
  ['an object', {}],
];

export const badSeeds = [
  ...nothing,
  ['-1', -1],
  ['2.5', 2.5],
  ['NaN', NaN],
  ['Infinity', Infinity],
  ['2^53', 2 ** 53],
  ['1e18', 1e18],
  ['abc', 'abc'],
  ['an empty text', ''],
  ['a negative text', '-1'],
  ['a fraction as text', '1.5'],
  ['hexadecimal', '0x10'],
  ['a blank', ' 1'],
  ['2^64', '18446744073709551616'],
  ['a very long number', '9'.repeat(1e6)],
];

const signal = { aborted: false, addEventListener() {}, removeEventListener() {} };

export const badSignals = [
  ...nothing,
  ['true', true],
  ['an object', {}],
  ['one that cannot be left', { ...signal, removeEventListener: undefined }],
  ['one that cannot be asked', { ...signal, aborted: undefined }],
  ['one whose state throws', Object.defineProperties({ ...signal }, thrower('aborted'))],
  ['one whose method throws', Object.defineProperties({ ...signal }, thrower('addEventListener'))],
  [
    'one that will not be listened to',
    {
      ...signal,
      addEventListener() {
        throw new Error('no');
      },
    },
  ],
];
