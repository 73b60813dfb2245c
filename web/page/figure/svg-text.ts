/** A line of text in an SVG. */
import { typesetSvg } from './pieces.ts';

export function addText(
  svg: SVGElement,
  text: string,
  x: number,
  y: number,
  anchor: 'start' | 'middle' | 'end',
  className: string,
): SVGTextElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', 'text');
  element.setAttribute('x', x.toFixed(1));
  element.setAttribute('y', y.toFixed(1));
  element.setAttribute('text-anchor', anchor);
  element.setAttribute('class', className);
  element.setAttribute('fill', 'currentColor');
  typesetSvg(element, text);
  svg.append(element);
  return element;
}
