/** A sweep to take away: its plan for the command line, its results, its tables. */
import { html, nothing, type TemplateResult } from 'lit';
import type { Texts } from '../state/texts.ts';
import { download } from '../view/download.ts';
import type { SweepFold } from './sweep-fold.ts';

const PLAN = 'plan.json';
const COMMAND = `attnlab sweep ${PLAN} --out results.jsonl`;

export function savesTemplate(fold: SweepFold, texts: Texts): TemplateResult {
  const { source } = fold.job;
  const button = (key: string, act: () => void): TemplateResult =>
    html`<button class="button" data-save=${key} @click=${act}>
      ${texts.t(`sweep.save.${key}`)}
    </button>`;
  return html`${source && source.count > 0 && !fold.job.running ? resultsTemplate(fold, button) : nothing}
    <div class="snippet">
      <div class="snippet-head">
        <h2>${texts.t('reproduce.command')}</h2>
        <span class="downloads">
          ${button('plan', () => download(fold.planText, PLAN, 'application/json'))}
          <button class="button" data-save="copy" @click=${(): void => void copy(fold)}>
            ${fold.copied ? texts.t('reproduce.copied') : texts.t('reproduce.copy')}
          </button>
        </span>
      </div>
      <pre tabindex="0" data-snippet="sweep"><code>${COMMAND}</code></pre>
    </div>`;
}

function resultsTemplate(
  fold: SweepFold,
  button: (key: string, act: () => void) => TemplateResult,
): TemplateResult | typeof nothing {
  const { source } = fold.job;
  if (!source) return nothing;
  const name = `${fold.descriptor.id}-sweep`;
  const csv = async (kind: 'rows' | 'summary'): Promise<void> => {
    const table = fold.shownTable;
    download(await source.csv(kind, table), `${name}-${table}-${kind}.csv`, 'text/csv');
  };
  const results = (): void => download(source.resultsFile(), `${name}.jsonl`, 'application/jsonl');
  return html`<div class="downloads">
    ${button('summary', () => void csv('summary'))} ${button('rows', () => void csv('rows'))}
    ${button('results', results)}
  </div>`;
}

async function copy(fold: SweepFold): Promise<void> {
  try {
    await navigator.clipboard.writeText(COMMAND);
    fold.copied = true;
    setTimeout(() => (fold.copied = false), 4000);
  } catch {
    const block = fold.querySelector('[data-snippet="sweep"]');
    if (block) getSelection()?.selectAllChildren(block);
  }
}
