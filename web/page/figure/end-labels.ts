/** Names of curves at their right ends, where there is room for them. */
import type { Curve } from './curves.ts';
import type { Chart } from './chart.ts';
import { addText } from './svg-text.ts';

export interface EndLabel {
  readonly curve: Curve;
  readonly text: string;
  readonly width: number;
}

const LEAST_WIDTH = 560;
const MOST_LABELS = 8;
const LINE_HEIGHT = 14;

let measure: CanvasRenderingContext2D | null | undefined;

function widthOf(text: string, sans: string): number {
  measure ??= document.createElement('canvas').getContext('2d');
  if (!measure) return text.length * 7;
  // As in figure.css.
  measure.font = `600 12px ${sans}`;
  return Math.ceil(measure.measureText(text).width);
}

/**
 * One label a series, or one a line when curves are not split; none when there is no room. `sans`: the
 * fonts where the chart stands, which are not those of the page around an embed.
 */
export function roomForEndLabels(
  curves: readonly Curve[],
  width: number,
  sans = 'sans-serif',
): EndLabel[] {
  if (width < LEAST_WIDTH) return [];
  const labels = new Map<string, EndLabel>();
  const split = curves.some((each) => each.seriesName);
  for (const curve of curves) {
    if (curve.mark.kind !== 'line' && !(split && curve.mark.kind === 'dots')) continue;
    if (split && !curve.seriesName) continue;
    if (!curve.points.some((point) => Number.isFinite(point.y))) continue;
    const text = split ? curve.seriesLabel : curve.name;
    // Of a series the measured points carry the name, since a theory may end before they do.
    if (!text || (labels.has(text) && curve.mark.kind !== 'dots')) continue;
    labels.set(text, { curve, text, width: widthOf(text, sans) });
  }
  const all = [...labels.values()];
  const fits = all.length > 1 && all.length <= MOST_LABELS && all.every((e) => e.width < width / 5);
  return fits ? all : [];
}

export function placeEndLabels(
  svg: SVGSVGElement,
  labels: readonly EndLabel[],
  frame: Chart['frame'],
  place: (curve: Curve, index: number) => { x: number; y: number } | undefined,
): void {
  const placed = labels
    .map((label) => ({ label, end: lastSeen(label.curve, frame, place) }))
    .filter((each) => each.end !== undefined)
    .map(({ label, end }) => ({ label, x: frame.right + 8, y: clamp(end?.y ?? 0, frame) }))
    .sort((a, b) => a.y - b.y);
  // Push down what overlaps, then up what ran out of the frame.
  for (let i = 1; i < placed.length; i += 1) {
    const [above, here] = [placed[i - 1], placed[i]];
    if (above && here) here.y = Math.max(here.y, above.y + LINE_HEIGHT);
  }
  for (let i = placed.length - 1, floor = frame.bottom; i >= 0; i -= 1, floor -= LINE_HEIGHT) {
    const here = placed[i];
    if (here) here.y = Math.min(here.y, floor);
  }
  for (const { label, x, y } of placed) {
    const text = addText(svg, label.text, x, y + 4, 'start', 'end-label');
    text.setAttribute('fill', label.curve.colour);
  }
}

function clamp(y: number, frame: Chart['frame']): number {
  return Math.min(frame.bottom, Math.max(frame.top, y));
}

interface Place {
  readonly x: number;
  readonly y: number;
}

/** The rightmost place of a curve inside the frame; none where nothing of it is to be seen. */
function lastSeen(
  curve: Curve,
  frame: Chart['frame'],
  place: (curve: Curve, index: number) => Place | undefined,
): Place | undefined {
  let last: Place | undefined;
  let before: Place | undefined;
  curve.points.forEach((_, index) => {
    const here = place(curve, index);
    const from = curve.mark.kind === 'line' ? (before ?? here) : here;
    const seen = from && here && lastInside(from, here, frame);
    if (seen && (!last || seen.x >= last.x)) last = seen;
    before = here;
  });
  return last;
}

/** Of a line from one place to another, the rightmost place in the frame. */
function lastInside(from: Place, to: Place, frame: Chart['frame']): Place | undefined {
  let [enter, leave] = [0, 1];
  const limits: [number, number, number, number][] = [
    [from.x, to.x - from.x, frame.left - 1, frame.right + 1],
    [from.y, to.y - from.y, frame.top - 1, frame.bottom + 1],
  ];
  for (const [at, step, low, high] of limits) {
    if (step === 0 && (at < low || at > high)) return undefined;
    if (step === 0) continue;
    const [first, second] = [(low - at) / step, (high - at) / step];
    enter = Math.max(enter, Math.min(first, second));
    leave = Math.min(leave, Math.max(first, second));
  }
  if (enter > leave) return undefined;
  const share = to.x >= from.x ? leave : enter;
  return { x: from.x + share * (to.x - from.x), y: from.y + share * (to.y - from.y) };
}
