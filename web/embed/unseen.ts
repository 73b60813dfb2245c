/** What stands on paper in the place of an element that was not seen before its page was printed. */
import { site } from '../page/run/site.ts';
import { formatLink } from '../page/state/link.ts';

/** Its experiment and where it is to be found. */
export function unseenLine(experiment: string, preset: string | null): HTMLElement {
  const query = new URLSearchParams(preset === null ? {} : { preset });
  const line = document.createElement('p');
  const link = document.createElement('a');
  link.href = new URL(formatLink(encodeURIComponent(experiment), query), site().base).href;
  link.textContent = `${experiment}: ${link.href}`;
  line.append(link);
  return line;
}
