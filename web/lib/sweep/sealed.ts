/** Lines of JSON that carry a checksum of themselves. */

/** SHA-256 of a text, as 64 hexadecimal digits. */
export type Digest = (text: string) => string;

const DIGITS = 16;
const SEAL = /,"check":"([0-9a-f]{16})"\}$/;

/** The object as one line; "check" is the SHA-256 of the line without it, 16 digits. */
export function seal(object: object, digest: Digest): string {
  const text = JSON.stringify(object);
  return `${text.slice(0, -1)},"check":"${digest(text).slice(0, DIGITS)}"}\n`;
}

/** undefined where the line is not as it was written. */
export function unseal(line: string, digest: Digest): unknown {
  const found = SEAL.exec(line.slice(-40));
  if (!found) return undefined;
  const text = `${line.slice(0, line.length - found[0].length)}}`;
  if (digest(text).slice(0, DIGITS) !== found[1]) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
