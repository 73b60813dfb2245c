// The figures that merge draws of a sweep.
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fromCsv, sweep } from '../../dist/lib/index.js';
import { openLab } from './lab.mjs';
import {
  attnlab,
  cliAlone,
  fixed,
  id,
  inFolder,
  merged,
  misused,
  read,
  start,
  succeeds,
  sweepWhole,
  writePlan,
} from './sweeping.mjs';

const lab = await openLab({ workers: 0 });
const descriptor = lab.describe(id);
await sweepWhole();

// Tags that match, attributes in quotes, nothing that only HTML knows.
function assertIsXml(text, what) {
  const open = [];
  const tag = /<(\/?)([\w:-]+)((?:\s+[\w:-]+="[^"<&]*(?:&[\w#]+;[^"<&]*)*")*)\s*(\/?)>/g;
  const rest = text.replace(tag, (_, closes, name, attributes, ends) => {
    const names = [...attributes.matchAll(/([\w:-]+)="/g)].map(([, each]) => each);
    assert.equal(new Set(names).size, names.length, `${what}: ${name} ${attributes}`);
    if (closes) assert.equal(open.pop(), name, what);
    else if (!ends) open.push(name);
    return '';
  });
  assert.deepEqual(open, [], what);
  assert.ok(!/[<>]|&(?!(amp|lt|gt|quot|apos|#\d+|#x[\da-f]+);)/i.test(rest), what);
}

test('each point has each figure of the experiment as an SVG that stands alone', async () => {
  const { stdout, stderr } = await succeeds('merge', 'whole.jsonl', '--figures', 'figures');
  assert.equal(stdout, '', 'no table where none was asked for');
  assert.match(stderr, /^attnlab: 8 figures are in figures\n$/);
  const names = descriptor.figures.flatMap(({ name }) =>
    [1, 2, 3, 4].map((i) => `${name}-${i}.svg`),
  );
  assert.deepEqual((await readdir(inFolder('figures'))).sort(), names.sort());
  for (const name of names) {
    const svg = await readFile(inFolder(`figures/${name}`), 'utf8');
    assert.ok(/^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/.test(svg), name);
    assertIsXml(svg, name);
    assert.ok(!/var\(--|NaN|undefined"/.test(svg), name);
    const text = svg.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
    assert.ok(text.includes(descriptor.title), name);
    assert.match(text, /means of 3 runs, error bars their standard errors/);
  }
  const cube = await read('figures/error-3.svg');
  assert.match(
    cube.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' '),
    /source = cube, persistence = 0\.5/,
  );
});

test('one point has no number, a run that failed no figure, and a table goes beside', async () => {
  await writePlan('one.json', { experiment: id, parameters: fixed });
  await succeeds('sweep', 'one.json', '--out', 'one.jsonl', '--workers', '0');
  await succeeds('merge', 'one.jsonl', '--figures', 'one', '--out', 'one.csv');
  assert.deepEqual((await readdir(inFolder('one'))).sort(), ['error.svg', 'sample.svg']);
  assert.doesNotMatch(await read('one/error.svg'), /means of/);
  assert.equal(await read('one.csv'), await merged('one.jsonl'));
  await writePlan('failed.json', { experiment: id, parameters: { ...fixed, source: 'matrix' } });
  const { code } = await attnlab('sweep', 'failed.json', '--out', 'failed.jsonl', '--workers', '0');
  assert.equal(code, 1);
  const { stderr } = await succeeds('merge', 'failed.jsonl', '--figures', 'failed');
  assert.match(stderr, /0 figures are in failed/);
});

test('what is drawn is the mean over the seeds, its error bars the standard error of it', async () => {
  const { columns } = fromCsv(
    (await succeeds('merge', 'whole.jsonl', '--summary', '--table', 'points')).stdout,
  ).tables.table;
  const records = (await read('whole.jsonl')).trimEnd().split('\n').slice(1).map(JSON.parse);
  const mine = (source, persistence) => (values) =>
    values.source === source && values.persistence === persistence;
  const isFirst = mine('gaussian', 0.5);
  const { points } = sweep.meanTables(
    descriptor,
    records.filter(({ values }) => isFirst(values)),
  );
  const { rms, rmsError, tokenCount, curve } = points.columns;
  assert.ok(rms.length > 3);
  const close = (x, y) => assert.ok(Math.abs(x - y) <= 1e-12 * Math.abs(y), `${x} and ${y}`);
  rms.forEach((value, row) => {
    assert.equal(columns.row[row], row + 1);
    close(value, columns['rms.mean'][row]);
    close(rmsError[row], columns['rms.standardError'][row]);
    close(tokenCount[row], columns['tokenCount.mean'][row]);
    assert.equal(curve[row], columns.curve[row]);
  });
  const [single] = records;
  const own = sweep.meanTables(descriptor, [single]).points.columns;
  assert.deepEqual(Array.from(own.rmsError), single.tables.points.columns.rmsError);
});

test('without the packages, and for too many points, it is said', async () => {
  const cli = await cliAlone();
  const args = ['merge', 'whole.jsonl', '--figures', 'none'];
  const { code, stderr } = await start(args, { cli }).ended;
  assert.equal(code, 1);
  assert.match(
    stderr,
    /^attnlab: --figures: needs @observablehq\/plot and linkedom, .*; npm install @observablehq\/plot linkedom\n$/,
  );
  const grid = { from: 0, to: 0.5, count: 1001 };
  await writePlan('wide.json', {
    experiment: id,
    parameters: fixed,
    vary: { persistence: grid },
    stop: { runs: 1 },
  });
  await succeeds('sweep', 'wide.json', '--out', 'wide.jsonl', '--workers', '0');
  await misused(
    /--figures: the plan has 1001 points; up to 1000 are drawn/,
    'merge',
    'wide.jsonl',
    '--figures',
    'wide',
  );
});
