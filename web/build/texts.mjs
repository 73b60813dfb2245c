// Texts as they are written → HTML strings, at build time: $…$ and $$…$$ become MathML, *…*
// emphasis, [[term]] a word with its definition, {name} and {table.column} a number of the run.
// Inside TeX, \p{name}{…} ties a symbol to the control of that parameter.
import temml from 'temml';

const escapeHtml = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const renderedMath = new Map();

export function mathMl(tex, display) {
  const key = `${display} ${tex}`;
  if (!renderedMath.has(key)) {
    const tied = tex.replace(/\\p\{(\w+)\}/g, '\\class{tie-$1}');
    const markup = temml.renderToString(tied, { displayMode: display, trust: true, throwOnError: true });
    // The page forbids inline styles; what they said stands in math.css.
    renderedMath.set(key, markup.replace(/ style="[^"]*"/g, ''));
  }
  return renderedMath.get(key);
}

const TOKEN =
  /\$\$([^$]+)\$\$|\$([^$]+)\$|\[\[([^\]|]+)(?:\|([^\]]+))?\]\]|\{([\w-]+(?:\.[\w-]+)?)\}|\*([^*]+)\*|`([^`]+)`/g;

export function richText(source, glossary = {}) {
  let html = '';
  let from = 0;
  for (const match of source.matchAll(TOKEN)) {
    html += escapeHtml(source.slice(from, match.index));
    from = match.index + match[0].length;
    const [, display, inline, term, shown, fill, emphasis, code] = match;
    if (display) html += `<span class="display-math" tabindex="0">${mathMl(display, true)}</span>`;
    else if (inline) html += mathMl(inline, false);
    else if (term) html += termHtml(term, shown ?? term, glossary);
    else if (fill) html += `<span data-fill="${fill}">…</span>`;
    else if (emphasis) html += `<em>${escapeHtml(emphasis)}</em>`;
    else if (code) html += `<code>${escapeHtml(code)}</code>`;
  }
  return html + escapeHtml(source.slice(from));
}

function termHtml(term, shown, glossary) {
  const definition = glossary[term];
  if (!definition) throw new Error(`The glossary has no entry for "${term}".`);
  return (
    `<span class="term" tabindex="0">${escapeHtml(shown)}` +
    `<span class="term-definition" role="tooltip">${escapeHtml(definition)}</span></span>`
  );
}

const RICH = ['paragraphs', 'howComputed', 'assumptions', 'whereFails'];

// An experiment's text file, compiled.
export function compileText(text, glossary) {
  const rich = (entry) => richText(entry, glossary);
  const compiled = { ...text };
  for (const name of RICH) compiled[name] = (text[name] ?? []).map(rich);
  if (text.check) {
    compiled.check = {
      question: rich(text.check.question),
      options: text.check.options.map((each) => ({
        ...each,
        text: rich(each.text),
        why: rich(each.why),
      })),
    };
  }
  return compiled;
}
