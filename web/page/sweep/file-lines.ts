/** A file's lines, a piece of the file at a time. */
import { FileFault } from './fault.ts';
import type { Slices } from './slices.ts';

/** A longer line is no record that a page could show; nothing grows by what a file claims. */
const MOST_CHARACTERS = 32e6;

export interface FileLine {
  readonly text: string;
  /** From 1. */
  readonly number: number;
  /** Whether a line end follows; the last one may lack it. */
  readonly ended: boolean;
}

/** `read` is told how many bytes have come in. */
export async function* linesOf(
  file: File,
  slices: Slices,
  read: (bytes: number) => void = () => {},
): AsyncGenerator<FileLine, void, undefined> {
  const reader = file.stream().getReader();
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let rest = '';
  let number = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      read(value.byteLength);
      const text = decoder.decode(value, { stream: true });
      let from = 0;
      for (let end: number; (end = text.indexOf('\n', from)) >= 0; from = end + 1) {
        yield { text: rest + text.slice(from, end), number: ++number, ended: true };
        rest = '';
        if (slices.over) await slices.pause();
      }
      rest += text.slice(from);
      if (rest.length > MOST_CHARACTERS) {
        const limit = String(MOST_CHARACTERS / 1e6);
        throw new FileFault('tooLong', { name: file.name, line: String(number + 1), limit });
      }
    }
    rest += decoder.decode();
    if (rest !== '') yield { text: rest, number: ++number, ended: false };
  } finally {
    await reader.cancel().catch(() => {});
  }
}
