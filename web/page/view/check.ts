/** A short check of understanding: one question, explained answers, no score. */
import { html, nothing, type TemplateResult } from 'lit';
import { unsafeHTML } from 'lit/directives/unsafe-html.js';
import type { Check, Texts } from '../state/texts.ts';
import { define, Piece } from './piece.ts';

export class CheckElement extends Piece {
  static override properties = {
    check: { attribute: false },
    texts: { attribute: false },
    chosen: { state: true },
  };
  declare check: Check;
  declare texts: Texts;
  declare chosen: number | undefined;

  protected override render(): TemplateResult {
    const { check, texts, chosen } = this;
    const answer = chosen === undefined ? undefined : check.options[chosen];
    return html`<section class="check-question" aria-label=${texts.t('check.title')}>
      <h2>${texts.t('check.title')}</h2>
      <p>${unsafeHTML(check.question)}</p>
      <div class="check-options">
        ${check.options.map(
          (option, place) =>
            html`<button
              class="chip"
              aria-label=${spoken(option.text)}
              aria-pressed=${chosen === place ? 'true' : 'false'}
              @click=${(): void => void (this.chosen = place)}
            >
              ${unsafeHTML(option.text)}
            </button>`,
        )}
      </div>
      <p class="check-why" role="status">
        ${
          answer
            ? html`<strong>${texts.t(answer.right ? 'check.right' : 'check.wrong')}</strong>
                ${unsafeHTML(answer.why)}`
            : nothing
        }
      </p>
    </section>`;
  }
}

/** A formula alone gives a button no name: its letters do. */
function spoken(html: string): string {
  return html
    .replace(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&');
}

define('al-check', CheckElement);
