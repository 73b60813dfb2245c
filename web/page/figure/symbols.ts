/** The signs of the series, about 8 pixels across, centred at the origin. */
import type { Curve } from './curves.ts';

const PATHS: Readonly<Record<Curve['symbol'], string>> = {
  circle: 'M-3.5 0A3.5 3.5 0 1 0 3.5 0A3.5 3.5 0 1 0 -3.5 0Z',
  square: 'M-3 -3H3V3H-3Z',
  triangle: 'M0 -4L3.8 3H-3.8Z',
  diamond: 'M0 -4.5L3.2 0L0 4.5L-3.2 0Z',
  plus: 'M-4 0H4M0 -4V4',
  times: 'M-3 -3L3 3M-3 3L3 -3',
  star: 'M0 -4V4M-3.5 -2L3.5 2M-3.5 2L3.5 -2',
};

export function symbolPath(symbol: Curve['symbol']): string {
  return PATHS[symbol];
}
