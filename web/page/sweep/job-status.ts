/** A sweep's state in words. */
import { html, type TemplateResult } from 'lit';
import type { Descriptor } from '../../lib/descriptor.ts';
import { formatNumber, formatSeconds } from '../figure/format.ts';
import type { Texts } from '../state/texts.ts';
import { MOST_RUNS, type SweepJob } from './job.ts';
import { oddRuns } from './odd-runs.ts';
import { planFault } from './plan-fault.ts';

export function jobStatus(job: SweepJob, descriptor: Descriptor, texts: Texts): TemplateResult {
  const { plan, status, source } = job;
  if (status === 'failed' || (status === 'empty' && job.failure !== undefined)) {
    return html`<span class="failure">${planFault(job.failure, descriptor, texts)}</span>`;
  }
  if (status === 'running' || status === 'done' || status === 'cancelled' || status === 'full') {
    const fills = { count: String(job.finished), runs: String(plan?.runs ?? 0) };
    const parts = [texts.t(`sweep.status.${status}`, fills), source ? oddRuns(source, texts) : ''];
    if (status === 'running') parts.push(timeLeft(job, texts));
    return html`${parts.filter(Boolean).join(' ')}`;
  }
  if (!plan) return html`${texts.t('sweep.status.timing')}`;
  const size = texts.t('sweep.size', {
    points: formatNumber(plan.points),
    seeds: formatNumber(plan.seeds),
    runs: formatNumber(plan.runs),
  });
  if (plan.runs > MOST_RUNS) {
    const most = formatNumber(MOST_RUNS);
    return html`${size} <span class="failure">${texts.t('sweep.tooMany', { most })}</span>`;
  }
  return html`${size} ${timeOf(job, texts)}`;
}

function timeOf(job: SweepJob, texts: Texts): string {
  if (job.seconds === undefined) return texts.t('sweep.status.timing');
  const time = formatSeconds(job.seconds);
  return job.workers > 1
    ? texts.t('sweep.time', { time, workers: String(job.workers) })
    : texts.t('sweep.time.one', { time });
}

function timeLeft({ seconds }: SweepJob, texts: Texts): string {
  if (seconds === undefined || seconds < 1) return '';
  return texts.t('status.left', { time: formatSeconds(seconds) });
}
