/**
 * Ties the prose to the instrument: values in sentences follow the run, a symbol under the pointer
 * lights its control and the other way round, terms open their definitions.
 */
import type { Descriptor } from '../../lib/descriptor.ts';
import { lookUp } from '../run/fill.ts';
import type { Session } from '../run/session.ts';

export class ProseTies {
  constructor(private readonly host: HTMLElement) {
    host.addEventListener('pointerover', this.light);
    host.addEventListener('pointerout', this.unlight);
    host.addEventListener('focusin', this.light);
    host.addEventListener('focusout', this.unlight);
  }

  /** The build leaves <span data-fill="table.column"> where a sentence holds a number. */
  update(descriptor: Descriptor, session: Session): void {
    for (const span of this.host.querySelectorAll<HTMLElement>('[data-fill]')) {
      const [first = '', second] = (span.dataset['fill'] ?? '').split('.');
      const text = lookUp(first, second, descriptor, session.shown.values, session.tables) ?? '…';
      if (span.textContent !== text) span.textContent = text;
    }
  }

  private readonly light = (event: Event): void => {
    const name = this.nameAt(event.target);
    if (name) this.mark(name, true);
  };

  private readonly unlight = (event: Event): void => {
    const name = this.nameAt(event.target);
    if (name) this.mark(name, false);
  };

  /** A control by its parameter; a symbol of a formula by the class its \p{…} macro left. */
  private nameAt(target: EventTarget | null): string | undefined {
    if (!(target instanceof Element)) return undefined;
    const control = target.closest('[data-parameter]');
    if (control) return control.getAttribute('data-parameter') ?? undefined;
    const symbol = target.closest('[class*="tie-"]');
    const tie = [...(symbol?.classList ?? [])].find((each) => each.startsWith('tie-'));
    return tie?.slice(4);
  }

  private mark(name: string, on: boolean): void {
    if (!/^\w+$/.test(name)) return;
    const tied = this.host.querySelectorAll(`[data-parameter="${name}"], .tie-${name}`);
    for (const element of tied) element.classList.toggle('lit', on);
  }
}
