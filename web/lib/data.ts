/** attnlab/data: readers and writers of files. Needs no module. */

export { readMatrix, type MatrixFormat, type ReadMatrix } from './data/read_matrix.js';
export { readNpy, writeNpy } from './data/npy.js';
export { toCsv, fromCsv, type CsvOptions } from './format/csv.js';
export { toJson, fromJson } from './format/json.js';
export { AttnLabError } from './errors.js';
