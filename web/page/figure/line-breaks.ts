/**
 * Lines of a figure's texts where nothing measures them: a file is read with fonts that are not
 * known here, so widths are estimated, rather too wide than too narrow.
 */
import { pieces } from './pieces.ts';

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u;
/** Between these, unlike in Korean, a line may end without a space. */
const UNSPACED = /[\u3001-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uff60\u{20000}-\u{3fffd}]/u;
/** What does not begin a line, and what does not end one. */
const CLOSING =
  /[、。，．・：；？！）］｝」』】〕〉》ーゝゞ々ぁぃぅぇぉっゃゅょァィゥェォッャュョ％,.;:?!)\]}%°_^]/u;
const OPENING = /[（［｛「『【〔〈《([{_^]/u;

/** Of one character, in ems; those of the usual sans serifs, and a little more. */
function emsOf(character: string): number {
  if (/\p{M}/u.test(character)) return 0;
  if (WIDE.test(character)) return 1;
  if (/[\s.,:;'|!()[\]/\\fijlrtI-]/.test(character)) return 0.36;
  if (/[mwMW%@—×→]/.test(character)) return 0.9;
  return /[A-Z\p{N}]/u.test(character) ? 0.68 : 0.61;
}

const SCRIPT_SIZE = 0.75;
const BOLD = 1.06;

/** In pixels; `size` is the font's. */
export function widthOf(content: string, size: number, weight = 400): number {
  let ems = 0;
  for (const { text, height } of pieces(content)) {
    const scale = height === 'base' ? 1 : SCRIPT_SIZE;
    for (const character of text) ems += scale * emsOf(character);
  }
  return ems * size * (weight > 500 ? BOLD : 1);
}

/** The parts of a word between which a line may end. */
function partsOf(word: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let before = '';
  for (const character of word) {
    const meets = UNSPACED.test(before) || UNSPACED.test(character);
    const breaks = depth === 0 && meets && !CLOSING.test(character) && !OPENING.test(before);
    if (parts.length === 0 || breaks) parts.push(character);
    else parts[parts.length - 1] += character;
    if (character === '{') depth += 1;
    if (character === '}') depth -= 1;
    before = character;
  }
  return parts;
}

/** Lines no wider than `width`: broken at spaces, in Japanese between characters, else anywhere. */
export function wrap(content: string, width: number, size: number, weight = 400): string[] {
  const lines: string[] = [];
  let line = '';
  const fits = (text: string): boolean => widthOf(text, size, weight) <= width;
  const add = (part: string, space: string): void => {
    const next = line ? `${line}${space}${part}` : part;
    if (fits(next)) {
      line = next;
      return;
    }
    if (line) lines.push(line);
    line = part;
    const characters = [...part];
    if (fits(part) || characters.length < 2 || /[_^]/.test(part)) return;
    line = '';
    for (const character of characters) add(character, '');
  };
  // The spaces inside a number are no places to end a line.
  for (const word of content.split(/[ \n\t]+/))
    partsOf(word).forEach((part, index) => add(part, index === 0 ? ' ' : ''));
  if (line) lines.push(line);
  return lines;
}
