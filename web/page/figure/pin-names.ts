/** What tells earlier runs from the current one, and pinned ones from each other. */
import type { Descriptor } from '../../lib/descriptor.ts';
import { formatValue } from '../run/fill.ts';
import type { Session } from '../run/session.ts';
import type { Texts } from '../state/texts.ts';
import { sameValue, type Values } from '../state/values.ts';

interface RunOf {
  readonly values: Values;
  readonly seed: string;
}

const MOST_PARTS = 3;

/** What the legend calls the runs that are drawn behind the current one. */
export function earlierNames(
  session: Session,
  texts: Texts,
): { readonly ghost: string | undefined; readonly pins: readonly string[] } {
  const { descriptor, shown, ghost, pins, tables } = session;
  const names = pinNames(descriptor, shown, pins, texts.t('run.seed'));
  return {
    ghost:
      ghost && ghost.tables !== tables
        ? `${texts.t('figure.before')} ${differenceOf(descriptor, shown, ghost)}`
        : undefined,
    pins: names.map((name) => `${texts.t('figure.pinned')} ${name}`),
  };
}

/** A short name for each pin. What separates pins stands first: the rest is cut where it is long. */
export function pinNames(
  descriptor: Descriptor,
  current: RunOf,
  pins: readonly RunOf[],
  seedLabel: string,
): string[] {
  const traits = traitsOf(descriptor, seedLabel);
  const varied = traits.filter(({ text }) => countOf(pins.map(text)) > 1);
  const separating: Trait[] = [];
  const name = (pin: RunOf, by: readonly Trait[]): string =>
    by.map(({ text }) => text(pin)).join('; ');
  const apart = (by: readonly Trait[]): number => countOf(pins.map((pin) => name(pin, by)));
  for (const trait of varied) {
    if (apart([...separating, trait]) > apart(separating)) separating.push(trait);
  }
  return pins.map((pin) => {
    const others = traits.filter(({ differs }) => differs(pin, current));
    const all = [...new Set([...separating, ...others, ...varied])];
    return name(pin, all.slice(0, Math.max(MOST_PARTS, separating.length)));
  });
}

/** In what an earlier run's values differ from the current ones. */
export function differenceOf(descriptor: Descriptor, current: RunOf, before: RunOf): string {
  return traitsOf(descriptor)
    .filter(({ differs }) => differs(before, current))
    .slice(0, MOST_PARTS)
    .map(({ text }) => text(before))
    .join('; ');
}

interface Trait {
  text(run: RunOf): string;
  differs(a: RunOf, b: RunOf): boolean;
}

function traitsOf(descriptor: Descriptor, seedLabel = ''): Trait[] {
  const traits = descriptor.parameters.map((each): Trait => {
    const { name, symbol, label } = each;
    return {
      text: ({ values }) =>
        `${symbol || label} = ${formatValue(each, values[name] ?? each.default)}`,
      differs: (a, b) => !sameValue(a.values[name], b.values[name]),
    };
  });
  const seed: Trait = {
    text: (run) => `${seedLabel} ${run.seed}`,
    differs: (a, b) => a.seed !== b.seed,
  };
  return seedLabel ? [seed, ...traits] : traits;
}

function countOf(texts: readonly string[]): number {
  return new Set(texts).size;
}
