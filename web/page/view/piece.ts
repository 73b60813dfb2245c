/**
 * The base of the page's parts. They render into the tree they stand in (no shadow root of their
 * own), so that one set of styles serves the page and, inside its one shadow root, the embed.
 */
import { LitElement } from 'lit';

export abstract class Piece extends LitElement {
  protected override createRenderRoot(): HTMLElement {
    return this;
  }
}

/** The script may be on a page twice. */
export function define(name: string, element: CustomElementConstructor): void {
  if (!customElements.get(name)) customElements.define(name, element);
}
