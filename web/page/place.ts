/** What stands behind a link: an experiment, the notebook, or a word that there is nothing there. */
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { Descriptor } from '../lib/descriptor.ts';
import { near } from './front/search.ts';
import { Session } from './run/session.ts';
import { decodeState, encodeState, formatLink, type Route } from './state/link.ts';
import { loadExperimentText, localise, type ExperimentText, type Texts } from './state/texts.ts';
import './view/experiment.ts';
import './view/notebook.ts';
import { define, Piece } from './view/piece.ts';

export class Place extends Piece {
  static override properties = {
    experiments: { attribute: false },
    route: { attribute: false },
    texts: { attribute: false },
    text: { state: true },
    notices: { state: true },
  };
  declare experiments: readonly Descriptor[];
  declare route: Route;
  declare texts: Texts;
  declare text: ExperimentText | undefined;
  declare notices: readonly string[];

  private session: Session | undefined;

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.close();
  }

  private close(): void {
    this.session?.removeEventListener('values', this.writeLink);
    this.session?.dispose();
    this.session = undefined;
  }

  private get descriptor(): Descriptor | undefined {
    return this.experiments.find((each) => each.id === this.route.place);
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('route')) this.openRoute();
    if (changed.has('route') || changed.has('texts')) void this.fetchText();
  }

  private openRoute(): void {
    const { descriptor } = this;
    if (this.session?.descriptor.id !== descriptor?.id) this.close();
    if (!descriptor) return;
    this.session ??= new Session(descriptor);
    this.session.addEventListener('values', this.writeLink);
    const state = decodeState(descriptor, this.route.query, this.texts);
    this.notices = this.route.tooLong ? [this.texts.t('notice.tooLong')] : state.notices;
    void this.session.open(state);
  }

  private async fetchText(): Promise<void> {
    const id = this.route.place;
    const { language } = this.texts;
    const text = await loadExperimentText(language, id).catch(() => undefined);
    if (id === this.route.place && language === this.texts.language) this.text = text;
  }

  /** The address follows the controls without filling the history with every step of a slider. */
  private readonly writeLink = (): void => {
    const { session, texts } = this;
    if (!session) return;
    const { query, left } = encodeState(session.descriptor, session);
    if (texts.language !== 'en') query.set('lang', texts.language);
    const link = formatLink(session.descriptor.id, query);
    this.notices = left.length ? [texts.t('notice.notInLink')] : [];
    this.dispatchEvent(new CustomEvent('address', { detail: link }));
    history.replaceState(null, '', link);
  };

  protected override render(): TemplateResult | typeof nothing {
    const { descriptor, session, texts } = this;
    if (this.route.place === 'notebook') {
      return html`<al-notebook .experiments=${this.experiments} .texts=${texts}></al-notebook>`;
    }
    if (!descriptor || !session) return this.nowhere();
    const local = localise(descriptor, this.text?.descriptor);
    document.title = `${local.title} · AttnLab`;
    return html`<nav class="crumbs small" aria-label=${texts.t('app.crumbs')}>
        <a href="#/">${texts.t(`wing.${descriptor.wing}.name`)}</a>
      </nav>
      <al-experiment
        .session=${session}
        .descriptor=${local}
        .text=${this.text}
        .texts=${texts}
        .notices=${this.notices}
      ></al-experiment>
      ${this.neighbours(descriptor)}`;
  }

  private neighbours(here: Descriptor): TemplateResult {
    const at = this.experiments.indexOf(here);
    const next = this.experiments[at + 1];
    const before = this.experiments[at - 1];
    return html`<nav class="neighbours sans" aria-label=${this.texts.t('app.neighbours')}>
      ${before ? html`<a rel="prev" href="#/${before.id}">← ${before.title}</a>` : html`<span></span>`}
      ${next ? html`<a rel="next" href="#/${next.id}">${next.title} →</a>` : nothing}
    </nav>`;
  }

  private nowhere(): TemplateResult {
    const { texts } = this;
    const others = near(this.experiments, this.route.place);
    return html`<div class="nowhere">
      <h1>${texts.t('nowhere.title')}</h1>
      <p class="notice">${texts.t('nowhere.text', { name: this.route.place.slice(0, 60) })}</p>
      <ul>
        ${others.map((each) => html`<li><a href="#/${each.id}">${each.title}</a></li>`)}
        <li><a href="#/">${texts.t('nowhere.front')}</a></li>
      </ul>
    </div>`;
  }
}

define('al-place', Place);
