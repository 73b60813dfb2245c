/**
 * What the page says, in one language. The page's own strings are looked up by key; an experiment's
 * strings come with its descriptor, which is made in each language at build time.
 */
import english from '../../text/en/page.json';
import { LANGUAGES, Texts, type Language, type Strings } from './language.ts';

export * from './language.ts';

/** Rich strings are HTML made at build time from our own files (web/build/texts.mjs). */
export interface Check {
  readonly question: string;
  readonly options: readonly {
    readonly text: string;
    readonly right: boolean;
    readonly why: string;
  }[];
}

export interface ExperimentText {
  readonly paragraphs: readonly string[];
  readonly howComputed: readonly string[];
  readonly assumptions: readonly string[];
  readonly whereFails: readonly string[];
  readonly check?: Check;
}

const pageFiles = import.meta.glob<Strings>(
  ['../../text/*/page.json', '!../../text/en/page.json'],
  {
    import: 'default',
  },
);
const glossaryFiles = import.meta.glob<Strings>('../../text/*/glossary.json', {
  import: 'default',
});
const cellFiles = import.meta.glob<Strings>('../../text/*/cells.json', { import: 'default' });
const experimentFiles = import.meta.glob<ExperimentText>(
  ['../../text/*/*.json', '!../../text/*/{page,glossary,cells}.json'],
  { import: 'default' },
);

export function isLanguage(text: string | null | undefined): text is Language {
  return LANGUAGES.includes(text as Language);
}

export async function loadTexts(language: Language): Promise<Texts> {
  const [strings, glossary, cells] = await Promise.all([
    language === 'en' ? english : pageFiles[`../../text/${language}/page.json`]?.(),
    glossaryFiles[`../../text/${language}/glossary.json`]?.(),
    cellFiles[`../../text/${language}/cells.json`]?.(),
  ]);
  return new Texts(language, strings ?? english, glossary ?? {}, cells ?? {});
}

/** The longer texts of an experiment; the English ones where the language has none. */
export async function loadExperimentText(
  language: Language,
  id: string,
): Promise<ExperimentText | undefined> {
  const file =
    experimentFiles[`../../text/${language}/${id}.json`] ??
    experimentFiles[`../../text/en/${id}.json`];
  return file?.();
}
