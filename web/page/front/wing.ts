/** One wing on the front: its question, a living figure of one of its experiments, a sentence. */
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import '../figure/figure.ts';
import { Session } from '../run/session.ts';
import { site } from '../run/site.ts';
import type { Entry } from '../state/entry.ts';
import { DEFAULT_SEED } from '../state/link.ts';
import type { Texts } from '../state/texts.ts';
import { isShown, presetValues } from '../state/values.ts';
import type { Descriptor } from '../../lib/descriptor.ts';
import { failureTemplate, messageOf } from '../view/failure.ts';
import { heading } from '../view/heading.ts';
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
    descriptor: { state: true },
    status: { state: true },
    failure: { state: true },
  };
  declare wing: string;
  declare experiments: readonly Entry[];
  declare texts: Texts;
  declare descriptor: Descriptor | undefined;
  declare status: string;
  declare failure: string;

  private session: Session | undefined;
  private readonly onChange = (): void => void (this.status = this.session?.status ?? '');

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('experiments') || changed.has('texts')) void this.openLead();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.session?.dispose();
    this.session = undefined;
  }

  private get lead(): Entry | undefined {
    return (
      this.experiments.find((each) => each.id === LEADS[this.wing]) ??
      [...this.experiments].sort((a, b) => a.order - b.order)[0]
    );
  }

  private async openLead(): Promise<void> {
    const { lead } = this;
    if (!lead) return;
    const { language } = this.texts;
    this.failure = '';
    let descriptor: Descriptor | undefined;
    try {
      descriptor = await site().descriptor(lead.id, language);
    } catch (failure) {
      if (language === this.texts.language) this.failure = messageOf(failure);
    }
    if (!descriptor || !this.isConnected || language !== this.texts.language) return;
    this.descriptor = descriptor;
    if (this.session?.descriptor.id === descriptor.id) {
      this.session.descriptor = descriptor;
      return;
    }
    this.session?.dispose();
    this.session = new Session(descriptor, true);
    this.session.addEventListener('change', this.onChange);
    const preset = descriptor.presets[0]?.name ?? '';
    await this.session.open({
      preset,
      values: presetValues(descriptor, preset),
      seed: DEFAULT_SEED,
    });
  }

  protected override render(): TemplateResult {
    const { wing, texts, lead, session, descriptor } = this;
    const figure = descriptor?.figures.find((each) =>
      isShown(each.shownWhen, session?.values ?? {}),
    );
    return html`<article class="wing" data-wing=${wing}>
      <header>
        <p class="wing-name">${texts.t(`wing.${wing}.name`)}</p>
        <h2>
          ${
            lead
              ? html`<a href="#/${lead.id}">${heading(texts.t(`wing.${wing}.question`))}</a>`
              : heading(texts.t(`wing.${wing}.question`))
          }
        </h2>
      </header>
      <div class="wing-figure">
        ${
          session && figure
            ? html`<al-figure
                small
                .session=${session}
                .figure=${figure}
                .texts=${texts}
              ></al-figure>`
            : this.failure
              ? failureTemplate(texts, 'app.failed.experiment', this.failure, () => {
                  void this.openLead();
                })
              : this.figureToCome()
        }
      </div>
      <p>${texts.t(`wing.${wing}.sentence`)}</p>
      ${lead ? this.actions(lead) : nothing}
    </article>`;
  }

  /** Holds the figure's place. */
  private figureToCome(): TemplateResult {
    return html`<div class="figure small-figure" aria-hidden="true">
      <div class="canvas-wrap"><div class="canvas"></div></div>
      <div class="legend"></div>
    </div>`;
  }

  private actions(lead: Entry): TemplateResult {
    const { texts, session } = this;
    return html`<p class="wing-actions">
      <a class="button primary" href="#/${lead.id}">${texts.t('front.open')}</a>
      <button
        class="button"
        ?disabled=${!session || session.busy}
        @click=${(): void => session?.newDraw()}
      >
        ${session?.busy ? texts.t('front.computing') : texts.t('run.draw')}
      </button>
    </p>`;
  }
}

define('al-wing', Wing);
