// @stdlib's generators of normal numbers, one number a call as they are made.
import boxMuller from '@stdlib/random-base-box-muller';
import ziggurat from '@stdlib/random-base-improved-ziggurat';

function prepare(make, count) {
  const next = make({ seed: 1 });
  const numbers = new Float64Array(count);
  return {
    draw: () => {
      for (let i = 0; i < count; ++i) numbers[i] = next();
      return numbers;
    },
  };
}

// → [name, prepare] of each.
export const stdlibNormals = async (count) => [
  ['@stdlib, Box-Muller', () => prepare(boxMuller.factory, count)],
  ['@stdlib, ziggurat', () => prepare(ziggurat.factory, count)],
];
