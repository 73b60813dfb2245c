// npm run setup: everything that building and testing need, without building.
import { prepareBrowsers } from './browsers.mjs';
import { Failure, runMain } from './failure.mjs';
import { prepareNpmPackages } from './npm-packages.mjs';
import { prepareRedis } from './redis.mjs';
import { prepareToolchain } from './toolchain.mjs';

await runMain(async () => {
  if (process.argv.length > 2) throw new Failure('usage: npm run setup');
  const toolchain = await prepareToolchain();
  await prepareNpmPackages();
  const redis = await prepareRedis();
  const browsers = await prepareBrowsers();
  console.log(`Compilers: ${toolchain.name}`);
  console.log(`Redis: ${redis.args.at(-1) ?? redis.file}`);
  console.log(`Browsers: ${browsers.chromium}, ${browsers.firefox}`);
});
