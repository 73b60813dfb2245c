/**
 * A laboratory for the theory of attention. `load` gives a laboratory, which runs experiments and
 * computes with attention; readers and writers of files need none.
 *
 * Matrices are `{ data, shape: [rows, columns] }`, row-major, or nested arrays; a prompt is n x d, a
 * row a token. What a call gives belongs to the caller. Whatever is wrong with an input throws an
 * `AttnLabError` before any work.
 *
 * @module attnlab
 */

export { load, type LoadOptions } from './load.js';
export type { Lab, RunOptions } from './lab.js';
export type { Run, RunResult } from './run.js';
export type { Frame } from './frames.js';
export type { ColumnValues, Table, Tables } from './tables.js';
export type { ParameterInput, ParameterValue, ParameterValues } from './parameters.js';
export type { ExperimentParameters, ExperimentTables } from './experiments.js';
export type { Seed } from './seed.js';
export type { Variant } from './variant.js';
export type { WasmModule } from './engine.js';
export type { WasmSource } from './load_module.js';
export type { FindResource, ResourceSource } from './resources.js';
export type { BrowserWorker, CreateWorker } from './start_worker.js';
export { errorCodes, type ErrorCode } from './error_codes.js';
export { AttnLabError } from './errors.js';
export { fingerprint } from './fingerprint.js';
export {
  toRows,
  type Matrix,
  type MatrixInput,
  type VectorInput,
  type NumberArray,
} from './matrix.js';
export type {
  Kernel,
  KernelOptions,
  AttentionInput,
  ForwardInput,
  ForwardOutput,
  GradientInput,
  GradientOutput,
  Prompt,
  BatchInput,
  Attention,
} from './attention.js';
export type {
  Measure,
  AttendInput,
  AttendOutput,
  ConstantsInput,
  Constants,
  MeasureCalls,
} from './measure.js';
export type {
  OutputMode,
  HeadInput,
  Head,
  MhlaForwardInput,
  FeaturesInput,
  FitMethod,
  FitInput,
  FitOutput,
  CertificateInput,
  InputCertificate,
  CertificateOutput,
  PredictInput,
  Mhla,
} from './mhla.js';
export type {
  NeedleModel,
  NeedleKernel,
  NeedleProblem,
  Risk,
  AlignedParameters,
  PopulationRiskInput,
  StateEvolutionInput,
  StateEvolutionOutput,
  Needle,
} from './needle.js';
export type {
  InfinitePromptInput,
  InfinitePromptOutput,
  FlowInput,
  FlowState,
  Regression,
} from './regression.js';
export type { PromptsInput } from './prompts.js';
export type { CallOptions } from './calls.js';
export type {
  MatrixLiteral,
  ParameterType,
  DescriptorValue,
  Choice,
  Condition,
  Parameter,
  Preset,
  Column,
  TableSpec,
  Role,
  MarkKind,
  Standing,
  Mark,
  Axis,
  Figure,
  Handle,
  ResourceNeed,
  Descriptor,
} from './descriptor.js';
export { toCsv, fromCsv, type CsvOptions } from './format/csv.js';
export { toJson, fromJson } from './format/json.js';
export * as sweep from './sweep/index.js';
export { readPrompts, type ReadPromptsOptions } from './data/read_prompts.js';
export { fitToJson, fitFromJson } from './format/fit_json.js';
export { readMatrix, type MatrixFormat, type ReadMatrix } from './data/read_matrix.js';
export { readNpy, readNpyArray, writeNpy, type NpyArray } from './data/npy.js';
