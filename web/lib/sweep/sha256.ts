/**
 * SHA-256 (FIPS 180-4) of a text in UTF-8, at once and on the calling thread. WebCrypto's is only
 * there on secure pages and answers later, which is too slow for a hundred thousand short lines.
 */

/** The first 32 bits of the fractional parts of the first primes' roots. */
function rootsOfPrimes(count: number, root: (prime: number) => number): Int32Array {
  const found: number[] = [];
  for (let number = 2; found.length < count; ++number) {
    let divisor = 2;
    while (divisor * divisor <= number && number % divisor !== 0) ++divisor;
    if (divisor * divisor > number) found.push(number);
  }
  return Int32Array.from(found, (prime) => (root(prime) % 1) * 2 ** 32);
}

const START = rootsOfPrimes(8, Math.sqrt);
const ROUNDS = rootsOfPrimes(64, Math.cbrt);
const BLOCK = 64;

const encoder = new TextEncoder();
const words = new Int32Array(BLOCK);
let bytes = new Uint8Array(1 << 14);

/** The text, a 1, zeros, and its length in bits: whole blocks. Gives how many bytes that is. */
function pad(text: string): number {
  const most = 3 * text.length + BLOCK + 9;
  if (bytes.length < most) bytes = new Uint8Array(2 * most);
  const { written } = encoder.encodeInto(text, bytes);
  const size = Math.ceil((written + 9) / BLOCK) * BLOCK;
  bytes.fill(0, written, size);
  bytes[written] = 0x80;
  const view = new DataView(bytes.buffer);
  view.setUint32(size - 8, Math.floor(written / 2 ** 29));
  view.setUint32(size - 4, written << 3);
  return size;
}

const turn = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

function schedule(view: DataView, from: number): void {
  for (let i = 0; i < 16; ++i) words[i] = view.getInt32(from + 4 * i);
  for (let i = 16; i < BLOCK; ++i) {
    const early = words[i - 15]!;
    const late = words[i - 2]!;
    const low = turn(early, 7) ^ turn(early, 18) ^ (early >>> 3);
    const high = turn(late, 17) ^ turn(late, 19) ^ (late >>> 10);
    words[i] = words[i - 16]! + low + words[i - 7]! + high;
  }
}

function compress(state: Int32Array): void {
  // One by one: taking an array apart costs more than a round.
  let a = state[0]!;
  let b = state[1]!;
  let c = state[2]!;
  let d = state[3]!;
  let e = state[4]!;
  let f = state[5]!;
  let g = state[6]!;
  let h = state[7]!;
  for (let i = 0; i < BLOCK; ++i) {
    const mixed = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
    const first = (h + mixed + ((e & f) ^ (~e & g)) + ROUNDS[i]! + words[i]!) | 0;
    const other = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
    const second = (other + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  state[0]! += a;
  state[1]! += b;
  state[2]! += c;
  state[3]! += d;
  state[4]! += e;
  state[5]! += f;
  state[6]! += g;
  state[7]! += h;
}

/** 64 hexadecimal digits. */
export function sha256(text: string): string {
  const size = pad(text);
  const view = new DataView(bytes.buffer);
  const state = START.slice();
  for (let from = 0; from < size; from += BLOCK) {
    schedule(view, from);
    compress(state);
  }
  return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}
