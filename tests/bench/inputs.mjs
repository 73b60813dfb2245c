// The same numbers for every contender, in every mode and on every machine.

// mulberry32: inputs need no quality, they need to be the same.
function uniformSource(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let word = Math.imul(state ^ (state >>> 15), state | 1);
    word ^= word + Math.imul(word ^ (word >>> 7), word | 61);
    return (((word ^ (word >>> 14)) >>> 0) + 0.5) / 4294967296;
  };
}

// Standard normal numbers, rounded to float so that both precisions start from the same ones.
export function normals(count, seed) {
  const uniform = uniformSource(seed);
  const numbers = new Float32Array(count);
  for (let i = 0; i < count; ++i) {
    numbers[i] = Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
  }
  return numbers;
}

// A matrix as the library takes it; Type is Float32Array or Float64Array.
export function matrix(rows, columns, seed, Type = Float32Array) {
  return { data: Type.from(normals(rows * columns, seed)), shape: [rows, columns] };
}
