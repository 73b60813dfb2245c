/**
 * Many runs of one experiment from a plan, as `attnlab sweep` does them: the plan read and checked,
 * its runs by number, and tables over all of them.
 *
 * @module sweep
 */

export { readPlan, type SweepPlan, type SweepRun } from './plan.js';
export type { PrecisionTarget, Stop } from './stop.js';
export { recordOfFailure, recordOfResult, type SweepRecord } from './record.js';
export { meanTables } from './mean_tables.js';
export { Precision } from './precision.js';
export { RowTable } from './row_table.js';
export { SummaryTable } from './summary_table.js';
export {
  headLine,
  rowLine,
  type Cell,
  type CellKind,
  type Heading,
  type LineFormat,
  type SweepTable,
} from './sweep_table.js';
