/** Comparisons that the cases share. */
import assert from 'node:assert/strict';
import {
  type Contract,
  type Fault,
  type FaultCode,
  isFault,
  type Storage,
  type StorageScope,
} from '../../../core/storage.js';
import type { Case } from './case.js';

/** A time of the cases' own clock, in seconds from its start, precise to the millisecond. */
export function at(second: number): Date {
  return new Date(Date.UTC(2026, 0, 15, 8, 0, 0, 7) + Math.round(second * 1000));
}

/**
 * Asserts that two values of plain data are equal, types included: a Date is not a number, a number is not text, and
 * absent is `undefined` (or no key at all), never null. Objects with their own prototype, such as database rows, differ.
 */
export function same(actual: unknown, expected: unknown, message?: string): void {
  assert.deepStrictEqual(withoutAbsent(actual), withoutAbsent(expected), message);
}

/** The same of what each row of a list has. */
same.each = <Row>(
  rows: readonly Row[],
  pick: (row: Row) => unknown,
  expected: readonly unknown[],
  message?: string,
): void => same(rows.map(pick), expected, message);

/** Drops keys whose value is undefined. */
function withoutAbsent(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutAbsent);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => (member === undefined ? [] : [[key, withoutAbsent(member)]])),
  );
}

/**
 * Different texts that some storage may take for one another: by case, blanks, line ends, composition of letters, or as patterns.
 */
export const lookalikes: readonly string[] = "a|A|a | a|a\n|a\r\n|a\t|\u00e1|a\u0301|%|_|aa|a%|A_|\u{1f9ec}|\\|'".split(
  '|',
);

/** A text that storage may be tempted to tidy: blanks at both ends, upper case, a decomposed letter, quotes, and characters of patterns. */
export const oddText = ' Aba\u0301 \u{1f9ec}%_\\\'"\r\n';

/** Those for which the others may be taken. */
export const originals: readonly string[] = ['a', '\u00e1'];
export const imitations: readonly string[] = lookalikes.filter((text) => !originals.includes(text));

/** Asserts that a promise is rejected with a fault of this code (or one of these), and returns the fault. */
export async function faults(code: FaultCode | readonly FaultCode[], work: Promise<unknown>): Promise<Fault> {
  const [outcome] = await Promise.allSettled([work]);
  return faultOf(code, outcome);
}

/** Asserts that a settled promise was rejected with a fault of this code (or one of these), and returns the fault. */
export function faultOf(
  code: FaultCode | readonly FaultCode[],
  outcome: PromiseSettledResult<unknown> | undefined,
): Fault {
  const codes = [code].flat();
  const wanted = `Expected a fault of code ${codes.map((each) => `"${each}"`).join(' or ')}, but`;
  if (outcome?.status !== 'rejected') assert.fail(`${wanted} nothing was thrown`);
  const { reason } = outcome;
  if (!isFault(reason)) assert.fail(`${wanted} got ${reason}`);
  if (!codes.includes(reason.code)) assert.fail(`${wanted} got "${reason.code}": ${reason.message}`);
  return reason;
}

/** Asserts that a fault's message repeats none of these values, which the caller passed in. */
export function keepsSecret(fault: Fault, ...values: string[]): void {
  for (const value of values) {
    assert.ok(
      !fault.message.includes(value),
      `The fault's message contains a value that was passed in: ${fault.message}`,
    );
  }
}

/** Asserts that one of several calls succeeded and the others were refused with a fault of this code; returns its place. */
export function onlyOne(code: FaultCode, outcomes: readonly PromiseSettledResult<unknown>[]): number {
  const done = outcomes.filter(({ status }) => status === 'fulfilled');
  assert.equal(done.length, 1, 'one of several calls succeeds');
  for (const outcome of outcomes) if (outcome.status === 'rejected') faultOf(code, outcome);
  return outcomes.findIndex(({ status }) => status === 'fulfilled');
}

