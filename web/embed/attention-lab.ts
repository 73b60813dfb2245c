/**
 * <attention-lab experiment="large-prompt.output" preset="…" seed="7" magnitudes="0.5,1">: one
 * experiment on any page. Styles stay inside the element's shadow root; all elements of a page share
 * one laboratory; nothing is loaded or computed before the element is seen.
 *
 * Attributes: experiment, preset, seed, language, theme, hide (names of controls, or "controls",
 * "presets", "run-bar", "details"), and every parameter by its name (tokenCount or token-count; with
 * "param-" before it where the name is an HTML attribute of its own). One that changes acts on what
 * it names; what the reader has set beside it stays.
 * Methods: run(), pause(), step(), reset(), newDraw(), set(values). Properties: values, result, status.
 * Events: attention-lab-ready, -change (values), -done (result), -error (message).
 */
import type { LitElement } from 'lit';
import type { Descriptor, DescriptorValue } from '../lib/descriptor.ts';
import { useSite } from '../page/run/site.ts';
import { httpSite } from '../page/run/site-http.ts';
import { encodeValue, type LinkState } from '../page/state/link.ts';
import { applyTheme, isTheme } from '../page/state/settings.ts';
import type { Texts } from '../page/state/texts.ts';
import type { Values } from '../page/state/values.ts';
import { messageOf } from '../page/view/failure.ts';
import { attributeFor, attributeQuery, keepOneSpelling, meaningOf } from './attributes.ts';
import { changedState } from './changes.ts';
import { createEmbed, hidden, knownLanguage, translateEmbed, type Embed } from './embed.ts';
import { failedEmbed, failureNotice } from './failure.ts';
import { keepKeys } from './keys.ts';
import { languageOf } from './language.ts';
import { embedSheet } from './style.ts';
import { unseenLine } from './unseen.ts';

useSite(httpSite(new URL(/* @vite-ignore */ '../', import.meta.url)));

const NEAR = '200px';

export class AttentionLab extends HTMLElement {
  private embed: Embed | undefined;
  private view: LitElement | undefined;
  private watcher: IntersectionObserver | undefined;
  private changes: MutationObserver | undefined;
  private opening = 0;
  private isOpening = false;
  private seen = false;
  private printedBy: Window | undefined;

  connectedCallback(): void {
    const root = this.shadowRoot ?? keepKeys(this.attachShadow({ mode: 'open' }));
    // Moved into another document, the root has lost its sheets.
    root.adoptedStyleSheets = [embedSheet(this.ownerDocument)];
    // Firefox sees only what is in the observer's own window.
    const own = this.ownerDocument.defaultView ?? window;
    this.watcher = new own.IntersectionObserver(
      (entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        this.firstSeen();
      },
      { rootMargin: NEAR },
    );
    this.watcher.observe(this);
    own.addEventListener('beforeprint', this.printed);
    this.printedBy = own;
    this.changes = new MutationObserver((records) => this.attributesChanged(records));
    this.changes.observe(this, { attributes: true });
    this.takeTheme();
    this.followLanguage();
  }

  private firstSeen(): void {
    this.watcher?.disconnect();
    this.seen = true;
    if (!this.embed && !this.isOpening) void this.open();
  }

  /** Paper does not wait: a line stands for the figure until it is there. */
  private printed = (): void => {
    if (this.seen) return;
    const line = unseenLine(this.getAttribute('experiment') ?? '', this.getAttribute('preset'));
    this.shadowRoot?.replaceChildren(line);
    this.firstSeen();
  };

  /** One that is only moved is back at once, and goes on with what it has. */
  disconnectedCallback(): void {
    this.watcher?.disconnect();
    this.changes?.disconnect();
    this.printedBy?.removeEventListener('beforeprint', this.printed);
    queueMicrotask(() => {
      if (!this.isConnected) this.close();
    });
  }

