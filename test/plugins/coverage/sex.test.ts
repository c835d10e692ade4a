/** Sex from X and Y: the older service's rule, without the pseudo-autosomal regions and with enough evidence. */
import { join } from 'node:path';
import { expect } from 'chai';
import type { Build } from '../../../plugins/coverage/contract.js';
import { contradicts, sexOfDepths } from '../../../plugins/coverage/measure/sex.js';
import { coverageSettings } from '../../../plugins/coverage/settings.js';
import { useFolder } from '../../support/folder.js';
import { useEach } from '../../support/use.js';
import { bothBuilds, chromosomesOf, type Run, writeD4 } from './support/d4.js';
import { get, serveCoverage } from './support/serve.js';

const rules = coverageSettings.parse({}).sex;

/** As published, 1-based and inclusive: see the reference, §2. */
const pars: Record<Build, Record<'X' | 'Y', [number, number][]>> = {
  GRCh37: {
    X: [
      [60001, 2699520],
      [154931044, 155260560],
    ],
    Y: [
      [10001, 2649520],
      [59034050, 59363566],
    ],
  },
  GRCh38: {
    X: [
      [10001, 2781479],
      [155701383, 156030895],
    ],
    Y: [
      [10001, 2781479],
      [56887903, 57217415],
    ],
  },
};

describe('predicted sex', () => {
  it('follows the ratio of X to Y', () => {
    const whole = { breadth: 0.9 };
    // The first three are the older service's examples.
    expect(sexOfDepths({ x: 12.568, y: 6.605, ...whole }, rules)).to.equal('male');
    expect(sexOfDepths({ x: 22.81, y: 0.007, ...whole }, rules)).to.equal('female');
    expect(sexOfDepths({ x: 0, y: 6.605, ...whole }, rules)).to.equal('unknown');
    expect(sexOfDepths({ x: 12, y: 1, ...whole }, rules)).to.equal('male');
    expect(sexOfDepths({ x: 12.1, y: 1, ...whole }, rules)).to.equal('unknown');
    expect(sexOfDepths({ x: 99.9, y: 1, ...whole }, rules)).to.equal('unknown');
    expect(sexOfDepths({ x: 100, y: 1, ...whole }, rules)).to.equal('female');
    expect(sexOfDepths({ x: 30, y: 0, ...whole }, rules)).to.equal('female');
    expect(sexOfDepths({ x: 0, y: 0, breadth: 0 }, rules)).to.equal('unknown');
  });

  it('is unknown if X has almost no reads', () => {
    expect(sexOfDepths({ x: 0.2, y: 0, breadth: 0.004 }, rules)).to.equal('unknown');
    expect(sexOfDepths({ x: 0.2, y: 0, breadth: 0.006 }, rules)).to.equal('female');
  });

  it('contradicts a declared sex only if both are known', () => {
    expect(contradicts('male', 'female')).to.equal(true);
    expect(contradicts('male', 'male')).to.equal(false);
    expect(contradicts('unknown', 'male')).to.equal(false);
    expect(contradicts('male', 'unknown')).to.equal(false);
  });

  describe('of files', () => {
    const folder = useFolder();
    const server = useEach(() => serveCoverage({ settings: { roots: [folder.path()] } }));

    /** Depths of X and Y outside the PARs, 30 inside them, 30 on chromosomes 1 and 14. */
    function sample(name: string, build: Build, x: number, y: number, prefix = false): string {
      const chromosomes = chromosomesOf(build, { prefix });
      const runs = chromosomes.flatMap(({ name: own, size }): Run[] => {
        const plain = own.replace('chr', '');
        if (plain !== 'X' && plain !== 'Y') return [{ chromosome: own, begin: 0, end: size, depth: 30 }];
        let at = 0;
        const runs: Run[] = [];
        for (const [first, last] of pars[build][plain]) {
          runs.push({ chromosome: own, begin: at, end: first - 1, depth: plain === 'X' ? x : y });
          runs.push({ chromosome: own, begin: first - 1, end: last, depth: 30 });
          at = last;
        }
        runs.push({ chromosome: own, begin: at, end: size, depth: plain === 'X' ? x : y });
        return runs.filter(({ begin, end, depth }) => end > begin && depth > 0);
      });
      return writeD4(join(folder.path(), name), { chromosomes, runs });
    }
    const ask = (coverage_file_path: string, more: Record<string, string> = {}) =>
      get(`${server.url}/coverage/samples/predicted_sex`, { coverage_file_path, ...more });

    for (const build of bothBuilds) {
      it(`excludes the PARs of ${build} exactly, so that XX is not unknown`, async () => {
        const woman = await ask(sample('xx.d4', build, 30, 0));
        expect(woman.body).to.deep.include({
          x_coverage: 30,
          y_coverage: 0,
          predicted_sex: 'female',
          autosome_coverage: 30,
          x_ratio: 1,
          y_ratio: 0,
          build,
          warnings: [],
        });
        const man = await ask(sample('xy.d4', build, 15, 15, true), { declared_sex: 'female' });
        expect(man.body).to.deep.include({
          x_coverage: 15,
          y_coverage: 15,
          predicted_sex: 'male',
          x_ratio: 0.5,
          y_ratio: 0.5,
          declared_sex: 'female',
          sex_mismatch: true,
        });
        const asked = await ask(sample('named.d4', build, 30, 0), { build, declared_sex: 'female' });
        expect(asked.body).to.deep.include({ predicted_sex: 'female', sex_mismatch: false });
      });
    }

    it('refuses the other build, and says if the PARs could not be excluded', async () => {
      expect((await ask(sample('xx.d4', 'GRCh37', 30, 0), { build: 'GRCh38' })).status).to.equal(422);
      const path = writeD4(join(folder.path(), 'other.d4'), {
        chromosomes: [
          { name: 'X', size: 1000 },
          { name: 'Y', size: 1000 },
          { name: '1', size: 1000 },
        ],
        runs: [{ chromosome: 'X', begin: 0, end: 1000, depth: 20 }],
      });
      const { body } = await ask(path);
      expect(body).to.deep.include({ predicted_sex: 'female', build: null, x_ratio: null });
      expect((body.warnings as { code: string }[]).map(({ code }) => code)).to.deep.equal(['unknown-build']);
    });

    it('refuses an invalid sex, build or file', async () => {
      const path = sample('xx.d4', 'GRCh37', 30, 0);
      expect((await ask(path, { declared_sex: 'f' })).status).to.equal(422);
      expect((await ask(path, { build: 'hg19' })).status).to.equal(422);
      expect((await get(`${server.url}/coverage/samples/predicted_sex`)).body).to.deep.equal({
        detail: [{ type: 'missing', loc: ['query', 'coverage_file_path'], msg: 'Field required' }],
      });
    });
  });
});
