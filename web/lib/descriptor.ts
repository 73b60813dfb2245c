/**
 * What an experiment says of itself. The text comes from the C++ descriptor
 * (src/experiments/descriptor.h) through the module; these are its types and nothing else.
 */

/** A matrix as descriptors hold one: row-major data. */
export interface MatrixLiteral {
  /** At least 0. */
  readonly rows: number;
  /** At least 0. */
  readonly columns: number;
  /** rows x columns numbers. */
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
  /** Its name; '': always. */
  readonly parameter: string;
  /** As texts. */
  readonly values: readonly string[];
}

/** A parameter of an experiment. */
export interface Parameter {
  /** In links, files and code. */
  readonly name: string;
  /** As the paper writes it; may be ''. */
  readonly symbol: string;
  /** What it takes. */
  readonly type: ParameterType;
  /** Taken where no value is given. */
  readonly default: DescriptorValue;
  /** For numbers, and for each entry of a list. */
  readonly minimum: number;
  /** The same; for a text its largest size in bytes. */
  readonly maximum: number;
  /** Of the slider; 0: free. */
  readonly step: number;
  /** The slider moves in ratios. */
  readonly logarithmic: boolean;
  /** May be ''. */
  readonly unit: string;
  /** On the page. */
  readonly label: string;
  /** One sentence. */
  readonly help: string;
  /** Of type 'choice'; else none. */
  readonly choices: readonly Choice[];
  /** Of entries, for lists. */
  readonly minimumCount: number;
  /** The same. */
  readonly maximumCount: number;
  /** Controls of one group stand together. */
  readonly group: string;
  /** Folded under "more". */
  readonly rare: boolean;
  /** When it matters. */
  readonly shownWhen: Condition;
}

/** Values that show one thing, tied to its source. */
export interface Preset {
  /** In links, files and code. */
  readonly name: string;
  /** On the page. */
  readonly label: string;
  /** The figure, theorem or equation it belongs to. */
  readonly source: string;
  /** What it shows. */
  readonly note: string;
  /** Only what differs from the defaults. */
  readonly values: Readonly<Record<string, DescriptorValue>>;
}

/** A column of a table. */
export interface Column {
  /** In results and files. */
  readonly name: string;
  /** As the paper writes it; may be ''. */
  readonly symbol: string;
  /** May be ''. */
  readonly unit: string;
  /** On the page. */
  readonly label: string;
  /** Of its entries. */
  readonly type: 'number' | 'text';
}

/** A table that an experiment gives. */
export interface TableSpec {
  /** In results and files. */
  readonly name: string;
  /** On the page. */
  readonly label: string;
  /** In their order. */
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
  /** Its shape. */
  readonly kind: MarkKind;
  /** What it is. */
  readonly role: Role;
  /** The rows it draws. */
  readonly table: string;
  /** Column of the first axis. */
  readonly x: string;
  /** For a heat map: the other axis. */
  readonly y: string;
  /** Column with one standard error of y; '': none. */
  readonly error: string;
  /** Columns of a band; for arrows: the end point's x and y. */
  readonly low: string;
  /** The upper end of a band; for arrows, y of the end point. */
  readonly high: string;
  /** Column of a heat map's colour. */
  readonly value: string;
  /** Column that splits the rows into curves; '': one curve. */
  readonly series: string;
  /** In the legend; may hold {series}. */
  readonly label: string;
  /** A meaning such as 'softmax', which the page gives its colour. */
  readonly colour: string;
  /** What a line of theory rests on. */
  readonly standing: Standing;
  /** The theorem or equation of a line of theory. */
  readonly source: string;
  /** When it is drawn. */
  readonly shownWhen: Condition;
}

/** An axis of a figure. */
export interface Axis {
  /** On the page. */
  readonly label: string;
  /** As the paper writes it; may be ''. */
  readonly symbol: string;
  /** May be ''. */
  readonly unit: string;
  /** Whether it is drawn so. */
  readonly logarithmic: boolean;
}

/** A point of a figure that the reader may drag: the parameters that are its coordinates, or ''. */
export interface Handle {
  /** A parameter's name. */
  readonly x: string;
  /** A parameter's name. */
  readonly y: string;
}

/** A figure of an experiment. */
export interface Figure {
  /** In files. */
  readonly name: string;
  /** On the page. */
  readonly label: string;
  /** May hold {parameterName} and {table.column} (its first row). */
  readonly caption: string;
  /** The first axis. */
  readonly x: Axis;
  /** The second axis. */
  readonly y: Axis;
  /** In the order in which they are drawn. */
  readonly marks: readonly Mark[];
  /** When it is shown. */
  readonly shownWhen: Condition;
  /** What the reader may drag in it. */
  readonly handle: Handle;
}

/** A file to hand in before a run, unless `when` says that these values do without it. */
export interface ResourceNeed {
  /** Such as 'glove-4000'. */
  readonly name: string;
  /** When it is needed. */
  readonly when: Condition;
}

/** All that an experiment says of itself: parameters, presets, tables, figures. */
export interface Descriptor {
  /** In links, files and code. */
  readonly id: string;
  /** The part of the page it belongs to. */
  readonly wing: string;
  /** Within the wing. */
  readonly order: number;
  /** A question. */
  readonly title: string;
  /** One sentence. */
  readonly summary: string;
  /**
   * One sentence with the run's numbers: may hold {table.column} and {parameterName}. What stands
   * in [brackets] is left out where one of its numbers is not defined.
   */
  readonly answer: string;
  /** The paper. */
  readonly source: string;
  /** In the order of the page. */
  readonly parameters: readonly Parameter[];
  /** The first one is how the experiment opens. */
  readonly presets: readonly Preset[];
  /** That a run gives. */
  readonly tables: readonly TableSpec[];
  /** The first one is the large one. */
  readonly figures: readonly Figure[];
  /** Files that a run needs. */
  readonly resources: readonly ResourceNeed[];
}

/** A descriptor as the module writes it. */
export function parseDescriptor(text: string): Descriptor {
  const descriptor = JSON.parse(text) as Writable<Descriptor>;
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
  return deepFreeze(descriptor) as Descriptor;
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
