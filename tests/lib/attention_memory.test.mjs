// What attention reads of its caller's arrays, and the memory that it asks for.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openLab, refuses } from './lab.mjs';

const lab = await openLab();

test('arrays that are handed over as they are cannot lie about themselves', async () => {
  for (const kind of [Float32Array, Float64Array]) {
    const numbers = kind.of(0.5, -1, 2, 0.25);
    const plain = { data: numbers, shape: [2, 2] };
    const expected = lab.attention.forward({ queries: plain, keys: plain, values: plain }).output;
    const same = (data) => {
      const { output } = lab.attention.forward({
        queries: plain,
        keys: { data, shape: [2, 2] },
        values: plain,
      });
      assert.deepEqual(output, expected);
    };
    // Shared, a view into a longer buffer, a class of its own, one with a length that is not its.
    const shared = new kind(new SharedArrayBuffer(4 * kind.BYTES_PER_ELEMENT));
    shared.set(numbers);
    same(shared);
    const longer = new kind(9);
    longer.set(numbers, 3);
    same(longer.subarray(3, 7));
    class Longer extends kind {
      get length() {
        return 4;
      }
    }
    const lying = Longer.from([...numbers, 1, 2, 3]);
    const error = (data) =>
      refuses(
        () =>
          lab.attention.forward({
            queries: plain,
            keys: { data, shape: [2, 2] },
            values: plain,
          }),
        ['shape', 'type', 'too-large'],
      );
    await error(lying);
    await error(Object.defineProperty(kind.from([...numbers, 1, 2, 3]), 'length', { value: 4 }));
    // Gone by the time it is read.
    const given = kind.from(numbers);
    await refuses(
      () =>
        lab.attention.forward({
          queries: { data: given, shape: [2, 2] },
          keys: plain,
          get values() {
            structuredClone(given.buffer, { transfer: [given.buffer] });
            return plain;
          },
        }),
      'shape',
      'queries',
    );
    // What was handed over is the caller's still.
    const { output } = lab.attention.forward({ queries: plain, keys: plain, values: plain });
    plain.data[0] = 7;
    assert.deepEqual(output, expected);
  }
});

test('what the module’s memory cannot hold is refused before it is copied', async () => {
  const rows = 2 ** 24;
  const wide = { data: new Float32Array(16 * rows), shape: [rows, 16] }; // 1 GiB, untouched
  const one = { data: new Float32Array(16), shape: [1, 16] };
  const before = process.memoryUsage().rss;
  const input = { queries: one, keys: wide, values: wide };
  const error = await refuses(() => lab.attention.forward(input), 'too-large', 'keys');
  assert.match(error.message, /would need 4294967424 bytes \(4097 MiB\); 3584 MiB are allowed/);
  const narrow = { data: wide.data.subarray(0, rows * 8), shape: [rows / 2, 16] };
  await refuses(
    () =>
      lab.attention.gradient({
        queries: one,
        keys: narrow,
        values: narrow,
        outputGradient: one,
      }),
    'too-large',
    'keys',
  );
  // 3.2 GiB alone, and the weights of eight queries beside them.
  const tokens = 0.8 * 2 ** 24;
  const large = {
    data: wide.data.subarray(0, 16 * Math.floor(tokens)),
    shape: [Math.floor(tokens), 16],
  };
  const eight = { data: new Float32Array(128), shape: [8, 16] };
  await refuses(
    () =>
      lab.attention.forward({ queries: eight, keys: large, values: large, returnWeights: true }),
    'too-large',
    'keys',
  );
  const double = { data: new Float64Array(rows * 4), shape: [rows / 4, 16] }; // 512 MiB, untouched
  const query = { data: new Float64Array(16), shape: [1, 16] };
  const prompts = [1, 2, 3].map(() => ({ queries: query, keys: double, values: double }));
  await refuses(() => lab.attention.forwardBatch({ prompts }), 'too-large', 'keys');
  const grown = process.memoryUsage().rss - before;
  assert.ok(grown < 2 ** 28, `${grown} bytes were touched`);
});
