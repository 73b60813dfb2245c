/** What an element's attributes mean: its own names, parameters, or nothing at all here. */

/** The element's own. */
const OWN = new Set(['experiment', 'preset', 'seed', 'language', 'theme', 'hide']);

/** HTML's, which any element may carry. */
const HTML = new Set(
  `accesskey anchor autocapitalize autocorrect autofocus class contenteditable dir draggable
  elementtiming enterkeyhint exportparts hidden id inert inputmode is itemid itemprop itemref
  itemscope itemtype lang nonce part popover role slot spellcheck style tabindex title translate
  virtualkeyboardpolicy writingsuggestions xmlns`.split(/\s+/),
);
/** Handlers, and what frameworks, checkers and browser extensions leave behind. */
const FOREIGN = /^(on|data-|aria-)|[^a-z0-9-]/i;

const PREFIX = 'param-';

/** HTML lowers attribute names, so names are compared without case and dashes. */
function plainName(name: string): string {
  return withoutPrefix(name).replaceAll('-', '').toLowerCase();
}

function withoutPrefix(name: string): string {
  return name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name;
}

/** One of the element's own names; 'param-' and a plain name; or '' where it means nothing here. */
export function meaningOf(attribute: string): string {
  if (OWN.has(attribute)) return attribute;
  const prefixed = attribute.startsWith(PREFIX);
  if (!prefixed && (HTML.has(attribute) || FOREIGN.test(attribute))) return '';
  return PREFIX + plainName(attribute);
}

/** The attribute that gives the value of this name. */
export function attributeFor(name: string): string {
  if (name === 'preset' || name === 'seed') return name;
  const dashed = name.replace(/(?<=.)[A-Z]/g, (letter) => `-${letter}`).toLowerCase();
  return meaningOf(dashed) === PREFIX + plainName(name) ? dashed : PREFIX + dashed;
}

/** Leaves one attribute of those that mean the same. */
export function keepOneSpelling(element: Element, kept: string): void {
  const meaning = meaningOf(kept);
  for (const name of element.getAttributeNames()) {
    if (name !== kept && meaningOf(name) === meaning) element.removeAttribute(name);
  }
}

/** From an element's attributes to the query a link would have. */
export function attributeQuery(attributes: NamedNodeMap): URLSearchParams {
  const query = new URLSearchParams();
  for (const { name, value } of attributes) {
    const meaning = meaningOf(name);
    const isValue = meaning === 'preset' || meaning === 'seed' || meaning.startsWith(PREFIX);
    if (isValue) query.set(name, value);
  }
  return query;
}

/** The query with each name as its parameter spells it. */
export function spellNames(query: URLSearchParams, names: readonly string[]): URLSearchParams {
  const spelled = new URLSearchParams();
  for (const [name, value] of query) spelled.set(spellName(name, names), value);
  return spelled;
}

export function spellName(name: string, names: readonly string[]): string {
  if (name === 'preset' || name === 'seed') return name;
  return names.find((each) => plainName(each) === plainName(name)) ?? withoutPrefix(name);
}
