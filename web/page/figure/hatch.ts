/** The hatching of what is undefined. */
const SVG = 'http://www.w3.org/2000/svg';

export function hatchPattern(id: string): SVGDefsElement {
  const defs = document.createElementNS(SVG, 'defs');
  const pattern = document.createElementNS(SVG, 'pattern');
  for (const [name, value] of Object.entries({
    id,
    width: '6',
    height: '6',
    patternUnits: 'userSpaceOnUse',
    patternTransform: 'rotate(45)',
  })) {
    pattern.setAttribute(name, value);
  }
  const line = document.createElementNS(SVG, 'line');
  for (const [name, value] of Object.entries({ x1: '0', y1: '0', x2: '0', y2: '6' })) {
    line.setAttribute(name, value);
  }
  line.setAttribute('stroke', 'var(--ink-3)');
  line.setAttribute('stroke-width', '1.5');
  pattern.append(line);
  defs.append(pattern);
  return defs;
}
