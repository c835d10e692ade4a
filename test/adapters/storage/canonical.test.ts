/** Rows of release 0.1: found in the present form at once, rewritten later, then counted by the present rule. */
import { expect } from 'chai';
import type { Database } from '../../../adapters/knex/binding.js';
import type { Storage } from '../../../core/storage.js';
import {
  type AlleleQuery,
  type BeaconRepository,
  beacon,
  type CountedAllele,
} from '../../../plugins/beacon/contract.js';
import { type OpenOptions, storages } from '../../support/storages.js';
import { earlier, openAt } from './support/alleles-002.js';
import { useHome } from './support/home.js';

const now = new Date('2026-01-16T08:00:00.000Z');
const before = ['001-datasets-and-alleles', '002-ranges', '003-contigs'] as const;

/** `[start, stop, reference, alternate, kind, structural, copies by ordinal]`, all on chromosome 1 of GRCh37. */
type Row = [number, number, string, string, string, 0 | 1, number[]];

interface Segment {
  dataset: string;
  samples: string[];
  rows: Row[];
  state?: string;
}

/** As version 0.1 stored them. */
const segments: readonly Segment[] = [
  {
    dataset: 'one',
    samples: ['a', 'b'],
    rows: [
      [40, 43, 'TCC', 'CCC', 'MNP', 0, [1, 0]], // T>C at 40
      [60, 63, 'ACG', 'ACT', 'MNP', 0, [1, 1]], // G>T at 62
      [62, 63, 'G', 'T', 'SNP', 0, [2, 0]], // the same, from another record: a has two copies, b one
      [100, 101, 'A', 'G', 'BND', 1, [0, 1]], // beside <NON_REF>
      [110, 113, 'CAA', 'CA', 'BND', 1, [1, 1]], // as above, and CA>C
      [120, 125, 'NCC', 'ACC', 'MNP', 0, [1, 0]], // the base at N is unknown
      [130, 200, 'GCCAA', 'GT', 'DEL', 1, [1, 0]], // with an SVTYPE: unchanged, and also found as CCAA>T
      [140, 141, 'G', 'G.', 'BND', 1, [0, 1]], // a single breakend is correctly a BND
      [150, 151, 'A', 'C', 'SNP', 0, [1, 1]],
    ],
  },
  {
    dataset: 'one',
    samples: ['a'],
    rows: [
      [40, 41, 'T', 'C', 'SNP', 0, [2]], // a's TCC>CCC, with more copies
      [110, 112, 'CA', 'C', 'DEL', 0, [1]], // as many copies as the row of the first segment
      [160, 161, 'A', 'C', 'SNP', 0, [1]],
    ],
  },
  { dataset: 'one', samples: ['c'], rows: [[40, 43, 'TCC', 'CCC', 'MNP', 0, [1]]] },
  { dataset: 'two', samples: ['a'], rows: [[40, 43, 'TCC', 'CCC', 'MNP', 0, [1]]] },
  { dataset: 'same', samples: ['a'], rows: [[40, 41, 'T', 'C', 'SNP', 0, [1]]] },
  { dataset: 'one', samples: ['d'], rows: [[40, 43, 'TCC', 'CCC', 'MNP', 0, [1]]], state: 'staged' },
];

async function fill({ write, engine }: Database): Promise<void> {
  for (const id of ['one', 'two', 'same']) {
    const own = segments.filter(({ dataset, state }) => dataset === id && !state);
    const rows = own.flatMap((segment) => segment.rows);
    await write('beacon_datasets').insert({
      ...{ id, name: id, assembly: 'GRCh37', access: 'PUBLIC', version: 1, revision: own.length },
      created: engine.values.time(now),
      updated: engine.values.time(now),
      allele_count: new Set(rows.map(([start, , reference, alternate]) => `${start} ${reference} ${alternate}`)).size,
      call_count: rows.flatMap((row) => row[6]).reduce((sum, copies) => sum + copies, 0),
      sample_count: new Set(own.flatMap(({ samples }) => samples)).size,
    });
  }
  for (const { dataset, samples, rows, state = 'published' } of segments) {
    const sole = samples.length === 1 ? samples[0] : null;
    const [row] = await write('beacon_segments')
      .insert({ dataset, state, sole_sample: sole, heard: now.getTime() })
      .returning('id');
    const segment = Number(row?.id);
    await write('beacon_samples').insert(samples.map((name, ordinal) => ({ segment, ordinal, name })));
    const first = segment * 2 ** 32;
    for (const [n, [start, stop, reference, alternate, kind, structural, copies]] of rows.entries()) {
      const carriers = copies.flatMap((count, i) => (count === 0 ? [] : count === 1 ? [`${i}`] : [`${i}:${count}`]));
      const calls = copies.reduce((sum, count) => sum + count, 0);
      await write('beacon_alleles').insert({
        ...{ id: first + n, contig: 101, span: stop - start > 64 ? 1 : 0, start, stop, reference, alternate, kind },
        ...{ structural, mate: null, calls, carriers: sole === null ? carriers.join(' ') : null, ranges: null },
      });
    }
    const last = first + rows.length - 1;
    const structural = rows.some((each) => each[5] === 1) ? 1 : 0;
    await write('beacon_extents').insert({ segment, contig: 101, first, last, structural });
  }
}

