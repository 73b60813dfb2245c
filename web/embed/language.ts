/** The language that an element is to speak. */

/** Its own attribute, else the language of the place where it stands, whatever shadow roots are between. */
export function languageOf(element: Element): string {
  const own = element.getAttribute('language');
  if (own !== null) return own;
  for (let place: Element | undefined = element; place; place = hostOf(place)) {
    const said = place.closest('[lang]');
    if (said) return said.getAttribute('lang') ?? '';
  }
  return '';
}

function hostOf(element: Element): Element | undefined {
  return (element.getRootNode() as Partial<ShadowRoot>).host;
}
