/**
 * What the page says, in one language. The page's own strings are looked up by key; an experiment's
 * strings come from its descriptor and are replaced by the language's file where there is one.
 */
import type { Descriptor } from '../../lib/descriptor.ts';
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
  /** Strings of the descriptor in this language; absent in English. */
  readonly descriptor?: DescriptorText;
}

export interface DescriptorText {
  readonly title?: string;
  readonly summary?: string;
  readonly answer?: string;
  readonly parameters?: Readonly<
    Record<string, { label?: string; help?: string; choices?: Strings }>
  >;
  readonly groups?: Strings;
  readonly presets?: Readonly<Record<string, { label?: string; note?: string }>>;
  readonly tables?: Readonly<Record<string, { label?: string; columns?: Strings }>>;
  readonly figures?: Readonly<
    Record<string, { label?: string; caption?: string; x?: string; y?: string; marks?: Strings }>
  >;
}

export class Texts {
  constructor(
    readonly language: Language,
    private readonly strings: Strings,
    readonly glossary: Strings,
  ) {}

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
const experimentFiles = import.meta.glob<ExperimentText>(
  ['../../text/*/*.json', '!../../text/*/page.json', '!../../text/*/glossary.json'],
  { import: 'default' },
);

export const englishTexts = new Texts('en', english, {});

export function isLanguage(text: string | null | undefined): text is Language {
  return LANGUAGES.includes(text as Language);
}

export async function loadTexts(language: Language): Promise<Texts> {
  const [strings, glossary] = await Promise.all([
    language === 'en' ? english : pageFiles[`../../text/${language}/page.json`]?.(),
    glossaryFiles[`../../text/${language}/glossary.json`]?.(),
  ]);
  return new Texts(language, strings ?? english, glossary ?? {});
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

/** The descriptor with this language's strings in place. */
export function localise(descriptor: Descriptor, text: DescriptorText | undefined): Descriptor {
  if (!text) return descriptor;
  const groups = text.groups ?? {};
  return {
    ...descriptor,
    title: text.title ?? descriptor.title,
    summary: text.summary ?? descriptor.summary,
    answer: text.answer ?? descriptor.answer,
    parameters: descriptor.parameters.map((each) => {
      const own = text.parameters?.[each.name];
      return {
        ...each,
        label: own?.label ?? each.label,
        help: own?.help ?? each.help,
        group: groups[each.group] ?? each.group,
        choices: each.choices.map((choice) => ({
          ...choice,
          label: own?.choices?.[choice.name] ?? choice.label,
        })),
      };
    }),
    presets: descriptor.presets.map((each) => ({ ...each, ...text.presets?.[each.name] })),
    tables: descriptor.tables.map((each) => {
      const own = text.tables?.[each.name];
      return {
        ...each,
        label: own?.label ?? each.label,
        columns: each.columns.map((column) => ({
          ...column,
          label: own?.columns?.[column.name] ?? column.label,
        })),
      };
    }),
    figures: descriptor.figures.map((each) => {
      const own = text.figures?.[each.name];
      return {
        ...each,
        label: own?.label ?? each.label,
        caption: own?.caption ?? each.caption,
        x: { ...each.x, label: own?.x ?? each.x.label },
        y: { ...each.y, label: own?.y ?? each.y.label },
        marks: each.marks.map((mark) => ({
          ...mark,
          label: own?.marks?.[mark.label] ?? mark.label,
        })),
      };
    }),
  };
}
