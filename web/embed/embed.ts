/** The experiment inside an embed: its session, its texts, its view. */
import '../page/view/experiment.ts';
import type { ExperimentElement } from '../page/view/experiment.ts';
import { near } from '../page/front/search.ts';
import { Session } from '../page/run/session.ts';
import { site } from '../page/run/site.ts';
import { decodeState } from '../page/state/link.ts';
import { isLanguage, loadExperimentText, loadTexts, type Language } from '../page/state/texts.ts';
import { messageOf } from '../page/view/failure.ts';
import { spellNames } from './attributes.ts';

export interface EmbedRequest {
  readonly experiment: string;
  readonly language: string;
  readonly query: URLSearchParams;
  /** Names to leave out, separated by spaces or commas. */
  readonly hide: string;
}

export interface Embed {
  readonly session: Session;
  readonly view: ExperimentElement;
  readonly language: Language;
}

/** A new embed, or the same one with its new values when only those have changed. */
export async function createEmbed(request: EmbedRequest, before?: Embed): Promise<Embed> {
  const short = request.language.slice(0, 2);
  const language = isLanguage(short) ? short : 'en';
  const [descriptor, texts] = await Promise.all([
    site().descriptor(request.experiment, language),
    loadTexts(language),
  ]);
  if (!descriptor) {
    const names = near(await site().index(language), request.experiment).map((each) => each.id);
    const hint = names.length ? ` ${names.join(', ')}` : '';
    throw new Error(
      `experiment="${request.experiment.slice(0, 60)}": ${texts.t('nowhere.title')}.${hint}`,
    );
  }
  const same = before?.session.descriptor.id === descriptor.id ? before : undefined;
  const session = same?.session ?? new Session(descriptor);
  const view = same?.view ?? document.createElement('al-experiment');
  const names = descriptor.parameters.map((each) => each.name);
  const state = decodeState(descriptor, spellNames(request.query, names), texts);
  const element = view as ExperimentElement;
  element.session = session;
  session.descriptor = descriptor;
  element.descriptor = descriptor;
  element.texts = texts;
  element.notices = state.notices;
  element.compact = true;
  element.hide = new Set(request.hide.split(/[\s,]+/).filter(Boolean));
  const fetchText = async (): Promise<void> => {
    try {
      element.text = await loadExperimentText(language, descriptor.id);
      element.textFailure = '';
    } catch (failure) {
      element.text = undefined;
      element.textFailure = messageOf(failure);
    }
  };
  element.retryText = (): void => void fetchText();
  await fetchText();
  await session.open(state);
  return { session, view: element, language };
}
