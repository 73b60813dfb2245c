/**
 * Work for the screen in turns: a short piece of it a task, so that the browser can answer the
 * reader in between.
 */
type Work = () => Iterator<unknown>;

interface Turn {
  readonly owner: object;
  readonly steps: Iterator<unknown>;
}

const TURN_MILLISECONDS = 8;

const waiting = new Map<object, Work>();
let current: Turn | undefined;
const channel = new MessageChannel();
channel.port1.onmessage = takeTurn;

/** Each step of the work is one piece. Work of the owner's that has begun is finished before it. */
export function takeTurns(owner: object, work: Work): void {
  const idle = !current && waiting.size === 0;
  waiting.set(owner, work);
  if (idle) channel.port2.postMessage(undefined);
}

export function leaveTurns(owner: object): void {
  waiting.delete(owner);
  if (current?.owner === owner) current = undefined;
}

export function hasTurns(owner: object): boolean {
  return waiting.has(owner) || current?.owner === owner;
}

function takeTurn(): void {
  const end = performance.now() + TURN_MILLISECONDS;
  do takeStep();
  while (isLeft() && performance.now() < end);
  if (isLeft()) channel.port2.postMessage(undefined);
}

function isLeft(): boolean {
  return current !== undefined || waiting.size > 0;
}

function takeStep(): void {
  current ??= nextTurn();
  const turn = current;
  let done = true;
  try {
    done = turn?.steps.next().done ?? true;
  } catch (failure) {
    reportError(failure);
  }
  if (done && current === turn) current = undefined;
}

function nextTurn(): Turn | undefined {
  const [first] = waiting;
  if (!first) return undefined;
  const [owner, work] = first;
  waiting.delete(owner);
  return { owner, steps: work() };
}
