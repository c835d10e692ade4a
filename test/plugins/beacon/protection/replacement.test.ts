/** Calls of published samples that are replaced: the dataset answers from the old ones until its next publication. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { protectionSettings } from '../../../../plugins/beacon/protection/profiles.js';
import { dealt } from '../../../support/dealt.js';
import { useOnce } from '../../../support/use.js';
import { engines } from '../support/engines.js';
import { generationsOn } from '../support/generations.js';
import { addRecords, ask, type Json } from '../support/serve.js';
import { vcf } from '../support/vcf.js';
import { serveWriter } from '../support/write.js';

const samples = Array.from({ length: 12 }, (_, i) => `s${i}`);
/** A person counts once in each stretch of a million bases and those next to it. */
const [first, second, third, fourth] = [1_000_000, 5_000_000, 9_000_000, 13_000_000];
const careful = { profile: 'careful', anonymous: { budget: 0.2, least: 1 }, minimumSize: 5, batch: 6 };
const settings = { protection: { datasets: { d: careful } } };

const record = (position: number, genotypes: string[]) => `1 ${position} . A C . . . GT ${genotypes.join(' ')}`;
const old = [
  record(
    first,
    samples.map((_, i) => (i < 6 ? '0/1' : '0/0')),
  ),
  record(
    second,
    samples.map((_, i) => (i < 6 ? '0/0' : '0/1')),
  ),
];

