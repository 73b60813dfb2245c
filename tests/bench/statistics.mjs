// Medians and quartiles: one slow sample on a busy machine must not move them.

// Linear between the order statistics.
export function quantile(numbers, share) {
  const sorted = Float64Array.from(numbers).sort();
  const place = share * (sorted.length - 1);
  const low = Math.floor(place);
  const high = Math.ceil(place);
  return sorted[low] + (place - low) * (sorted[high] - sorted[low]);
}

// → { median, low, high }: the middle and the quartiles.
export function summary(numbers) {
  return {
    median: quantile(numbers, 0.5),
    low: quantile(numbers, 0.25),
    high: quantile(numbers, 0.75),
  };
}

// The exponent of a power law: the least-squares slope of log y over log x.
export function exponent(x, y) {
  const u = x.map(Math.log);
  const v = y.map(Math.log);
  const mean = (numbers) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
  const [middleU, middleV] = [mean(u), mean(v)];
  const above = u.reduce((sum, each, i) => sum + (each - middleU) * (v[i] - middleV), 0);
  return above / u.reduce((sum, each) => sum + (each - middleU) ** 2, 0);
}
