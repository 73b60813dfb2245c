/** What an embed shows in the place of what did not come, in the language that was asked for. */
import { render } from 'lit';
import { englishTexts, loadTexts, type Language, type Texts } from '../page/state/texts.ts';
import { failureTemplate, messageOf } from '../page/view/failure.ts';

/** The texts themselves may be what did not come. */
export async function failedEmbed(
  language: Language,
  failure: unknown,
  retry: () => void,
): Promise<HTMLElement> {
  const texts = await loadTexts(language).catch(() => englishTexts);
  return failureNotice(texts, 'app.failed.experiment', failure, retry);
}

export function failureNotice(
  texts: Texts,
  key: string,
  failure: unknown,
  retry: () => void,
): HTMLElement {
  const place = document.createElement('div');
  place.lang = texts.language;
  render(failureTemplate(texts, key, messageOf(failure), retry), place);
  return place;
}