  private close(): void {
    this.opening += 1;
    this.isOpening = false;
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
    if (!session?.found || session.busy) return undefined;
    const { seed, values, tables } = session.found;
    return { seed, params: values, tables };
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
      const attribute = attributeFor(name);
      this.setAttribute(attribute, encodeValue(value as DescriptorValue));
      keepOneSpelling(this, attribute);
    }
  }

  private takeTheme(): void {
    const theme = this.getAttribute('theme');
    applyTheme(this, isTheme(theme) ? theme : 'system');
  }

  private attributesChanged(records: readonly MutationRecord[]): void {
    const changed = new Map<string, string>();
    for (const { attributeName } of records) {
      const name = attributeName ?? '';
      const meaning = meaningOf(name);
      // Of two spellings the one that went does not count.
      if (this.hasAttribute(name) || !changed.has(meaning)) changed.set(meaning, name);
    }
    changed.delete('');
    for (const name of changed.values()) if (this.hasAttribute(name)) keepOneSpelling(this, name);
    this.changes?.takeRecords();
    if (changed.delete('theme')) this.takeTheme();
    if (this.seen && changed.size) this.follow(changed);
  }

  /** From what an attribute means to its name. */
  private follow(changed: Map<string, string>): void {
    const { embed } = this;
    const id = this.getAttribute('experiment') ?? '';
    if (!embed || this.isOpening || embed.session.descriptor.id !== id) return void this.open();
    changed.delete('experiment');
    if (changed.delete('hide')) embed.view.hide = hidden(this.getAttribute('hide') ?? '');
    if (changed.delete('language')) this.followLanguage();
    if (!changed.size) return;
    const query = attributeQuery(this.attributes);
    const { preset, values, seed } = embed.session;
    const names = [...changed.values()];
    const stateIn = (descriptor: Descriptor, texts: Texts): LinkState =>
      changedState({ descriptor, preset, values, seed }, query, names, texts);
    embed.noticesIn = (...language) => stateIn(...language).notices;
    const state = stateIn(embed.session.descriptor, embed.view.texts);
    embed.view.notices = state.notices;
    void embed.session.open(state);
  }

  /** The language that was asked for last. */
  private asked = '';

  /** As its attribute, or where it now stands, says. */
  private followLanguage(): void {
    const { embed } = this;
    const language = languageOf(this);
    if (embed && !this.isOpening && language !== this.asked) void this.changeLanguage(embed);
  }

  private async changeLanguage(embed: Embed): Promise<void> {
    const turn = (this.opening += 1);
    const isWanted = (): boolean => turn === this.opening;
    this.asked = languageOf(this);
    try {
      const translated = await translateEmbed(embed, this.asked, isWanted);
      if (!isWanted()) return;
      this.embed = translated;
      this.show(translated);
    } catch (failure) {
      if (isWanted()) this.staysInLanguage(embed, failure);
    }
  }

  /** What the reader has done is there still, in the language it was in. */
  private staysInLanguage(embed: Embed, failure: unknown): void {
    const again = (): void => void this.changeLanguage(embed);
    const notice = failureNotice(embed.view.texts, 'app.failed.view', failure, again);
    this.show(embed);
    this.shadowRoot?.prepend(notice);
    this.sayFailure(failure);
  }

  private async open(): Promise<void> {
    const turn = (this.opening += 1);
    this.isOpening = true;
    this.asked = languageOf(this);
    try {
      const embed = await createEmbed({
        experiment: this.getAttribute('experiment') ?? '',
        language: this.asked,
        query: attributeQuery(this.attributes),
        hide: this.getAttribute('hide') ?? '',
      });
      if (turn !== this.opening) return embed.session.dispose();
      this.embed?.session.dispose();
      this.embed = embed;
      this.show(embed);
      this.tell(embed);
    } catch (failure) {
      if (turn === this.opening) await this.showFailure(failure, turn);
    } finally {
      if (turn === this.opening) this.isOpening = false;
      this.followLanguage();
    }
  }

  private show({ view }: Embed): void {
    // Where it stands already it is not taken out, which would lose what is open and focused in it.
    for (const each of [...this.shadowRoot!.children]) if (each !== view) each.remove();
    if (view.parentNode !== this.shadowRoot) this.shadowRoot!.append(view);
    this.view = view;
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

  private async showFailure(failure: unknown, turn: number): Promise<void> {
    const again = (): void => void this.open();
    const notice = await failedEmbed(knownLanguage(this.asked), failure, again);
    if (turn !== this.opening) return;
    this.shadowRoot?.replaceChildren(notice);
    this.view = undefined;
    this.embed?.session.dispose();
    this.embed = undefined;
    this.sayFailure(failure);
  }

  private sayFailure(failure: unknown): void {
    const detail = { message: messageOf(failure) };
    this.dispatchEvent(new CustomEvent('attention-lab-error', { detail, bubbles: true }));
  }
}

// The script may be on a page twice.
if (!customElements.get('attention-lab')) customElements.define('attention-lab', AttentionLab);
