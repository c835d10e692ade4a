/** A disk that fails at each engine call in turn: nothing is left half-written, and the fault is `unavailable`. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type Job, type JobState, jobs } from '../../../core/jobs/contract.js';
import { isFault, type Storage } from '../../../core/storage.js';
import { beacon, type CalledAllele } from '../../../plugins/beacon/contract.js';
import { coverage, type Gene } from '../../../plugins/coverage/contract.js';
import { matchmaker } from '../../../plugins/matchmaker/contract.js';
import { erasePatient } from '../../../plugins/matchmaker/erasure.js';
import { addPeer, personContracts, personId, savePerson, tracesOf } from '../../plugins/matchmaker/support/person.js';
import { openFailing, trouble } from '../../support/failing.js';
import { storages } from '../../support/storages.js';

const now = new Date('2026-03-01T08:00:00Z');
const contracts = [jobs, beacon, coverage, ...personContracts];

/** Work that is tried with an error at each call; each try starts from the same state. */
interface Trial {
  /** From an empty storage to the state before the work. */
  prepare?(storage: Storage): Promise<unknown>;
  work(storage: Storage): Promise<unknown>;
  /** The observable state, which must be that before the work or that after it. */
  seen(storage: Storage): Promise<unknown>;
  /** From the state after the work back to that before. */
  undo(storage: Storage): Promise<unknown>;
}

const alleles = Array.from({ length: 40 }, (_, i): CalledAllele => {
  const at = { contig: '1', start: i * 10, end: i * 10 + 1, reference: 'A', alternate: 'C' } as const;
  const both: CalledAllele['carriers'] = [
    [0, 2],
    [1, 1],
  ];
  return { ...at, kind: 'SNP', structural: false, carriers: i % 2 ? [[0, 1]] : both };
});
async function* batch() {
  yield alleles;
}
const load = (storage: Storage) =>
  storage.repository(beacon).importAlleles({ dataset: 'ds', samples: ['a', 'b'], alleles: batch() }, now);
const unload = (storage: Storage) => storage.repository(beacon).removeSamples('ds', ['a', 'b'], now);
async function totals(storage: Storage) {
  const repository = storage.repository(beacon);
  const { alleleCount, callCount, sampleCount } = (await repository.dataset('ds')) ?? {};
  const kept = { alleles: alleleCount, calls: callCount, samples: sampleCount };
  expect(await repository.recount('ds'), 'totals are those of what is stored').to.deep.equal(kept);
  return kept;
}

/** Replaces all genes by this one. */
const loadGene = (storage: Storage, ensembl: string) => {
  const gene: Gene = { chromosome: '1', start: 10, end: 20, ensembl };
  async function* rows() {
    yield { genes: [gene] };
  }
  const record = { source: 'genes.tsv', checksum: `sha256:${'0'.repeat(64)}`, read: 1, skipped: {} };
  const sets = [{ kind: 'genes', build: 'GRCh38' }] as const;
  return storage.repository(coverage).load({ sets, rows: rows(), accept: () => record }, now);
};
async function genes(storage: Storage) {
  const found: string[] = [];
  await storage.repository(coverage).each('genes', 'GRCh38', undefined, async (rows) => {
    found.push(...rows.map(({ ensembl }) => ensembl));
  });
  const [set] = await storage.repository(coverage).sets();
  expect(found, 'the set has its rows').to.have.length(set?.rows ?? 0);
  return found;
}

const save = (storage: Storage) => storage.transaction(savePerson);
const erase = (storage: Storage) =>
  erasePatient({ transaction: (work) => storage.transaction(work), now: () => now }, personId, 'here');

const [worker, kind, key] = ['worker', 'test.work', 'key'];
const at = (seconds: number) => new Date(now.getTime() + seconds * 1000);
const enqueue = (storage: Storage) =>
  storage
    .repository(jobs)
    .enqueue({ id: randomUUID(), kind, payload: null, owner: 'lab', created: now, runAfter: now, key });
const claim = (storage: Storage) =>
  storage.repository(jobs).claim({ kinds: [kind], worker, now: at(1), leaseUntil: at(60) });
async function theJob(storage: Storage): Promise<Job> {
  const [job] = await storage.repository(jobs).list({ limit: 1 });
  if (!job) throw new Error('there is no job');
  return job;
}
const finish = async (storage: Storage) =>
  storage.repository(jobs).finish((await theJob(storage)).id, worker, 1, at(2));
