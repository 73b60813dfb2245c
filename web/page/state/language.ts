/** The languages, and looking texts up in one of them by key. */
import english from '../../text/en/page.json';

export const LANGUAGES = ['en', 'ko', 'ja'] as const;
export type Language = (typeof LANGUAGES)[number];
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = {
  en: 'English',
  ko: '한국어',
  ja: '日本語',
};

export type Strings = Readonly<Record<string, string>>;

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

export const englishTexts = new Texts('en', english, {});
