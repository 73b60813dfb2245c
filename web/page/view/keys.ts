/** With these keys an arrow goes back, forward or to another tab, which is the browser's business. */
export function isForBrowser(event: KeyboardEvent): boolean {
  return event.altKey || event.ctrlKey || event.metaKey;
}
