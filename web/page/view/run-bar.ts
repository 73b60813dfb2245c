/** Run, pause, step, reset, new draw; how far, how long; the seed; the state in words. */
import { html, nothing, type TemplateResult } from 'lit';
import { formatNumber, formatSeconds } from '../figure/format.ts';
import { MAXIMUM_PINS } from '../run/outcome.ts';
import type { Session } from '../run/session.ts';
import { isSeed } from '../state/link.ts';
import type { Texts } from '../state/texts.ts';
import type { Values } from '../state/values.ts';
import { reloadOr } from './failure.ts';
import { focusedIn } from './focus.ts';
import { define, Piece } from './piece.ts';
import { failureText } from './reason.ts';

/** Its words in other languages: cells.json. */
const PINS_FULL = 'As many as can be told apart are pinned: take one away first.';

export class RunBar extends Piece {
  static override properties = {
    session: { attribute: false },
    texts: { attribute: false },
    keeps: { type: Boolean },
    wrongSeed: { state: true },
    kept: { state: true },
  };
  declare session: Session;
  declare texts: Texts;
  /** Whether a run can be kept in the notebook (on the page, not in an embed). */
  declare keeps: boolean;
  declare wrongSeed: boolean;
  declare kept: string;

  private readonly onChange = (): void => {
    const { seed, values } = this.session;
    if (seed !== this.refusedAt?.seed || values !== this.refusedAt.values) this.forgetWrongSeed();
    this.requestUpdate();
  };

  /** What the session had when a seed was refused. */
  private refusedAt: { readonly seed: string; readonly values: Values } | undefined;

  /** The box shows the seed in use again. */
  private forgetWrongSeed(): void {
    if (!this.wrongSeed) return;
    this.wrongSeed = false;
    this.querySelector<HTMLInputElement>('.seed input')!.value = this.session.seed;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.session.addEventListener('change', this.onChange);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.session.removeEventListener('change', this.onChange);
  }

  /** A button that its own action has disabled hands the keyboard on. */
  protected override updated(): void {
    if (focusedIn(this)?.matches(':disabled'))
      this.querySelector<HTMLElement>('.run-main')?.focus({ preventScroll: true });
  }

  private button(
    action: string,
    act: () => void,
    enabled: boolean,
    className = '',
    title = '',
  ): TemplateResult {
    return html`<button
      class="button ${className}"
      data-action=${action}
      title=${title || nothing}
      ?disabled=${!enabled}
      @click=${(): void => {
        this.forgetWrongSeed();
        act();
      }}
    >
      ${this.texts.t(`run.${action}`)}
    </button>`;
  }

  protected override render(): TemplateResult {
    const { session, texts } = this;
    const { status } = session;
    const running = status === 'running' || status === 'loading';
    const full = session.pins.length >= MAXIMUM_PINS;
    return html`<div class="run-bar" role="group" aria-label=${texts.t('run.group')}>
      <div class="run-buttons">
        ${
          running
            ? this.button('pause', () => session.pause(), true, 'primary run-main')
            : this.button('run', () => session.resume(), true, 'primary run-main')
        }
        ${this.button('step', () => session.step(), !running)}
        ${this.button('reset', () => session.reset(), status !== 'empty')}
        ${this.button('draw', () => session.newDraw(), true)}
        ${this.button('pin', () => session.pin(), session.tables !== undefined && !full, '', full ? texts.cell(PINS_FULL) : '')}
        ${
          this.keeps
            ? this.button(
                'keep',
                () => void this.keep(),
                session.tables !== undefined && !session.busy,
              )
            : nothing
        }
      </div>
      <label class="seed">
        <span>${texts.t('run.seed')}</span>
        <input
          inputmode="numeric"
          autocomplete="off"
          spellcheck="false"
          size="10"
          .value=${session.seed}
          aria-invalid=${this.wrongSeed ? 'true' : 'false'}
          @change=${this.takeSeed}
        />
      </label>
      <progress max="1" .value=${session.progress} aria-label=${texts.t('run.progress')}></progress>
      <p class="run-status">${this.statusText()}</p>
    </div>`;
  }

  private async keep(): Promise<void> {
    try {
      const { keepRun } = await import('../state/keep-run.ts');
      await keepRun(this.session);
      this.kept = this.texts.t('run.kept');
    } catch (failure) {
      this.kept = failure instanceof Error ? failure.message : String(failure);
    }
    setTimeout(() => (this.kept = ''), 4000);
  }

  private readonly takeSeed = (event: Event): void => {
    const text = (event.target as HTMLInputElement).value.trim();
    this.wrongSeed = !isSeed(text);
    const { seed, values } = this.session;
    if (this.wrongSeed) this.refusedAt = { seed, values };
    else this.session.setSeed(String(BigInt(text)));
  };

  private statusText(): TemplateResult | string {
    const { session, texts } = this;
    if (this.kept) return this.kept;
    if (this.wrongSeed) return texts.t('run.wrongSeed');
    if (session.failure) return this.failure();
    const text = texts.t(`status.${session.status}`, {
      step: String(session.divergedAt ?? ''),
      percent: String(Math.floor(session.progress * 100)),
    });
    const left =
      session.status === 'running' && session.etaSeconds !== undefined && session.etaSeconds > 1
        ? texts.t('status.left', { time: formatSeconds(session.etaSeconds) })
        : nothing;
    const diverged =
      (session.status === 'kept' || session.status === 'built') && session.divergedAt !== undefined
        ? texts.t('status.diverged', { step: String(session.divergedAt) })
        : nothing;
    return html`${text} ${diverged} ${left}`;
  }

  private failure(): TemplateResult {
    const { session, texts } = this;
    const retry = (): void => reloadOr(this, () => session.resume());
    return html`<span class="failure">${failureText(session, texts)}</span>${
        session.failedToLoad
          ? html` <button class="button" @click=${retry}>${texts.t('app.retry')}</button>`
          : nothing
      }`;
  }
}

/** The one sentence the live region says when a run ends. */
export function announcement(session: Session, texts: Texts): string {
  if (session.failure) return failureText(session, texts);
  if (session.busy) return '';
  return texts.t(`status.${session.status}`, {
    step: formatNumber(session.divergedAt ?? NaN),
    percent: '100',
  });
}

define('al-run-bar', RunBar);
