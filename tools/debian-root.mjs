// Unpacks Debian packages into a folder of the project. Nothing is installed into the system, and
// no root rights are needed: apt works on a private state, dpkg-deb only unpacks.
//
// The mirror is the one the machine itself uses; signatures are checked with Debian's keyring.
// The folder is made beside and renamed when whole, so that an interruption leaves nothing that
// looks finished; downloaded packages are kept until then, so that the next try resumes.
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { keyring } from './debian-packages.mjs';
import { requireFreeMegabytes } from './disk.mjs';
import { Failure } from './failure.mjs';
import { logFolder, toolchainFolder } from './paths.mjs';
import { run, tailOf } from './run.mjs';
import { hashOf, hasStamp, writeStamp } from './stamp.mjs';
import { step } from './step.mjs';

const recipeVersion = 1; // raise it when this file would unpack differently
const log = join(logFolder, 'toolchain.log');

export const folderOf = (recipe) => join(toolchainFolder, recipe.name);
const stampOf = (folder) => join(folder, '.attnlab-complete');
// Changes when the recipe would unpack something else.
export const identityOf = (recipe) =>
  hashOf(recipeVersion, recipe.suite, process.arch, recipe.packages, recipe.exclude, recipe.links);

export function isComplete(recipe) {
  return hasStamp(stampOf(folderOf(recipe)), identityOf(recipe));
}

// The Debian mirrors of this machine's apt configuration, best first; [] where there are none.
export function debianMirrors() {
  try {
    const lines = execFileSync(
      'apt-get',
      ['indextargets', '--format', '$(REPO_URI) $(RELEASE) $(COMPONENT)', 'Created-By: Packages'],
      { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
    );
    return mirrorsFrom(lines);
  } catch {
    return [];
  }
}

const debianSuites = /^(bookworm|trixie|forky|sid|stable|testing|unstable|oldstable)$/;

// From lines 'URI suite component'. Security and update archives live elsewhere or hold less.
export function mirrorsFrom(lines) {
  const mirrors = lines
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, release, component]) => component === 'main' && debianSuites.test(release))
    .map(([uri]) => uri);
  return [...new Set(mirrors)];
}

// Read by apt after the machine's own configuration, whose proxy settings stay in force.
function writeAptConfiguration(folder, mirror, suite) {
  for (const name of ['lists/partial', 'cache/archives/partial', 'dpkg']) {
    mkdirSync(join(folder, name), { recursive: true });
  }
  writeFileSync(join(folder, 'dpkg/status'), '');
  writeFileSync(
    join(folder, 'debian.sources'),
    `Types: deb\nURIs: ${mirror}\nSuites: ${suite}\nComponents: main\nSigned-By: ${keyring}\n`,
  );
  const quoted = (name) => `"${join(folder, name)}"`;
  const file = join(folder, 'apt.conf');
  writeFileSync(
    file,
    [
      '#clear APT::Update::Post-Invoke-Success;',
      '#clear APT::Update::Post-Invoke;',
      '#clear APT::Update::Pre-Invoke;',
      '#clear DPkg::Post-Invoke;',
      '#clear DPkg::Pre-Invoke;',
      '#clear DPkg::Pre-Install-Pkgs;',
      '#clear APT::Default-Release;',
      '#clear APT::Architectures;',
      `Dir::Etc::SourceList ${quoted('debian.sources')};`,
      'Dir::Etc::SourceParts "/dev/null";',
      'Dir::Etc::Preferences "/dev/null";',
      'Dir::Etc::PreferencesParts "/dev/null";',
      `Dir::State ${quoted('.')};`,
      `Dir::State::Lists ${quoted('lists')};`,
      `Dir::State::Status ${quoted('dpkg/status')};`, // empty: nothing counts as installed
      `Dir::Cache ${quoted('cache')};`,
      `Dir::Cache::Archives ${quoted('cache/archives')};`,
      'Acquire::Languages "none";',
      'Acquire::Retries "3";',
      'Acquire::AllowInsecureRepositories "false";',
      'APT::Get::AllowUnauthenticated "false";',
      'APT::Get::Assume-Yes "true";',
      'APT::Install-Recommends "false";',
      'APT::Sandbox::User "";', // the folder may lie where the _apt user cannot go
      '',
    ].join('\n'),
  );
  return file;
}

function explainApt(what) {
  const tail = tailOf(log, 60);
  if (/No space left|not enough free space/i.test(tail)) return `${what}: the disk is full.`;
  if (/neither seems installed/.test(tail)) {
    return `${what}: apt cannot check signatures. As root: apt-get install gpgv`;
  }
  if (/NO_PUBKEY|not signed|signatures couldn't be verified/i.test(tail)) {
    return `${what}: the signature of the mirror could not be verified with ${keyring}. Update the package debian-archive-keyring.`;
  }
  const missing =
    /Unable to locate package (\S+)|Package '?(\S+?)'? has no installation candidate/.exec(tail);
  if (missing) return `${what}: the mirror has no package ${missing[1] ?? missing[2]}.`;
  if (
    /Could not (resolve|connect)|Connection (failed|timed out|refused)|Temporary failure|Failed to fetch|Unable to connect/i.test(
      tail,
    )
  ) {
    return `${what}: the network or the mirror failed. Run the same command again; it resumes.`;
  }
  return `${what} failed.`;
}

