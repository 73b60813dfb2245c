// What `npm run bench` may be told.
import { Failure } from '../../tools/failure.mjs';

const usage = [
  'usage: npm run bench -- [--only NAME]… [--mode NAME]… [--quick]',
  '  --only NAME   this case alone (may be repeated); --only list names them',
  '  --mode NAME   in this mode alone (may be repeated); --mode list names them',
  '  --quick       fewer sizes and shorter samples, to see that it works',
].join('\n');

// → { only: [names], modes: [names], quick }
export function readOptions(words) {
  const options = { only: [], modes: [], quick: false };
  for (let i = 0; i < words.length; ++i) {
    if (words[i] === '--quick') options.quick = true;
    else if (words[i] === '--only' && words[i + 1]) options.only.push(words[++i]);
    else if (words[i] === '--mode' && words[i + 1]) options.modes.push(words[++i]);
    else throw new Failure(`'${words[i]}' is not understood.\n${usage}`);
  }
  return options;
}

// The entries that were asked for, in their own order; all where none was.
export function choose(entries, names, what) {
  const known = entries.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    const heading = unknown === 'list' ? '' : `There is no ${what} '${unknown}'. `;
    throw new Failure(`${heading}Known: ${known.join(', ')}.`);
  }
  return names.length === 0 ? entries : entries.filter(({ name }) => names.includes(name));
}