for (const engine of dealt(engines, 'sqlite')) {
  describe(`beacon: replacements in protected datasets (${engine.name})`, () => {
    const server = useOnce(() => serveWriter(engine, { settings }));
    let created: Date;

    beforeEach(async () => {
      await server.repository.removeDataset('d');
      await server.protection().drop('d');
      await addRecords(server.repository, 'd', old, { samples });
      created = (await server.repository.dataset('d'))?.created ?? new Date();
      const totals = { alleles: 2, calls: 12, samples: 12 };
      await server.protection().publish({ dataset: 'd', created, samples, totals }, new Date());
      // Lists of datasets are read ten times a second at most.
      await sleep(150);
      await seen(second, true);
      await seen(first, true);
    });

    const load = async (names: readonly string[], records: readonly string[], more: object = {}) => {
      const vcf_path = await server.file('new.vcf', vcf({ samples: [...names], records: [...records] }));
      return server.ended(await server.send('add', { dataset_id: 'd', assemblyId: 'GRCh37', vcf_path, ...more }));
    };
    async function add(names: readonly string[], records: readonly string[], more: object = {}): Promise<Json> {
      const job = await load(names, records, more);
      expect(job.state, String(job.error)).to.equal('done');
      return job.result as Json;
    }
    /** New calls of some samples: one copy at a place. */
    const replace = (names: readonly string[], place: number, more: object = {}) =>
      add(
        names,
        [
          record(
            place,
            names.map(() => '0/1'),
          ),
        ],
        { replace: true, force: true, ...more },
      );
    const remove = async (names: readonly string[]) =>
      (await server.ended(await server.send('delete', { dataset_id: 'd', samples: names }))).result as Json;

    const anonymous = (position: number) =>
      ask(server.url, {
        ...{ assemblyId: 'GRCh37', referenceName: '1', start: position - 1 },
        ...{ referenceBases: 'A', alternateBases: 'C' },
      });
    async function seen(position: number, expected: boolean): Promise<void> {
      const { status, body } = await anonymous(position);
      expect([status, body.exists], `${position}`).to.deep.equal([200, expected]);
    }
    const carriers = async (position: number) => {
      const start = { min: position - 1, max: position - 1 };
      const query = { assembly: 'GRCh37', contig: '1', start } as const;
      const [found] = await server.repository.found(query, ['d'], { limit: 100, carriers: true });
      return (found?.alleles ?? []).flatMap(({ named = [] }) => named.map(([name]) => name)).sort();
    };
    const sound = async () => {
      const { alleleCount: alleles, callCount: calls, sampleCount } = (await server.repository.dataset('d')) ?? {};
      expect(await server.repository.recount('d')).to.deep.equal({ alleles, calls, samples: sampleCount });
    };

    it('wait for the batch: old calls answer until the new ones do, all at once', async () => {
      const spent = await server.protection().spending('d');
      const result = await replace(samples.slice(0, 5), third);
      expect(result.added).to.deep.equal({ alleles: 0, calls: 0, samples: 0 });
      expect(result.waiting).to.deep.equal({ added: 0, deletions: 0, replacements: 5, publishedAt: 6 });
      await seen(first, true);
      await seen(third, false);
      expect(await carriers(first)).to.deep.equal(samples.slice(0, 6));
      expect(await carriers(third)).to.deep.equal([]);
      // What did not change costs nothing more.
      await seen(second, true);
      expect((await server.protection().spending('d'))[0]?.spent).to.equal(spent[0]?.spent);

      expect((await replace([samples[5] ?? ''], third)).waiting).to.deep.equal({
        ...{ added: 0, deletions: 0, publishedAt: 6 },
      });
      expect(await carriers(first)).to.deep.equal([]);
      expect(await carriers(third)).to.deep.equal(samples.slice(0, 6));
      await seen(second, true);
      expect((await server.protection().spending('d'))[0]?.spent).to.equal(spent[0]?.spent);
      await seen(first, false);
      await seen(third, true);
      const published = await server.protection().published('d');
      expect(published?.since).to.deep.equal(published?.samples.map((name) => (Number(name.slice(1)) < 6 ? 2 : 1)));
      await sound();
    });

    it('are published with deletions; who leaves has none', async () => {
      await replace(samples.slice(0, 4), third);
      expect(await remove(['s0', 's11'])).to.deep.include({
        waiting: { added: 0, deletions: 2, replacements: 3, publishedAt: 6 },
      });
      expect((await remove(['s10'])).waiting).to.deep.equal({ added: 0, deletions: 0, publishedAt: 6 });
      expect(await carriers(third)).to.deep.equal(['s1', 's2', 's3']);
      expect(await carriers(first)).to.deep.equal(['s4', 's5']);
      expect(await server.repository.samples('d')).to.deep.equal(
        samples.filter((name) => !['s0', 's10', 's11'].includes(name)).sort(),
      );
      await sound();
    });

    it('count once if they are replaced again, by the kinds of each file', async () => {
      await replace(['s0', 's1'], third);
      const deletion = '1 20000000 . N <DEL> . . SVTYPE=DEL;END=20001000 GT 0/1';
      await add(['s0'], [deletion], { replace: true });
      expect((await replace(['s0'], fourth)).waiting).to.deep.include({ replacements: 2 });
      await replace(['s2', 's3', 's4', 's5'], fourth);
      expect(await carriers(third)).to.deep.equal(['s1']);
      expect(await carriers(fourth)).to.deep.equal(['s0', 's2', 's3', 's4', 's5']);
      expect(await carriers(20_000_000)).to.deep.equal(['s0']);
      await sound();
    });

    it('are refused if they may be a mistake, or are mixed with what would be lost or is new', async () => {
      const lost = await load(['s0'], [record(third, ['0/1'])], { replace: true });
      expect(lost.error).to.match(/^Nothing was replaced: sample "s0" would keep 0 of its 1 alleles/);
      const fresh = await load(['s0', 'x'], [record(third, ['0/1', '0/1'])], { replace: true, force: true });
      expect(fresh.error).to.match(/and 1 sample of it is new: load new samples apart$/);
      expect(await server.protection().loads({ dataset: 'd', created })).to.deep.equal([]);
      await replace(['s0'], third);
      expect((await load(['s0'], [record(fourth, ['0/1'])])).error).to.match(
        /^Nothing was added: a replacement of a sample waits for the next publication of the protected dataset 'd'/,
      );
      expect(await carriers(fourth)).to.deep.equal([]);
    });

    it('change facts at once, and follow a case of them', async () => {
      await replace(['s0'], third, { samples_info: [{ sample: 's0', case_id: 'F', sex: 'male' }] });
      expect((await server.repository.sampleFacts('d')).find(({ name }) => name === 's0')).to.deep.include({
        ...{ case: 'F', sex: 'male' },
      });
    });

    it('leave no answer half way: an interrupted publication refuses until it is finished', async () => {
      await replace(samples.slice(0, 5), third);
      let reached = 0;
      const failing = {
        ...server.repository,
        importAlleles: async (...args: Parameters<typeof server.repository.importAlleles>) => {
          const change = await server.repository.importAlleles(...args);
          reached++;
          throw new Error(`interrupted after ${change.calls} calls`);
        },
      };
      const about = { settings: protectionSettings.parse(settings.protection), now: () => new Date() };
      const stored = (await server.repository.dataset('d')) as NonNullable<
        Awaited<ReturnType<typeof server.repository.dataset>>
      >;
      const broken = generationsOn(server.storage, { repository: failing, ...about });
      const [failure] = await Promise.allSettled([broken.publish(stored)]);
      expect([failure?.status, reached]).to.deep.equal(['rejected', 1]);
      expect((await anonymous(first)).status).to.equal(503);
      expect(await carriers(third)).to.deep.equal(samples.slice(0, 5));
      const next = generationsOn(server.storage, { repository: server.repository, ...about });
      expect(await next.due()).to.deep.equal(['d']);
      await next.begin();
      await seen(third, true);
      expect(await next.due()).to.deep.equal([]);
      expect(await carriers(first)).to.deep.equal(['s5']);
      await sound();
    });
  });
}
