/** A figure as a file, SVG or PNG, with the colours of the theme in use written out. */
import type { Descriptor } from '../../lib/descriptor.ts';
import type { Texts } from '../state/texts.ts';
import { composeFigure, resolveColours } from './figure-file.ts';
import type { FigureElement } from './figure.ts';

export function svgOf(element: FigureElement, descriptor: Descriptor, texts: Texts): string {
  const parts = element.exported;
  if (!parts) return '';
  const markup = new XMLSerializer().serializeToString(
    composeFigure(parts, descriptor.title, texts),
  );
  const styles = getComputedStyle(element);
  return resolveColours(markup, (name) => styles.getPropertyValue(name).trim());
}

/** Its words in other languages: cells.json. */
const NO_PNG = 'No PNG image can be made here; SVG can.';

export async function pngOf(markup: string, scale = 2): Promise<Blob> {
  const url = URL.createObjectURL(new Blob([markup], { type: 'image/svg+xml' }));
  try {
    const image = new Image();
    image.src = url;
    // A host's policy may forbid images that were made in the page.
    await image.decode().catch(() => Promise.reject(new Error(NO_PNG)));
    const canvas = document.createElement('canvas');
    canvas.width = image.naturalWidth * scale;
    canvas.height = image.naturalHeight * scale;
    const context = canvas.getContext('2d');
    if (!context) throw new Error(NO_PNG);
    context.scale(scale, scale);
    context.drawImage(image, 0, 0);
    return await new Promise((resolve, reject) =>
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error(NO_PNG))), 'image/png'),
    );
  } finally {
    URL.revokeObjectURL(url);
  }
}
