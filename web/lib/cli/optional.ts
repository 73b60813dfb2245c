/** Packages that the lab does without until an option asks for one. */

/** `needed` by the option; a missing one is an error that says how it is had. */
export async function loadOptional<Module>(
  option: string,
  needed: readonly string[],
  load: () => Promise<Module>,
): Promise<Module> {
  try {
    return await load();
  } catch (cause) {
    const { code, message } = cause as { code?: string; message: string };
    const isMissing = code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
    const names = needed.join(' and ');
    const text = isMissing
      ? `needs ${names}, not installed beside attnlab; npm install ${needed.join(' ')}`
      : `${names} cannot be loaded: ${message}`;
    throw new Error(`${option}: ${text}`, { cause });
  }
}
