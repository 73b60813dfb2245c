// The types of every experiment, from the descriptors that the module itself gives.
import { readFile, writeFile } from 'node:fs/promises';

const quote = (text) => JSON.stringify(text);
const comment = (text) => text.replaceAll('*/', '* /').replaceAll(/\s+/g, ' ');

function typeOf({ type, choices }) {
  switch (type) {
    case 'boolean':
      return 'boolean';
    case 'choice':
      return choices.map(({ name }) => quote(name)).join(' | ');
    case 'numbers':
      return 'NumberArray';
    case 'text':
      return 'string';
    case 'matrix':
      return 'MatrixInput';
    default:
      return 'number';
  }
}

function rangeOf({ type, minimum, maximum, unit, default: value }) {
  if (!['number', 'integer', 'numbers'].includes(type)) return '';
  const kind = type === 'integer' ? 'whole, ' : '';
  return ` (${kind}${minimum} to ${maximum}${unit && ` ${unit}`}; default ${value})`;
}

function parameterLines(parameter) {
  const symbol = parameter.symbol && `, ${parameter.symbol}`;
  const text = `${parameter.label}${symbol}${rangeOf(parameter)}. ${parameter.help}`;
  return [
    `    /** ${comment(text)} */`,
    `    readonly ${parameter.name}?: ${typeOf(parameter)} | undefined;`,
  ];
}

function tableLines({ name, columns }) {
  const lines = columns.map(({ name: column, type }) =>
    `${quote(column)}: ${type === 'text' ? 'readonly string[]' : 'Float64Array'}`,
  );
  return `    readonly ${quote(name)}: { readonly columns: { ${lines.join('; ')} } };`;
}

function interfaceLines(name, about, experiments, body) {
  return [
    `/** ${about} */`,
    `export interface ${name} {`,
    ...experiments.flatMap((experiment) => [
      `  /** ${comment(experiment.title)} */`,
      `  readonly ${quote(experiment.id)}: {`,
      ...body(experiment),
      '  };',
    ]),
    '}',
    '',
  ];
}

// Puts the two interfaces into the declaration file in the place of the empty ones.
export async function writeExperimentTypes(experiments, path) {
  const declared = await readFile(path, 'utf8');
  const kept = declared
    .replace(/\/\*\*[^/]*\*\/\s*export interface ExperimentParameters \{\s*\}/, '')
    .replace(/\/\*\*[^/]*\*\/\s*export interface ExperimentTables \{\s*\}/, '');
  if (/interface Experiment(Parameters|Tables)/.test(kept)) {
    throw new Error('experiments.d.ts is not as expected');
  }
  const made = [
    ...interfaceLines('ExperimentParameters', 'Parameters by experiment.', experiments, (one) =>
      one.parameters.flatMap(parameterLines),
    ),
    ...interfaceLines('ExperimentTables', 'Tables by experiment.', experiments, (one) =>
      one.tables.map(tableLines),
    ),
  ];
  const imports = "import type { MatrixInput, NumberArray } from './matrix.js';\n";
  await writeFile(path, `${imports}${kept}\n${made.join('\n')}`);
}
