// Reads how many tests passed and failed from a suite's own output. A suite that crashed, timed
// out, or ran nothing has failed, whatever it printed before.

const nothing = { passed: 0, failed: 0, skipped: 0 };

// ended: { code, timedOut } of the suite's process.
function judge(counts, ended) {
  if (counts === null) return { ...nothing, failed: 1, problem: 'it printed no totals' };
  if (ended.timedOut) return { ...counts, failed: counts.failed + 1, problem: 'it timed out' };
  if (ended.code !== 0 && counts.failed === 0) {
    return { ...counts, failed: 1, problem: `it ended with exit code ${ended.code}` };
  }
  if (counts.passed + counts.failed === 0)
    return { ...counts, failed: 1, problem: 'it ran no test' };
  return counts;
}

// '[doctest] test cases: 12 | 11 passed | 1 failed | 0 skipped', the last such line.
export function countDoctest(output, ended) {
  const lines = [
    ...output.matchAll(
      /^\[doctest\] test cases:\s*\d+ \|\s*(\d+) passed \|\s*(\d+) failed \|\s*(\d+) skipped/gm,
    ),
  ];
  const last = lines.at(-1)?.slice(1).map(Number);
  // Filtered-out cases are counted as skipped by doctest; they are none of ours.
  return judge(last ? { passed: last[0], failed: last[1], skipped: last[2] } : null, ended);
}

// The closing lines '# pass N', '# fail N', '# cancelled N' of node:test, TAP or spec ('ℹ pass N').
export function countNodeTests(output, ended) {
  const total = (name) => {
    const found = [...output.matchAll(new RegExp(`^(?:#|ℹ) ${name} (\\d+)$`, 'gm'))].at(-1);
    return found === undefined ? null : Number(found[1]);
  };
  const [passed, failed] = [total('pass'), total('fail')];
  if (passed === null || failed === null) {
    // node:test prints totals at the end; without them either no test was declared or it crashed.
    const empty = ended.code === 0 && !ended.timedOut;
    return { ...nothing, failed: 1, problem: empty ? 'it ran no test' : describeEnd(ended) };
  }
  const counts = {
    passed,
    failed: failed + (total('cancelled') ?? 0),
    skipped: (total('skipped') ?? 0) + (total('todo') ?? 0),
  };
  return judge(counts, ended);
}

function describeEnd({ code, timedOut }) {
  return timedOut ? 'it timed out' : `it ended with exit code ${code} before its totals`;
}

export function addCounts(list) {
  return list.reduce(
    (sum, { passed, failed, skipped = 0 }) => ({
      passed: sum.passed + passed,
      failed: sum.failed + failed,
      skipped: sum.skipped + skipped,
    }),
    nothing,
  );
}

// What a person wants to see of a failed suite: doctest's ERROR blocks, TAP's 'not ok' blocks, or
// else the last lines.
export function excerpt(output, lines = 60) {
  const blocks = [
    ...output.matchAll(/^ *not ok (?!.*# (?:SKIP|TODO))[^\n]*\n(?: *---\n[\s\S]*?^ *\.\.\.$)?/gm),
    ...output.matchAll(/^[^\n]*\bERROR: [\s\S]*?(?=^={10,}|(?![\s\S]))/gm),
  ].map(([block]) => block.trimEnd());
  const text = blocks.length > 0 ? blocks.join('\n') : output.trimEnd();
  const all = text.split('\n');
  const shown = blocks.length > 0 ? all.slice(0, lines) : all.slice(-lines);
  if (shown.length < all.length) shown.push('…');
  return shown.map((line) => line.slice(0, 400)).join('\n');
}
