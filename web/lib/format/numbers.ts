/** Numbers as text: shortest digits that read back the same; NaN and the infinities survive. */

/** In JSON, which has no such numbers, they are the strings "NaN", "Infinity" and "-Infinity". */
export function toJsonNumber(value: number): number | string {
  // JSON.stringify would write -0 as 0.
  if (Object.is(value, -0)) return '-0';
  return Number.isFinite(value) ? value : String(value);
}

export function fromJsonNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (value === 'NaN') return NaN;
  if (value === 'Infinity') return Infinity;
  if (value === '-Infinity') return -Infinity;
  if (value === '-0') return -0;
  return undefined;
}

/** In CSV: NaN, Inf and -Inf, which R, numpy and pandas read. */
export function toCsvNumber(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (Object.is(value, -0)) return '-0';
  return Number.isFinite(value) ? String(value) : value > 0 ? 'Inf' : '-Inf';
}

const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;
const INFINITE = /^([+-]?)inf(inity)?$/i;

/** undefined where the text is no number: '' is none, '0x10' is none. */
export function parseNumber(text: string): number | undefined {
  const trimmed = text.trim();
  if (DECIMAL.test(trimmed)) return Number(trimmed);
  const infinite = INFINITE.exec(trimmed);
  if (infinite) return infinite[1] === '-' ? -Infinity : Infinity;
  return /^nan$/i.test(trimmed) ? NaN : undefined;
}
