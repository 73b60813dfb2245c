// Runs the contests of one case and hands each result on as it comes.
import { hold } from './contest.mjs';

const effort = (quick) => (quick ? { rounds: 5, sample: 15 } : { rounds: 7, sample: 60 });

// context: what the case needs (see in_node.mjs). Results are contests
// { name, contenders: [report of contest.mjs], targets } or facts { name, value, unit, target }.
export async function judge(contests, context, onResult) {
  for await (const item of contests(context)) {
    if (!item.contenders) {
      onResult(item);
      continue;
    }
    const { name, targets = {}, x } = item;
    const contenders = await hold(item, {
      ...effort(context.quick),
      clock: context.clock,
      ...item.effort,
    });
    onResult({ name, contenders, targets, ...(x === undefined ? {} : { x }) });
  }
}
