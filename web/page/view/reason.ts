/**
 * Why a run has not come to its end. The library speaks English: elsewhere a sentence in the language
 * of the page stands before its own words, which name the number that was wrong.
 */
import { errorCodes, type ErrorCode } from '../../lib/error_codes.ts';
import type { Session } from '../run/session.ts';
import type { Texts } from '../state/texts.ts';

export function failureText(session: Session, texts: Texts): string {
  const { failure, failedToLoad } = session;
  if (!failure) return '';
  const key = failedToLoad ? 'status.unloaded' : 'status.failed';
  return texts.t(key, { message: reason(failure, session, texts) });
}

function reason(failure: Error, { descriptor }: Session, texts: Texts): string {
  const { code, parameter } = failure as { code?: unknown; parameter?: unknown };
  if (texts.language === 'en' || !isCode(code)) return failure.message;
  const known = descriptor.parameters.find(({ name }) => name === parameter);
  const sentence = texts.t(`reason.${code}`, { parameter: known?.label ?? String(parameter) });
  return `${sentence} (${failure.message})`;
}

function isCode(code: unknown): code is ErrorCode {
  return errorCodes.some((each) => each === code);
}
