/** The file of an input; the input is emptied, so that the same file can be picked again. */
export function pickedFile(event: Event): File | undefined {
  const input = event.target as HTMLInputElement;
  const file = input.files?.[0];
  input.value = '';
  return file;
}

/** Its words in other languages: cells.json. */
const UNREADABLE = 'The file cannot be read: it is a folder, or no longer there.';

/** Browsers say it each in its own words, and of a folder that it is not there. */
export async function contentOf<Content>(reading: Promise<Content>): Promise<Content> {
  return reading.catch(() => Promise.reject(new Error(UNREADABLE)));
}
