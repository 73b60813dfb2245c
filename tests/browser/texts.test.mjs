// Every string of the page and of every experiment is there in each language, with the same
// placeholders, and every text can be compiled.
import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, test } from 'node:test';
import { hasWords, missingStrings, readDictionary } from '../../web/build/localise.mjs';
import { compileText } from '../../web/build/texts.mjs';
import { errorCodes, load } from '../../dist/lib/index.js';

const textFolder = fileURLToPath(new URL('../../web/text', import.meta.url));
const assets = fileURLToPath(new URL('../../dist/site/assets', import.meta.url));
const pageFolder = fileURLToPath(new URL('../../web/page', import.meta.url));
const languages = ['en', 'ko', 'ja'];
// In these every experiment must be written. In the others an experiment without a text is shown in
// English; one that has a text must have all of its strings.
const complete = ['en'];
const read = async (language, name) =>
  JSON.parse(
    await readFile(join(textFolder, language, `${name}.json`), 'utf8').catch(() => 'null'),
  );

const lab = await load({ variant: 'simd' });
const { experiments } = lab;
lab.dispose();

const placeholders = (text) => [...text.matchAll(/\{[\w.-]+\}/g)].map(String).sort();
// Of an answer, what is left out where one of its numbers is not defined.
const clauses = (text) => (text.match(/\[[^\]]*\{[\w-]+\.[^\]]*\]/g) ?? []).map(placeholders);
const isPlaceholder = (experiment, name) => {
  const [first, second] = name.split('.');
  if (second === undefined) return experiment.parameters.some((each) => each.name === first);
  const table = experiment.tables.find((each) => each.name === first);
  return table?.columns.some((each) => each.name === second) ?? false;
};

test('the page has the same keys and placeholders in each language', async () => {
  const english = await read('en', 'page');
  for (const language of languages.slice(1)) {
    const own = await read(language, 'page');
    assert.deepEqual(Object.keys(own).sort(), Object.keys(english).sort(), language);
    for (const [key, text] of Object.entries(english)) {
      assert.deepEqual(placeholders(own[key]), placeholders(text), `${language} ${key}`);
    }
  }
});

test('the glossary has the same terms in each language', async () => {
  const english = await read('en', 'glossary');
  for (const language of languages.slice(1)) {
    assert.deepEqual(Object.keys(await read(language, 'glossary')), Object.keys(english));
  }
});

test('every key that the page asks for exists', async () => {
  const english = await read('en', 'page');
  const names = (await readdir(pageFolder, { recursive: true })).filter((name) =>
    name.endsWith('.ts'),
  );
  assert.ok(names.length > 20);
  for (const name of names) {
    const source = await readFile(join(pageFolder, name), 'utf8');
    for (const [, key] of source.matchAll(/\bt\(\s*'([\w.-]+)'/g)) {
      assert.ok(key in english, `${name} asks for ${key}`);
    }
    // Keys made from a name: at least one key must begin so.
    for (const [, start] of source.matchAll(/\bt\(\s*`([\w.-]+)\$\{/g)) {
      assert.ok(
        Object.keys(english).some((key) => key.startsWith(start)),
        `${name} asks for ${start}…`,
      );
    }
  }
});

test('every way to fail has its sentence in every language but the library’s own', async () => {
  for (const language of languages.slice(1)) {
    const texts = await read(language, 'cells');
    for (const code of errorCodes) assert.ok(texts[`reason.${code}`], `${language} ${code}`);
  }
});

test('in Korean a particle begins no line: a word joiner ties it to the percent sign', async () => {
  const folder = join(textFolder, 'ko');
  const names = await readdir(folder, { recursive: true });
  for (const name of names.filter((each) => each.endsWith('.json'))) {
    const text = JSON.stringify(JSON.parse(await readFile(join(folder, name), 'utf8')));
    assert.doesNotMatch(text, /%[가-힣]/, name);
  }
});

for (const experiment of experiments) {
  describe(`the texts of ${experiment.id}`, () => {
    for (const language of languages) {
      test(`are written in ${language} and compile`, async () => {
        const text = await read(language, experiment.id);
        if (!text && !complete.includes(language)) return;
        assert.ok(text, `web/text/${language}/${experiment.id}.json is missing`);
        assert.ok(text.paragraphs.length >= 2 && text.paragraphs.length <= 5);
        for (const part of ['howComputed', 'assumptions', 'whereFails'])
          assert.ok(text[part].length > 0, part);
        assert.ok(text.check.options.filter((each) => each.right).length === 1);
        const compiled = compileText(text, await read(language, 'glossary'));
        const html = JSON.stringify(compiled);
        assert.doesNotMatch(html, / style=|<script|temml-error/);
        for (const [, name] of html.matchAll(/data-fill=\\"([\w.-]+)\\"/g)) {
          assert.ok(isPlaceholder(experiment, name), `{${name}} names nothing`);
        }
        for (const [, name] of html.matchAll(/tie-(\w+)/g)) {
          assert.ok(
            experiment.parameters.some((each) => each.name === name),
            `\\p{${name}} names no parameter`,
          );
        }
      });
    }

    for (const language of languages.slice(1)) {
      test(`leave no string of the descriptor in English in ${language}`, async () => {
        if (!complete.includes(language) && !(await read(language, experiment.id))) return;
        const dictionary = await readDictionary(textFolder, language);
        assert.deepEqual(missingStrings(experiment, dictionary), []);
      });
    }
  });
}

for (const language of languages.slice(1)) {
  test(`the dictionary of ${language} keeps every placeholder`, async () => {
    const dictionary = await readDictionary(textFolder, language);
    for (const [english, own] of Object.entries(dictionary)) {
      assert.deepEqual(placeholders(own), placeholders(english), english);
      assert.deepEqual(clauses(own), clauses(english), english);
    }
  });
}

test('a paper’s number needs no translation, what is cited of it does', () => {
  assert.ok(!hasWords('arXiv 2402.19442'));
  assert.ok(hasWords('arXiv 2410.10101, Theorem 2.2'));
});

describe('texts that runs write into tables', () => {
  const number = /\d+(?:\.\d+)?/g;
  const cellsOf = ({ tables }) =>
    Object.values(tables).flatMap((columns) =>
      Object.values(columns).flatMap((column) => column.text ?? []),
    );

  for (const language of languages.slice(1)) {
    test(`have their words in ${language} in every result that is shown at first`, async () => {
      const own = await read(language, 'cells');
      const names = (await readdir(assets)).filter((name) => name.startsWith('result-'));
      assert.equal(names.length, experiments.length);
      const missing = new Set();
      for (const name of names) {
        const result = JSON.parse(await readFile(join(assets, name), 'utf8'));
        for (const cell of cellsOf(result)) {
          const key = cell.replace(number, '#');
          if (/[A-Za-z]{3}/.test(key) && !Object.hasOwn(own, key)) missing.add(key);
        }
      }
      assert.deepEqual([...missing], []);
    });

    test(`keep their numbers in ${language}`, async () => {
      const signs = (text) => text.match(/#/g)?.length ?? 0;
      for (const [key, text] of Object.entries(await read(language, 'cells')))
        assert.equal(signs(text), signs(key), key);
    });
  }
});
