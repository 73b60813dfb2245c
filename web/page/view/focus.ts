/** Where the keyboard goes when what held it is taken away or disabled. */

/** A part of the page, or of an element's own tree. */
export function focusedIn(element: Element): Element | null {
  const { activeElement } = element.getRootNode() as Document | ShadowRoot;
  return element.contains(activeElement) ? activeElement : null;
}
