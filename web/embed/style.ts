/** A constructed style sheet, shared by all elements of a document: no inline style, no style element. */
import text from '../page/style/embed.css?inline';

const sheets = new WeakMap<Document, CSSStyleSheet>();

/** A document takes only sheets that were made in its own window. */
export function embedSheet(owner: Document): CSSStyleSheet {
  let sheet = sheets.get(owner);
  if (!sheet) {
    sheet = new (owner.defaultView ?? window).CSSStyleSheet();
    sheet.replaceSync(text);
    sheets.set(owner, sheet);
  }
  return sheet;
}
