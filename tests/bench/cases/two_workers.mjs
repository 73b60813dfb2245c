// The first preset of each experiment with one worker and with two. Experiments with replicates
// must gain; the others are shown as they are. Results must be the same to the bit.
import { fingerprint, load } from '../../../dist/lib/index.js';

// Without the columns that are times themselves.
function untimed({ tables }, specs) {
  const kept = ({ name, columns }) => [
    name,
    {
      columns: Object.fromEntries(
        columns
          .filter(({ unit }) => unit !== 'ms')
          .map((column) => [column.name, tables[name].columns[column.name]]),
      ),
    },
  ];
  return { tables: Object.fromEntries(specs.map(kept)) };
}

const contender = (name, lab, { id, presets, tables }, workers) => ({
  name,
  prepare: () => ({
    run: async () => {
      const preset = presets[0]?.name;
      const result = await lab.run(id, {}, { seed: 1, preset, workers }).result;
      return Float64Array.from(fingerprint(untimed(result, tables)), (letter) =>
        letter.charCodeAt(0),
      );
    },
  }),
});

export async function* contests({ variant }) {
  const lab = await load({ variant, workers: 2 });
  for (const descriptor of lab.experiments) {
    const { id, parameters } = descriptor;
    const replicated = parameters.some(({ name }) => /replicate/i.test(name));
    yield {
      name: replicated ? `${id} (replicates)` : id,
      contenders: [
        contender('two workers', lab, descriptor, 2),
        contender('one worker', lab, descriptor, 1),
      ],
      tolerance: { absolute: 0.1, relative: 0 },
      targets: replicated ? { 'one worker': { atLeast: 1.8 } } : {},
      // What counts is when it is done.
      effort: { rounds: 5, sample: 1, clock: () => performance.now() },
    };
  }
}
