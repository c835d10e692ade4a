/** The kit itself: what it runs, what it says of a failure, and what it clears away. */
import { expect } from 'chai';
import type { TokenRepository } from '../../core/auth/contract.js';
import type { BeaconRepository } from '../../plugins/beacon/contract.js';
import { beacon, beaconCases, depthCases, geneCases } from '../conformance/beacon.js';
import {
  BrokenPromise,
  type Case,
  describeContract,
  jobCases,
  jobs,
  property,
  Random,
  type Runner,
  runCase,
  type Subject,
  storageCases,
  tokenCases,
  tokens,
} from '../conformance/core.js';
import { coverageCases, sampleCases } from '../conformance/coverage.js';
import { memorySubject } from './memory.js';

const passes: Case<TokenRepository> = { name: 'passes', promise: 'something holds', run: async () => {} };

function failing(error: unknown): Case<TokenRepository> {
  return {
    name: 'fails',
    promise: 'something holds',
    run: async ({ given }) => {
      given('number', 41);
      given('number', 42);
      given('list', [{ name: 'a' }]);
      throw error;
    },
  };
}

async function broken(run: Promise<unknown>): Promise<BrokenPromise> {
  try {
    await run;
  } catch (error) {
    expect(error).to.be.instanceOf(BrokenPromise);
    return error as BrokenPromise;
  }
  throw new Error('Nothing was thrown');
}

/** A runner that only notes what it is asked to run. */
function noting(skips: boolean) {
  const seen = { suites: [] as string[], run: [] as string[], skipped: [] as string[] };
  const it: Runner['it'] = (title: string) => seen.run.push(title);
  if (skips) it.skip = (title: string) => seen.skipped.push(title);
  const describe: Runner['describe'] = (title, body) => {
    seen.suites.push(title);
    body();
  };
  return { seen, runner: { describe, it } };
}

