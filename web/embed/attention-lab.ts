/**
 * <attention-lab experiment="large-prompt.output" preset="…" seed="7" magnitudes="0.5,1">: one
 * experiment on any page. Styles stay inside the element's shadow root; all elements of a page share
 * one laboratory; nothing is loaded or computed before the element is seen.
 *
 * Attributes: experiment, preset, seed, language, theme, hide (names of controls, or "controls",
 * "presets", "run-bar", "details"), and every parameter by its name (tokenCount or token-count; with
 * "param-" before it where the name is an HTML attribute of its own).
 * Methods: run(), pause(), step(), reset(), newDraw(), set(values). Properties: values, result, status.
 * Events: attention-lab-ready, -change (values), -done (result), -error (message).
 */
import type { LitElement } from 'lit';
import type { DescriptorValue } from '../lib/descriptor.ts';
import { useSite } from '../page/run/site.ts';
import { httpSite } from '../page/run/site-http.ts';
import { encodeValue } from '../page/state/link.ts';
import { applyTheme, isTheme } from '../page/state/settings.ts';
import type { Values } from '../page/state/values.ts';
import { attributeQuery, RESERVED } from './attributes.ts';
import { createEmbed, type Embed } from './embed.ts';
import { embedSheet } from './style.ts';

useSite(httpSite(new URL(/* @vite-ignore */ '../', import.meta.url)));

const NEAR = '200px';

export class AttentionLab extends HTMLElement {
  private embed: Embed | undefined;
  private view: LitElement | undefined;
  private watcher: IntersectionObserver | undefined;
  private changes: MutationObserver | undefined;
  private opening = 0;
  private seen = false;

  connectedCallback(): void {
    if (!this.shadowRoot) {
      const root = this.attachShadow({ mode: 'open' });
      root.adoptedStyleSheets = [embedSheet()];
    }
    this.watcher = new IntersectionObserver(
      (entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        this.watcher?.disconnect();
        this.seen = true;
        void this.open();
      },
      { rootMargin: NEAR },
    );
    this.watcher.observe(this);
    this.changes = new MutationObserver((records) => this.attributesChanged(records));
    this.changes.observe(this, { attributes: true });
    this.takeTheme();
  }

  disconnectedCallback(): void {
    this.watcher?.disconnect();
    this.changes?.disconnect();
    this.opening += 1;
    this.seen = false;
    this.embed?.session.dispose();
    this.embed = undefined;
    this.view?.remove();
    this.view = undefined;
  }

  get status(): string {
    return this.embed?.session.status ?? 'empty';
  }

  get values(): Values | undefined {
    return this.embed?.session.values;
  }

  get result(): { seed: string; params: Values; tables: unknown } | undefined {
    const session = this.embed?.session;
    if (!session?.tables || session.busy) return undefined;
    return { seed: session.seed, params: session.values, tables: session.tables };
  }

  run(): void {
    this.embed?.session.resume();
  }

  pause(): void {
    this.embed?.session.pause();
  }

  step(): void {
    this.embed?.session.step();
  }

  reset(): void {
    this.embed?.session.reset();
  }

  newDraw(): void {
    this.embed?.session.newDraw();
  }

  /** Values by parameter name; what is outside its limits is clamped, as from a link. */
  set(values: Readonly<Record<string, unknown>>): void {
    for (const [name, value] of Object.entries(values)) {
      if (/^on/i.test(name)) continue; // It would be a handler, not a value.
      this.setAttribute(
        RESERVED.has(name) ? `param-${name}` : name,
        encodeValue(value as DescriptorValue),
      );
    }
  }

  private takeTheme(): void {
    const theme = this.getAttribute('theme');
    applyTheme(this, isTheme(theme) ? theme : 'system');
  }

  private attributesChanged(records: readonly MutationRecord[]): void {
    const names = records.map((each) => each.attributeName ?? '');
    if (names.includes('theme')) this.takeTheme();
    const ours = names.some(
      (name) => !['theme', 'data-theme', 'style', 'class', 'id', 'lang'].includes(name),
    );
    if (ours && this.seen) void this.open();
  }

  private async open(): Promise<void> {
    const turn = (this.opening += 1);
    const request = {
      experiment: this.getAttribute('experiment') ?? '',
      language:
        this.getAttribute('language') ?? (this.closest('[lang]')?.getAttribute('lang') || ''),
      query: attributeQuery(this.attributes),
      hide: this.getAttribute('hide') ?? '',
    };
    try {
      const embed = await createEmbed(request, this.embed);
      const isNew = embed.session !== this.embed?.session;
      if (turn !== this.opening) return isNew ? embed.session.dispose() : undefined;
      if (isNew) this.embed?.session.dispose();
      this.embed = embed;
      this.show(embed);
      if (isNew) this.tell(embed);
    } catch (failure) {
      if (turn === this.opening) this.showFailure(failure);
    }
  }

  private show(embed: Embed): void {
    const view = embed.view;
    if (this.view !== view) this.shadowRoot?.replaceChildren(view);
    this.view = view;
    this.lang = embed.language;
  }

  private tell(embed: Embed): void {
    const { session } = embed;
    const say = (type: string, detail?: unknown): boolean =>
      this.dispatchEvent(new CustomEvent(`attention-lab-${type}`, { detail, bubbles: true }));
    let before = '';
    session.addEventListener('values', () => say('change', session.values));
    session.addEventListener('change', () => {
      if (session.status === before) return;
      before = session.status;
      if (session.failure) say('error', { message: session.failure.message });
      else if (this.result) say('done', this.result);
    });
    say('ready', { experiment: session.descriptor.id });
  }

  private showFailure(failure: unknown): void {
    const message = failure instanceof Error ? failure.message : String(failure);
    const notice = document.createElement('div');
    notice.className = 'notice';
    notice.setAttribute('role', 'alert');
    const text = document.createElement('p');
    text.textContent = message;
    const again = document.createElement('button');
    again.className = 'button';
    again.textContent = '↻';
    again.setAttribute('aria-label', 'Try again');
    again.addEventListener('click', () => void this.open());
    notice.append(text, again);
    this.shadowRoot?.replaceChildren(notice);
    this.view = undefined;
    this.embed?.session.dispose();
    this.embed = undefined;
    this.dispatchEvent(
      new CustomEvent('attention-lab-error', { detail: { message }, bubbles: true }),
    );
  }
}

// The script may be on a page twice.
if (!customElements.get('attention-lab')) customElements.define('attention-lab', AttentionLab);
