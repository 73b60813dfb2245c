// Versions as lists of numbers: '3.1.69+dfsg' → [3, 1, 69].

// The first dotted number in a text, or null: 'cmake version 3.31.6' → '3.31.6'.
export function findVersion(text) {
  return /\d+(?:\.\d+)+/.exec(text)?.[0] ?? null;
}

// Negative, zero or positive as a is older than, equal to or newer than b. Missing parts are 0.
export function compareVersions(a, b) {
  const [left, right] = [a, b].map((text) => (findVersion(`${text}.0`) ?? '0').split('.'));
  for (let i = 0; i < Math.max(left.length, right.length); ++i) {
    const difference = Number(left[i] ?? 0) - Number(right[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

export function isAtLeast(version, minimum) {
  return version !== null && compareVersions(version, minimum) >= 0;
}
