/** The cells of a heat map along one axis. */

/** Each value's cell reaches half way to its neighbours (in ratios on a logarithmic axis). */
export function edges(
  values: readonly number[],
  logarithmic: boolean,
): Map<number, [number, number]> {
  const to = logarithmic ? Math.log : (v: number): number => v;
  const from = logarithmic ? Math.exp : (v: number): number => v;
  const sorted = [...new Set(values)].filter((v) => Number.isFinite(to(v))).sort((a, b) => a - b);
  const cells = new Map<number, [number, number]>();
  sorted.forEach((value, i) => {
    const here = to(value);
    const before = i > 0 ? to(sorted[i - 1] as number) : NaN;
    const after = i < sorted.length - 1 ? to(sorted[i + 1] as number) : NaN;
    const half = Number.isNaN(before) ? (after - here) / 2 || 0.5 : (here - before) / 2;
    const low = here - half;
    const high = Number.isNaN(after) ? here + half : here + (after - here) / 2;
    cells.set(value, [from(low), from(high)]);
  });
  return cells;
}
