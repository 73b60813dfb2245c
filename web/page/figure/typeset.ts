/** Labels with their little mathematics, for the page's HTML. */
import { html, nothing, type TemplateResult } from 'lit';
import { pieces } from './pieces.ts';

export function typeset(text: string): TemplateResult | typeof nothing {
  if (!text) return nothing;
  return html`${pieces(text).map((piece) =>
    piece.height === 'base'
      ? piece.text
      : piece.height === 'super'
        ? html`<sup>${piece.text}</sup>`
        : html`<sub>${piece.text}</sub>`,
  )}`;
}
