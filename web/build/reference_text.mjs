// Docstrings as HTML: paragraphs, code in backticks, examples.

export const escapeHtml = (text) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

function renderPart({ kind, text }) {
  if (kind !== 'code') return escapeHtml(text);
  const block = /^```\w*\n([\s\S]*?)\n?```$/.exec(text);
  if (block) return `\n\n<pre tabindex="0"><code>${escapeHtml(block[1])}</code></pre>\n\n`;
  return `<code>${escapeHtml(text.replace(/^`+|`+$/g, ''))}</code>`;
}

// Of TypeDoc's parts of a comment.
export function renderText(parts = []) {
  const html = parts.map(renderPart).join('').trim();
  // A blank line inside an example ends no paragraph.
  return html
    .split(/(<pre[\s\S]*?<\/pre>)/)
    .flatMap((piece) => (piece.startsWith('<pre') ? [piece] : piece.split(/\n\s*\n/)))
    .map((piece) => piece.trim())
    .filter(Boolean)
    .map((piece) => (piece.startsWith('<pre') ? piece : `<p>${piece}</p>`))
    .join('\n');
}

// A whole comment: what it says, then its examples.
export function renderBlocks(comment) {
  if (!comment) return '';
  const examples = (comment.blockTags ?? []).filter(({ tag }) => tag === '@example');
  return [comment.summary, ...examples.map(({ content }) => content)].map(renderText).join('\n');
}
