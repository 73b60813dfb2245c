/**
 * The legend by name: what each kind of mark is (line, dots, dashes, hatching), then, where curves
 * differ by a series, what each hue is. On the page it is HTML; an export draws the same entries.
 */
import type { Figure, Mark } from '../../lib/descriptor.ts';
import type { Session } from '../run/session.ts';
import type { Texts } from '../state/texts.ts';
import { isShown, type Values } from '../state/values.ts';
import type { Curve } from './curves.ts';
import { earlierNames } from './pin-names.ts';

export type KeyShape =
  | 'line'
  | 'thin'
  | 'dashed'
  | 'dotted'
  | 'pinned'
  | 'dots'
  | 'band'
  | 'hatched'
  | 'bars'
  | 'arrow'
  | 'none';

export interface LegendEntry {
  readonly shape: KeyShape;
  readonly colour: string;
  readonly symbol: Curve['symbol'];
  readonly name: string;
  /** What a line of theory rests on, in words. */
  readonly standing: string;
  readonly source: string;
}

export function shapeOf(mark: Mark): KeyShape {
  if (mark.role === 'undefined') return 'hatched';
  if (mark.kind === 'dots') return 'dots';
  if (mark.kind === 'band') return 'band';
  if (mark.kind === 'bars') return 'bars';
  if (mark.kind === 'arrows') return 'arrow';
  if (mark.kind === 'heat-map') return 'none';
  if (mark.role === 'bound') return 'dashed';
  if (mark.role === 'reference') return 'dotted';
  return mark.role === 'simulation' ? 'thin' : 'line';
}

/** `series` is false where the curves' ends carry their names. */
export function legendOf(curves: readonly Curve[], texts: Texts, series = true): LegendEntry[] {
  const entries: LegendEntry[] = [];
  const bySeriesName = new Map<string, Curve>();
  const seen = new Set<Mark>();
  const split = new Set(curves.filter((each) => each.seriesName).map((each) => each.seriesName));
  for (const curve of curves) {
    const { mark } = curve;
    const bySeries = curve.seriesName !== '' && split.size > 1;
    if (curve.seriesName && !bySeriesName.has(curve.seriesName) && mark.role !== 'undefined')
      bySeriesName.set(curve.seriesName, curve);
    if (seen.has(mark) || mark.kind === 'heat-map') continue;
    seen.add(mark);
    entries.push(
      bySeries
        ? markEntry(mark, texts)
        : {
            ...markEntry(mark, texts),
            colour: curve.colour,
            symbol: curve.symbol,
            name: curve.name || roleName(mark, texts),
          },
    );
  }
  const ordered = [...bySeriesName.values()].sort((a, b) => a.place - b.place);
  const areDots = curves.some((each) => each.seriesName && each.mark.kind === 'dots');
  if (series && split.size > 1) entries.push(...seriesEntries(ordered, areDots));
  return entries;
}

/** What the legend will say of the marks once there are numbers: it holds their place until then. */
export function legendToCome(figure: Figure, values: Values, texts: Texts): LegendEntry[] {
  return figure.marks
    .filter((mark) => mark.kind !== 'heat-map' && isShown(mark.shownWhen, values))
    .map((mark) => markEntry(mark, texts));
}

/** The runs that are drawn behind the current one. */
export function earlierEntries(session: Session, texts: Texts): LegendEntry[] {
  const { ghost, pins } = earlierNames(session, texts);
  const entry = (name: string, shape: KeyShape, colour: string): LegendEntry => ({
    name,
    shape,
    colour,
    symbol: 'circle',
    standing: '',
    source: '',
  });
  return [
    ...(ghost ? [entry(ghost, 'line', 'var(--ink-3)')] : []),
    ...pins.map((name) => entry(name, 'pinned', 'currentColor')),
  ];
}

function markEntry(mark: Mark, texts: Texts): LegendEntry {
  return {
    shape: shapeOf(mark),
    colour: 'currentColor',
    symbol: 'circle',
    name: roleName(mark, texts),
    standing: mark.standing === 'none' ? '' : texts.t(`standing.${mark.standing}`),
    source: mark.source,
  };
}

/** For a small figure: what it shows, not what each line rests on, and each hue once. */
export function shortLegend(entries: readonly LegendEntry[], texts: Texts): LegendEntry[] {
  const hues = new Set<string>();
  const short: LegendEntry[] = [];
  for (const entry of entries) {
    if (entry.shape === 'dotted' || hues.has(entry.colour)) continue;
    if (entry.colour !== 'currentColor') hues.add(entry.colour);
    short.push({ ...entry, standing: '' });
  }
  const twins = entries.some(
    (entry) =>
      entry.shape === 'dots' &&
      hues.has(entry.colour) &&
      !short.some((each) => each.name === entry.name),
  );
  return twins ? [...short, simulated(texts)] : short;
}

function simulated(texts: Texts): LegendEntry {
  const name = texts.t('role.simulation');
  return {
    shape: 'dots',
    colour: 'currentColor',
    symbol: 'circle',
    name,
    standing: '',
    source: '',
  };
}

/** Symbols and hues where any of them has dots; hues of its lines or bars where none has. */
function seriesEntries(series: readonly Curve[], areDots: boolean): LegendEntry[] {
  return series.map((curve) => ({
    shape: areDots ? 'dots' : shapeOf(curve.mark),
    colour: curve.colour,
    symbol: curve.symbol,
    name: curve.seriesLabel,
    standing: '',
    source: '',
  }));
}

/** What may stand between a series and the rest of a label, in any of the languages. */
const BETWEEN = '[\\s,:;=–、，：；・-]+';

/** The label without its series: "{series}, simulated" is "simulated". */
export function roleName(mark: Pick<Mark, 'label' | 'role'>, texts: Pick<Texts, 't'>): string {
  const rest = mark.label
    .replaceAll('{series}', '')
    .replace(/\(\s*\)/g, '')
    .replace(new RegExp(`^${BETWEEN}|${BETWEEN}$`, 'g'), '');
  return rest || texts.t(`role.${mark.role}`);
}
