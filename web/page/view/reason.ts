/**
 * Why a run has not come to its end, or a file was not read. The library speaks English: elsewhere a sentence in the language
 * of the page stands before its own words, which name the number that was wrong.
 */
import { errorCodes, type ErrorCode } from '../../lib/error_codes.ts';
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

/** `name`: what was wrong, as the reader knows it. */
export function reasonOf(failure: unknown, name: string, texts: Texts): string {
  const message = messageOf(failure);
  const { code } = Object(failure) as { code?: unknown };
  if (texts.language === 'en' || !isCode(code)) return message;
  return `${texts.t(`reason.${code}`, { parameter: name })} (${message})`;
}

function isCode(code: unknown): code is ErrorCode {
  return errorCodes.some((each) => each === code);
}
