// Whether two contenders computed the same thing. No time is believed before.

// Several arrays of numbers, one after the other; one array as it is.
export function joined(numbers) {
  if (ArrayBuffer.isView(numbers)) return numbers;
  const all = new Float64Array(numbers.reduce((length, part) => length + part.length, 0));
  let start = 0;
  for (const part of numbers) {
    all.set(part, start);
    start += part.length;
  }
  return all;
}

// The largest |a - b| / (absolute + relative |b|): at most 1 where they agree.
export function disagreement(found, expected, { absolute, relative }) {
  if (found.length !== expected.length) return Infinity;
  let worst = 0;
  for (let i = 0; i < found.length; ++i) {
    const error = Math.abs(found[i] - expected[i]) / (absolute + relative * Math.abs(expected[i]));
    // NaN compares with nothing, so it is asked for by name.
    if (Number.isNaN(error)) return Infinity;
    if (error > worst) worst = error;
  }
  return worst;
}
