/** Charts follow the size of text that the reader has chosen. */

/** Of the probe in figure.css, at the size of text that browsers come with. */
const USUAL = 160; // pixels
/** A chart narrower than this has no room for its axes. */
const LEAST_WIDTH = 240; // pixels

/** How much larger than usual text, and so a chart in a place this wide, is drawn. */
export function textScale(probe: HTMLElement, width: number): number {
  return Math.max(1, Math.min(probe.offsetWidth / USUAL, width / LEAST_WIDTH));
}
