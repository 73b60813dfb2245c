/** The experiment inside an embed: its session, its texts, its view. */
import '../page/view/experiment.ts';
import type { Descriptor } from '../lib/descriptor.ts';
import type { ExperimentElement } from '../page/view/experiment.ts';
import { near } from '../page/front/search.ts';
import { Session } from '../page/run/session.ts';
import { site } from '../page/run/site.ts';
import { decodeState } from '../page/state/link.ts';
import {
  isLanguage,
  loadExperimentText,
  loadTexts,
  type Language,
  type Texts,
} from '../page/state/texts.ts';
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
  /** What had to be changed of what was asked, in the language of the embed. */
  noticesIn: NoticesIn;
}

type NoticesIn = (descriptor: Descriptor, texts: Texts) => readonly string[];

export async function createEmbed(request: EmbedRequest): Promise<Embed> {
  const { descriptor, texts, language } = await find(request);
  const session = new Session(descriptor);
  const view = document.createElement('al-experiment') as ExperimentElement;
  const names = descriptor.parameters.map((each) => each.name);
  const query = spellNames(request.query, names);
  const state = decodeState(descriptor, query, texts);
  const noticesIn: NoticesIn = (...language) =>
    decodeState(language[0], query, language[1]).notices;
  view.session = session;
  view.notices = state.notices;
  view.compact = true;
  view.hide = hidden(request.hide);
  await speak(view, descriptor, texts);
  await session.open(state);
  return { session, view, language, noticesIn };
}

/** The same one in another language, unless that is no longer wanted once it is here. */
export async function translateEmbed(
  embed: Embed,
  asked: string,
  isWanted: () => boolean,
): Promise<Embed> {
  const { session, view } = embed;
  const experiment = session.descriptor.id;
  const { descriptor, texts, language } = await find({ experiment, language: asked });
  if (!isWanted()) return embed;
  session.descriptor = descriptor;
  view.notices = embed.noticesIn(descriptor, texts);
  await speak(view, descriptor, texts);
  return { ...embed, language };
}

/** `asked` may name a region too. */
export function knownLanguage(asked: string): Language {
  const short = asked.slice(0, 2).toLowerCase();
  return isLanguage(short) ? short : 'en';
}

export function hidden(names: string): ReadonlySet<string> {
  return new Set(names.split(/[\s,]+/).filter(Boolean));
}

async function find({
  experiment,
  language: asked,
}: Pick<EmbedRequest, 'experiment' | 'language'>): Promise<{
  descriptor: Descriptor;
  texts: Texts;
  language: Language;
}> {
  const language = knownLanguage(asked);
  const [descriptor, texts] = await Promise.all([
    site().descriptor(experiment, language),
    loadTexts(language),
  ]);
  if (descriptor) return { descriptor, texts, language };
  const names = near(await site().index(language), experiment).map((each) => each.id);
  const hint = names.length ? ` ${names.join(', ')}` : '';
  throw new Error(`experiment="${experiment.slice(0, 60)}": ${texts.t('nowhere.title')}.${hint}`);
}

async function speak(view: ExperimentElement, descriptor: Descriptor, texts: Texts): Promise<void> {
  view.descriptor = descriptor;
  view.texts = texts;
  view.lang = texts.language;
  const fetchText = async (): Promise<void> => {
    try {
      view.text = await loadExperimentText(texts.language, descriptor.id);
      view.textFailure = '';
    } catch (failure) {
      view.text = undefined;
      view.textFailure = messageOf(failure);
    }
  };
  view.retryText = (): void => void fetchText();
  await fetchText();
}
