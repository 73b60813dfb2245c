/**
 * Why a run has not come to its end, or a file was not read. The library speaks English: elsewhere a
 * sentence in the language of the page (cells.json) stands before its own words, which name the
 * number that was wrong.
 */
import type { Session } from '../run/session.ts';
import type { Texts } from '../state/texts.ts';
import { messageOf } from './failure.ts';

export function failureText(session: Session, texts: Texts): string {
  const { failure, failedToLoad } = session;
  if (!failure) return '';
  const key = failedToLoad ? 'status.unloaded' : 'status.failed';
  const { parameter } = failure as { parameter?: unknown };
  const known = session.descriptor.parameters.find(({ name }) => name === parameter);
  return texts.t(key, { message: reasonOf(failure, known?.label ?? String(parameter), texts) });
}

/** `name`: what was wrong, as the reader knows it; `message`: the library's words about it. */
export function reasonOf(
  failure: unknown,
  name: string,
  texts: Texts,
  message = messageOf(failure),
): string {
  const { code } = Object(failure) as { code?: unknown };
  const key = `reason.${String(code)}`;
  const sentence = texts.cell(key);
  if (sentence === key) return texts.cell(message);
  return `${sentence.replace('{parameter}', () => name)} (${message})`;
}
