/** Colour by meaning, the same on every figure: names of custom properties of tokens.css. */

const BY_MEANING: Readonly<Record<string, string>> = {
  softmax: 'var(--c-softmax)',
  linear: 'var(--c-linear)',
  bayes: 'var(--c-exact)',
  exact: 'var(--c-exact)',
  erf: 'var(--c-erf)',
  softplus: 'var(--c-softplus)',
  relu: 'var(--c-relu)',
  '': 'var(--accent)',
};

const SERIES = [
  'var(--c-softmax)',
  'var(--c-linear)',
  'var(--c-erf)',
  'var(--c-softplus)',
  'var(--c-relu)',
  'var(--c-sky)',
  'var(--c-exact)',
];

/** A second sign beside the hue, for those who cannot tell two hues apart. */
export const SYMBOLS = [
  'circle',
  'square',
  'triangle',
  'diamond',
  'plus',
  'times',
  'star',
] as const;

/**
 * `place` is the rank of the curve's series value in the figure, -1 when there is one curve; `twin`
 * counts the earlier marks of the figure that would look the same.
 */
export function colourOf(meaning: string, place: number, seriesName: string, twin = 0): string {
  if (meaning === 'series') {
    const named = BY_MEANING[seriesName.toLowerCase()];
    if (named && seriesName) return named;
    return SERIES[Math.max(0, place) % SERIES.length] as string;
  }
  if (!meaning && twin > 0) return SERIES[twin % SERIES.length] as string;
  return BY_MEANING[meaning] ?? (BY_MEANING[''] as string);
}
