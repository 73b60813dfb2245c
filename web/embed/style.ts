/** One constructed style sheet, shared by all elements on a page: no inline style, no style element. */
import text from '../page/style/embed.css?inline';

let sheet: CSSStyleSheet | undefined;

export function embedSheet(): CSSStyleSheet {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
  }
  return sheet;
}
