/**
 * What an experiment says of itself. The text comes from the C++ descriptor
 * (src/experiments/descriptor.h) through the module; these are its types and nothing else.
 */

/** A matrix as descriptors hold one: row-major data. */
export interface MatrixLiteral {
  readonly rows: number;
  readonly columns: number;
  readonly data: readonly number[];
}

/** What kind of value a parameter has. */
export type ParameterType =
  'number' | 'integer' | 'boolean' | 'choice' | 'numbers' | 'text' | 'matrix';

/** A default, or a value of a preset. */
export type DescriptorValue = number | boolean | string | readonly number[] | MatrixLiteral;

/** One name that a parameter of type 'choice' may have. */
export interface Choice {
  /** In links, files and code. */
  readonly name: string;
  /** On the page. */
  readonly label: string;
}

/** Something that matters only while `parameter` has one of `values`; '' means always. */
export interface Condition {
  readonly parameter: string;
  readonly values: readonly string[];
}

/** A parameter of an experiment. */
export interface Parameter {
  readonly name: string;
  /** As the paper writes it; may be ''. */
  readonly symbol: string;
  readonly type: ParameterType;
  readonly default: DescriptorValue;
  /** For numbers, and for each entry of a list. */
  readonly minimum: number;
  readonly maximum: number;
  /** Of the slider; 0: free. */
  readonly step: number;
  /** The slider moves in ratios. */
  readonly logarithmic: boolean;
  readonly unit: string;
  readonly label: string;
  readonly help: string;
  readonly choices: readonly Choice[];
  /** Of entries, for lists. */
  readonly minimumCount: number;
  readonly maximumCount: number;
  /** Controls of one group stand together. */
  readonly group: string;
  /** Folded under "more". */
  readonly rare: boolean;
  readonly shownWhen: Condition;
}

/** Values that show one thing, tied to its source. */
export interface Preset {
  readonly name: string;
  readonly label: string;
  /** The figure, theorem or equation it belongs to. */
  readonly source: string;
  readonly note: string;
  /** Only what differs from the defaults. */
  readonly values: Readonly<Record<string, DescriptorValue>>;
}

/** A column of a table. */
export interface Column {
  readonly name: string;
  readonly symbol: string;
  readonly unit: string;
  readonly label: string;
  readonly type: 'number' | 'text';
}

/** A table that an experiment gives. */
export interface TableSpec {
  readonly name: string;
  readonly label: string;
  readonly columns: readonly Column[];
}

/** What a mark is; the page draws each in its own way. */
export type Role = 'theory' | 'simulation' | 'bound' | 'reference' | 'undefined';
/** The shape in which a mark is drawn. */
export type MarkKind = 'line' | 'dots' | 'band' | 'bars' | 'heat-map' | 'arrows';
/** What a line of theory rests on. */
export type Standing = 'none' | 'theorem' | 'derived' | 'heuristic';

/** Columns of a table as a figure draws them. */
export interface Mark {
  readonly kind: MarkKind;
  readonly role: Role;
  /** The rows it draws. */
  readonly table: string;
  readonly x: string;
  /** For a heat map: the other axis. */
  readonly y: string;
  /** Column with one standard error of y; '': none. */
  readonly error: string;
  /** Columns of a band; for arrows: the end point's x and y. */
  readonly low: string;
  readonly high: string;
  /** Column of a heat map's colour. */
  readonly value: string;
  /** Column that splits the rows into curves; '': one curve. */
  readonly series: string;
  /** In the legend; may hold {series}. */
  readonly label: string;
  readonly colour: string;
  readonly standing: Standing;
  readonly source: string;
  readonly shownWhen: Condition;
}

/** An axis of a figure. */
export interface Axis {
  readonly label: string;
  readonly symbol: string;
  readonly unit: string;
  readonly logarithmic: boolean;
}

/** A point of a figure that the reader may drag: the parameters that are its coordinates, or ''. */
export interface Handle {
  readonly x: string;
  readonly y: string;
}

/** A figure of an experiment. */
export interface Figure {
  readonly name: string;
  readonly label: string;
  /** May hold {parameterName} and {table.column} (its first row). */
  readonly caption: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly marks: readonly Mark[];
  readonly shownWhen: Condition;
  readonly handle: Handle;
}

/** A file to hand in before a run, unless `when` says that these values do without it. */
export interface ResourceNeed {
  readonly name: string;
  readonly when: Condition;
}

/** All that an experiment says of itself: parameters, presets, tables, figures. */
export interface Descriptor {
  readonly id: string;
  readonly wing: string;
  /** Within the wing. */
  readonly order: number;
  readonly title: string;
  readonly summary: string;
  /** One sentence with the run's numbers: may hold {table.column} and {parameterName}. */
  readonly answer: string;
  readonly source: string;
  readonly parameters: readonly Parameter[];
  /** The first one is how the experiment opens. */
  readonly presets: readonly Preset[];
  readonly tables: readonly TableSpec[];
  /** The first one is the large one. */
  readonly figures: readonly Figure[];
  readonly resources: readonly ResourceNeed[];
}

/** The descriptors as the module writes them, in the order of the page. */
export function parseDescriptors(text: string): readonly Descriptor[] {
  const descriptors = JSON.parse(text) as Writable<Descriptor>[];
  for (const descriptor of descriptors) {
    const types = new Map(descriptor.parameters.map(({ name, type }) => [name, type]));
    descriptor.parameters = descriptor.parameters.map((parameter) => ({
      ...parameter,
      minimum: reviveNumber(parameter.minimum),
      maximum: reviveNumber(parameter.maximum),
      default: reviveValue(parameter.type, parameter.default),
    }));
    descriptor.presets = descriptor.presets.map((preset) => ({
      ...preset,
      values: Object.fromEntries(
        Object.entries(preset.values).map(([name, value]) => [
          name,
          reviveValue(types.get(name), value),
        ]),
      ),
    }));
  }
  return deepFreeze(descriptors) as readonly Descriptor[];
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

// JSON has no NaN and no infinities: they come as strings. Only what is meant as a number is
// turned back, since a text or a choice may well read "Infinity".
function reviveNumber(value: unknown): number {
  return Number(value);
}

function reviveValue(type: ParameterType | undefined, value: DescriptorValue): DescriptorValue {
  if (type === 'number' || type === 'integer') return reviveNumber(value);
  if (type === 'numbers') return (value as readonly unknown[]).map(reviveNumber);
  return value;
}

// Every lab of a page shares them.
function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}
