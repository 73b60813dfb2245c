// TypeScript's types, as TypeDoc's model holds them, as HTML with links to what is described.
import { escapeHtml } from './reference_text.mjs';

const list = (types, between) => types.map((each) => renderType(each)).join(between);

const inBrackets = (type) => {
  const html = renderType(type);
  return ['union', 'typeOperator', 'conditional'].includes(type.type) ? `(${html})` : html;
};

export function renderParameters(parameters) {
  return parameters
    .map(({ name, flags, type, defaultValue }) => {
      const optional = flags?.isOptional || defaultValue !== undefined ? '?' : '';
      return `${flags?.isRest ? '...' : ''}${escapeHtml(name)}${optional}: ${renderType(type)}`;
    })
    .join(', ');
}

function renderObject({ children = [], signatures, indexSignatures = [] }) {
  if (signatures) {
    const [{ parameters = [], type }] = signatures;
    return `(${renderParameters(parameters)}) =&gt; ${renderType(type)}`;
  }
  const indexed = indexSignatures.map(
    ({ parameters, type }) => `[${renderParameters(parameters)}]: ${renderType(type)}`,
  );
  const named = children.map(({ name, flags, type }) => {
    return `${escapeHtml(name)}${flags?.isOptional ? '?' : ''}: ${renderType(type)}`;
  });
  return `{ ${[...indexed, ...named].join('; ')} }`;
}

function renderReference({ name, target, refersToTypeParameter, typeArguments = [] }) {
  // Every typed array says so of its buffer.
  const told = typeArguments.filter((each) => each.name !== 'ArrayBufferLike');
  const given = told.length > 0 ? `&lt;${list(told, ', ')}&gt;` : '';
  // A number is a description of the model, anything else lies outside of it.
  const shown = escapeHtml(name);
  const linked = typeof target === 'number' && !refersToTypeParameter;
  return (linked ? `<a href="#${shown}">${shown}</a>` : shown) + given;
}

const RENDER = {
  intrinsic: ({ name }) => escapeHtml(name),
  literal: ({ value }) =>
    escapeHtml(typeof value === 'string' ? `'${value}'` : String(value)),
  reference: renderReference,
  union: ({ types }) => list(types, ' | '),
  intersection: ({ types }) => list(types, ' &amp; '),
  array: ({ elementType }) => `${inBrackets(elementType)}[]`,
  tuple: ({ elements = [] }) => `[${list(elements, ', ')}]`,
  typeOperator: ({ operator, target }) => `${operator} ${renderType(target)}`,
  indexedAccess: ({ objectType, indexType }) =>
    `${inBrackets(objectType)}[${renderType(indexType)}]`,
  query: ({ queryType }) => `typeof ${renderType(queryType)}`,
  reflection: ({ declaration }) => renderObject(declaration),
  optional: ({ elementType }) => `${inBrackets(elementType)}?`,
  // A type that TypeDoc gives as the compiler writes it.
  unknown: ({ name }) => escapeHtml(name),
  rest: ({ elementType }) => `...${inBrackets(elementType)}`,
};

export function renderType(type) {
  const render = RENDER[type.type];
  if (!render) throw new Error(`The reference cannot show a type of the kind ${type.type}`);
  return render(type);
}
