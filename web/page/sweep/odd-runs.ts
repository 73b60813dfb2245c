/** What is said of runs that diverged or failed. */
import { formatNumber } from '../figure/format.ts';
import type { Texts } from '../state/texts.ts';
import type { SweepSource } from './source.ts';

/** The runs that did not simply end. */
export function oddRuns({ counts, failure }: SweepSource, texts: Texts): string {
  const parts: string[] = [];
  if (counts.diverged > 0) {
    parts.push(texts.t('sweep.diverged', { count: formatNumber(counts.diverged) }));
  }
  if (counts.failed > 0) {
    const message = failure.slice(0, 300);
    parts.push(texts.t('sweep.failed', { count: formatNumber(counts.failed), message }));
  }
  return parts.join(' ');
}
