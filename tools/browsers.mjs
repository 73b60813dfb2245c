// The browsers of the browser tests: Debian's chromium and firefox-esr, from PATH or as named by
// $CHROMIUM and $FIREFOX. As root they are installed when they are missing.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { debianMirrors } from './debian-root.mjs';
import { requireFreeMegabytes } from './disk.mjs';
import { Failure } from './failure.mjs';
import { logFolder } from './paths.mjs';
import { named, onPath } from './programs.mjs';
import { run, tailOf } from './run.mjs';
import { step } from './step.mjs';

const log = join(logFolder, 'browsers.log');
// Without it the Korean and Japanese pages show boxes for letters.
const cjkFont = {
  package: 'fonts-noto-cjk',
  file: '/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc',
};

// → { chromium, firefox }: paths, or null where there is none.
export function findBrowsers() {
  return {
    chromium: named('CHROMIUM') ?? onPath('chromium', 'chromium-browser', 'google-chrome'),
    firefox: named('FIREFOX') ?? onPath('firefox-esr', 'firefox'),
  };
}

async function aptInstall(packages) {
  const env = { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' };
  const install = [
    '-q',
    '-o',
    'DPkg::Lock::Timeout=300',
    'install',
    '-y',
    '--no-install-recommends',
    ...packages,
  ];
  // An earlier run may have been killed in the middle of an installation.
  await run('dpkg', ['--configure', '-a'], { env, log });
  const update = await run('apt-get', ['-q', 'update'], { env, log, append: true });
  const result = await run('apt-get', install, { env, log, append: true });
  if (result.code === 0) return;
  const output = tailOf(log, 60);
  if (/No space left|not enough free space/i.test(output))
    throw new Failure('Installing the browsers failed: the disk is full.', { log });
  const why =
    update.code === 0 ? '' : ' (the package lists could not be read either: network or mirror)';
  throw new Failure(`Installing ${packages.join(' ')} failed${why}.`, { log });
}

// → { chromium, firefox }, both there; installs them where that is possible.
export async function prepareBrowsers() {
  const { chromium, firefox } = findBrowsers();
  const missing = [];
  if (!chromium) missing.push('chromium');
  if (!firefox) missing.push('firefox-esr');
  const mayInstall =
    process.getuid?.() === 0 && onPath('apt-get') !== null && debianMirrors().length > 0;
  const wanted = [...missing];
  if (mayInstall && !existsSync(cjkFont.file)) wanted.push(cjkFont.package);
  if (wanted.length === 0 || (missing.length === 0 && !mayInstall)) return { chromium, firefox };
  if (!mayInstall) {
    throw new Failure(
      `Missing for the browser tests: ${missing.join(', ')}. Run this as root, then the same command again:\n` +
        `    apt-get update && apt-get install -y --no-install-recommends ${[...missing, cjkFont.package].join(' ')}\n` +
        'or name installed browsers: CHROMIUM=/path/to/chromium FIREFOX=/path/to/firefox npm test',
    );
  }
  requireFreeMegabytes('/usr', 900, 'the browsers');
  await step(`Browsers: apt-get install ${wanted.join(' ')}`, () => aptInstall(wanted));
  return findBrowsers();
}
