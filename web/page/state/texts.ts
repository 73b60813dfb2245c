/**
 * What the page says, in one language. The page's own strings are looked up by key; an experiment's
 * strings come with its descriptor, which is made in each language at build time.
 */
import english from '../../text/en/page.json';

export const LANGUAGES = ['en', 'ko', 'ja'] as const;
export type Language = (typeof LANGUAGES)[number];
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = {
  en: 'English',
  ko: '한국어',
  ja: '日本語',
};

type Strings = Readonly<Record<string, string>>;

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

const NUMBER = /\d+(?:\.\d+)?/g;

export class Texts {
  constructor(
    readonly language: Language,
    private readonly strings: Strings,
    readonly glossary: Strings,
    private readonly cells: Strings = {},
  ) {}

  /**
   * A text that a run wrote into a table, such as the name of a curve. The dictionary has it with #
   * in the place of each number: "head #, task #".
   */
  cell(text: string): string {
    const numbers = text.match(NUMBER) ?? [];
    let next = 0;
    return (
      this.cells[text.replace(NUMBER, '#')]?.replace(/#/g, () => numbers[next++] ?? '') ?? text
    );
  }

  /** A missing key shows itself as the English string, or as the key. */
  t(key: string, fills: Readonly<Record<string, string>> = {}): string {
    const text = this.strings[key] ?? (english as Strings)[key] ?? key;
    return text.replace(/\{(\w+)\}/g, (whole, name: string) => fills[name] ?? whole);
  }

  has(key: string): boolean {
    return key in this.strings || key in english;
  }
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

export const englishTexts = new Texts('en', english, {});

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
