// What a table must say about where its numbers come from.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { project } from '../../tools/paths.mjs';

const read = (file) => JSON.parse(readFileSync(file, 'utf8'));

function peerVersions() {
  const folder = join(project, 'tests/bench');
  const { devDependencies } = read(join(folder, 'package.json'));
  return devDependencies;
}

export function machine() {
  const commit = spawnSync('git', ['-C', project, 'rev-parse', '--short=12', 'HEAD'], {
    encoding: 'utf8',
  }).stdout?.trim();
  const [{ model }] = os.cpus();
  return {
    date: new Date().toISOString().slice(0, 16).replace('T', ' '),
    processor: `${os.cpus().length} × ${model.trim()}`,
    memory: `${Math.round(os.totalmem() / 2 ** 30)} GiB`,
    system: `${os.type()} ${os.release()}`,
    node: process.version,
    v8: process.versions.v8,
    attnlab: `${read(join(project, 'package.json')).version}, commit ${commit || 'unknown'}`,
    peers: peerVersions(),
  };
}