/** Reads again and again until the work is over, which must succeed. */
export async function readDuring(work: Promise<unknown>, read: () => Promise<void>): Promise<void> {
  let isOver = false;
  const over = work.finally(() => {
    isOver = true;
  });
  over.catch(() => {});
  while (!isOver) {
    await read();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await over;
}

/** A case of what `read` returns: that is the same once the storage was closed and opened again. */
export function reopening<Repository>(
  name: string,
  promise: string,
  contract: Contract<Repository>,
  fill: (repository: Repository) => Promise<unknown>,
  read: (repository: Repository) => Promise<unknown>,
): Case<Repository> {
  const run: Case<Repository>['run'] = async ({ repository, storage, again }) => {
    await fill(repository);
    const before = await read(repository);
    await storage.close();
    same(await read((await again()).repository(contract)), before);
  };
  return { name, promise, needs: 'durable', run };
}

/** Runs the work while the clock is some days fast. */
export async function daysLater(days: number, work: () => Promise<unknown>): Promise<void> {
  const { now } = Date;
  Date.now = () => now() + days * 24 * 60 * 60 * 1000;
  try {
    await work();
  } finally {
    Date.now = now;
  }
}

/** Does the work in a transaction that is then rolled back. */
export async function undone(storage: Storage, work: (scope: StorageScope) => Promise<unknown>): Promise<void> {
  const reason = new Error('thrown in the transaction');
  const failing = storage.transaction(async (scope) => {
    await work(scope);
    throw reason;
  });
  assert.equal(await failing.catch((error: unknown) => error), reason);
}

/**
 * The first caller's transaction stays open until the other caller's verb has ended, or waits for it: on a busy machine the
 * other gets as much longer as the first took. `then` is what the first one still does before its transaction ends.
 */
export async function meet<Result>(
  storage: Storage,
  first: (scope: StorageScope) => Promise<unknown>,
  other: () => Promise<Result>,
  then: (scope: StorageScope) => Promise<unknown> = async () => {},
): Promise<Result> {
  const { met } = await storage.transaction(async (scope) => {
    const began = performance.now();
    await first(scope);
    const taken = performance.now() - began;
    const met = other();
    await atMost(Math.max(150, 5 * taken), met);
    await then(scope);
    return { met };
  });
  return met;
}

/** Two callers of one contract, of whom the first stays in its transaction until the other's verb has ended, or waits for it. */
export interface Meeting<Repository, Result> {
  name: string;
  promise: string;
  /** What is there before. */
  before?(repository: Repository): Promise<unknown>;
  first(inside: Repository): Promise<unknown>;
  other(repository: Repository): Promise<Result>;
  /** Also after the other verb failed. */
  check(repository: Repository, result: Promise<Result>): Promise<unknown>;
}

/** A case of two callers that meet. */
export function meeting<Repository, Result>(
  contract: Contract<Repository>,
  { name, promise, before, first, other, check }: Meeting<Repository, Result>,
): Case<Repository> {
  const run: Case<Repository>['run'] = async ({ storage, repository }) => {
    await before?.(repository);
    const met = meet(
      storage,
      (scope) => first(scope.repository(contract)),
      () => other(repository),
    );
    await Promise.allSettled([met]);
    await check(repository, met);
  };
  return { name, promise, run };
}

export const givingUp = "aborting the signal of a read throws the signal's reason";

/** Aborts the signal of a read before it begins, at some moments while it is under way, and after it. */
export async function giveUp<Result>(read: (signal: AbortSignal) => Promise<Result>): Promise<void> {
  const reason = new Error('The caller has left');
  const late = new AbortController();
  const expected = await read(late.signal);
  late.abort(reason);
  const [early] = await Promise.allSettled([read(AbortSignal.abort(reason))]);
  assert.equal(early?.status === 'rejected' ? early.reason : 'an answer', reason, 'what a read threw');
  for (let turns = 0; turns < 6; turns++) {
    const controller = new AbortController();
    const reading = Promise.allSettled([read(controller.signal)]);
    for (let i = 0; i < turns; i++) await new Promise((resolve) => setImmediate(resolve));
    controller.abort(reason);
    const [outcome] = await reading;
    // At whichever point it is aborted, it ends, with its result or with the reason.
    if (outcome.status === 'rejected') assert.equal(outcome.reason, reason, 'what a read threw');
    else same(outcome.value, expected);
  }
  same(await read(new AbortController().signal), expected, 'afterwards');
}

/** Resolves when `open` is called: lets a case pause something halfway. */
export interface Gate {
  readonly passed: Promise<void>;
  open(): void;
}

export function gate(): Gate {
  let open: () => void = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}

/** Resolves when the work settles, or after this many milliseconds. */
export async function atMost(milliseconds: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const waited = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([
    work.then(
      () => {},
      () => {},
    ),
    waited,
  ]);
  clearTimeout(timer);
}
