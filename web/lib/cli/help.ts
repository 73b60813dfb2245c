/** What the command line says of itself and of the experiments, from the descriptors. */

import type { Descriptor, Parameter } from '../index.js';

export const HELP = `usage: attnlab COMMAND

  list                    the experiments
  describe ID             what an experiment takes and gives
  run ID [OPTION]…        runs it and prints its tables
  fit [OPTION]…           learns multi-head linear attention from files
  certify [OPTION]…       says whether files determine it, and at which prompts
  sweep PLAN [OPTION]…    runs an experiment for many parameters and seeds
  worker --queue URL      does runs for the sweeps at a queue, on any number of machines
  merge FILE… [OPTION]…   makes one table of what sweeps have left

options of run:
  --set NAME=VALUE        a parameter; lists with commas; @FILE for matrices (.csv, .tsv, .json,
                          .npy) and texts; @@ for a text that itself begins with @
  --preset NAME           values to start from
  --seed N                default 1
  --workers N             0 works in one thread; changes the time, never a number
  --format json|csv       default json
  --table NAME            one table alone (csv)
  --out FILE              instead of standard output

options of fit and certify:
  --prompts FILE          .npy of prompts x tokens x d, .json of nested lists, or a table of tokens
                          with a column "prompt"
  --length N              rows a prompt, for a table without that column
  --mode last|full|prefix which tokens are samples; default last
  --weights FILE          one number a sample
  --targets FILE          fit: a row a sample
  --method NAME           fit: auto, cholesky, tsqr, svd or dual
  --ridge X               fit: default 0
  --queries FILE          certify: new prompts, each judged on its own
  --null-space            certify: the undetermined directions too
  --out FILE

options of sweep:
  --out FILE              the results, a line for each finished run (.jsonl)
  --resume                goes on with that file
  --workers N             runs side by side; default the machine's cores; 0 works in one thread
  --shard I/N             the I-th of N shares alone, for many machines
  --dry-run               says how many runs there are and how long they take, and stops there
  --queue URL             lets workers do the runs, and takes in their results

options of worker:
  --workers N             as for a sweep
  --idle SECONDS          ends by itself after so long without a task

a queue, of sweep and worker (npm install bullmq ioredis):
  --queue URL             redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE], rediss:// for TLS;
                          the password may be in ATTNLAB_QUEUE_PASSWORD instead
  --queue-ca FILE         the certificate (PEM) of the authority that Redis's own is signed by
  --queue-wait SECONDS    how long Redis is waited for at the start; default 10

options of merge:
  --out FILE              instead of standard output; .csv, .jsonl or .arrow (npm install
                          apache-arrow)
  --format csv|jsonl|arrow  default as the file is called, else csv
  --table NAME            default "summary", or the experiment's first table
  --summary               over the seeds: count, mean, standard error, quantiles
  --partial               also where runs are missing
  --figures DIR           the experiment's figures as SVG, of each point the mean over its seeds
                          (npm install @observablehq/plot linkedom)

a sweep's plan is JSON:
  {"experiment": ID, "preset": NAME, "parameters": {NAME: VALUE, …},
   "vary": {NAME: {"grid": [VALUE, …]},
            NAME: {"from": X, "to": X, "count": N, "scale": "linear"|"log"}},
   "seeds": {"first": N, "count": N} or [N, …],
   "stop": {"column": "TABLE.COLUMN", "standardError": X, "minimumSeeds": N,
            "runs": N, "seconds": X}}
  Only the experiment is needed. In the place of "vary", a list or a sample:
   "points": [{NAME: VALUE, …}, …]
   "sample": {"kind": "random"|"halton", "count": N, "seed": N,
              "ranges": {NAME: {"from": X, "to": X, "scale": "linear"|"log"}}}
  A point has enough seeds when the standard error of the column's mean over them is small
  enough; "minimumSeeds" is 5 where it is not given.

list and describe take --format json as well. --help, --version.
Exit codes: 0 done, 1 failed or diverged (of a sweep: every run failed), 2 wrong usage,
  130 cancelled.
`;

function columns(rows: readonly (readonly string[])[], indent: string): string {
  const widths = rows[0]?.map((_, c) => Math.max(...rows.map((row) => row[c]!.length))) ?? [];
  return rows
    .map(
      (row) =>
        indent +
        row
          .map((cell, c) => cell.padEnd(widths[c]!))
          .join('  ')
          .trimEnd(),
    )
    .join('\n');
}

export function listText(experiments: readonly Descriptor[]): string {
  const rows = experiments.map(({ id, title }) => [id, title]);
  return rows.length === 0 ? 'no experiments\n' : `${columns(rows, '')}\n`;
}

function defaultText({ type, default: value }: Parameter): string {
  if (typeof value === 'object' && 'rows' in value) {
    return value.rows === 0 ? 'none' : `${value.rows} x ${value.columns}`;
  }
  const text = Array.isArray(value) ? value.join(',') : String(value);
  return type === 'text' && text.length > 24 ? `${text.slice(0, 24)}…` : text;
}

function allowedText(parameter: Parameter): string {
  const { type, minimum, maximum, choices, unit } = parameter;
  switch (type) {
    case 'choice':
      return choices.map(({ name }) => name).join('|');
    case 'boolean':
      return 'true|false';
    case 'text':
      return `up to ${maximum} bytes`;
    case 'matrix':
      return '@FILE';
    default: {
      const range = `${minimum}…${maximum}${unit && ` ${unit}`}`;
      return type === 'number' ? range : type === 'integer' ? `${range}, whole` : `${range}, list`;
    }
  }
}

export function describeText(experiment: Descriptor): string {
  const parameters = experiment.parameters.map((parameter) => [
    parameter.name,
    defaultText(parameter),
    allowedText(parameter),
    parameter.symbol ? `${parameter.symbol}: ${parameter.label}` : parameter.label,
  ]);
  const presets = experiment.presets.map(({ name, label, source }) => [name, label, source]);
  const tables = experiment.tables.flatMap((table) =>
    table.columns.map(({ name, unit, label }) => [
      `${table.name}.${name}`,
      unit ? `${label} [${unit}]` : label,
    ]),
  );
  const part = (title: string, rows: readonly (readonly string[])[]): string =>
    rows.length === 0 ? '' : `\n${title}\n${columns(rows, '  ')}\n`;
  return [
    `${experiment.id}: ${experiment.title}\n`,
    `${experiment.summary}\n`,
    `Source: ${experiment.source}\n`,
    part('parameters (name, default, allowed, meaning)', parameters),
    part('presets', presets),
    part('tables', tables),
  ].join('');
}
