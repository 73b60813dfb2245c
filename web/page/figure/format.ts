/** Numbers as a reader wants them: few digits, real minus signs, powers of ten with superscripts. */

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

export function superscript(exponent: number): string {
  const digits = [...String(Math.abs(exponent))]
    .map((digit) => SUPERSCRIPTS[Number(digit)])
    .join('');
  return exponent < 0 ? `⁻${digits}` : digits;
}

/** To `digits` significant digits; whole numbers below a million are given in full. */
export function formatNumber(value: number, digits = 4): string {
  if (Number.isNaN(value)) return '–';
  if (value === Infinity) return '∞';
  if (value === -Infinity) return '−∞';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e6) return sign(value) + group(String(size));
  if (size >= 1e6 || size < 1e-4) {
    const [mantissa, exponent] = size.toExponential(digits - 1).split('e') as [string, string];
    const front = trim(mantissa);
    const power = `10${superscript(Number(exponent))}`;
    return sign(value) + (front === '1' ? power : `${front} × ${power}`);
  }
  return sign(value) + trim(Number(size.toPrecision(digits)).toString());
}

function sign(value: number): string {
  return value < 0 ? '−' : '';
}

function trim(text: string): string {
  return text.includes('.') ? text.replace(/0+$/, '').replace(/\.$/, '') : text;
}

function group(digits: string): string {
  return digits.length > 4 ? digits.replace(/\B(?=(\d{3})+$)/g, '\u202f') : digits;
}

/** A duration in the page's short form: "4 s", "2 min". */
export function formatSeconds(seconds: number): string {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  return `${Math.round(seconds / 60)} min`;
}

/** What a number box shows: plain digits that parse back to the same value. */
export function formatPlain(value: number): string {
  if (Math.abs(value) >= 1e21 || (value !== 0 && Math.abs(value) < 1e-6)) return String(value);
  return String(Number(value.toPrecision(12)));
}
