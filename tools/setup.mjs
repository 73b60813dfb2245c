// npm run setup: everything that building and testing need, without building.
import { prepareBrowsers } from './browsers.mjs';
import { Failure, runMain } from './failure.mjs';
import { prepareNpmPackages } from './npm-packages.mjs';
import { prepareToolchain } from './toolchain.mjs';

await runMain(async () => {
  if (process.argv.length > 2) throw new Failure('usage: npm run setup');
  const toolchain = await prepareToolchain();
  await prepareNpmPackages();
  const browsers = await prepareBrowsers();
  console.log(`Compilers: ${toolchain.name}`);
  console.log(`Browsers: ${browsers.chromium}, ${browsers.firefox}`);
});
