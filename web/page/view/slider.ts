/** Where a slider's thumb stands and what value it means: in ratios when it is logarithmic. */
import type { Parameter } from '../../lib/descriptor.ts';

export interface SliderScale {
  readonly minimum: number;
  readonly maximum: number;
  readonly step: number | 'any';
  toSlider(value: number): number;
  fromSlider(position: number): number;
}

const LOG_POSITIONS = 200;

export function sliderScale(parameter: Parameter): SliderScale {
  const { minimum, maximum } = parameter;
  if (parameter.logarithmic && minimum > 0) return logScale(parameter);
  const whole = parameter.type === 'integer';
  const step =
    parameter.step > 0 ? parameter.step : whole ? 1 : niceStep((maximum - minimum) / 200);
  return {
    minimum,
    maximum,
    step: 'any',
    toSlider: (value) => value,
    fromSlider: (position) => {
      if (position <= minimum + step * 1e-9) return minimum;
      if (position >= maximum - step * 1e-9) return maximum;
      const value = minimum + Math.round((position - minimum) / step) * step;
      return Math.min(maximum, Number(value.toPrecision(12)));
    },
  };
}

function logScale(parameter: Parameter): SliderScale {
  const { minimum, maximum } = parameter;
  const ratio = Math.log(maximum / minimum);
  const whole = parameter.type === 'integer';
  return {
    minimum: 0,
    maximum: LOG_POSITIONS,
    step: 1,
    toSlider: (value) => (LOG_POSITIONS * Math.log(Math.max(value, minimum) / minimum)) / ratio,
    fromSlider: (position) => {
      if (position <= 0) return minimum;
      if (position >= LOG_POSITIONS) return maximum;
      const raw = minimum * Math.exp((position / LOG_POSITIONS) * ratio);
      // Powers of two and round numbers are what people mean on such an axis.
      const value = roundTo(raw, whole ? 3 : 2);
      const rounded = whole ? Math.round(value) : value;
      return Math.min(maximum, Math.max(minimum, rounded));
    },
  };
}

function roundTo(value: number, digits: number): number {
  return Number(value.toPrecision(digits));
}

function niceStep(rough: number): number {
  if (!(rough > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  return ([1, 2, 5, 10].find((each) => each * power >= rough) ?? 10) * power;
}

/** One press of an arrow key: the next value that differs. */
export function stepped(parameter: Parameter, value: number, direction: 1 | -1): number {
  const scale = sliderScale(parameter);
  const size = scale.step === 'any' ? (scale.maximum - scale.minimum) / 200 : 1;
  let position = scale.toSlider(value);
  for (let tries = 0; tries < 400; tries += 1) {
    position += size * direction;
    const next = scale.fromSlider(position);
    if (next !== value) return next;
    if (position <= scale.minimum || position >= scale.maximum) break;
  }
  return value;
}
