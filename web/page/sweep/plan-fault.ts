/** Why there is no such sweep, in the words of the form: the library names the entries of its plan. */
import type { Descriptor } from '../../lib/descriptor.ts';
import type { Texts } from '../state/texts.ts';
import { messageOf } from '../view/failure.ts';
import { reasonOf } from '../view/reason.ts';

export function planFault(failure: unknown, descriptor: Descriptor, texts: Texts): string {
  const { parameter } = Object(failure) as { parameter?: unknown };
  const path = String(parameter);
  const name = nameOf(path, descriptor, texts);
  const message = messageOf(failure);
  const head = `${path}: `;
  const words = message.startsWith(head) ? message.slice(head.length) : message;
  const said = reasonOf(failure, name, texts, words);
  // The library's own language has no sentence before its words.
  return said === words && words !== message ? `${name}: ${words}` : said;
}

/** Of an entry such as vary.length.from, vary.length.grid[2], parameters.length, seeds.count. */
function nameOf(path: string, { parameters }: Descriptor, texts: Texts): string {
  const [part = '', name, entry = ''] = path.replace(/\[\d+\]/g, '').split('.');
  if (part === 'seeds') return texts.t('sweep.seeds');
  if (part === 'plan' || path === 'vary') return texts.t('fold.sweep');
  // A run that fails names its parameter alone.
  const known = parameters.find((each) => each.name === (name ?? part));
  if (!known) return path;
  const box = `sweep.${entry === 'grid' ? 'list' : entry}`;
  return texts.has(box) ? `${known.label}, ${texts.t(box)}` : known.label;
}
