/** What the index knows of an experiment, in one language; made at build time. */
export interface Entry {
  readonly id: string;
  readonly wing: string;
  readonly order: number;
  readonly title: string;
  readonly summary: string;
  readonly source: string;
  /** Names and symbols of its parameters and presets, in lower case, to be searched in. */
  readonly words: string;
}
