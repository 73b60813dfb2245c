// The results as a table in Markdown.

const digits = (value) => (Number.isFinite(value) ? Number(value.toPrecision(3)).toString() : '–');

function verdict(value, { atLeast, atMost }) {
  const kept =
    (atLeast === undefined || value >= atLeast) && (atMost === undefined || value <= atMost);
  const wish =
    atLeast === undefined
      ? `≤ ${atMost}`
      : atMost === undefined
        ? `≥ ${atLeast}`
        : `${atLeast} to ${atMost}`;
  return kept ? ` ✓ (${wish})` : ` ✗ (${wish})`;
}

function ratioCell(contender, targets) {
  if (!contender) return '';
  if (contender.error) return `failed: ${contender.error.replaceAll('|', '\\|')}`;
  const { median, low, high } = contender.ratio;
  const target = targets[contender.name];
  const spread = `${digits(median)} [${digits(low)}, ${digits(high)}]`;
  return spread + (target ? verdict(median, target) : '');
}

function firstCell(contender) {
  return contender.error
    ? `failed: ${contender.error}`
    : `${digits(contender.milliseconds.median)} ms`;
}

function contestTable(contests) {
  const names = [
    ...new Set(contests.flatMap(({ contenders }) => contenders.slice(1).map(({ name }) => name))),
  ];
  const [{ contenders }] = contests;
  const row = (cells) => `| ${cells.join(' | ')} |`;
  return [
    row(['', contenders[0].name, ...names]),
    row(['---', ...[contenders[0].name, ...names].map(() => '---:')]),
    ...contests.map(({ name, contenders: [first, ...others], targets }) =>
      row([
        name,
        firstCell(first),
        ...names.map((each) =>
          ratioCell(
            others.find((other) => other.name === each),
            targets,
          ),
        ),
      ]),
    ),
  ];
}

function factLine({ name, value, unit = '', target, error }) {
  if (error) return `- ${name}: failed: ${String(error).split('\n')[0]}`;
  const shown = typeof value === 'number' ? digits(value) : value;
  return `- ${name}: ${shown} ${unit}`.trimEnd() + (target ? verdict(value, target) : '');
}

function section({ title, mode, results }) {
  const contests = results.filter(({ contenders }) => contenders);
  const facts = results.filter(({ contenders }) => !contenders);
  return [
    '',
    `### ${title} – ${mode}`,
    '',
    ...(contests.length > 0 ? contestTable(contests) : []),
    ...(contests.length > 0 && facts.length > 0 ? [''] : []),
    ...facts.map(factLine),
  ];
}

// machine: see machine.mjs; sections: [{ title, mode, results }].
export function markdown({ machine, sections }) {
  const { peers, ...about } = machine;
  return [
    '# AttnLab and its peers, measured side by side',
    '',
    ...Object.entries(about).map(([name, value]) => `- ${name}: ${value}`),
    `- peers: ${Object.entries(peers)
      .map(([name, version]) => `${name} ${version}`)
      .join(', ')}`,
    '',
    "The first column is the median time of AttnLab (in Node the processor's, in browsers the wall's); the others are ratios: time of that contender",
    'over time of AttnLab in the same round, median [quartiles]. Above 1 AttnLab is the faster.',
    'The column `limit` is the share of the limit reached: multiply-adds in registers at the peak of',
    'the same build, plus exponentials in cache, measured in the same round. Every result was',
    'compared with the first within a tolerance before it was timed. ✓ and ✗ say whether the target',
    'in brackets was reached.',
    ...sections.flatMap(section),
    '',
  ].join('\n');
}
