/** Whether an experiment takes some values, as the library itself says it. */

/** Throws of the entry that `pathOf` names for the parameter at fault. */
export type CheckPoint = (
  values: Readonly<Record<string, unknown>>,
  pathOf: (parameter: string) => string,
) => void;
