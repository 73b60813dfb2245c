/** The file of an input; the input is emptied, so that the same file can be picked again. */
export function pickedFile(event: Event): File | undefined {
  const input = event.target as HTMLInputElement;
  const file = input.files?.[0];
  input.value = '';
  return file;
}
