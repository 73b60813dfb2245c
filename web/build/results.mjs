// Results made at build time: each experiment's first preset, run by the same library in Node, kept
// compactly. The page shows them at once; any touch computes live. A result is made again only when
// the module or the descriptor has changed.
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile, rename } from 'node:fs/promises';
import { join } from 'node:path';

const FORMAT = 4;

// JSON has no words for these.
const packNumber = (value) =>
  Object.is(value, -0) ? '-0' : Number.isFinite(value) ? value : String(value);

function packTables(tables) {
  return Object.fromEntries(
    Object.entries(tables).map(([name, { columns }]) => [
      name,
      Object.fromEntries(
        Object.entries(columns).map(([column, values]) => [
          column,
          values instanceof Float64Array ? Array.from(values, packNumber) : { text: [...values] },
        ]),
      ),
    ]),
  );
}

function packParams(params) {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => {
      if (ArrayBuffer.isView(value)) return [name, Array.from(value)];
      if (value?.data && ArrayBuffer.isView(value.data)) {
        const { rows, columns } = matrixShape(value);
        return [name, { rows, columns, data: Array.from(value.data) }];
      }
      return [name, value];
    }),
  );
}

function matrixShape(value) {
  return value.shape ? { rows: value.shape[0], columns: value.shape[1] } : value;
}

// What a small figure needs of a result: the columns that marks draw, to six digits.
export function pictureOf(text, descriptor) {
  const result = JSON.parse(text);
  const marks = descriptor.figures.flatMap((figure) => figure.marks);
  const short = (value) => (typeof value === 'number' ? Number(value.toPrecision(6)) : value);
  const tables = {};
  for (const mark of marks) {
    for (const key of ['x', 'y', 'error', 'low', 'high', 'value', 'series']) {
      const values = mark[key] && result.tables[mark.table]?.[mark[key]];
      if (!values) continue;
      tables[mark.table] ??= {};
      tables[mark.table][mark[key]] = Array.isArray(values) ? values.map(short) : values;
    }
  }
  return JSON.stringify({ ...result, tables });
}

async function makeResult(lab, descriptor) {
  const preset = descriptor.presets[0]?.name;
  const run = lab.run(descriptor.id, {}, { seed: 1, ...(preset ? { preset } : {}) });
  const result = await run.result;
  return {
    experiment: descriptor.id,
    preset: preset ?? '',
    version: result.version,
    seed: String(result.seed),
    status: result.status,
    ...(result.divergedAt === undefined ? {} : { divergedAt: result.divergedAt }),
    params: packParams(result.params),
    tables: packTables(result.tables),
  };
}

// → { id: JSON text }
export async function builtResults({ lab, moduleBytes, cacheFolder, say }) {
  await mkdir(cacheFolder, { recursive: true });
  const moduleHash = createHash('sha256').update(moduleBytes).digest('hex');
  const results = {};
  for (const descriptor of lab.experiments) {
    const key = createHash('sha256')
      .update(`${FORMAT} ${moduleHash} ${JSON.stringify(descriptor)}`)
      .digest('hex')
      .slice(0, 16);
    const file = join(cacheFolder, `${descriptor.id}-${key}.json`);
    let text = await readFile(file, 'utf8').catch(() => undefined);
    if (!text) {
      const begun = performance.now();
      text = JSON.stringify(await makeResult(lab, descriptor));
      await writeFile(`${file}.tmp`, text);
      await rename(`${file}.tmp`, file);
      say(`${descriptor.id}: ${((performance.now() - begun) / 1000).toFixed(1)} s`);
    }
    results[descriptor.id] = text;
  }
  return results;
}
