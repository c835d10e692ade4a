/** Stored values of cohorts: equal to counting bases, and to what reports measure, whatever happened before. */
import { expect } from 'chai';
import fc from 'fast-check';
import type { Erased } from '../../../../core/plugin.js';
import { arrangeCohort } from '../../../../plugins/coverage/cohorts/blocks.js';
import { fillCohorts } from '../../../../plugins/coverage/cohorts/keep.js';
import { coverageCohorts, coverageTracks } from '../../../../plugins/coverage/contract.js';
import { coverageEraser } from '../../../../plugins/coverage/eraser.js';
import { createMeasure } from '../../../../plugins/coverage/measure/create-measure.js';
import { createCallability } from '../../../../plugins/coverage/samples/callability/callability.js';
import { recordCheck, removeSamples } from '../../../../plugins/coverage/samples/changes.js';
import { dealt } from '../../../support/dealt.js';
import { storages } from '../../../support/storages.js';
import { useEach } from '../../../support/use.js';
import { depthsOf, intervalsOf, type Laboratory, naive, naiveMedian, openLaboratory, thresholds } from './support.js';

const signal = new AbortController().signal;
const build = 'GRCh38' as const;

/** Compares every value with the base by base count. `there` has the seed of each sample that counts. */
async function expectExact({ cohorts }: Laboratory, there: ReadonlyMap<string, number>, shift: number): Promise<void> {
  const { targets, exons } = intervalsOf(shift);
  const asked = [...targets, { regions: [{ chromosome: '1', start: 5, end: 6 }] }];
  const found = await cohorts.values({ build, targets: asked, thresholds: [20, 1, 5] }, signal);
  expect([...found.samples].sort()).to.deep.equal([...there.keys()].sort());
  if (there.size === 0) return;
  expect(found.thresholds).to.deep.equal([1, 20]);
  expect(found.targets.at(-1), 'a region of no set').to.equal(undefined);
  for (const [i, sample] of found.samples.entries()) {
    const depths = depthsOf(there.get(sample) as number);
    expect(found.medians[i], `median of ${sample}`).to.deep.equal(naiveMedian(depths, exons));
    for (const [at, { regions }] of targets.entries()) {
      const own = found.targets.at(at);
      const expected = naive(depths, regions, [1, 20]);
      const actual = { length: own?.length, mean: own?.means[i], reached: own?.reached.map((column) => column[i]) };
      expect(actual, `${sample}, target ${at}`).to.deep.equal(expected);
    }
  }
}

