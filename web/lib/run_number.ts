let last = 0;

/** Numbers of runs and calls: never used twice on a page. */
export function nextRunNumber(): number {
  return ++last;
}
