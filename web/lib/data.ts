/**
 * Readers and writers of files alone: they need no module and no worker.
 *
 * @module attnlab/data
 */

export { readPrompts, type ReadPromptsOptions } from './data/read_prompts.js';
export { fitToJson, fitFromJson } from './format/fit_json.js';
export { readMatrix, type MatrixFormat, type ReadMatrix } from './data/read_matrix.js';
export { readNpy, readNpyArray, writeNpy, type NpyArray } from './data/npy.js';
export { toCsv, fromCsv, type CsvOptions } from './format/csv.js';
export { toJson, fromJson } from './format/json.js';
export { AttnLabError } from './errors.js';
