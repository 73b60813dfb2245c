/** An experiment from top to bottom: question, answer, figures, run bar, controls, text, folds. */
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { unsafeHTML } from 'lit/directives/unsafe-html.js';
import type { Descriptor } from '../../lib/descriptor.ts';
import '../figure/figure.ts';
import type { FigureElement } from '../figure/figure.ts';
import { typeset } from '../figure/typeset.ts';
import { answerOf, roomyAnswer } from '../run/fill.ts';
import type { Session } from '../run/session.ts';
import type { ExperimentText, Texts } from '../state/texts.ts';
import { isShown } from '../state/values.ts';
import './controls.ts';
import './check.ts';
import './folds.ts';
import { failureTemplate, reloadOr } from './failure.ts';
import { heading } from './heading.ts';
import { define } from './piece.ts';
import { ProseTies } from './prose-ties.ts';
import './run-bar.ts';
import { announcement } from './run-bar.ts';
import { View } from './view.ts';

export class ExperimentElement extends View {
  static override properties = {
    session: { attribute: false },
    descriptor: { attribute: false },
    text: { attribute: false },
    textFailure: { attribute: false },
    texts: { attribute: false },
    notices: { attribute: false },
    hide: { attribute: false },
    compact: { type: Boolean },
  };
  declare session: Session;
  /** The session's descriptor in the reader's language. */
  declare descriptor: Descriptor;
  declare text: ExperimentText | undefined;
  /** Why there is no text; '' or undefined where nothing failed. */
  declare textFailure: string | undefined;
  retryText: () => void = () => undefined;
  declare texts: Texts;
  declare notices: readonly string[];
  declare hide: ReadonlySet<string>;
  /** In an embed: no prose. */
  declare compact: boolean;

  private readonly ties = new ProseTies(this);
  private readonly onChange = (): void => this.requestUpdate();
  private readonly onVisibility = (): void => this.see();
  private onScreen = true;
  private watcher: IntersectionObserver | undefined;
  /** An embed may be moved into another window. */
  private page = document;

  override connectedCallback(): void {
    super.connectedCallback();
    this.session.addEventListener('change', this.onChange);
    this.session.addEventListener('values', this.onChange);
    this.page = this.ownerDocument;
    this.page.addEventListener('visibilitychange', this.onVisibility);
    this.watcher = new (this.page.defaultView ?? window).IntersectionObserver((entries) => {
      this.onScreen = entries.some((entry) => entry.isIntersecting);
      this.see();
    });
    this.watcher.observe(this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.session.removeEventListener('change', this.onChange);
    this.session.removeEventListener('values', this.onChange);
    this.page.removeEventListener('visibilitychange', this.onVisibility);
    this.watcher?.disconnect();
  }

  private see(): void {
    this.session.setVisible(this.onScreen && this.page.visibilityState !== 'hidden');
  }

  protected override updated(_changed: PropertyValues<this>): void {
    this.ties.update(this.descriptor, this.session);
  }

  readonly figureElements = (): FigureElement[] => [
    ...this.querySelectorAll<FigureElement>('al-figure'),
  ];

  protected override render(): TemplateResult {
    const { session, descriptor, texts, text } = this;
    const figures = descriptor.figures.filter((each) =>
      isShown(each.shownWhen, session.shown.values),
    );
    const question = this.compact
      ? html`<h2 class="question">${heading(descriptor.title)}</h2>`
      : html`<h1 class="question">${heading(descriptor.title)}</h1>`;
    return html`<article
      class="experiment"
      data-experiment=${descriptor.id}
      data-status=${session.status}
    >
      <header class="experiment-head">
        ${question}
        <div class="answer">
          <p>${typeset(this.answer())}</p>
          ${this.otherAnswers().map(
            (each) => html`<p class="answer-room" aria-hidden="true">${typeset(each)}</p>`,
          )}
        </div>
        ${
          this.notices?.length
            ? html`<div class="notice" role="status">
                ${this.notices.map((each) => html`<p>${each}</p>`)}
              </div>`
            : nothing
        }
      </header>
      <div class="bench-place">
        <div class="bench">
          <div class="bench-main">
            ${repeat(
              figures.slice(0, 1),
              (each) => each.name,
              (each) => this.figureTemplate(each, this.runBar()),
            )}
          </div>
          ${
            this.hide?.has('controls')
              ? nothing
              : html`<al-controls
                  class="bench-controls"
                  .session=${session}
                  .descriptor=${descriptor}
                  .texts=${texts}
                  .hide=${this.hide}
                ></al-controls>`
          }
          <div class="bench-rest">
            ${repeat(
              figures.slice(1),
              (each) => each.name,
              (each) => this.figureTemplate(each),
            )}
          </div>
        </div>
      </div>
      ${this.compact || !text ? nothing : this.prose(text)}
      ${this.textFailure && !this.hide?.has('details') ? this.failedText(this.textFailure) : nothing}
      ${
        this.hide?.has('details')
          ? nothing
          : html`<al-folds
              .session=${session}
              .descriptor=${descriptor}
              .text=${text}
              .texts=${texts}
              .figures=${this.figureElements}
              .sweeps=${!this.compact}
            ></al-folds>`
      }
      <p class="visually-hidden" role="status" aria-live="polite">
        ${announcement(session, texts)}
      </p>
    </article>`;
  }

  private figureTemplate(
    figure: Descriptor['figures'][number],
    below: TemplateResult | typeof nothing = nothing,
  ): TemplateResult {
    return html`<al-figure
      .session=${this.session}
      .figure=${figure}
      .texts=${this.texts}
      .below=${below}
      data-figure=${figure.name}
    ></al-figure>`;
  }

  private runBar(): TemplateResult | typeof nothing {
    if (this.hide?.has('run-bar')) return nothing;
    return html`<al-run-bar
      .session=${this.session}
      .texts=${this.texts}
      .keeps=${!this.compact}
    ></al-run-bar>`;
  }

  /** Until there are numbers, the sentence of what it shows. */
  private answer(): string {
    const { session, descriptor } = this;
    const say = (text: string): string => this.texts.cell(text);
    const ended = session.found?.status !== 'cancelled';
    return answerOf(descriptor, session.shown.values, session.tables, say, ended);
  }

  /** What may stand in its place, unseen: the room for it is held, and nothing below moves. */
  private otherAnswers(): readonly string[] {
    const { session, descriptor } = this;
    return [descriptor.summary, roomyAnswer(descriptor, session.values)];
  }

  private failedText(message: string): TemplateResult {
    const again = (): void => reloadOr(this, this.retryText);
    return failureTemplate(this.texts, 'app.failed.text', message, again);
  }

  private prose(text: ExperimentText): TemplateResult {
    return html`<div class="prose experiment-prose">
      ${text.paragraphs.map((each) => html`<p>${unsafeHTML(each)}</p>`)}
      ${text.check ? html`<al-check .check=${text.check} .texts=${this.texts}></al-check>` : nothing}
    </div>`;
  }
}

define('al-experiment', ExperimentElement);
