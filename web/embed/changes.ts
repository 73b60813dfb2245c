/** Attributes that change: what they name follows them, and whatever the reader set beside it stays. */
import type { DescriptorValue } from '../lib/descriptor.ts';
import type { Session } from '../page/run/session.ts';
import { clampText, shorten } from '../page/state/clamp.ts';
import { decodeState, DEFAULT_SEED, isSeed, type LinkState } from '../page/state/link.ts';
import type { Texts } from '../page/state/texts.ts';
import { presetValues } from '../page/state/values.ts';
import { spellName, spellNames } from './attributes.ts';

/** `query`: all values that the attributes give; `changed`: the attributes that are to be followed. */
export function changedState(
  session: Pick<Session, 'descriptor' | 'preset' | 'values' | 'seed'>,
  query: URLSearchParams,
  changed: readonly string[],
  texts: Texts,
): LinkState {
  const { descriptor } = session;
  const names = descriptor.parameters.map((each) => each.name);
  const spelled = spellNames(query, names);
  const followed = new Set(changed.map((each) => spellName(each, names)));
  const notices: string[] = [];
  let { preset, seed } = session;
  let values: Record<string, DescriptorValue> = { ...session.values };

  // A preset sets everything that no attribute sets.
  if (followed.delete('preset')) {
    const asked = spelled.get('preset') ?? descriptor.presets[0]?.name ?? '';
    if (!asked || descriptor.presets.some((each) => each.name === asked)) {
      preset = asked;
      values = { ...decodeState(descriptor, spelled, texts).values };
    } else notices.push(texts.t('notice.presetKept', { given: shorten(asked) }));
  }
  if (followed.delete('seed')) {
    const asked = spelled.get('seed') ?? DEFAULT_SEED;
    if (isSeed(asked)) seed = String(BigInt(asked));
    else notices.push(texts.t('notice.seed', { given: shorten(asked), used: seed }));
  }
  for (const name of followed) {
    const raw = spelled.get(name);
    const parameter = descriptor.parameters.find((each) => each.name === name);
    if (!parameter) {
      if (raw !== null) notices.push(texts.t('notice.unknown', { given: shorten(name) }));
    } else if (raw === null) {
      values[name] = presetValues(descriptor, preset)[name] ?? parameter.default;
    } else {
      const clamped = clampText(parameter, raw, texts);
      if (!clamped.refused) values[name] = clamped.value;
      if (clamped.notice) notices.push(clamped.notice);
    }
  }
  return { preset, values, seed, notices };
}
