/** What a finished or broken-off run left, with what it was run on; and those that are pinned. */
import { sameValues, type Values } from '../state/values.ts';
import type { Tables } from './tables.ts';

export interface Outcome {
  readonly values: Values;
  readonly seed: string;
  readonly tables: Tables;
}

export const ENDS = ['done', 'cancelled', 'diverged'] as const;
export type End = (typeof ENDS)[number];

/** What a run has found: the values, the seed and all else that is said of its tables. */
export interface Found extends Outcome {
  readonly preset: string;
  readonly version: string;
  /** One that has not ended counts as broken off. */
  readonly status: End;
  readonly divergedAt?: number | undefined;
}

export const MAXIMUM_PINS = 3;

/** With one more pin: the same run is pinned once, as it was last, and the oldest gives way. */
export function withPin(pins: readonly Outcome[], one: Outcome): readonly Outcome[] {
  const others = pins.filter(
    (each) => each.seed !== one.seed || !sameValues(each.values, one.values),
  );
  return [...others, one].slice(-MAXIMUM_PINS);
}
