/**
 * From whatever a link, an attribute or an input box says to a value inside the parameter's limits,
 * with a sentence about what had to be changed. Nothing here allocates by what the input claims.
 */
import type { DescriptorValue, MatrixLiteral, Parameter } from '../../lib/descriptor.ts';
import { formatNumber } from '../figure/format.ts';
import type { Texts } from './texts.ts';

export interface Clamped {
  readonly value: DescriptorValue;
  /** What was changed and why; absent when the value was taken as given. */
  readonly notice?: string;
  /** Nothing of it could be used; `value` is then the default. */
  readonly refused?: boolean;
}

const MAXIMUM_TEXT = 20_000;
export const MAXIMUM_LINK_ENTRIES = 4096;

export function clampText(parameter: Parameter, raw: string, texts: Texts): Clamped {
  switch (parameter.type) {
    case 'number':
    case 'integer':
      return clampNumber(parameter, parseNumber(raw), raw, texts);
    case 'boolean':
      if (/^(true|1|yes|on)$/i.test(raw)) return { value: true };
      if (/^(false|0|no|off)$/i.test(raw)) return { value: false };
      return refused(parameter, raw, texts);
    case 'choice':
      if (parameter.choices.some((choice) => choice.name === raw)) return { value: raw };
      return refused(parameter, raw, texts);
    case 'numbers':
      return clampNumbers(parameter, raw, texts);
    case 'text':
      return clampString(parameter, raw, texts);
    case 'matrix':
      return clampMatrix(parameter, raw, texts);
  }
}

const POWER = /(?:(\d)\s*×\s*|(?<![\d.]))10([⁻⁰¹²³⁴-⁹]+)/g;

/** Numbers as the page writes them (format.ts), in plain characters. */
function plain(raw: string): string {
  return raw
    .replace(/(?<=\d)[\xa0\u2009\u202f](?=\d{3}(?!\d))/g, '')
    .replace(POWER, (_, digit = '1', exponent: string) => `${digit}e${exponent.normalize('NFKC')}`)
    .replaceAll('−', '-');
}

/** '' and words are not numbers, whatever Number() thinks of them. */
export function parseNumber(raw: string): number {
  const text = plain(raw.trim());
  return /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : NaN;
}

/** The entries of a list of numbers, each as a plain word. */
export function entriesOf(raw: string): string[] {
  return plain(raw)
    .split(/[\s,;]+/)
    .filter(Boolean);
}

export function clampNumber(
  parameter: Parameter,
  given: number,
  raw: string,
  texts: Texts,
): Clamped {
  if (!Number.isFinite(given)) return refused(parameter, raw, texts);
  let value = parameter.type === 'integer' ? Math.round(given) : given;
  value = Math.min(parameter.maximum, Math.max(parameter.minimum, value));
  if (value === given) return { value };
  const inside = given >= parameter.minimum && given <= parameter.maximum;
  const notice = texts.t(inside ? 'notice.whole' : 'notice.clamped', {
    name: parameter.label,
    given: shorten(raw),
    low: formatNumber(parameter.minimum),
    high: formatNumber(parameter.maximum),
    used: formatNumber(value),
  });
  return { value, notice };
}

function clampNumbers(parameter: Parameter, raw: string, texts: Texts): Clamped {
  const words = entriesOf(raw.slice(0, MAXIMUM_TEXT));
  const notices: string[] = [];
  const entries: number[] = [];
  const whole = parameter.step >= 1 && Number.isInteger(parameter.step + parameter.minimum);
  const entryOf: Parameter = { ...parameter, type: whole ? 'integer' : 'number' };
  for (const word of words.slice(0, parameter.maximumCount)) {
    const given = parseNumber(word);
    if (!Number.isFinite(given)) {
      notices.push(texts.t('notice.leftOut', { name: parameter.label, given: shorten(word) }));
      continue;
    }
    const entry = clampNumber(entryOf, given, word, texts);
    if (entry.notice) notices.push(entry.notice);
    entries.push(entry.value as number);
  }
  if (entries.length < Math.max(1, parameter.minimumCount)) return refused(parameter, raw, texts);
  if (words.length > parameter.maximumCount) {
    notices.push(
      texts.t('notice.tooMany', { name: parameter.label, count: String(parameter.maximumCount) }),
    );
  }
  return notices[0] ? { value: entries, notice: notices[0] } : { value: entries };
}

function clampString(parameter: Parameter, raw: string, texts: Texts): Clamped {
  const limit = parameter.maximum > 0 ? parameter.maximum : MAXIMUM_TEXT;
  const bytes = new TextEncoder().encode(raw);
  if (bytes.length <= limit) return { value: raw };
  const value = new TextDecoder().decode(bytes.slice(0, limit)).replace(/\uFFFD+$/, '');
  return {
    value,
    notice: texts.t('notice.cut', { name: parameter.label, count: String(limit) }),
  };
}

/** In a link: "rows:columns:entry,entry,…". */
function clampMatrix(parameter: Parameter, raw: string, texts: Texts): Clamped {
  const match = /^(\d{1,6}):(\d{1,6}):(.*)$/s.exec(raw);
  const rows = Number(match?.[1]);
  const columns = Number(match?.[2]);
  if (!match || !(rows * columns <= MAXIMUM_LINK_ENTRIES)) return refused(parameter, raw, texts);
  const data = (match[3] ?? '').split(',').filter(Boolean).map(parseNumber);
  if (data.length !== rows * columns || !data.every(Number.isFinite)) {
    return refused(parameter, raw, texts);
  }
  return { value: { rows, columns, data } satisfies MatrixLiteral };
}

function refused(parameter: Parameter, raw: string, texts: Texts): Clamped {
  return {
    value: parameter.default,
    refused: true,
    notice: texts.t('notice.refused', { name: parameter.label, given: shorten(raw) }),
  };
}

/** A hostile value is quoted, not reprinted. */
export function shorten(raw: string): string {
  return raw.length > 40 ? `${raw.slice(0, 37)}…` : raw;
}
