/** What did not come: a sentence about it, and a button that asks again. */
import { html, type TemplateResult } from 'lit';
import type { Texts } from '../state/texts.ts';

export function messageOf(failure: unknown): string {
  return failure instanceof Error ? failure.message : String(failure);
}

export function failureTemplate(
  texts: Texts,
  key: string,
  message: string,
  retry: () => void,
): TemplateResult {
  return html`<div class="notice load-failure" role="alert">
    <p>${texts.t(key, { message })}</p>
    <button class="button" @click=${retry}>${texts.t('app.retry')}</button>
  </div>`;
}

/**
 * Browsers remember a script that did not come, until the page is opened anew; its state is in its
 * link. Inside another's page, which is not ours to reload, all that can be done is to ask again.
 */
export function reloadOr(element: HTMLElement, retry: () => void): void {
  if (element.getRootNode() === document) location.reload();
  else retry();
}
