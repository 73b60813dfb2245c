/**
 * The types of each experiment. The build puts in the place of this file's declarations those made
 * from the descriptors, so that `lab.run('large-prompt.output', { ... })` is checked as it is typed.
 */

import type { ParameterInput } from './parameters.js';

/** Parameters by experiment. */
export interface ExperimentParameters {}

/** Tables and their columns by experiment. */
export interface ExperimentTables {}

/** A known id; any string where no experiment is known yet, or where the id is only known later. */
export type KnownId<Id extends string> = string extends Id
  ? Id
  : [keyof ExperimentParameters] extends [never]
    ? Id
    : Id extends keyof ExperimentParameters
      ? Id
      : keyof ExperimentParameters;

export type ParametersOf<Id extends string> = Id extends keyof ExperimentParameters
  ? ExperimentParameters[Id]
  : Readonly<Record<string, ParameterInput>>;
