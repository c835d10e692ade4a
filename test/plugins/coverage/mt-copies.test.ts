/** Copies of the mitochondrial genome: the formulas, what refuses them, and reports on made-up genomes. */
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { openD4 } from '../../../plugins/coverage/d4/index.js';
import { isUsual, mtCopiesOf } from '../../../plugins/coverage/measure/copies.js';
import type { DepthFiles, Sample } from '../../../plugins/coverage/measure/measure.js';
import { type BinDepths, createPredictSex, type Mitochondrion } from '../../../plugins/coverage/measure/sex.js';
import { coverageSettings } from '../../../plugins/coverage/settings.js';
import { useFolder } from '../../support/folder.js';
import { request } from '../../support/http.js';
import { useEach } from '../../support/use.js';
import { writeD4 } from './support/d4.js';
import { genome } from './support/genomes.js';
import { serveCoverage } from './support/serve.js';

const bins = (change: { median?: number; count?: number; breadth?: number } = {}): BinDepths => ({
  unit: 'bins',
  autosomes: { median: change.median ?? 30, count: change.count ?? 1056 },
  x: { median: 30, count: 1000 },
  y: { median: 0, count: 800 },
  breadth: change.breadth ?? 0.98,
});
const mt = (mean: number, isCapped = false): Mitochondrion => ({ bases: 16569, mean, breadth: 1, isCapped });

describe('mitochondrial copy number', () => {
  it('is twice the mean depth of MT over the nuclear depth, by either method', () => {
    const depth = fc.double({ min: 5, max: 10_000, noNaN: true });
    fc.assert(
      fc.property(depth, depth, depth, (mean, median, chromosome14) => {
        const own = mtCopiesOf(mt(mean), bins({ median }), 'median', chromosome14);
        const scout = mtCopiesOf(mt(mean), bins({ median }), 'scout14', chromosome14);
        expect(own).to.deep.equal({
          method: 'median',
          numerator: mean,
          denominator: median,
          copies: (mean * 2) / median,
        });
        expect(scout.copies).to.equal((mean * 2) / chromosome14);
      }),
    );
  });

  it('is refused for captures, capped files and little depth', () => {
    expect(mtCopiesOf(undefined, bins(), 'median')).to.deep.equal({ method: 'median', refusal: 'no-mt' });
    expect(mtCopiesOf(mt(3000), bins({ breadth: 0.4 }), 'median')).to.include({ refusal: 'capture' });
    expect(mtCopiesOf(mt(3000), bins({ count: 400 }), 'scout14', 30)).to.include({ refusal: 'capture' });
    expect(mtCopiesOf(mt(127, true), bins(), 'median')).to.include({ refusal: 'capped', numerator: 127 });
    expect(mtCopiesOf(mt(3000), bins({ median: 4 }), 'median')).to.include({ refusal: 'shallow' });
    expect(mtCopiesOf(mt(3000), bins(), 'scout14')).to.include({ refusal: 'no-chromosome-14' });
    expect(mtCopiesOf(mt(3000), bins(), 'scout14', 0)).to.include({ refusal: 'no-chromosome-14' });
    for (const refused of [
      mtCopiesOf(mt(1, true), bins(), 'median'),
      mtCopiesOf(mt(1), bins({ median: 4 }), 'median'),
    ]) {
      expect(refused).not.to.have.property('copies');
    }
  });

  it('is usual from 50 to 500', () => {
    expect([49.99, 50, 500, 500.01].map(isUsual)).to.deep.equal([false, true, true, false]);
  });

  describe('of files', () => {
    const folder = useFolder();

    it('notices that the writer capped the depths of MT', async () => {
      const rules = coverageSettings.parse({}).sex;
      const mitochondrionOf = async (name: string, depths: readonly number[]) => {
        const runs = depths.map((depth, i) => {
          const [begin, end] = [i, i + 1].map((k) => Math.floor((k * 16_569) / depths.length)) as [number, number];
          return { chromosome: 'chrM', begin, end, depth };
        });
        const chromosomes = [{ name: 'chrM', size: 16_569 }];
        const file = await openD4(writeD4(join(folder.path(), name), { chromosomes, runs, dictionary: 128 }));
        const files: DepthFiles = { use: (_, work) => work(file) };
        const { mitochondrion } = await createPredictSex(files, rules)({ name } as Sample, {});
        file.close();
        return mitochondrion;
      };
      // 127 is the greatest depth that this file holds without a record.
      expect(await mitochondrionOf('capped.d4', [127])).to.include({ mean: 127, isCapped: true });
      expect(await mitochondrionOf('deep.d4', [4201, 4201, 127])).to.include({ isCapped: false, breadth: 1 });
    });
  });

  describe('in reports', () => {
    const folder = useFolder();
    const server = useEach(() => serveCoverage({ settings: { roots: [folder.path()] } }));

    async function report(more: Record<string, string>) {
      const paths = {
        // 2 × 3000 / 30 and 2 × 300 / 30.
        usual: genome(join(folder.path(), 'usual.d4'), 'GRCh38', 30, 0, { mt: 3000 }),
        low: genome(join(folder.path(), 'low.d4'), 'GRCh38', 15, 15, { mt: 300 }),
        none: genome(join(folder.path(), 'none.d4'), 'GRCh38', 15, 15, { names: ['1', '2'], mt: 300 }),
      };
      const samples = Object.entries(paths).map(([name, path]) => ({ name, coverage_file_path: path }));
      const fields = {
        build: 'GRCh38',
        interval_type: 'custom_intervals',
        intervals_bed: '1\t1000000\t1000020\tplace\n',
        samples: JSON.stringify(samples),
      };
      return request(`${server.url}/report`, { form: { ...fields, ...more } });
    }

    it('states formula, numerator and denominator, or why it is refused', async () => {
      const { samples } = JSON.parse((await report({ format: 'json' })).text);
      const formula = '2 × mean depth of MT / median depth of the 10 kb bins of the autosomes';
      expect(samples.map(({ mt_copies }: Record<string, unknown>) => mt_copies)).to.deep.equal([
        { copies: 200, refused: null, method: 'median', formula, numerator: 3000, denominator: 30, usual: true },
        { copies: 20, refused: null, method: 'median', formula, numerator: 300, denominator: 30, usual: false },
        { copies: null, refused: 'capture', method: 'median', formula, numerator: 300, denominator: 30, usual: null },
      ]);
      const page = (await report({ format: 'html' })).text;
      expect(page).to.include('2 × mean depth of MT / median depth of the 10 kb bins').and.include('200.00');
      expect(page).to.include('Outside the usual 50 to 500').and.include('Not stated for exomes and panels');
      const { data } = JSON.parse((await report({ format: 'multiqc' })).text);
      expect([data.usual.mt_copies, data.low.mt_copies, data.none.mt_copies]).to.deep.equal([200, 20, undefined]);
    });

    it('counts as Scout does if asked to, and refuses other methods', async () => {
      const { text } = await report({ format: 'csv', table: 'mt_copies', mt_method: 'scout14', lang: 'sv' });
      expect(text.split('\r\n').slice(0, 2)).to.deep.equal([
        'sample,mt_copies,mt_mean_coverage,nuclear_coverage,note',
        'usual,200,3000,30,',
      ]);
      const refused = await report({ format: 'json', mt_method: 'guess' });
      expect(refused.status).to.equal(422);
      expect(refused.text).to.include('mt_method').and.include('scout14');
    });
  });
});
