/** What the reader has chosen for the whole page: theme and language, kept on this machine. */
import { isLanguage, type Language } from './texts.ts';

export type Theme = 'system' | 'light' | 'dark';

export function isTheme(text: string | null | undefined): text is Theme {
  return text === 'system' || text === 'light' || text === 'dark';
}

/** Storage may be forbidden (a sandboxed frame, a strict setting): then choices last for the visit. */
function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function write(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Not kept.
  }
}

export function storedTheme(): Theme {
  const theme = read('attnlab.theme');
  return isTheme(theme) ? theme : 'system';
}

export function chooseTheme(theme: Theme): void {
  write('attnlab.theme', theme);
  applyTheme(document.documentElement, theme);
}

export function applyTheme(element: Element, theme: Theme): void {
  if (theme === 'system') element.removeAttribute('data-theme');
  else element.setAttribute('data-theme', theme);
}

/** The link's language, else the reader's choice, else the browser's. */
export function startLanguage(fromLink: string | null): Language {
  if (isLanguage(fromLink)) return fromLink;
  const stored = read('attnlab.language');
  if (isLanguage(stored)) return stored;
  const offered = navigator.languages.map((each) => each.slice(0, 2)).find(isLanguage);
  return offered ?? 'en';
}

export function chooseLanguage(language: Language): void {
  write('attnlab.language', language);
}
