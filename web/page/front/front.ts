/** The front: one sentence, three wings each with a living figure, the ten-minute path, the index. */
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { Entry } from '../state/entry.ts';
import { typeset } from '../figure/typeset.ts';
import type { Texts } from '../state/texts.ts';
import { heading } from '../view/heading.ts';
import { define } from '../view/piece.ts';
import { View } from '../view/view.ts';
import { search } from './search.ts';
import './wing.ts';

/** In the order of the story. */
export const WINGS = ['needle', 'large-prompt', 'mhla'] as const;

/** The stops of the ten-minute path, each with its sentence in the texts. */
export const PATH = [
  'needle.haystack',
  'needle.population-risk',
  'large-prompt.output',
  'regression.in-context',
  'mhla.learn',
] as const;

export class Front extends View {
  static override properties = {
    experiments: { attribute: false },
    texts: { attribute: false },
    tooLong: { attribute: false },
    query: { state: true },
  };
  declare experiments: readonly Entry[];
  declare texts: Texts;
  declare tooLong: boolean;
  declare query: string;

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('texts')) document.title = this.texts.t('front.pageTitle');
  }

  protected override render(): TemplateResult {
    const { texts } = this;
    return html`<div class="front">
      ${this.tooLong ? html`<p class="notice" role="status">${texts.t('notice.tooLong')}</p>` : nothing}
      <header class="hero">
        <h1>${heading(texts.t('front.title'))}</h1>
        <p>${texts.t('front.sentence')}</p>
      </header>
      <section class="wings" aria-label=${texts.t('front.wings')}>
        ${WINGS.map(
          (wing) =>
            html`<al-wing
              .wing=${wing}
              .experiments=${this.experiments.filter((each) => wingOf(each) === wing)}
              .texts=${texts}
            ></al-wing>`,
        )}
      </section>
      ${this.path()} ${this.index()}
    </div>`;
  }

  private path(): TemplateResult | typeof nothing {
    const { texts } = this;
    const stops = PATH.map((id) => this.experiments.find((each) => each.id === id)).filter(
      (each) => each !== undefined,
    );
    if (!stops.length) return nothing;
    return html`<section class="path" aria-labelledby="path-title">
      <h2 id="path-title">${texts.t('front.path')}</h2>
      <p class="quiet">${texts.t('front.pathText')}</p>
      <ol>
        ${stops.map(
          (each) =>
            html`<li>
              <a href="#/${each.id}">${each.title}</a>
              <span>${texts.t(`path.${each.id}`)}</span>
            </li>`,
        )}
      </ol>
    </section>`;
  }

  private index(): TemplateResult {
    const { texts } = this;
    const found = search(this.experiments, this.query ?? '');
    return html`<section class="index" id="index" aria-labelledby="index-title">
      <div class="index-head">
        <h2 id="index-title">${texts.t('front.index')}</h2>
        <input
          type="search"
          aria-label=${texts.t('front.search')}
          placeholder=${texts.t('front.search')}
          @input=${(event: Event): void => void (this.query = (event.target as HTMLInputElement).value)}
        />
      </div>
      <p class="small quiet" role="status">
        ${texts.t('front.found', { count: String(found.length), total: String(this.experiments.length) })}
      </p>
      ${WINGS.map((wing) =>
        this.chapter(
          wing,
          found.filter((each) => wingOf(each) === wing),
        ),
      )}
      <p class="small"><a href="#/sweep">${texts.t('sweeps.link')}</a></p>
    </section>`;
  }

  private chapter(wing: string, experiments: readonly Entry[]): TemplateResult | typeof nothing {
    if (!experiments.length) return nothing;
    return html`<h3 class="index-wing">${this.texts.t(`wing.${wing}.name`)}</h3>
      <ul class="index-list">
        ${experiments.map(
          (each) =>
            html`<li>
              <a href="#/${each.id}">${each.title}</a>
              <p>${typeset(each.summary)}</p>
              <p class="small quiet">${typeset(each.source)} · <code>${each.id}</code></p>
            </li>`,
        )}
      </ul>`;
  }
}

/** The regression experiments belong to the wing of long prompts. */
export function wingOf(experiment: Entry): string {
  return experiment.wing === 'regression' ? 'large-prompt' : experiment.wing;
}

define('al-front', Front);
