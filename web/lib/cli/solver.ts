/** `attnlab fit` and `attnlab certify`: the solver on files. */

import { readFile } from 'node:fs/promises';
import {
  fitToJson,
  readMatrix,
  readPrompts,
  toRows,
  type CertificateInput,
  type FitInput,
  type Lab,
} from '../index.js';
import { single, type Arguments } from './arguments.js';
import { checkIsNoInput, checkOut, ProgressBar, writeOut } from './output.js';
import { EXIT, UsageError } from './usage.js';

async function readOption<Result>(
  args: Arguments,
  option: string,
  read: (bytes: Uint8Array, name: string) => Result,
): Promise<Result | undefined> {
  const path = single(args, option);
  if (path === undefined) return undefined;
  try {
    return read(await readFile(path), path);
  } catch (cause) {
    throw new UsageError(`${option}: ${path}: ${(cause as Error).message}`, { cause });
  }
}

function numberOption(args: Arguments, option: string): number | undefined {
  const text = single(args, option);
  if (text === undefined) return undefined;
  if (!/^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text)) {
    throw new UsageError(`${option}: ${JSON.stringify(text)} is not a number`);
  }
  return Number(text);
}

async function readSamples(args: Arguments): Promise<CertificateInput> {
  const extra = args.words.slice(1);
  if (extra.length > 0) throw new UsageError(`${args.words[0]}: ${extra.join(' ')} is too much`);
  const length = numberOption(args, '--length');
  const prompts = await readOption(args, '--prompts', (bytes, name) =>
    readPrompts(bytes, { name, ...(length === undefined ? {} : { length }) }),
  );
  if (!prompts) throw new UsageError('--prompts: a file is missing');
  const weights = await readOption(args, '--weights', (bytes, name) => readMatrix(bytes, { name }));
  if (weights && weights.rows > 1 && weights.columns > 1) {
    const text = `is ${weights.rows} x ${weights.columns}; one row or one column is expected`;
    throw new UsageError(`--weights: ${text}`);
  }
  const mode = single(args, '--mode');
  return {
    prompts,
    ...(weights ? { weights: weights.data } : {}),
    // The library refuses what is no mode, and knows the nearest.
    ...(mode === undefined ? {} : { mode: mode as NonNullable<FitInput['mode']> }),
  };
}

async function checkFiles(args: Arguments): Promise<void> {
  const out = single(args, '--out');
  await checkOut(out);
  const inputs = ['--prompts', '--targets', '--weights', '--queries'];
  await checkIsNoInput(
    out,
    inputs.map((option) => (args.options.has(option) ? single(args, option) : undefined)),
  );
}

// Ctrl-C cancels the call; the bar shows its progress.
async function watched<Result>(
  title: string,
  start: (options: { signal: AbortSignal; onProgress(progress: number): void }) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const cancel = (): void => controller.abort();
  process.once('SIGINT', cancel);
  process.once('SIGTERM', cancel);
  const bar = new ProgressBar(title);
  try {
    return await start({
      signal: controller.signal,
      onProgress: (progress) => bar.show(progress),
    });
  } finally {
    bar.clear();
    process.off('SIGINT', cancel);
    process.off('SIGTERM', cancel);
  }
}

export async function fit(lab: Lab, args: Arguments): Promise<number> {
  await checkFiles(args);
  const samples = await readSamples(args);
  const targets = await readOption(args, '--targets', (bytes, name) => readMatrix(bytes, { name }));
  if (!targets) throw new UsageError('--targets: a file is missing');
  const method = single(args, '--method');
  const ridge = numberOption(args, '--ridge');
  const found = await watched('fit', (options) =>
    lab.mhla.fit({
      ...samples,
      ...options,
      targets,
      ...(method === undefined ? {} : { method: method as NonNullable<FitInput['method']> }),
      ...(ridge === undefined ? {} : { ridge }),
    }),
  );
  await writeOut(single(args, '--out'), `${fitToJson(found, 2)}\n`);
  for (const warning of found.warnings) process.stderr.write(`attnlab: ${warning}\n`);
  return EXIT.done;
}

const plain = (_key: string, value: unknown): unknown => {
  if (value instanceof Float64Array) return Array.from(value);
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
};

export async function certify(lab: Lab, args: Arguments): Promise<number> {
  await checkFiles(args);
  const samples = await readSamples(args);
  const length = numberOption(args, '--length');
  const queries = await readOption(args, '--queries', (bytes, name) =>
    readPrompts(bytes, { name, ...(length === undefined ? {} : { length }) }),
  );
  const { nullSpace, ...found } = await watched('certify', (options) =>
    lab.mhla.certificate({
      ...samples,
      ...options,
      ...(queries ? { queries } : {}),
      returnNullSpace: args.options.has('--null-space'),
    }),
  );
  const certificate = {
    format: 'attnlab-certificate',
    ...found,
    ...(nullSpace ? { nullSpace: toRows(nullSpace) } : {}),
  };
  await writeOut(single(args, '--out'), `${JSON.stringify(certificate, plain, 2)}\n`);
  return EXIT.done;
}
