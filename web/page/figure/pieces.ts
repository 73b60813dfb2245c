/**
 * The little mathematics of labels: e^{2q}, m_n, x^2, V_{ij}. Each piece is text at one of three
 * heights. Formulas proper are MathML made at build time; this is for axis names and captions.
 */
export interface Piece {
  readonly text: string;
  readonly height: 'base' | 'super' | 'sub';
}

const SCRIPT = /([\^_])(?:\{([^{}]*)\}|([\p{L}\p{N}*⊤∞−+]))/gu;

export function pieces(text: string): Piece[] {
  const found: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(SCRIPT)) {
    // A word with an underscore in it (file_name) is not a symbol with an index.
    const before = text.slice(0, match.index);
    if (match[1] === '_' && /[\p{L}\p{N}]{2,}$/u.test(before)) continue;
    found.push({ text: text.slice(from, match.index), height: 'base' });
    found.push({ text: match[2] ?? match[3] ?? '', height: match[1] === '^' ? 'super' : 'sub' });
    from = match.index + match[0].length;
  }
  found.push({ text: text.slice(from), height: 'base' });
  return found.filter((piece) => piece.text);
}

const SVG = 'http://www.w3.org/2000/svg';

/** The pieces as tspans of an SVG text. */
export function typesetSvg(target: SVGTextElement, text: string): void {
  let rise = 0;
  for (const piece of pieces(text)) {
    const span = document.createElementNS(SVG, 'tspan');
    const wanted = piece.height === 'super' ? -4 : piece.height === 'sub' ? 3 : 0;
    if (wanted !== rise) span.setAttribute('dy', String(wanted - rise));
    if (wanted) span.setAttribute('font-size', '9');
    rise = wanted;
    span.textContent = piece.text;
    target.append(span);
  }
}
