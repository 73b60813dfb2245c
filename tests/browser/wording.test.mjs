// What the page writes and reads: code, links, plans, numbers, names, headings, answers.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, test } from 'node:test';
import { pageModules } from './page_modules.mjs';

const page = await pageModules(`
export { heading } from './view/heading.ts';
export { formatNumber } from './figure/format.ts';
export { pieces } from './figure/pieces.ts';
export { legendOf, roleName } from './figure/legend.ts';
export { pinNames } from './figure/pin-names.ts';
export { answerOf, fill, roomyAnswer } from './run/fill.ts';
export { withPin } from './run/outcome.ts';
export { csvOf } from './run/export-tables.ts';
export { sliderScale, stepped } from './view/slider.ts';
export { snippetsOf } from './view/snippets.ts';
export { parseNumber } from './state/clamp.ts';
export { parseRoute, isSeed, decodeState, encodeState, formatLink } from './state/link.ts';
export { planOf } from './sweep/plan-form.ts';
export { search, near } from './front/search.ts';
`);

describe('code that gives the same numbers', () => {
  const tokens = (rows, columns, entry = 0.5) => ({
    rows,
    columns,
    data: Array.from({ length: rows * columns }, () => entry),
  });
  const descriptor = {
    id: 'a.b',
    title: 'A',
    presets: [{ name: 'own', values: {} }],
    parameters: [
      { name: 'count', type: 'integer', choices: [], default: 3 },
      { name: 'tokens', type: 'matrix', choices: [], default: tokens(1, 1) },
      { name: 'text', type: 'text', choices: [], default: '' },
    ],
  };
  const snippetsFor = (matrix, seed = '7', text = '') =>
    page.snippetsOf(
      descriptor,
      { preset: 'own', seed, values: { count: 4, tokens: matrix, text } },
      'https://a.b/',
    );
  // What stands between the braces of lab.run('a.b', { … }, …), as JavaScript reads it.
  const paramsIn = ({ library }) => {
    const [, literal] = /lab\.run\('a\.b', (\{.*\}), \{ seed/s.exec(library);
    return new Function(`return ${literal}`)();
  };

  test('a small matrix is written out as the library takes it', () => {
    const snippets = snippetsFor(tokens(2, 3));
    assert.deepEqual(paramsIn(snippets), {
      count: 4,
      tokens: { data: [0.5, 0.5, 0.5, 0.5, 0.5, 0.5], shape: [2, 3] },
    });
    assert.match(
      snippets.command,
      / --seed 7 \\\n {2}--set count=4 \\\n {2}--set tokens=@tokens\.csv\n/,
    );
    assert.match(snippets.element, / count="4" tokens="2:3:0\.5,/);
    assert.match(snippets.iframe, /tokens=2%3A3%3A0\.5%2C/);
  });

  test('a large matrix keeps its shape and its place; an embed says that it is left out', () => {
    const snippets = snippetsFor(tokens(100, 50, 0.123456789));
    assert.deepEqual(paramsIn(snippets).tokens, { data: [], shape: [100, 50] });
    assert.match(snippets.library, /data: \[\/\* your tokens, row after row \*\/\]/);
    assert.match(snippets.command, /--set tokens=@tokens\.csv/);
    for (const code of [snippets.element, snippets.iframe])
      assert.match(code, /^<!-- tokens: too large for an attribute, left out -->\n</);
  });

  test('a text of any characters is the same text in JavaScript and on the command line', () => {
    const text = `@a'b\\c\r\nd\u2028e\u2029f\0${'g'}\u{1f600}\ud800`;
    assert.equal(paramsIn(snippetsFor(tokens(1, 1), '7', text)).text, text);
    const { library } = snippetsFor(tokens(1, 1), '7', text);
    assert.doesNotMatch(library, /[\r\u2028\u2029\0]/);
    const { command } = snippetsFor(tokens(1, 1), '7', '@the cat');
    assert.match(command, /--set 'text=@@the cat'/);
  });

  test('a shell hands over the text as it is, and nothing in it acts on a terminal', () => {
    const text = "a'b\\c\r\nd\te\u001b[31mf $HOME `x` \u0085\u{1f600}";
    const { command } = snippetsFor(tokens(1, 1), '7', text);
    assert.doesNotMatch(command, /[^\P{Cc}\n]/u);
    const script = `attnlab() { printf '%s' "\${@: -1}"; }\n${command}`;
    const env = { ...process.env, LC_ALL: 'C.UTF-8' };
    assert.equal(execFileSync('bash', ['-c', script], { env, encoding: 'utf8' }), `text=${text}`);
  });

  test('a seed beyond 2^53 is a string in JavaScript', () => {
    assert.match(snippetsFor(tokens(1, 1)).library, /\{ seed: 7 \}/);
    const { library } = snippetsFor(tokens(1, 1), '18446744073709551615');
    assert.match(library, /\{ seed: '18446744073709551615' \}/);
  });
});

describe('links and plans of what was set', () => {
  const numbers = { type: 'numbers', minimum: 0, maximum: 9, step: 0.1, maximumCount: 5 };
  const descriptor = {
    id: 'a.b',
    presets: [],
    parameters: [
      { name: 'text', label: 'Text', type: 'text', maximum: 0, default: '' },
      { name: 'list', label: 'List', ...numbers, minimumCount: 1, default: [1] },
      { name: 'note', label: 'Note', type: 'text', maximum: 0, default: '' },
    ],
  };
  const texts = { t: (key, { name, given } = {}) => `${key} ${name} ${given}` };
  const linkOf = (values) => {
    const { query, left } = page.encodeState(descriptor, { preset: '', seed: '9', values });
    return { link: page.formatLink('a.b', query), left };
  };

  test('no link is written that is too long to be read again', () => {
    const list = [2, 3];
    const long = linkOf({ text: '猫'.repeat(2700), list, note: 'x' });
    assert.deepEqual(long, { link: '#/a.b?v=1&list=2,3&note=x&seed=9', left: ['text'] });
    const two = linkOf({ text: '猫'.repeat(1500), list, note: '犬'.repeat(1400) });
    assert.deepEqual(two.left, ['text']);
    const one = linkOf({ text: '猫'.repeat(2100), list, note: '' });
    assert.deepEqual(one.left, []);
    const { query, tooLong } = page.parseRoute(one.link);
    assert.equal(tooLong, false);
    assert.equal(page.decodeState(descriptor, query, texts).values.text, '猫'.repeat(2100));
  });

  test('of a list with a bad entry the rest is taken, and the notice says that', () => {
    const read = (list) => page.decodeState(descriptor, new URLSearchParams({ list }), texts);
    const { values, notices } = read('abc,2');
    assert.deepEqual([values.list, notices], [[2], ['notice.leftOut List abc']]);
    const refused = read('abc');
    assert.deepEqual([refused.values.list, refused.notices], [[1], ['notice.refused List abc']]);
  });

  test('a list of a sweep takes numbers as the page writes them', () => {
    const list = '1\u202f000, 16\xa0384; 2×10⁶';
    const axes = [{ name: 'count', spacing: 'list', list, chosen: [] }];
    const counted = { ...descriptor, parameters: [{ name: 'count', type: 'integer', default: 1 }] };
    const { vary } = page.planOf(
      counted,
      { values: { count: 1 }, seed: '1' },
      { axes, seeds: '1' },
    );
    assert.deepEqual(vary.count, { grid: [1000, 16384, 2e6] });
  });

  test('a sweep has the seed in use among its seeds, however large', () => {
    const seedsOf = (seed, seeds) =>
      page.planOf(descriptor, { values: {}, seed }, { axes: [], seeds }).seeds;
    assert.deepEqual(seedsOf('3', '4'), { first: 3, count: 4 });
    assert.deepEqual(seedsOf('9007199254740991', '2'), [9007199254740991, '9007199254740992']);
    assert.deepEqual(seedsOf('18446744073709551614', '3'), [
      '18446744073709551613',
      '18446744073709551614',
      '18446744073709551615',
    ]);
    const seed = '18446744073709551610';
    assert.deepEqual(seedsOf(seed, '1e9'), { first: seed, count: 1e9 });
  });
});

describe('numbers and names', () => {
  test('numbers are short and keep their sign', () => {
    assert.equal(page.formatNumber(0.031554), '0.03155');
    assert.equal(page.formatNumber(-0.5), '−0.5');
    assert.equal(page.formatNumber(3.2e-7), '3.2 × 10⁻⁷');
    assert.equal(page.formatNumber(1e-28), '10⁻²⁸');
    assert.equal(page.formatNumber(16384), '16\u202f384');
    assert.equal(page.formatNumber(NaN), '–');
  });

  test('scripts of labels are set, braces of sentences are filled', () => {
    assert.deepEqual(
      page.pieces('e^{2q}').map((each) => each.height),
      ['base', 'super'],
    );
    assert.deepEqual(
      page.pieces('m_n').map((each) => each.text),
      ['m', 'n'],
    );
    assert.deepEqual(
      page.pieces('|θ − θ_∞|').map((each) => each.text),
      ['|θ − θ', '∞', '|'],
    );
    const descriptor = {
      parameters: [{ name: 'd', type: 'integer', choices: [], default: 3 }],
      tables: [{ name: 's' }],
    };
    const text = page.fill(
      'd = {d}, {s.y}, e^{2q}',
      descriptor,
      { d: 5 },
      { s: { columns: { y: [0.25] } } },
    );
    assert.equal(text, 'd = 5, 0.25, e^{2q}');
  });

  test('CSV keeps every bit, names units, and quotes what needs it', () => {
    const spec = {
      name: 't',
      columns: [
        { name: 'x', unit: 'tokens', type: 'number' },
        { name: 's', unit: '', type: 'text' },
      ],
    };
    const text = page.csvOf(spec, {
      columns: { x: [0.1 + 0.2, NaN, -Infinity], s: ['a,b', 'say "c"', ''] },
    });
    assert.equal(
      text,
      'x (tokens),s\r\n0.30000000000000004,"a,b"\r\nNaN,"say ""c"""\r\n-Infinity,\r\n',
    );
  });

  test('a logarithmic slider reaches both ends and every arrow press changes the value', () => {
    const parameter = { type: 'integer', minimum: 4, maximum: 4000, step: 4, logarithmic: true };
    const scale = page.sliderScale(parameter);
    assert.equal(scale.fromSlider(scale.minimum), 4);
    assert.equal(scale.fromSlider(scale.maximum), 4000);
    let value = 4;
    for (let i = 0; i < 300; i += 1) {
      const next = page.stepped(parameter, value, 1);
      if (value === 4000) break;
      assert.ok(next > value);
      value = next;
    }
    assert.equal(value, 4000);
  });

  test('pins are told apart, by their seeds too where the current run differs in much else', () => {
    const parameters = ['a', 'b', 'c', 'd'].map((name) => ({ name, symbol: name, default: 0 }));
    const run = (seed, values = {}) => ({ seed, values });
    const names = (current, pins) => page.pinNames({ parameters }, current, pins, 'Seed');
    const other = run('3', { a: 1, b: 1, c: 1, d: 1 });
    assert.deepEqual(names(other, [run('1'), run('2'), run('3')]), [
      'Seed 1; a = 0; b = 0',
      'Seed 2; a = 0; b = 0',
      'Seed 3; a = 0; b = 0',
    ]);
    assert.deepEqual(names(run('1'), [run('1'), run('1', { d: 2 })]), ['d = 0', 'd = 2']);
    assert.deepEqual(names(run('1'), [run('2')]), ['Seed 2']);
  });

  test('a run is pinned once, and the oldest gives way', () => {
    let pins = [];
    const pinned = ['1', '1', '2', '3', '1', '4'].map((seed) => {
      pins = page.withPin(pins, { seed, values: { a: 0 }, tables: {} });
      return pins.map((each) => each.seed).join('');
    });
    assert.deepEqual(pinned, ['1', '1', '12', '123', '231', '314']);
  });

  test('words that Number() would take are not numbers', () => {
    for (const word of ['', ' ', '0x10', 'Infinity', 'NaN', '1e', '--1', '1,5'])
      assert.ok(Number.isNaN(page.parseNumber(word)), word);
    assert.equal(page.parseNumber('−1.5e3'), -1500);
  });

  test('seeds run to 2^64 - 1 and routes survive broken escapes', () => {
    assert.ok(page.isSeed('18446744073709551615'));
    assert.ok(!page.isSeed('18446744073709551616') && !page.isSeed('-1') && !page.isSeed('abc'));
    assert.equal(page.parseRoute('#/%E0%A4%A?seed=1').place, '%E0%A4%A');
    assert.ok(page.parseRoute(`#/a?${'x'.repeat(30_000)}`).tooLong);
  });

  test('search finds by paper, by symbol and by every word', () => {
    const experiment = {
      id: 'needle.training',
      title: 'Does it find it?',
      summary: 'Flow',
      source: 'arXiv 2410.01537',
      words: ' κ overlap',
    };
    for (const query of ['2410', 'κ', 'FIND does'])
      assert.equal(page.search([experiment], query).length, 1, query);
    assert.equal(page.search([experiment], 'find softplus').length, 0);
    assert.equal(page.near([experiment], 'needle.trianing').length, 1);
  });
});

test('headings break between the phrases of Japanese and in no fraction', () => {
  const shown = (title) =>
    page
      .heading(title)
      .map((part) => (typeof part === 'string' ? part : part.strings.join(part.values.join(''))))
      .join('');
  assert.equal(
    shown('置き換えてよいのはプロンプトがどれだけ長くなってからか'),
    '置き<wbr />換えてよいのは<wbr />プロンプトがどれだけ<wbr />長くなってからか',
  );
  assert.equal(shown('Is it 1/√n, or more?'), 'Is it <span class="whole">1/√n,</span> or more?');
  assert.equal(shown('토큰이 몇 개일 때 극한에 이르는가?'), '토큰이 몇 개일 때 극한에 이르는가?');
});

test('an answer with a number that is still to come gives way to the summary', () => {
  const descriptor = {
    answer: 'The slope is {summary.slope} at d = {d}.',
    summary: 'It shows a slope.',
    parameters: [{ name: 'd', default: 5 }],
    tables: [{ name: 'summary' }],
  };
  const answer = (slope, ended = true) => {
    const tables = slope && { summary: { columns: { slope } } };
    return page.answerOf(descriptor, { d: 5 }, tables, (text) => text, ended);
  };
  assert.equal(answer([-0.5]), 'The slope is −0.5 at d = 5.');
  assert.equal(answer([NaN]), 'The slope is – at d = 5.');
  assert.equal(answer([NaN], false), descriptor.summary);
  assert.equal(answer([-0.5], false), 'The slope is −0.5 at d = 5.');
  assert.equal(answer([]), descriptor.summary);
  assert.equal(answer(undefined), descriptor.summary);
  descriptor.answer = 'At d = {d} it falls[ with slope {summary.slope}].[ Not {d}.] So be it.';
  assert.equal(answer([-0.5]), 'At d = 5 it falls with slope −0.5. Not 5. So be it.');
  assert.equal(answer([NaN]), 'At d = 5 it falls. Not 5. So be it.');
  // As long as the answer can be.
  const room = 'At d = 5 it falls with slope 0.0000. Not 5. So be it.';
  assert.equal(page.roomyAnswer(descriptor, { d: 5 }), room);
  assert.equal(answer([]), descriptor.summary);
});

test('a legend names a role without the comma of any language', () => {
  const folder = fileURLToPath(new URL('../../web/text', import.meta.url));
  const labels = ['ko', 'ja'].flatMap((language) =>
    readdirSync(join(folder, language, 'strings'))
      .flatMap((file) =>
        Object.entries(JSON.parse(readFileSync(join(folder, language, 'strings', file), 'utf8'))),
      )
      .flat()
      .filter((text) => typeof text === 'string' && /\{series\}/.test(text)),
  );
  assert.ok(labels.length > 20, String(labels.length));
  for (const label of [...labels, '{series}', 'theory ({series})']) {
    const name = page.roleName({ label, role: 'theory' }, { t: (key) => key });
    assert.match(name, /^[\p{L}(].*[\p{L}\p{N})]$/u, label);
    assert.ok(!name.includes('series'), label);
  }
});

test('a legend draws a series as the figure does: with its symbol where there are dots', () => {
  const shapes = (...kinds) => {
    const curves = kinds.flatMap((kind) =>
      ['one', 'two'].map((seriesName, place) => ({
        mark: { kind, role: kind === 'dots' ? 'simulation' : 'theory', label: '{series}' },
        seriesName,
        seriesLabel: seriesName,
        place,
        colour: `c${place}`,
        symbol: 'circle',
      })),
    );
    const entries = page.legendOf(curves, { t: (key) => key });
    return ['one', 'two'].map((name) => entries.find((each) => each.name === name).shape);
  };
  assert.deepEqual(shapes('line'), ['line', 'line']);
  assert.deepEqual(shapes('line', 'dots'), ['dots', 'dots']);
  assert.deepEqual(shapes('bars'), ['bars', 'bars']);
});
