/** One wing on the front: its question, a living figure of its first experiment, its list. */
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { Descriptor } from '../../lib/descriptor.ts';
import '../figure/figure.ts';
import { Session } from '../run/session.ts';
import type { Texts } from '../state/texts.ts';
import { isShown, presetValues } from '../state/values.ts';
import { DEFAULT_SEED } from '../state/link.ts';
import { define, Piece } from '../view/piece.ts';

/** The experiment whose figure speaks for the wing, where it is not the first one. */
const LEADS: Readonly<Record<string, string>> = {
  needle: 'needle.population-risk',
  'large-prompt': 'large-prompt.output',
  mhla: 'mhla.learn',
};

export class Wing extends Piece {
  static override properties = {
    wing: { attribute: false },
    experiments: { attribute: false },
    texts: { attribute: false },
    status: { state: true },
  };
  declare wing: string;
  declare experiments: readonly Descriptor[];
  declare texts: Texts;
  declare status: string;

  private session: Session | undefined;
  private readonly onChange = (): void => void (this.status = this.session?.status ?? '');

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('experiments')) return;
    const lead = this.lead;
    if (!lead || this.session?.descriptor.id === lead.id) return;
    this.session?.dispose();
    this.session = new Session(lead);
    this.session.addEventListener('change', this.onChange);
    const preset = lead.presets[0]?.name ?? '';
    void this.session.open({ preset, values: presetValues(lead, preset), seed: DEFAULT_SEED });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.session?.dispose();
    this.session = undefined;
  }

  private get lead(): Descriptor | undefined {
    return (
      this.experiments.find((each) => each.id === LEADS[this.wing]) ??
      [...this.experiments].sort((a, b) => a.order - b.order)[0]
    );
  }

  protected override render(): TemplateResult {
    const { wing, texts, lead, session } = this;
    const figure = lead?.figures.find((each) => isShown(each.shownWhen, session?.values ?? {}));
    return html`<article class="wing" data-wing=${wing}>
      <h2>
        ${
          lead
            ? html`<a href="#/${lead.id}">${texts.t(`wing.${wing}.question`)}</a>`
            : texts.t(`wing.${wing}.question`)
        }
      </h2>
      <div class="wing-figure">
        ${
          session && figure
            ? html`<al-figure
                small
                .session=${session}
                .figure=${figure}
                .texts=${texts}
              ></al-figure>`
            : nothing
        }
      </div>
      <p>${texts.t(`wing.${wing}.sentence`)}</p>
      <p class="wing-actions">
        ${lead ? html`<a class="button primary" href="#/${lead.id}">${texts.t('front.open')}</a>` : nothing}
        ${
          session
            ? html`<button
                class="button"
                ?disabled=${session.busy}
                @click=${(): void => session.newDraw()}
              >
                ${session.busy ? texts.t('front.computing') : texts.t('run.draw')}
              </button>`
            : nothing
        }
      </p>
      <ul>
        ${this.experiments.map((each) => html`<li><a href="#/${each.id}">${each.title}</a></li>`)}
      </ul>
    </article>`;
  }
}

define('al-wing', Wing);
