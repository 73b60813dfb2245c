// What is made of a fuzzer's output, and which targets there are.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fuzzTargets, readLibFuzzer } from '../../tools/fuzz-targets.mjs';

const calm = 'Done 2000 runs in 1 second(s)\nstat::number_of_executed_units: 2000\n';

test('a fuzzer that ended well has found nothing, and says how much it tried', () => {
  const found = readLibFuzzer(calm, { code: 0, timedOut: false });
  assert.deepEqual(found, { executions: 2000, findings: 0 });
});

test('whatever stops a fuzzer is a finding, with its reason', () => {
  const cases = [
    ['FINDING: the rank is negative', { code: 77 }],
    ['a.cpp:3:4: runtime error: signed integer overflow', { code: 1 }],
    ['SUMMARY: AddressSanitizer: heap-buffer-overflow a.cpp:3', { code: 1 }],
    ['ALARM: working on the last Unit for 31 seconds', { code: 70 }],
    ['Killed', { code: null }],
    [calm.trim(), { code: null, timedOut: true }],
    ['', { code: 127 }],
  ];
  for (const [line, ended] of cases) {
    const found = readLibFuzzer(`#1 INITED\n${line}\n`, { timedOut: false, ...ended });
    assert.equal(found.findings, 1, line);
    assert.ok(found.details.includes(line), line);
  }
});

test('readers, links, plans and calls are targets, and so are the parts of the core', () => {
  const names = fuzzTargets().map(({ name }) => name);
  for (const name of ['attention', 'experiments', 'texts', 'web/readers', 'web/links'])
    assert.ok(names.includes(name), name);
  assert.equal(new Set(names).size, names.length);
});