const retry = async (storage: Storage) =>
  storage.repository(jobs).fail((await theJob(storage)).id, worker, 'no', at(2), at(3));
const expire = (storage: Storage) => storage.repository(jobs).expire(at(1000));
const claimed = async (storage: Storage) => {
  await enqueue(storage);
  await claim(storage);
};
/** States and attempts of all jobs; their counts must match the list. */
async function queue(storage: Storage): Promise<unknown> {
  const repository = storage.repository(jobs);
  const all = await repository.list({ limit: 10 });
  const counts = Object.entries(await repository.count()).filter(([, count]) => count > 0);
  const counted: Partial<Record<JobState, number>> = {};
  for (const { state } of all) counted[state] = (counted[state] ?? 0) + 1;
  expect(Object.fromEntries(counts), 'counted right').to.deep.equal(counted);
  return all.map(({ state, attempts, crashes, worker, error }) => ({ state, attempts, crashes, worker, error }));
}

const trials: Record<string, Trial> = {
  'a load': { work: load, seen: totals, undo: unload },
  'a deletion': { prepare: load, work: unload, seen: totals, undo: load },
  'a load of genes': {
    prepare: (storage) => loadGene(storage, 'ENSG00000000001'),
    work: (storage) => loadGene(storage, 'ENSG00000000002'),
    seen: genes,
    undo: (storage) => loadGene(storage, 'ENSG00000000001'),
  },
  'the saving of a patient': { work: save, seen: tracesOf, undo: erase },
  'an erasure': { prepare: save, work: erase, seen: tracesOf, undo: save },
  settling: {
    prepare: save,
    work: (storage) => storage.repository(matchmaker).counts(),
    seen: tracesOf,
    // A patient to settle again.
    undo: async (storage) => {
      await erase(storage);
      await save(storage);
    },
  },
  'the queueing of a job': {
    work: enqueue,
    seen: queue,
    undo: async (storage) => {
      await claim(storage);
      await finish(storage);
      await expire(storage);
    },
  },
  'the claim of a job': {
    prepare: enqueue,
    work: claim,
    seen: queue,
    undo: async (storage) => storage.repository(jobs).release((await theJob(storage)).id, worker, at(2)),
  },
  'the end of a job': {
    prepare: claimed,
    work: finish,
    seen: queue,
    undo: async (storage) => {
      await expire(storage);
      await claimed(storage);
    },
  },
  'the retry of a job': {
    prepare: claimed,
    work: retry,
    seen: queue,
    undo: async (storage) => {
      await storage.repository(jobs).cancel((await theJob(storage)).id, at(3));
      await expire(storage);
      await claimed(storage);
    },
  },
};

for (const engine of storages) {
  describe(`a disk that fails, on ${engine.name}`, function () {
    this.timeout(600_000); // hundreds of tries

    for (const [what, { prepare, work, seen, undo }] of Object.entries(trials)) {
      it(`leaves ${what} complete or undone, whichever call fails`, async () => {
        const home = await engine.home(contracts);
        const { storage, failAt, recover } = await openFailing(home, contracts);
        try {
          const description = { id: 'ds', name: 'Set', assembly: 'GRCh37', access: 'PUBLIC', version: 1 } as const;
          await storage.repository(beacon).addDataset(description, now);
          await addPeer(storage);
          await prepare?.(storage);
          const before = await seen(storage);
          await work(storage);
          const after = await seen(storage);
          await undo(storage);
          expect(await seen(storage), 'undone').to.deep.equal(before);

          for (const how of trouble) {
            let tries = 0;
            for (;;) {
              const call = tries + 1;
              const error = `after an error at call ${call} (${how})`;
              failAt(call, how);
              let fault: unknown;
              await work(storage).catch((thrown: unknown) => {
                fault = thrown;
              });
              const reached = recover();
              const state = await seen(storage);
              expect(state, error).to.be.deep.oneOf([before, after]);
              if (fault === undefined) expect(state, 'what is said to be done is done').to.deep.equal(after);
              else expect(isFault(fault) && fault.code, `${error}: ${fault}`).to.equal('unavailable');
              // Also if the states before and after look the same.
              if (fault === undefined || JSON.stringify(state) === JSON.stringify(after)) await undo(storage);
              if (!reached) break;
              tries += 1;
            }
            expect(tries, `calls that failed (${how})`).to.be.at.least(1);
          }
        } finally {
          await storage.close();
          await home.discard();
        }
      });
    }
  });
}
