/** Background jobs in erasures: what ended jobs returned, or failed with, names the person no more. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Eraser, Erasure } from '../../../core/erasures/erasure.js';
import { type JobRepository, type Json, jobs } from '../../../core/jobs/contract.js';
import { jobsEraser } from '../../../core/jobs/eraser.js';
import { type OpenedStorage, sqlite } from '../../support/storages.js';
import { day, erasureOf } from '../erasures/erasure.js';

describe('background jobs in erasures', () => {
  let opened: OpenedStorage;
  let repository: JobRepository;
  let eraser: Eraser;

  beforeEach(async () => {
    opened = await sqlite.open([jobs]);
    repository = opened.storage.repository(jobs);
    eraser = jobsEraser(repository);
  });
  afterEach(() => opened.close());

  /** Adds a job on a day, and ends it. */
  async function ended(created: Date, how: { result: Json } | { error: string }): Promise<string> {
    const id = randomUUID();
    await repository.enqueue({ id, kind: 'test.work', payload: null, owner: 'lab', created, runAfter: created });
    await repository.claim({ kinds: ['test.work'], worker: 'w', now: created, leaseUntil: day(31) });
    if ('result' in how) await repository.finish(id, 'w', how.result, created);
    else await repository.fail(id, 'w', how.error, created);
    return id;
  }

  async function countOf(verb: 'find' | 'erase', ...erasures: Erasure[]): Promise<number> {
    const [one] = await eraser[verb](erasures);
    return one?.count ?? 0;
  }

  const isThere = async (id: string) => (await repository.find(id)) !== undefined;

  it('are deleted if they ended and name the person, and no others', async () => {
    const naming = [
      await ended(day(1), { result: { comparison: { findings: [{ sample: 'P1', other: 'P2' }] } } }),
      await ended(day(1), { result: { P1: 'loaded' } }),
      await ended(day(1), { error: 'Samples [P0, P1] were not found in the file' }),
    ];
    const others = [
      await ended(day(1), { result: { samples: ['P10', 'XP1', 'P1-b', 1] } }),
      await ended(day(1), { error: 'The file P11.vcf is damaged' }),
    ];
    const queued = randomUUID();
    const job = { id: queued, kind: 'test.later', payload: { samples: ['P1'] }, owner: 'lab' };
    await repository.enqueue({ ...job, created: day(1), runAfter: day(1) });

    expect(await countOf('find', erasureOf('P1'))).to.equal(3);
    expect(await countOf('erase', erasureOf('P1'))).to.equal(3);
    for (const id of naming) expect(await isThere(id)).to.equal(false);
    for (const id of [...others, queued]) expect(await isThere(id)).to.equal(true);
    expect(await countOf('erase', erasureOf('P1'))).to.equal(0);
  });

  it('stay after objections to sharing, and erasures at other nodes', async () => {
    await ended(day(1), { result: ['P1'] });
    const all = [erasureOf('P1', { scope: 'sharing' }), erasureOf('P1', { holder: { name: 'node' } })];
    expect(await countOf('erase', ...all)).to.equal(0);
    expect(await countOf('erase', erasureOf('P1', { names: 'patient', holder: 'any' }))).to.equal(1);
  });

  it('stay if they came after an erasure that is repeated', async () => {
    const before = await ended(day(1), { result: ['P1'] });
    const after = await ended(day(5), { result: ['P1'] });
    expect(await countOf('erase', erasureOf('P1', { before: day(3) }))).to.equal(1);
    expect([await isThere(before), await isThere(after)]).to.deep.equal([false, true]);
  });
});
