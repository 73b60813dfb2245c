/** The code that gives the same numbers: library, command line, embed tag, iframe. */
import type { Descriptor, DescriptorValue, Parameter } from '../../lib/descriptor.ts';
import type { Session } from '../run/session.ts';
import { seedValue } from '../../lib/seed.ts';
import { encodeState, encodeValue } from '../state/link.ts';
import { changes, defaultValues, isMatrix, presetValues } from '../state/values.ts';

export interface Snippets {
  readonly library: string;
  readonly command: string;
  readonly element: string;
  readonly iframe: string;
}

/** `language`: what is embedded says the same in the reader's language; English where none is named. */
export function snippetsOf(
  descriptor: Descriptor,
  session: Session,
  base: string,
  language = 'en',
): Snippets {
  const fromDefaults = changes(descriptor, defaultValues(descriptor), session.values);
  const fromPreset = changes(descriptor, presetValues(descriptor, session.preset), session.values);
  const value = (each: Parameter): DescriptorValue => session.values[each.name] ?? each.default;
  const params = fromDefaults.map((each) => `  ${each.name}: ${literal(value(each))},\n`).join('');
  const sets = fromPreset.map((each) => ` \\\n  --set ${setting(each.name, value(each))}`);
  const { query, left } = encodeState(descriptor, session);
  const missing = left
    .map((name) => `<!-- ${name}: too large for an attribute, left out -->\n`)
    .join('');
  query.delete('v');
  if (language !== 'en') query.set('language', language);
  const attributes = [...query].map(([name, text]) => ` ${kebab(name)}="${escape(text)}"`).join('');
  query.set('experiment', descriptor.id);
  return {
    library: `import { load } from 'attnlab';

const lab = await load();
const run = lab.run('${descriptor.id}', {${params ? `\n${params}` : ''}}, { seed: ${seedLiteral(session.seed)} });
const { tables } = await run.result;
`,
    command: `attnlab run ${descriptor.id}${
      session.preset ? ` --preset ${session.preset}` : ''
    } --seed ${session.seed}${sets.join('')}
`,
    element: `${missing}<script type="module" src="${base}embed/attention-lab.js"></script>
<attention-lab experiment="${descriptor.id}"${attributes}></attention-lab>
`,
    iframe: `${missing}<iframe src="${base}embed.html?${escape(query.toString())}" title="${escape(descriptor.title)}"
  width="100%" height="640" loading="lazy"></iframe>
`,
  };
}

/** Seeds above 2^53 - 1 are strings in JavaScript. */
function seedLiteral(text: string): string {
  const seed = seedValue(text);
  return typeof seed === 'number' ? String(seed) : `'${seed}'`;
}

/** More entries than this are the reader's to paste. */
const WRITTEN_OUT = 64;

function literal(value: DescriptorValue): string {
  if (isMatrix(value)) {
    const data =
      value.data.length <= WRITTEN_OUT
        ? Array.from(value.data).join(', ')
        : '/* your tokens, row after row */';
    return `{ data: [${data}], shape: [${value.rows}, ${value.columns}] }`;
  }
  if (Array.isArray(value)) return `[${value.join(', ')}]`;
  if (typeof value !== 'string') return String(value);
  return `'${value.replace(/[\\'\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/gu, escaped)}'`;
}

/** What ends a line, or is not seen, would end the literal or be lost. */
function escaped(character: string): string {
  if (character === '\n') return '\\n';
  if (character === '\\' || character === "'") return `\\${character}`;
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/**
 * A matrix is read from a file, which the reader has. To the command line `@` begins the name of a
 * file, and `@@` a text that begins with `@`.
 */
function setting(name: string, value: DescriptorValue): string {
  if (isMatrix(value)) return `${name}=@${name}.csv`;
  const text = encodeValue(value);
  return quote(`${name}=${text.startsWith('@') ? '@' : ''}${text}`);
}

/** A terminal would act on control characters, and turns a carriage return into the end of a line. */
function quote(text: string): string {
  if (/[^\P{Cc}\n]/u.test(text)) return `$'${text.replace(/[\\'\p{Cc}]/gu, escaped)}'`;
  return /^[\w=.,:+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll('<', '&lt;')
    .replaceAll('\r', '&#13;');
}

export function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
