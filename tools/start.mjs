// npm start: sets up what is missing, builds, serves the page, prints its address.
//   npm start -- --port N
import { build } from './build.mjs';
import { runMain } from './failure.mjs';
import { readServeArguments, serveUntilStopped } from './serve.mjs';

await runMain(async () => {
  const options = readServeArguments(process.argv.slice(2)); // first: a typing error costs no build
  await build();
  return serveUntilStopped(options);
});
