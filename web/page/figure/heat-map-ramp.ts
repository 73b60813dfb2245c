/** The colours of a heat map. */
import type { Point } from './curves.ts';

export interface Ramp {
  readonly low: number;
  readonly high: number;
  readonly logarithmic: boolean;
  readonly diverging: boolean;
}

/** Colours run in ratios when all values are positive and span three decades. */
export function rampOf(points: readonly Point[]): Ramp | undefined {
  let low = Infinity;
  let high = -Infinity;
  for (const { value } of points) {
    if (!Number.isFinite(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (low > high) return undefined;
  const diverging = low < 0 && high > 0;
  if (diverging) {
    const most = Math.max(-low, high);
    return { low: -most, high: most, logarithmic: false, diverging };
  }
  return {
    low,
    high: high > low ? high : low + 1,
    logarithmic: low > 0 && high / low > 1000,
    diverging,
  };
}

// Cividis and a blue-to-orange ramp, sampled; between the samples colours are mixed linearly.
const SEQUENTIAL = ['#00224e', '#2a3f6d', '#575c6d', '#7d7c78', '#a59c74', '#d3c164', '#fee838'];
const DIVERGING = ['#00406b', '#2f7fb5', '#9cc6e0', '#f1f0ec', '#f3b98a', '#d5702a', '#8a3800'];

export function rampColour(ramp: Ramp, value: number): string {
  if (!Number.isFinite(value)) return 'none';
  const share = ramp.logarithmic
    ? Math.log(value / ramp.low) / Math.log(ramp.high / ramp.low)
    : (value - ramp.low) / (ramp.high - ramp.low);
  return mix(ramp.diverging ? DIVERGING : SEQUENTIAL, Math.min(1, Math.max(0, share)));
}

export function rampColours(ramp: Ramp): readonly string[] {
  return ramp.diverging ? DIVERGING : SEQUENTIAL;
}

function mix(colours: readonly string[], share: number): string {
  const at = share * (colours.length - 1);
  const from = Math.min(colours.length - 2, Math.floor(at));
  const [a, b] = [channels(colours[from] as string), channels(colours[from + 1] as string)];
  const mixed = a.map((value, i) => Math.round(value + ((b[i] as number) - value) * (at - from)));
  return `rgb(${mixed.join(',')})`;
}

function channels(colour: string): number[] {
  return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
}