const proceed = async () => {};
const at = (position: number) => ({ min: position, max: position });

for (const engine of storages) {
  describe(`Canonical alleles on ${engine.name}`, function () {
    this.timeout(120_000);
    const { open } = useHome(engine);

    async function opened(options?: OpenOptions): Promise<Storage> {
      const storage = await open([beacon], options);
      await storage.migrate();
      return storage;
    }

    const of =
      (repository: BeaconRepository, dataset: string) => async (query: Omit<AlleleQuery, 'assembly' | 'contig'>) => {
        const [hit] = await repository.search({ assembly: 'GRCh37', contig: '1', ...query }, [dataset]);
        return hit && [hit.alleles, hit.calls, hit.samples];
      };

    const rewritten = async (repository: BeaconRepository) => {
      for (const dataset of await repository.outdated()) while ((await repository.rewrite(dataset, proceed)) > 0);
    };

    it('are found, counted and of the right kind before rows are rewritten, and afterwards', async () => {
      await fill((await opened(openAt(...before))).repository(earlier));
      const repository = (await opened()).repository(beacon);
      const found = of(repository, 'one');
      async function isFound(): Promise<void> {
        // T>C: a with the two copies of the second segment, c with one.
        expect(await found({ start: at(40) })).to.deep.equal([1, 3, 2]);
        expect(await found({ start: at(40), end: at(41), reference: 'T', alternate: 'C' })).to.deep.equal([1, 3, 2]);
        expect(await found({ start: at(40), kinds: [{ kind: 'SNP' }] })).to.deep.equal([1, 3, 2]);
        // G>T: a with two copies, b with one.
        expect(await found({ start: at(60) })).to.equal(undefined);
        expect(await found({ start: at(62), reference: 'G', alternate: 'T' })).to.deep.equal([1, 3, 2]);
        expect(await found({ start: at(100), kinds: [{ kind: 'SNP', structural: false }] })).to.deep.equal([1, 1, 1]);
        const deletion = { end: at(112), kinds: [{ kind: 'DEL', structural: false }] };
        expect(await found({ start: at(110), ...deletion })).to.deep.equal([1, 2, 2]);
        expect(await found({ kinds: [{ kind: 'BND' }] })).to.deep.equal([1, 1, 1]);
        expect(await found({ start: at(120), reference: 'NCC', alternate: 'ACC' })).to.deep.equal([1, 1, 1]);
        for (const [start, reference, alternate] of [
          [130, 'GCCAA', 'GT'],
          [131, 'CCAA', 'T'],
        ] as const) {
          expect(await found({ start: at(start), end: at(200), reference, alternate })).to.deep.equal([1, 1, 1]);
        }
        expect(await found({ overlaps: { start: 199, end: 200 } })).to.deep.equal([1, 1, 1]);
        expect(await of(repository, 'two')({ start: at(40), reference: 'T' })).to.deep.equal([1, 1, 1]);
        // Every allele with its carriers, a with the larger of its two counts.
        const carriers = [
          '40 T>C a2 c1',
          '62 G>T a2 b1',
          '100 A>G b1',
          '110 CA>C a1 b1',
          '120 NCC>ACC a1',
          '130 GCCAA>GT a1',
          '140 G>G. b1',
          '150 A>C a1 b1',
          '160 A>C a1',
        ];
        const chromosome = { assembly: 'GRCh37', contig: '1' } as const;
        const [named] = await repository.found(chromosome, ['one'], { limit: 100, carriers: true });
        const texts = named?.alleles.map(({ start, reference, alternate, named = [] }) =>
          [`${start} ${reference}>${alternate}`, ...named.map(([name, copies]) => `${name}${copies}`)].join(' '),
        );
        expect(texts).to.deep.equal(carriers);
        for (const [i, after] of (named?.alleles ?? []).entries()) {
          const listed: string[] = [];
          const take = async (some: readonly CountedAllele[]) =>
            void listed.push(...some.map(({ start, reference, alternate, calls }) => `${start} ${reference}>${alternate} ${calls}`)); // biome-ignore format: one line
          await repository.eachAllele('one', take, { after });
          const rest = named?.alleles.slice(i + 1) ?? [];
          expect(listed).to.deep.equal(rest.map(({ start, reference, alternate, calls }) => `${start} ${reference}>${alternate} ${calls}`)); // biome-ignore format: one line
        }
        const [counted] = await repository.found(chromosome, ['one'], { limit: 9 });
        expect(counted?.alleles.map(({ calls, samples }) => [calls, samples])).to.deep.equal([
          ...[[3, 2], [3, 2], [1, 1], [2, 2], [1, 1], [1, 1], [1, 1], [2, 2], [1, 1]], // biome-ignore format: one line
        ]);
        // Carriers, homozygotes and copies of alleles by their bases, with a in two segments.
        const asked: [number, string, string, number[]][] = [
          [40, 'T', 'C', [2, 1, 3]],
          [62, 'G', 'T', [2, 1, 3]],
          [100, 'A', 'G', [1, 0, 1]],
          [110, 'CA', 'C', [2, 0, 2]],
          [130, 'GCCAA', 'GT', [1, 0, 1]],
          [131, 'CCAA', 'T', [1, 0, 1]],
          [150, 'A', 'C', [2, 0, 2]],
        ];
        const questions = asked.map(
          ([start, reference, alternate]) => ({ type: 'sequence', contig: '1', start, reference, alternate }) as const,
        );
        const observations = await repository.observe('GRCh37', questions, ['one']);
        expect(observations.map(([seen]) => [seen?.carriers, seen?.homozygotes, seen?.alleleCount])).to.deep.equal(
          asked.map(([, , , expected]) => expected),
        );
        const structural = { type: 'structural', contig: '1', start: 130, end: 200 } as const;
        const [one, none] = await repository.observe(
          'GRCh37',
          [
            { ...structural, kind: 'DEL' },
            { ...structural, start: 100, end: 101, kind: 'BND' },
          ],
          ['one'],
        );
        // The breakend at 140 lies within the window of 4,000 bases; the one beside <NON_REF> is a SNP.
        expect([one?.[0]?.carriers, none?.[0]?.carriers]).to.deep.equal([1, 1]);
        expect(await of(repository, 'same')({})).to.deep.equal([1, 1, 1]);
      }
      await isFound();
      // Before rewriting, the counts are those of the stored rows.
      expect(await repository.dataset('one')).to.deep.include({ alleleCount: 12, callCount: 18, sampleCount: 3 });
      expect(await repository.recount('one')).to.deep.equal({ alleles: 12, calls: 18, samples: 3 });

      await rewritten(repository);
      await isFound();
      // T>C, G>T, A>G, CA>C, NCC>ACC, the deletion, the breakend, A>C twice: 3 + 3 + 1 + 2 + 1 + 1 + 1 + 2 + 1 calls.
      const totals = { alleles: 9, calls: 15, samples: 3 };
      expect(await repository.dataset('one')).to.deep.include({
        ...{ alleleCount: 9, callCount: 15, sampleCount: 3 },
        updated: now,
      });
      expect(await repository.recount('one')).to.deep.equal(totals);
      expect(await repository.recount('two')).to.deep.equal({ alleles: 1, calls: 1, samples: 1 });

      // Later changes: samples are removed and imported again.
      expect(await repository.removeSamples('one', ['a'], now)).to.deep.equal({ alleles: 3, calls: 9, samples: 1 });
      expect(await repository.recount('one')).to.deep.equal({ alleles: 6, calls: 6, samples: 2 });
      expect(await repository.dataset('one')).to.deep.include({ alleleCount: 6, callCount: 6, sampleCount: 2 });
      await repository.sweep(now);
      expect(await repository.leftovers()).to.equal(0);
    });

    it('lock out processes of the earlier version, whose loads are dropped', async () => {
      const database = (await opened(openAt(...before))).repository(earlier);
      await fill(database);
      await opened();
      const open = database.run(({ write }) =>
        write('beacon_segments').insert({ dataset: 'one', state: 'staged', sole_sample: null, heard: 1 }),
      );
      expect(await open.catch((thrown: unknown) => thrown)).to.be.instanceOf(Error);
      const states = await database.query("select state from beacon_segments where state <> 'published'", []);
      expect(states).to.deep.equal([{ state: 'dropped' }]);
    });

    it('are unchanged by a downgrade, rewritten or not, and can be migrated again', async () => {
      const database = (await opened(openAt(...before))).repository(earlier);
      await fill(database);
      const content = () =>
        database.query(
          'select id, start, stop, reference, alternate, calls, carriers from beacon_alleles order by id',
          [],
        );
      const original = await content();
      const storage = await opened();
      const repository = storage.repository(beacon);
      await storage.downgrade?.('0.1.0', { trial: false });
      expect(await content()).to.deep.equal(original);
      await storage.migrate();
      await rewritten(repository);
      const rows = await content();
      const marked = () => database.query('select id from beacon_segments where as_written = 1', []);
      expect(await marked()).to.deep.equal([]);
      await storage.downgrade?.('0.1.0', { trial: false });
      expect(await content()).to.deep.equal(rows);
      await storage.migrate();
      expect(await repository.outdated()).to.deep.equal(['one', 'same', 'two']);
      await rewritten(repository);
      expect(await marked()).to.deep.equal([]);
      expect(await repository.recount('one')).to.deep.equal({ alleles: 9, calls: 15, samples: 3 });
    });
  });
}