for (const engine of dealt(storages, 'sqlite')) {
  describe(`values of cohorts (${engine.name})`, function () {
    this.timeout(process.env.TEST_HISTORIES === undefined ? 60_000 : 3_600_000);
    const laboratory = useEach(() => openLaboratory(engine));

    it('have the autosomal coding segments with their splice bases, without what overlapping exons have together', async () => {
      await laboratory.load(0);
      await laboratory.add('s0', 0);
      // Of T1, T2, T3 and T6 by hand; T5 is on X. The overlapping exons of T2 have 300 to 800 together.
      expect(await laboratory.cohorts.coding(build, signal)).to.deep.equal(
        [
          [150, 258],
          [292, 800],
          [300, 1000],
          [1200, 1209],
          [1992, 2500],
          [3000, 3300],
        ].map(([start, end]) => ({ chromosome: '1', start, end })),
      );
    });

    it('equal counts of bases and what reports measure', async () => {
      const { tools, cohorts } = laboratory;
      await laboratory.load(0);
      const there = new Map(Array.from({ length: 11 }, (_, seed) => [`s${seed}`, seed]));
      for (const [id, seed] of there) await laboratory.add(id, seed);
      await expectExact(laboratory, there, 0);
      await arrangeCohort(tools.cohorts, build, { signal }, [2, 4]);
      await expectExact(laboratory, there, 0);
      // The same by the code of reports, to the last digit.
      const samples = await Promise.all(
        (await tools.samples.find([...there.keys()])).map(async ({ id, file }) => ({
          name: id,
          location: await tools.sources.coverageFile(file.path),
        })),
      );
      const { targets } = intervalsOf(0);
      const sources = tools.sources as Parameters<typeof createMeasure>[0];
      const report = await createMeasure(sources, { gaps: 1, counts: 1e6 })({ samples, targets, thresholds });
      const ids = samples.map(({ name }) => name);
      const stored = await cohorts.values({ build, targets, thresholds, samples: ids }, signal);
      expect(stored.samples).to.deep.equal(ids);
      for (const [i, { targets: measured }] of report.samples.entries()) {
        expect([...stored.targets].map((one) => one?.means[i])).to.deep.equal(measured.map(({ mean }) => mean));
        expect([...stored.targets].map((one) => one?.reached.map((column) => column[i]))).to.deep.equal(
          measured.map(({ reached }) => reached),
        );
      }
    });

    it('leave with an objection to sharing, and come back only after it is lifted', async () => {
      const { tools, registry, objecting } = laboratory;
      await laboratory.load(0);
      const all = [0, 1, 2].map((seed): [string, number] => [`s${seed}`, seed]);
      for (const [id, seed] of all) await laboratory.add(id, seed);
      const others = new Map(all.slice(0, 2));
      objecting.add('s2');
      const eraser = coverageEraser({
        registry,
        cohorts: tools.cohorts,
        tracks: laboratory.storage.repository(coverageTracks),
      });
      const objection = { id: 's2', holder: 'own', scope: 'sharing' } as const;
      const report = [
        { what: 'samples of the cohort of GRCh38', count: 1 },
        { what: 'registered samples', count: 1, stays: 'the clinical record, of which reports are made' },
      ];
      const some = (found: readonly Erased[]) => found.filter(({ count }) => count > 0);
      expect(some(await eraser.find([objection]))).to.deep.equal(report);
      await expectExact(laboratory, new Map(all), 0);
      expect(some(await eraser.erase([objection]))).to.deep.equal(report);
      await expectExact(laboratory, others, 0);
      expect(some(await eraser.find([objection]))).to.deep.equal(report.slice(1));
      // Neither the completion of cohorts nor another check of the file brings it back.
      expect(await fillCohorts(tools, { signal })).to.equal(0);
      await laboratory.add('s2', 2);
      await expectExact(laboratory, others, 0);
      const { samples, erasures, queue } = tools;
      const { covered, within } = createCallability({ samples, erasures, queue, memory: 0 });
      const question = { build, threshold: 10, groups: [['s1', 's2']], places: [] };
      // Also for callers who reach some samples alone.
      for (const ask of [covered, within(samples).covered]) {
        expect((await ask(question, signal)).unknown).to.deep.equal([{ sample: 's2', reason: 'unregistered' }]);
      }

      objecting.clear();
      expect(await fillCohorts(tools, { signal })).to.equal(1);
      await expectExact(laboratory, new Map(all), 0);
      expect((await covered(question, signal)).unknown).to.deep.equal([]);
    });

    it('are those of a store made anew, after any changes', async () => {
      const change = fc.oneof(
        { weight: 5, arbitrary: fc.record({ kind: fc.constant('add'), sample: fc.nat(5), seed: fc.nat(12) }) },
        { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove'), sample: fc.nat(5), seed: fc.constant(0) }) },
        { weight: 1, arbitrary: fc.record({ kind: fc.constant('fail'), sample: fc.nat(5), seed: fc.constant(0) }) },
        {
          weight: 2,
          arbitrary: fc.record({ kind: fc.constant('arrange'), sample: fc.constant(0), seed: fc.constant(0) }),
        },
        { weight: 1, arbitrary: fc.record({ kind: fc.constant('replace'), sample: fc.constant(0), seed: fc.nat(2) }) },
      );
      await fc.assert(
        fc.asyncProperty(fc.array(change, { minLength: 5, maxLength: 25 }), async (changes) => {
          const own = await openLaboratory(engine);
          try {
            const { tools, registry } = own;
            const there = new Map<string, number>();
            let shift = 0;
            await own.load(shift);
            for (const { kind, sample, seed } of changes) {
              const id = `s${sample}`;
              if (kind === 'add') {
                await own.add(id, seed);
                there.set(id, seed);
              } else if (kind === 'remove') {
                await removeSamples(registry, [id]);
                there.delete(id);
              } else if (kind === 'fail') {
                const [known] = await tools.samples.find([id]);
                if (known !== undefined) await recordCheck(registry, known, { state: 'failing', reason: 'gone' });
                there.delete(id);
              } else if (kind === 'arrange') {
                await arrangeCohort(tools.cohorts, build, { signal }, [2, 4]);
              } else {
                shift = seed;
                await own.load(shift);
                await fillCohorts(tools, { signal });
              }
            }
            await expectExact(own, there, shift);
            await arrangeCohort(tools.cohorts, build, { signal }, [2, 4]);
            await expectExact(own, there, shift);
            await expectNothingLeft(own);
          } finally {
            await own.close();
          }
        }),
        { numRuns: Number(process.env.TEST_HISTORIES ?? 4) },
      );
    });

    it('are refused if a block is damaged or missing, never wrong', async () => {
      const { tools, cohorts, storage } = laboratory;
      await laboratory.load(0);
      for (const seed of [1, 2, 3]) await laboratory.add(`s${seed}`, seed);
      await arrangeCohort(tools.cohorts, build, { signal }, [2]);
      const { targets } = intervalsOf(0);
      const state = await tools.cohorts.state(build);
      if (state === undefined) throw new Error('there is no cohort');
      const { id } = state.layout;
      const repository = storage.repository(coverageCohorts);
      const found = await repository.read(id, { parts: [0], planes: [0, 1, 2, 3] });
      const [block] = found?.blocks ?? [];
      if (block === undefined) throw new Error('there is no block');
      const content = Uint8Array.from(block.content, (byte) => byte ^ 1);
      const replaced = { parts: [0], from: 0, to: 2 };
      await repository.arrange(id, state.version, replaced, [{ ...block, content }]);
      const asked = cohorts.values({ build, targets, thresholds }, signal);
      const fault = await asked.then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(fault).to.include({ code: 'unavailable' });
      expect((fault as Error).message).to.include('trefoil coverage rebuild cohorts');
    });
  });
}

/** No block has values of a column that belongs to no sample. */
async function expectNothingLeft({ tools }: Laboratory): Promise<void> {
  const state = await tools.cohorts.state(build);
  if (state === undefined) return;
  expect(state.left).to.deep.equal([]);
  const alive = [...state.members.map(({ column }) => column), ...state.suspended];
  const parts = Array.from({ length: 60 }, (_, i) => i - 20);
  const found = await tools.cohorts.read(state.layout.id, { parts, planes: [0, 1, 2, 3] });
  for (const { from, to, part, plane, content } of found?.blocks ?? []) {
    if (part < 0) expect(alive, `part ${part}`).to.include(from);
    const isDead = Array.from({ length: to - from }, (_, i) => from + i).every((column) => !alive.includes(column));
    if (isDead) expect([...new Set(content)], `part ${part}, plane ${plane}`).to.deep.equal([0]);
  }
}
