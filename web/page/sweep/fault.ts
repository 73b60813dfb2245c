/** What is wrong with a results file, as a key of the texts and what fills it. */
import type { Texts } from '../state/texts.ts';

export class FileFault extends Error {
  constructor(
    readonly kind: string,
    readonly fills: Readonly<Record<string, string>>,
  ) {
    super(kind);
  }

  in(texts: Texts): string {
    return texts.t(`sweeps.fault.${this.kind}`, this.fills);
  }
}

/** For what a line is left out. */
export const OFFENCES = ['damaged', 'foreign', 'twice'] as const;
export type Offence = (typeof OFFENCES)[number];

/** A name out of a file is quoted, not reprinted. */
export function quoted(text: unknown, most = 60): string {
  const said = typeof text === 'string' ? text : (JSON.stringify(text) ?? String(text));
  return said.length > most ? `${said.slice(0, most)}…` : said;
}