describe('the conformance kit', () => {
  const durable: Case<TokenRepository> = { ...passes, name: 'needs to last', needs: 'durable' };

  it('passes its cases to any runner, and skips those that need a missing capability', () => {
    const { seen, runner } = noting(true);
    describeContract(runner, memorySubject, tokens, [passes, durable]);
    expect(seen).to.deep.equal({
      suites: ['tokens@1 on memory'],
      run: ['passes'],
      skipped: ['needs to last (needs durable, which is not declared)'],
    });
  });

  it('omits those cases if the runner cannot skip', () => {
    const { seen, runner } = noting(false);
    describeContract(runner, memorySubject, tokens, [passes, durable]);
    expect(seen.run).to.deep.equal(['passes']);
  });

  it('runs the cases of a declared capability', () => {
    const { seen, runner } = noting(true);
    describeContract(runner, { ...memorySubject, capabilities: { durable: true } }, tokens, [durable]);
    expect(seen.run).to.deep.equal(['needs to last']);
  });

  it('refuses two cases with one name', () => {
    const { runner } = noting(true);
    expect(() => describeContract(runner, memorySubject, tokens, [passes, passes])).to.throw('same name');
  });

  it('has a unique name and a promise for every case', () => {
    for (const cases of [
      storageCases,
      tokenCases,
      jobCases,
      beaconCases,
      geneCases,
      depthCases,
      coverageCases,
      sampleCases,
    ] as readonly (readonly Case<never>[])[]) {
      expect(new Set(cases.map(({ name }) => name))).to.have.lengthOf(cases.length);
      for (const { promise } of cases) expect(promise).to.match(/\S{3}/);
    }
  });

  it('names the contract, the broken promise and the input', async () => {
    const cause = new Error('it does not');
    const error = await broken(runCase(memorySubject, tokens, failing(cause)));
    expect(error.message).to.equal(
      "memory breaks a promise: something holds\n  given number: 42\n  given list: [ { name: 'a' } ]\n  it does not",
    );
    expect(error.cause).to.equal(cause);
    expect(error.case).to.equal('fails');
  });

  it('shows the calls that led to a failure, with their arguments as they were then', async () => {
    const token = { id: 'a', hash: 'h', owner: 'erna', scopes: ['x:y'], created: new Date(0) };
    const item: Case<TokenRepository> = {
      ...passes,
      async run({ storage, repository, open }) {
        const changed = structuredClone(token);
        await repository.add(changed);
        changed.owner = 'changed later';
        for (const hash of ['1', '2', '3', 'h']) await repository.findByHash(hash);
        await open([jobs]);
        await storage.transaction((scope) => scope.repository(tokens).add(token));
      },
    };
    const { message } = await broken(runCase(memorySubject, tokens, item));
    const shown = "{ id: 'a', hash: 'h', owner: 'erna', scopes: [ 'x:y' ], created: 1970-01-01T00:00:00.000Z }";
    const conflict = 'throws conflict: There is already a token with this id or hash';
    expect(message.split('\n').slice(2)).to.deep.equal([
      '  after these calls, oldest first:',
      `    tokens.add(${shown}) → undefined`,
      "    tokens.findByHash('1') → undefined",
      '    (2 more of tokens.findByHash)',
      `    tokens.findByHash('h') → ${shown}`,
      "    open([ 'jobs@1' ]) → [MemoryStorage]",
      `    storage.transaction() → ${conflict}`,
      `    in the transaction: tokens.add(${shown}) → ${conflict}`,
    ]);
  });

  it('shows what an import had read of its alleles when it failed', async () => {
    const item: Case<BeaconRepository> = {
      ...passes,
      async run({ repository }) {
        const description = { id: 'ds', name: 'ds', assembly: 'GRCh37', access: 'PUBLIC', version: 1 } as const;
        await repository.addDataset(description, new Date(0));
        const alleles = (async function* () {
          for (let i = 0; i < 14; i++) yield [];
          throw new Error('the file ends');
        })();
        await repository.importAlleles({ dataset: 'ds', samples: ['s'], alleles }, new Date(1));
      },
    };
    const { message } = await broken(runCase(memorySubject, beacon, item));
    const read = `${'[], '.repeat(10)}… 4 more`;
    expect(message).to.include(
      `beacon.importAlleles({ dataset: 'ds', samples: [ 's' ], alleles: [ ${read} ] }, 1970-01-01T00:00:00.001Z) → throws Error: the file ends`,
    );
  });

  it('omits the earliest of many calls, and counts them', async () => {
    const item: Case<TokenRepository> = {
      ...passes,
      async run({ repository }) {
        for (let i = 0; i < 20; i++) {
          await repository.list();
          await repository.list();
          await repository.findByHash(String(i));
        }
        throw new Error('no');
      },
    };
    const { message } = await broken(runCase(memorySubject, tokens, item));
    const lines = message.split('\n').slice(3);
    // Of 20 rounds of 3 calls the last 5 are shown.
    expect(lines).to.have.lengthOf(1 + 15);
    expect(lines[0]).to.equal('    (45 calls before)');
    expect(lines.at(-1)).to.equal("    tokens.findByHash('19') → undefined");
  });

  it('closes and discards every storage, whether the case passes or fails', async () => {
    for (const item of [passes, failing(new Error('no'))]) {
      const log: string[] = [];
      let opened = 0;
      const subject: Subject = {
        ...memorySubject,
        open: async (contracts) => {
          const { storage } = await memorySubject.open(contracts);
          const number = ++opened;
          const close = storage.close.bind(storage);
          storage.close = async () => {
            log.push(`close ${number}`);
            await close();
          };
          return { storage, discard: async () => void log.push(`discard ${number}`) };
        },
      };
      const twice: Case<TokenRepository> = {
        ...item,
        run: async (context) => {
          await context.open([tokens]);
          await item.run(context);
        },
      };
      await Promise.allSettled([runCase(subject, tokens, twice)]);
      expect(log).to.deep.equal(['close 1', 'close 2', 'discard 1', 'discard 2']);
    }
  });

  it('reports a storage that cannot be opened or closed as a failure', async () => {
    const open = new Error('cannot open');
    const closed = await broken(runCase({ name: 'x', open: () => Promise.reject(open) }, tokens, passes));
    expect(closed.cause).to.equal(open);
    const subject: Subject = {
      name: 'x',
      open: async (contracts) => {
        const { storage } = await memorySubject.open(contracts);
        storage.close = () => Promise.reject(new Error('cannot close'));
        return { storage };
      },
    };
    expect((await broken(runCase(subject, tokens, passes))).message).to.include('cannot close');
  });

  it('tells the author of a durable adapter to offer again()', async () => {
    const item: Case<TokenRepository> = { ...durable, run: async ({ again }) => void (await again()) };
    const error = await broken(runCase({ ...memorySubject, capabilities: { durable: true } }, tokens, item));
    expect(error.message).to.include('must offer again(): it declares durable');
  });
});

describe('random cases of the kit', () => {
  it('are the same for the same seed, and others for another', () => {
    const numbers = (seed: number) => {
      const random = new Random(seed);
      return Array.from({ length: 200 }, () => random.int(0, 999));
    };
    expect(numbers(7)).to.deep.equal(numbers(7));
    expect(numbers(7)).not.to.deep.equal(numbers(8));
    for (const number of numbers(7)) expect(number).to.be.within(0, 999);
  });

  it('stay within their bounds and reach both', () => {
    const random = new Random(1);
    const seen = new Set(Array.from({ length: 200 }, () => random.int(3, 6)));
    expect([...seen].sort()).to.deep.equal([3, 4, 5, 6]);
  });

  it('are shrunk as far as possible, and shown with their seed', async () => {
    const item: Case<TokenRepository> = {
      name: 'random',
      promise: 'no list holds both 3 and 7',
      run: (context) =>
        property<number>(context, {
          runs: 50,
          generate: (random) => random.list(20, 40, () => random.int(0, 9)),
          check: async (steps) => {
            if (steps.includes(3) && steps.includes(7)) throw new Error('both');
          },
        }),
    };
    const error = await broken(runCase(memorySubject, tokens, item, { seed: 11 }));
    expect(error.message).to.match(/given seed: \d+\n {2}given steps: \[ (3, 7|7, 3) \]\n {2}both$/);
    expect((await broken(runCase(memorySubject, tokens, item, { seed: 11 }))).message).to.equal(error.message);
  });
});
