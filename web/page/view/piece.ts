/**
 * The base of the page's parts. They render into the tree they stand in (no shadow root of their
 * own), so that one set of styles serves the page and, inside its one shadow root, the embed.
 */
import { LitElement } from 'lit';
import { takeTurns } from './turns.ts';

export abstract class Piece extends LitElement {
  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  /** What a piece first shows is made in a turn of its own: a whole view at once would be one long task. */
  protected override scheduleUpdate(): void | Promise<unknown> {
    if (this.hasUpdated) return super.scheduleUpdate();
    const update = (): unknown => super.scheduleUpdate();
    return new Promise<void>((done, fail) => {
      takeTurns(this, function* () {
        try {
          update();
          done();
        } catch (failure) {
          fail(failure);
        }
      });
    });
  }
}

/** The script may be on a page twice. */
export function define(name: string, element: CustomElementConstructor): void {
  if (!customElements.get(name)) customElements.define(name, element);
}
