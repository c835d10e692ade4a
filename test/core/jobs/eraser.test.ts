/** Background jobs in erasures: what ended jobs returned, or failed with, names the person no more. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
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

  it('are deleted if a file name has the id up to an underscore, and are counted if it goes on after a hyphen', async () => {
    const naming = [
      await ended(day(1), { error: 'PAT-1_S1.vcf.gz: line 3 has no position' }),
      await ended(day(1), { error: 'The file "/data/run_PAT-1_S1_L001.d4" is damaged' }),
      await ended(day(1), { result: { files: ['/data/PAT-1/calls.vcf', 'other.vcf'] } }),
      await ended(day(1), { error: 'PAT-1.vcf.gz is empty' }),
    ];
    const similar = [await ended(day(1), { error: 'PAT-1-S1.vcf.gz: line 3 has no position' })];
    const others = [
      await ended(day(1), { error: 'PAT-10_S1.vcf.gz: line 3 has no position' }),
      await ended(day(1), { error: 'XPAT-1_S1.vcf.gz, ÅPAT-1_S1.vcf.gz and PAT-1é.vcf are damaged' }),
      await ended(day(1), { error: 'Samples [PAT-1_b, PAT-1-b] were not found in the file' }),
    ];
    const report = [
      { what: 'ended background jobs that name the person', count: naming.length },
      {
        what: 'ended background jobs with a file whose name goes on after the id',
        count: similar.length,
        stays: 'it may be the file of another id: look at them with `trefoil job list`',
      },
    ];
    expect(await eraser.find([erasureOf('PAT-1')])).to.deep.equal(report);
    expect(await eraser.erase([erasureOf('PAT-1')])).to.deep.equal(report);
    for (const id of naming) expect(await isThere(id)).to.equal(false);
    for (const id of [...similar, ...others]) expect(await isThere(id)).to.equal(true);
  });

  it('are deleted for every id in a file name, and for none that only looks alike', async () => {
    // Few letters and digits: most ids differ by one of them, at either end.
    const id = fc.stringMatching(/^[AB]{1,2}-[01]{1,2}$/);
    const made = fc.constantFrom(
      (one: string) => `${one}.vcf`,
      (one: string) => `${one}_S1_L001_R1.vcf.gz`,
      (one: string) => `/data/2026_${one}_S12.d4`,
      (one: string) => `Sample ${one} was not found`,
      (one: string) => `"${one}", (${one}_S1.bam)`,
    );
    const property = fc.asyncProperty(id, fc.array(fc.tuple(id, made), { maxLength: 4 }), async (erased, named) => {
      await repository.remove((await repository.list({ limit: 100 })).map((job) => job.id));
      const job = await ended(day(1), { error: named.map(([one, text]) => text(one)).join('; ') });
      await eraser.erase([erasureOf(erased)]);
      expect(await isThere(job)).to.equal(!named.some(([one]) => one === erased));
    });
    await fc.assert(property, { numRuns: Number(process.env.TEST_HISTORIES ?? 50) });
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
