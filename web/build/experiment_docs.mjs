// docs/experiments.md: what each experiment takes and gives, from the descriptors.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const cell = (text) => String(text).replaceAll('|', '\\|').replaceAll(/\s+/g, ' ');
const row = (...cells) => `| ${cells.map(cell).join(' | ')} |`;

function showDefault({ type, default: value }) {
  if (type === 'matrix') return value.rows === 0 ? 'none' : `${value.rows} × ${value.columns}`;
  if (type === 'text') return value.length > 40 ? `${value.slice(0, 40)}…` : value;
  return Array.isArray(value) ? value.join(', ') : value;
}

function showAllowed(parameter) {
  const { type, minimum, maximum, choices, minimumCount, maximumCount } = parameter;
  if (type === 'choice') return choices.map(({ name }) => name).join(', ');
  if (type === 'boolean') return 'true, false';
  if (type === 'matrix') return 'rows of numbers';
  if (type === 'text') return `at most ${maximum} bytes`;
  const range = `${minimum} … ${maximum}`;
  return type === 'numbers' ? `${minimumCount} to ${maximumCount} of ${range}` : range;
}

function section(experiment) {
  return [
    `## ${experiment.id}`,
    '',
    `${experiment.title} ${experiment.summary}`,
    '',
    `Source: ${experiment.source}`,
    '',
    row('parameter', 'symbol', 'type', 'default', 'allowed', 'meaning'),
    row('---', '---', '---', '---', '---', '---'),
    ...experiment.parameters.map((parameter) =>
      row(
        parameter.name,
        parameter.symbol,
        parameter.type,
        showDefault(parameter),
        showAllowed(parameter),
        `${parameter.label}. ${parameter.help}`,
      ),
    ),
    '',
    row('preset', 'source', 'what it shows'),
    row('---', '---', '---'),
    ...experiment.presets.map(({ name, source, note }) => row(name, source, note)),
    '',
    row('table', 'column', 'symbol', 'unit', 'meaning'),
    row('---', '---', '---', '---', '---'),
    ...experiment.tables.flatMap((table) =>
      table.columns.map(({ name, symbol, unit, label }) =>
        row(table.name, name, symbol, unit, label),
      ),
    ),
    '',
  ];
}

export async function writeExperimentDocs(experiments, folder) {
  await mkdir(folder, { recursive: true });
  const lines = ['# Experiments', '', ...experiments.flatMap(section)];
  await writeFile(join(folder, 'experiments.md'), lines.join('\n'));
}
