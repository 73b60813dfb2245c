/** The page: head, the place that the link names, foot. */
import { html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import './front/front.ts';
import { site } from './run/site.ts';
import type { Entry } from './state/entry.ts';
import { formatLink, parseRoute, type Route } from './state/link.ts';
import {
  chooseLanguage,
  chooseTheme,
  startLanguage,
  storedTheme,
  type Theme,
} from './state/settings.ts';
import {
  englishTexts,
  isLanguage,
  LANGUAGE_NAMES,
  LANGUAGES,
  loadTexts,
  type Language,
  type Texts,
} from './state/texts.ts';
import { failureTemplate, messageOf, reloadOr } from './view/failure.ts';
import { define, Piece } from './view/piece.ts';
import { Tops } from './view/tops.ts';

export class App extends Piece {
  static override properties = {
    texts: { state: true },
    experiments: { state: true },
    route: { state: true },
    failure: { state: true },
    viewFailure: { state: true },
    languageFailure: { state: true },
    theme: { state: true },
    viewReady: { state: true },
  };
  declare texts: Texts;
  declare experiments: readonly Entry[] | undefined;
  declare route: Route;
  declare failure: string;
  /** Of a script that did not come. */
  declare viewFailure: string;
  declare languageFailure: string;
  declare theme: Theme;
  declare viewReady: boolean;

  constructor() {
    super();
    this.texts = englishTexts;
    this.route = parseRoute(location.hash);
    this.failure = '';
    this.viewFailure = '';
    this.languageFailure = '';
    this.theme = storedTheme();
    this.viewReady = false;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    window.addEventListener('hashchange', this.follow);
    window.addEventListener('popstate', this.follow);
    this.tops.connect(this);
    for (const type of ['dragover', 'drop'] as const) window.addEventListener(type, keepPage);
    const language = startLanguage(this.route.query.get('lang'));
    void this.useLanguage(language);
    this.prepareView();
    this.fetchAhead(language);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    window.removeEventListener('hashchange', this.follow);
    window.removeEventListener('popstate', this.follow);
    this.tops.disconnect();
    for (const type of ['dragover', 'drop'] as const) window.removeEventListener(type, keepPage);
  }

  private readonly fetchExperiments = async (): Promise<void> => {
    const { language } = this.texts;
    this.failure = '';
    try {
      const experiments = await site().index(language);
      if (language === this.texts.language) this.experiments = experiments;
    } catch (failure) {
      if (language === this.texts.language) this.failure = messageOf(failure);
    }
  };

  private lastHash = location.hash;
  private readonly tops = new Tops(() => this.route.place);

  private readonly follow = (): void => {
    if (location.hash === this.lastHash) return;
    this.lastHash = location.hash;
    const before = this.route.place;
    this.route = parseRoute(location.hash);
    const language = this.route.query.get('lang');
    if (isLanguage(language) && language !== this.texts.language) void this.useLanguage(language);
    this.prepareView();
    if (this.route.place === before) return;
    this.tops.enter();
    // The reader's place in the page follows the view, for keyboards and screen readers.
    void this.updateComplete.then(() => this.querySelector('main')?.focus({ preventScroll: true }));
  };

  /** The experiment view is loaded when the first experiment is opened. */
  private prepareView(): void {
    if (!this.route.place || this.viewReady) return;
    void import('./place.ts').then(
      () => {
        this.viewReady = true;
        this.viewFailure = '';
      },
      (failure: unknown) => (this.viewFailure = messageOf(failure)),
    );
  }

  /** What the first view will need, asked for at once instead of one after the other. */
  private fetchAhead(language: Language): void {
    const ahead: Promise<unknown>[] = [import('./figure/chart.ts'), site().index(language)];
    const { place } = this.route;
    if (place) ahead.push(site().descriptor(place, language), site().builtResult(place));
    // Whoever needs it in earnest asks again and says what went wrong.
    for (const each of ahead) each.catch(() => undefined);
  }

  /** What was asked for last is what counts, in whatever order the files come. */
  private languageTurn = 0;

  private async useLanguage(language: Language): Promise<void> {
    const turn = ++this.languageTurn;
    this.languageFailure = '';
    try {
      const texts = await loadTexts(language);
      if (turn !== this.languageTurn) return;
      this.texts = texts;
    } catch (failure) {
      if (turn !== this.languageTurn) return;
      // What can be shown stays in the language that is here.
      this.languageFailure = messageOf(failure);
    }
    await this.fetchExperiments();
    if (turn === this.languageTurn) document.documentElement.lang = this.texts.language;
  }

  /** An address that names a language would undo the reader's choice when it is opened again. */
  private writeLanguage(language: Language): void {
    const { place, query, tooLong } = parseRoute(location.hash);
    if (tooLong || !query.has('lang')) return;
    query.set('lang', language);
    this.lastHash = formatLink(place, query);
    history.replaceState(null, '', this.lastHash);
  }

  private readonly pickLanguage = (event: Event): void => {
    const language = (event.target as HTMLSelectElement).value;
    if (!isLanguage(language)) return;
    chooseLanguage(language);
    this.writeLanguage(language);
    void this.useLanguage(language);
  };

  private readonly pickTheme = (event: Event): void => {
    this.theme = (event.target as HTMLSelectElement).value as Theme;
    chooseTheme(this.theme);
  };

  protected override render(): TemplateResult {
    const { texts } = this;
    return html`<a class="skip" href="#main" @click=${this.skip}>${texts.t('app.skip')}</a>
      <header class="head">
        <a class="mark" href="#/">AttnLab</a>
        <nav aria-label=${texts.t('app.nav')}>
          <a href="#/" @click=${(): void => this.toIndex()}>${texts.t('app.experiments')}</a>
          <a href="#/notebook">${texts.t('app.notebook')}</a>
        </nav>
        <div class="settings">
          <label>
            <span class="visually-hidden">${texts.t('app.language')}</span>
            <select data-setting="language" @change=${this.pickLanguage}>
              ${LANGUAGES.map(
                (each) =>
                  html`<option
                    value=${each}
                    lang=${each}
                    .selected=${live(each === texts.language)}
                  >
                    ${LANGUAGE_NAMES[each]}
                  </option>`,
              )}
            </select>
          </label>
          <label>
            <span class="visually-hidden">${texts.t('app.theme')}</span>
            <select data-setting="theme" @change=${this.pickTheme}>
              ${(['system', 'light', 'dark'] as const).map(
                (each) =>
                  html`<option value=${each} .selected=${live(each === this.theme)}>
                    ${texts.t(`theme.${each}`)}
                  </option>`,
              )}
            </select>
          </label>
        </div>
      </header>
      <main id="main" tabindex="-1">${this.languageFailed()}${this.place()}</main>
      <footer class="foot small">
        <p>${texts.t('app.foot')}</p>
        ${
          // The one-file page has nothing beside it.
          site().base
            ? html`<p>
                <a href="reference/index.html">${texts.t('app.reference')}</a>
                · <a href="LICENSES.txt">${texts.t('app.licences')}</a>
              </p>`
            : nothing
        }
      </footer>`;
  }

  /** The fragment is the page's address, so the skip link moves the focus itself. */
  private readonly skip = (event: Event): void => {
    event.preventDefault();
    this.querySelector('main')?.focus();
  };

  private toIndex(): void {
    if (!this.route.place) this.querySelector('#index')?.scrollIntoView();
  }

  private languageFailed(): TemplateResult | typeof nothing {
    if (!this.languageFailure) return nothing;
    const again = (): void => reloadOr(this, () => undefined);
    return failureTemplate(this.texts, 'app.failed.view', this.languageFailure, again);
  }

  private place(): TemplateResult | typeof nothing {
    const { texts, experiments, route } = this;
    // The front stands without the script of the other places.
    if (this.viewFailure && route.place) {
      const again = (): void => reloadOr(this, () => this.prepareView());
      return failureTemplate(texts, 'app.failed.view', this.viewFailure, again);
    }
    if (this.failure) {
      return failureTemplate(texts, 'app.failed', this.failure, () => void this.fetchExperiments());
    }
    if (!experiments)
      return html`<p class="wait sans quiet" role="status">${texts.t('app.loading')}</p>`;
    if (!route.place) {
      return html`<al-front
        .experiments=${experiments}
        .texts=${texts}
        .tooLong=${route.tooLong}
      ></al-front>`;
    }
    if (!this.viewReady)
      return html`<p class="wait sans quiet" role="status">${texts.t('app.loading')}</p>`;
    return html`<al-place
      .experiments=${experiments}
      .route=${route}
      .texts=${texts}
      @address=${(event: CustomEvent<string>): void => void (this.lastHash = event.detail)}
    ></al-place>`;
  }
}

/** A file that is dropped beside its box would be opened in place of the page. */
function keepPage(event: DragEvent): void {
  if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
}

define('al-app', App);
