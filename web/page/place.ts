/** What stands behind a link: an experiment, the notebook, the sweeps, or a word that there is nothing there. */
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { Descriptor } from '../lib/descriptor.ts';
import { near } from './front/search.ts';
import { Session } from './run/session.ts';
import { site } from './run/site.ts';
import type { Entry } from './state/entry.ts';
import { decodeState, encodeState, formatLink, type LinkState, type Route } from './state/link.ts';
import { loadExperimentText, type ExperimentText, type Texts } from './state/texts.ts';
import './view/experiment.ts';
import { failureTemplate, messageOf, reloadOr } from './view/failure.ts';
import { define, Piece } from './view/piece.ts';

const PARTS: Readonly<Record<string, () => Promise<unknown>>> = {
  notebook: () => import('./view/notebook.ts'),
  sweep: () => import('./sweep/sweeps-view.ts'),
};

export class Place extends Piece {
  static override properties = {
    experiments: { attribute: false },
    route: { attribute: false },
    texts: { attribute: false },
    descriptor: { state: true },
    failure: { state: true },
    text: { state: true },
    textFailure: { state: true },
    partFailure: { state: true },
    notices: { state: true },
  };
  declare experiments: readonly Entry[];
  declare descriptor: Descriptor | undefined;
  declare failure: string;
  declare route: Route;
  declare texts: Texts;
  declare text: ExperimentText | undefined;
  declare textFailure: string;
  declare partFailure: string;
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

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('route')) this.loadPart();
    if (changed.has('route')) void this.openRoute(changed.has('texts'));
    else if (changed.has('texts')) void this.changeLanguage();
    if (changed.has('route') || changed.has('texts')) void this.fetchText();
  }

  private async openRoute(anew = false): Promise<void> {
    const { route } = this;
    const { language } = this.texts;
    this.failure = '';
    try {
      const known = !anew && this.descriptor?.id === route.place;
      const descriptor = known ? this.descriptor : await site().descriptor(route.place, language);
      if (route !== this.route || !this.isConnected) return;
      if (this.session?.descriptor.id !== descriptor?.id) this.close();
      this.descriptor = descriptor;
      if (descriptor) this.openExperiment(descriptor, route);
      if (language !== this.texts.language) void this.changeLanguage();
    } catch (failure) {
      if (route === this.route) this.failure = messageOf(failure);
    }
  }

  private openExperiment(descriptor: Descriptor, route: Route): void {
    if (!this.session) {
      this.session = new Session(descriptor);
      this.session.addEventListener('values', this.writeLink);
    }
    this.session.descriptor = descriptor;
    const state = decodeState(descriptor, route.query, this.texts);
    this.notice((texts, described) =>
      route.tooLong
        ? [texts.t('notice.tooLong')]
        : decodeState(described, route.query, texts).notices,
    );
    const kept = route.query.get('kept');
    if (kept === null) void this.session.open(state);
    else void this.openKept(descriptor, route, kept, state);
  }

  private async openKept(
    descriptor: Descriptor,
    route: Route,
    key: string,
    instead: LinkState,
  ): Promise<void> {
    let missing = (texts: Texts): string => texts.t('notice.kept');
    const kept = await import('./state/open-kept.ts')
      .then(({ keptRun }) => keptRun(key, descriptor))
      .catch((failure: unknown) => {
        missing = (texts) => texts.t('app.failed.view', { message: messageOf(failure) });
        return undefined;
      });
    if (route !== this.route || !this.session) return;
    if (kept) this.session.showKept(kept);
    else {
      this.notice((texts) => [missing(texts)]);
      void this.session.open(instead);
    }
  }

  private async changeLanguage(): Promise<void> {
    const { place } = this.route;
    const { language } = this.texts;
    const isWanted = (): boolean => place === this.route.place && language === this.texts.language;
    try {
      const descriptor = await site().descriptor(place, language);
      if (!descriptor || !isWanted()) return;
      this.failure = '';
      this.descriptor = descriptor;
      if (this.session?.descriptor.id === place) this.session.descriptor = descriptor;
      this.notice(this.noticesIn);
    } catch (failure) {
      if (isWanted()) this.failure = messageOf(failure);
    }
  }

  /** Said anew in each language. */
  private noticesIn: (texts: Texts, descriptor: Descriptor) => readonly string[] = () => [];

  private notice(say: typeof this.noticesIn): void {
    this.noticesIn = say;
    this.notices = this.descriptor ? say(this.texts, this.descriptor) : [];
  }

  private async fetchText(): Promise<void> {
    const id = this.route.place;
    const { language } = this.texts;
    let [text, failure]: [ExperimentText | undefined, string] = [undefined, ''];
    try {
      text = await loadExperimentText(language, id);
    } catch (reason) {
      failure = messageOf(reason);
    }
    if (id !== this.route.place || language !== this.texts.language) return;
    this.text = text;
    this.textFailure = failure;
  }

  /** The scripts of the places that are no experiment. */
  private readonly loadPart = (): void => {
    const { place } = this.route;
    this.partFailure = '';
    const load = Object.hasOwn(PARTS, place) ? PARTS[place] : undefined;
    load?.().catch((failure: unknown) => {
      if (place === this.route.place) this.partFailure = messageOf(failure);
    });
  };

  /** The address follows the controls without filling the history with every step of a slider. */
  private readonly writeLink = (): void => {
    const { session, texts } = this;
    if (!session) return;
    const { query, left } = encodeState(session.descriptor, session);
    if (texts.language !== 'en') query.set('lang', texts.language);
    const link = formatLink(session.descriptor.id, query);
    this.notice((each) => (left.length ? [each.t('notice.notInLink')] : []));
    this.dispatchEvent(new CustomEvent('address', { detail: link }));
    history.replaceState(null, '', link);
  };

  protected override render(): TemplateResult | typeof nothing {
    const { descriptor, session, texts } = this;
    if (this.partFailure) {
      const again = (): void => reloadOr(this, this.loadPart);
      return failureTemplate(texts, 'app.failed.view', this.partFailure, again);
    }
    // The element takes its place as soon as its script is here.
    if (this.route.place === 'notebook') {
      return html`<al-notebook .texts=${texts}></al-notebook>`;
    }
    if (this.route.place === 'sweep') return html`<al-sweeps .texts=${texts}></al-sweeps>`;
    const listed = this.experiments.some((each) => each.id === this.route.place);
    if (!listed) return this.nowhere();
    if (this.failure) return this.failed();
    if (!descriptor || !session || descriptor.id !== this.route.place) {
      return html`<p class="wait sans quiet" role="status">${texts.t('app.loading')}</p>`;
    }
    document.title = `${descriptor.title} · AttnLab`;
    return html`<nav class="crumbs small" aria-label=${texts.t('app.crumbs')}>
        <a href="#/">${texts.t(`wing.${descriptor.wing}.name`)}</a>
      </nav>
      <al-experiment
        .session=${session}
        .descriptor=${descriptor}
        .text=${this.text}
        .textFailure=${this.textFailure}
        .texts=${texts}
        .notices=${this.notices}
      ></al-experiment>
      ${this.neighbours(descriptor)}`;
  }

  private failed(): TemplateResult {
    return failureTemplate(this.texts, 'app.failed.experiment', this.failure, () => {
      void this.openRoute(true);
    });
  }

  private neighbours(here: Descriptor): TemplateResult {
    const at = this.experiments.findIndex((each) => each.id === here.id);
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
    document.title = `${texts.t('nowhere.title')} · AttnLab`;
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
