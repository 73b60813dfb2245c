/**
 * The page around an element sees its keys as the element's, whatever part of it has them: digits
 * that are typed into a box would turn its slides. What a part takes for itself is kept here.
 */
import { isForBrowser } from '../page/view/keys.ts';

const TYPES = ['keydown', 'keypress', 'keyup'] as const;

export function keepKeys(root: ShadowRoot): ShadowRoot {
  for (const type of TYPES) {
    root.addEventListener(type, (event) => {
      if (isTaken(event as KeyboardEvent)) event.stopPropagation();
    });
  }
  return root;
}

/** A dialog around the element is left by its own keys. */
function isTaken(event: KeyboardEvent): boolean {
  const { key } = event;
  if (isForBrowser(event) || key === 'Tab' || key === 'Escape') return false;
  const part = event.target as Element;
  if (event.defaultPrevented || part.matches('input, select, textarea')) return true;
  return part.matches('a, button, summary') && (key === 'Enter' || key === ' ');
}
