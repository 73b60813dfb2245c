/** A time as a reader takes it in: one unit, few digits. */

const UNITS = [
  [60, 1, 's'],
  [3600, 60, 'min'],
  [48 * 3600, 3600, 'h'],
  [Infinity, 86400, 'days'],
] as const;

export function duration(seconds: number): string {
  const [, size, unit] = UNITS.find(([limit]) => seconds < limit) ?? UNITS[3];
  const value = seconds / size;
  return `${value < 10 ? Number(value.toPrecision(2)) : Math.round(value)} ${unit}`;
}
