/** From an element's attributes to the query a link would have. */

export const RESERVED = new Set([
  'experiment',
  'preset',
  'seed',
  'language',
  'theme',
  'hide',
  'style',
  'class',
  'id',
  'lang',
  'slot',
  'title',
  'hidden',
  'role',
  'dir',
  'tabindex',
  'part',
]);

/** HTML lowers attribute names, so names are compared without case and dashes. */
export function plainName(name: string): string {
  return name
    .replace(/^param-/, '')
    .replaceAll('-', '')
    .toLowerCase();
}

export function attributeQuery(attributes: NamedNodeMap): URLSearchParams {
  const query = new URLSearchParams();
  for (const { name, value } of attributes) {
    if (name === 'preset' || name === 'seed') query.set(name, value);
    else if (!RESERVED.has(name) && !name.startsWith('data-') && !name.startsWith('aria-')) {
      query.set(name, value);
    }
  }
  return query;
}

/** The query with each name as its parameter spells it. */
export function spellNames(query: URLSearchParams, names: readonly string[]): URLSearchParams {
  const spelled = new URLSearchParams();
  for (const [name, value] of query) {
    const known = names.find((each) => plainName(each) === plainName(name));
    spelled.set(name === 'preset' || name === 'seed' ? name : (known ?? name), value);
  }
  return spelled;
}
