/** The legend on the page. */
import { html, nothing, svg, type TemplateResult } from 'lit';
import type { Session } from '../run/session.ts';
import type { Texts } from '../state/texts.ts';
import type { Curve } from './curves.ts';
import { formatNumber } from './format.ts';
import { rampColours, rampOf } from './heat-map-ramp.ts';
import type { LegendEntry } from './legend.ts';
import { earlierNames } from './pin-names.ts';
import { symbolPath } from './symbols.ts';
import { typeset } from './typeset.ts';

export function legendTemplate(
  entries: readonly LegendEntry[],
  session: Session,
  texts: Texts,
): TemplateResult {
  const { ghost, pins } = earlierNames(session, texts);
  return html`<ul class="legend" aria-label=${texts.t('figure.legend')}>
    ${entries.map(
      (entry) =>
        html`<li title=${entry.source || nothing}>
          ${keyTemplate(entry)}<span>${typeset(entry.name)}</span>${
            entry.standing ? html`<span class="standing">${entry.standing}</span>` : nothing
          }
        </li>`,
    )}
    ${
      ghost
        ? html`<li class="quiet">
            <svg class="key ghost-key" viewBox="0 0 24 12" aria-hidden="true">
              <path d="M1 6H23" stroke="currentColor" stroke-width="2" />
            </svg>
            <span>${ghost}</span>
          </li>`
        : nothing
    }
    ${pins.map(
      (name, place) =>
        html`<li class="quiet">
          <svg class="key" viewBox="0 0 24 12" aria-hidden="true">
            <path d="M1 6H23" stroke="currentColor" stroke-width="2" stroke-dasharray="5 2" />
          </svg>
          <span>${name}</span>
          <button
            class="button plain"
            aria-label=${texts.t('figure.unpin')}
            @click=${(event: Event): void => {
              session.unpin(place);
              // The button goes with the curve; the keyboard stays with the figure.
              const figure = (event.target as Element).closest('.figure');
              figure?.querySelector<HTMLElement>('.canvas')?.focus({ preventScroll: true });
            }}
          >
            ×
          </button>
        </li>`,
    )}
  </ul>`;
}

export function keyTemplate(entry: LegendEntry): TemplateResult {
  return html`<svg class="key" viewBox="0 0 24 12" aria-hidden="true" color=${entry.colour}>
    ${keyShape(entry)}
  </svg>`;
}

function keyShape(entry: LegendEntry): TemplateResult {
  switch (entry.shape) {
    case 'line':
      return svg`<path d="M1 6H23" stroke="currentColor" stroke-width="2" />`;
    case 'thin':
      return svg`<path d="M1 6H23" stroke="currentColor" stroke-width="1.25" />`;
    case 'dashed':
      return svg`<path d="M1 6H23" stroke="currentColor" stroke-width="2" stroke-dasharray="7 4" />`;
    case 'dotted':
      return svg`<path d="M1 6H23" stroke="currentColor" stroke-width="1.5" stroke-dasharray="2 3" />`;
    case 'pinned':
      return svg`<path d="M1 6H23" stroke="currentColor" stroke-width="2" stroke-dasharray="5 2" />`;
    case 'dots':
      return svg`<path d=${symbolPath(entry.symbol)} transform="translate(12 6)" fill="currentColor" stroke="currentColor" />`;
    case 'band':
      return svg`<rect x="1" y="1" width="22" height="10" fill="currentColor" opacity="0.25" />`;
    case 'hatched':
      return svg`<path d="M2 11 8 1M8 11 14 1M14 11 20 1M20 11 23 6" stroke="currentColor" opacity="0.7" />`;
    case 'bars':
      return svg`<rect x="8" y="1" width="8" height="10" fill="currentColor" />`;
    case 'arrow':
      return svg`<path d="M2 6H20M15 2 20 6 15 10" stroke="currentColor" fill="none" stroke-width="1.5" />`;
    case 'none':
      return svg``;
  }
}

/** The ramp of a heat map, with its two ends. */
export function rampTemplate(curves: readonly Curve[]): TemplateResult | typeof nothing {
  const map = curves.find((curve) => curve.mark.kind === 'heat-map');
  const ramp = map && rampOf(map.points);
  if (!map || !ramp) return nothing;
  const colours = rampColours(ramp);
  return html`<div class="ramp small">
    <span>${typeset(map.name)}</span>
    <span>${formatNumber(ramp.low, 3)}</span>
    <svg viewBox="0 0 140 10" preserveAspectRatio="none" aria-hidden="true">
      ${colours.map(
        (colour, i) =>
          svg`<rect x=${(i * 140) / colours.length} width=${140 / colours.length + 0.5} height="10" fill=${colour} />`,
      )}
    </svg>
    <span>${formatNumber(ramp.high, 3)}</span>
  </div>`;
}