async function apt(configuration, args, what) {
  const env = { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' };
  const result = await run('apt-get', ['-q', '-c', configuration, ...args], {
    env,
    log,
    append: true,
  });
  if (result.code !== 0) throw new Failure(explainApt(what), { log });
}

const unpackScript =
  'set -euo pipefail; package=$1; folder=$2; shift 2; ' +
  'dpkg-deb --fsys-tarfile "$package" | tar -x -C "$folder" --no-same-owner --delay-directory-restore "$@"';

async function unpack(package_, folder, recipe) {
  const args = ['-c', unpackScript, 'unpack', package_, folder];
  const excludes = recipe.exclude.map((pattern) => `--exclude=${pattern}`);
  const result = await run('bash', [...args, ...excludes], { log, append: true });
  if (result.code !== 0) {
    const full = /No space left|Wrote only/i.test(tailOf(log, 20));
    throw new Failure(
      full ? 'Unpacking failed: the disk is full.' : `Unpacking ${package_} failed.`,
      { log },
    );
  }
}

// The file names that apt-get -s tells: 'Inst clang-19 (1:19.1.7-3 Debian:13/stable [amd64])'.
export function archivesFrom(simulation) {
  return [...simulation.matchAll(/^Inst (\S+) (?:\[\S+\] )?\((\S+) .*\[(\w+)\]\)/gm)].map(
    ([, name, version, architecture]) =>
      `${name}_${version.replaceAll(':', '%3a')}_${architecture}.deb`,
  );
}

// What apt chose, and no more: an interrupted try may have left archives of other versions.
async function chosenArchives(configuration, recipe) {
  const simulation = join(logFolder, 'toolchain-packages.log');
  const args = ['-q', '-c', configuration, '-s', 'install', ...recipe.packages];
  await run('apt-get', args, { env: { ...process.env, LC_ALL: 'C' }, log: simulation });
  const names = archivesFrom(readFileSync(simulation, 'utf8'));
  if (!recipe.headersOnly) return names;
  return names.filter((name) => recipe.packages.includes(name.slice(0, name.indexOf('_'))));
}

async function unpackAll(archives, names, folder, recipe) {
  const queue = [...names].sort();
  // base-files first: it lays /bin → usr/bin and the like, which the others rely on.
  const base = queue.findIndex((name) => name.startsWith('base-files_'));
  if (base >= 0) await unpack(join(archives, queue.splice(base, 1)[0]), folder, recipe);
  const worker = async () => {
    try {
      while (queue.length > 0) await unpack(join(archives, queue.shift()), folder, recipe);
    } catch (error) {
      queue.length = 0; // the other worker stops too
      throw error;
    }
  };
  const ends = await Promise.allSettled([worker(), worker()]);
  const failed = ends.find(({ status }) => status === 'rejected');
  if (failed) throw failed.reason;
}

// Makes folderOf(recipe) complete. Call it under the lock. check(folder) proves that it works.
export async function makeDebianRoot(recipe, mirrors, check = async () => {}) {
  const { title = 'Toolchain' } = recipe;
  const target = folderOf(recipe);
  const hash = identityOf(recipe);
  mkdirSync(toolchainFolder, { recursive: true });
  for (const name of readdirSync(toolchainFolder)) {
    if (name.startsWith(`${recipe.name}.`))
      rmSync(join(toolchainFolder, name), { recursive: true, force: true });
  }
  requireFreeMegabytes(
    toolchainFolder,
    recipe.downloadMegabytes + recipe.diskMegabytes + 200,
    `${title} (packages of Debian ${recipe.suite})`,
  );
  if (!existsSync(keyring)) {
    throw new Failure(`${keyring} is missing. As root: apt-get install debian-archive-keyring`);
  }
  const state = join(toolchainFolder, `apt-${recipe.name}`);
  let configuration;
  await step(`${title}: read the list of packages`, async () => {
    rmSync(log, { force: true });
    for (const [index, mirror] of mirrors.entries()) {
      configuration = writeAptConfiguration(state, mirror, recipe.suite);
      try {
        return await apt(
          configuration,
          ['update', '--error-on=any'],
          'Reading the list of packages',
        );
      } catch (error) {
        if (index === mirrors.length - 1) throw error;
      }
    }
  });
  await step(
    `${title}: download ${recipe.packages.length} packages and what they need (about ${recipe.downloadMegabytes} MB)`,
    () =>
      apt(
        configuration,
        ['install', '--download-only', ...recipe.packages],
        'Downloading the packages',
      ),
  );
  const beside = join(toolchainFolder, `${recipe.name}.${process.pid}.tmp`);
  await step(`${title}: unpack (about ${recipe.diskMegabytes} MB)`, async () => {
    mkdirSync(beside);
    try {
      const names = await chosenArchives(configuration, recipe);
      await unpackAll(join(state, 'cache/archives'), names, beside, recipe);
      for (const [name, to] of Object.entries(recipe.links)) {
        mkdirSync(dirname(join(beside, name)), { recursive: true });
        symlinkSync(to, join(beside, name));
      }
      await check(beside);
      writeStamp(stampOf(beside), hash);
    } catch (error) {
      rmSync(beside, { recursive: true, force: true }); // most likely the disk is full: give it back
      throw error;
    }
    const old = join(toolchainFolder, `${recipe.name}.old.tmp`);
    if (existsSync(target)) renameSync(target, old);
    renameSync(beside, target);
    rmSync(old, { recursive: true, force: true });
    rmSync(state, { recursive: true, force: true });
  });
}
