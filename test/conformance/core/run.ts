/** Runs cases. A failure names the promise that was broken and the input that broke it. */
import { inspect } from 'node:util';
import type { Contract, Storage } from '../../../core/storage.js';
import type { Case, Opened, Runner, RunOptions, Subject } from './case.js';
import { Journal, noted } from './journal.js';

/** A case that failed: the broken promise, the input, how it was noticed (its cause) and the calls that led to it. */
export class BrokenPromise extends Error {
  readonly case: string;
  readonly promise: string;

  constructor(
    subject: string,
    broken: Case<never>,
    inputs: ReadonlyMap<string, unknown>,
    cause: unknown,
    calls: readonly string[] = [],
  ) {
    const given = [...inputs].map(([name, value]) => `\n  given ${name}: ${shown(value)}`).join('');
    const reason = cause instanceof Error ? cause.message : inspect(cause);
    const noticed = reason.trimEnd().replaceAll('\n', '\n  ');
    const after = calls.length > 0 ? ['\n  after these calls, oldest first:', ...calls].join('\n    ') : '';
    super(`${subject} breaks a promise: ${broken.promise}${given}\n  ${noticed}${after}`, { cause });
    this.name = 'BrokenPromise';
    this.case = broken.name;
    this.promise = broken.promise;
  }
}

function shown(value: unknown): string {
  return inspect(value, { depth: 8, maxArrayLength: 40, maxStringLength: 200, breakLength: 140 });
}

/** Runs one case on a new storage. Throws a `BrokenPromise` if the case fails, or if the storage fails to open or close. */
export async function runCase<Repository>(
  subject: Subject,
  contract: Contract<Repository>,
  item: Case<Repository>,
  { seed = 1, also = [] }: RunOptions & { also?: readonly Contract[] } = {},
): Promise<void> {
  const homes: Opened[] = [];
  const storages: Storage[] = [];
  const inputs = new Map<string, unknown>();
  const journal = new Journal();
  const open = async (contracts: readonly Contract[]): Promise<Opened> => {
    const home = await subject.open(contracts);
    homes.push(home);
    storages.push(home.storage);
    return home;
  };
  const failures: unknown[] = [];
  const attempt = async (step: () => Promise<unknown>): Promise<void> => {
    try {
      await step();
    } catch (error) {
      failures.push(error);
    }
  };
  await attempt(async () => {
    const home = await open([contract, ...also]);
    const opened = noted(home.storage, journal);
    await item.run({
      storage: opened,
      repository: opened.repository(contract),
      capabilities: subject.capabilities ?? {},
      seed,
      given: (name, value) => inputs.set(name, value),
      open: async (contracts) => {
        const asked = contracts.map(({ id }) => id);
        const storage = await journal.call('open', [asked], async () => (await open(contracts)).storage);
        return noted(storage, journal);
      },
      again: async () => {
        if (!home.again)
          throw new TypeError(`The subject "${subject.name}" must offer again(): it declares ${item.needs}`);
        const storage = await home.again();
        storages.push(storage);
        return noted(storage, journal);
      },
    });
  });
  for (const storage of storages) await attempt(() => storage.close());
  for (const home of homes) await attempt(async () => home.discard?.());
  if (failures.length > 0) throw new BrokenPromise(subject.name, item, inputs, failures[0], journal.lines());
}

/** Passes the cases to a test runner; a case whose capability the subject does not declare is reported as skipped. */
export function describeCases<Repository>(
  { describe, it }: Runner,
  subject: Subject,
  title: string,
  contract: Contract<Repository>,
  cases: readonly Case<Repository>[],
  options: RunOptions & { also?: readonly Contract[] } = {},
): void {
  const names = new Set(cases.map(({ name }) => name));
  if (names.size !== cases.length) throw new TypeError(`Two cases of ${title} have the same name`);
  describe(`${title} on ${subject.name}`, () => {
    for (const item of cases) {
      const run = () => runCase(subject, contract, item, options);
      if (item.needs === undefined || subject.capabilities?.[item.needs]) it(item.name, run);
      else it.skip?.(`${item.name} (needs ${item.needs}, which is not declared)`, run);
    }
  });
}
