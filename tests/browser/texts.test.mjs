// Every string of the page and of every experiment is there in each language, with the same
// placeholders, and every text can be compiled.
import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, test } from 'node:test';
import { compileText } from '../../web/build/texts.mjs';
import { load } from '../../dist/lib/index.js';

const textFolder = fileURLToPath(new URL('../../web/text', import.meta.url));
const pageFolder = fileURLToPath(new URL('../../web/page', import.meta.url));
const languages = ['en', 'ko', 'ja'];
const read = async (language, name) =>
  JSON.parse(
    await readFile(join(textFolder, language, `${name}.json`), 'utf8').catch(() => 'null'),
  );

const lab = await load({ variant: 'simd' });
const { experiments } = lab;
lab.dispose();

const placeholders = (text) => [...text.matchAll(/\{[\w.-]+\}/g)].map(String).sort();
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

for (const experiment of experiments) {
  describe(`the texts of ${experiment.id}`, () => {
    for (const language of languages) {
      test(`are written in ${language} and compile`, async () => {
        const text = await read(language, experiment.id);
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

    test('name only what the descriptor has, and leave no string of it in English', async () => {
      for (const language of languages.slice(1)) {
        const { descriptor } = await read(language, experiment.id);
        assert.ok(descriptor, `${language}: descriptor`);
        for (const key of ['title', 'summary', 'answer']) {
          assert.ok(descriptor[key], `${language} ${key}`);
          assert.deepEqual(
            placeholders(descriptor[key]),
            placeholders(experiment[key]),
            `${language} ${key}`,
          );
        }
        for (const [list, keys] of [
          ['parameters', ['label', 'help']],
          ['presets', ['label', 'note']],
          ['tables', ['label']],
          ['figures', ['label', 'caption']],
        ]) {
          const known = Object.fromEntries(experiment[list].map((each) => [each.name, each]));
          assert.deepEqual(
            Object.keys(descriptor[list] ?? {}).sort(),
            Object.keys(known).sort(),
            `${language} ${list}`,
          );
          for (const [name, own] of Object.entries(descriptor[list] ?? {})) {
            for (const key of keys)
              if (known[name][key]) assert.ok(own[key], `${language} ${list}.${name}.${key}`);
          }
        }
        for (const each of experiment.parameters) {
          const own = descriptor.parameters[each.name].choices ?? {};
          assert.deepEqual(
            Object.keys(own).sort(),
            each.choices.map((choice) => choice.name).sort(),
            `${language} ${each.name}`,
          );
        }
        for (const each of experiment.tables) {
          const own = descriptor.tables[each.name].columns;
          assert.deepEqual(
            Object.keys(own).sort(),
            each.columns.map((c) => c.name).sort(),
            `${language} ${each.name}`,
          );
        }
        for (const each of experiment.figures) {
          const own = descriptor.figures[each.name];
          assert.deepEqual(
            placeholders(own.caption),
            placeholders(each.caption),
            `${language} ${each.name}`,
          );
          assert.ok(own.x && own.y, `${language} ${each.name} axes`);
          for (const mark of each.marks)
            assert.ok(
              own.marks[mark.label] ?? !/[A-Za-z]{3}/.test(mark.label.replace('{series}', '')),
              `${language} ${each.name}: ${mark.label}`,
            );
        }
      }
    });
  });
}
