/** Where the line of a heading may break. */
import { html, type TemplateResult } from 'lit';

// Japanese is read in phrases: a word in kanji, katakana or letters with the hiragana behind it.
const PHRASE = /(?<=[\p{Script=Hiragana}、。])(?=[\p{L}\d|])(?!\p{Script=Hiragana})/u;

/** After a slash, but not in a fraction; between the phrases of Japanese (see base.css). */
export function heading(title: string): readonly (string | TemplateResult)[] {
  return title
    .split(/(\S+\/\S+)/)
    .flatMap((part) =>
      part.includes('/') ? [html`<span class="whole">${part}</span>`] : phrases(part),
    );
}

function phrases(text: string): (string | TemplateResult)[] {
  return text.split(PHRASE).flatMap((phrase, i) => (i === 0 ? [phrase] : [html`<wbr />`, phrase]));
}
