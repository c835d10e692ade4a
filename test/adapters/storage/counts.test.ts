/** Alleles are counted by the numbers that rows keep, as long as these say the same as their carriers. */
import { expect } from 'chai';
import {
  type BeaconRepository,
  beacon,
  type CalledAllele,
  type Observation,
} from '../../../plugins/beacon/contract.js';
import { at, batches, called, dataset, facts, small } from '../../conformance/beacon/build.js';
import { runSql } from '../../support/sql.js';
import { storages } from '../../support/storages.js';
import { useHome } from './support/home.js';

const shared = small('1', 100, 'A', 'T');
const onX = small('X', 5_000_000, 'A', 'T');

for (const engine of storages) {
  describe(`Counts beside carriers (${engine.name})`, () => {
    const { home, open } = useHome(engine);
    let repository: BeaconRepository;

    async function load(samples: string[], alleles: CalledAllele[], cases: Record<string, { case: string }> = {}) {
      const said = { facts: facts(cases) };
      await repository.importAlleles({ dataset: 'ds', samples, alleles: batches(alleles, 1), ...said }, at(1));
    }

    async function observed(allele = shared, options = {}): Promise<Partial<Observation>> {
      const { contig, start, reference, alternate } = allele;
      const question = { type: 'sequence' as const, contig, start, reference, alternate };
      const [[seen] = []] = await repository.observe('GRCh37', [question], ['ds'], options);
      const { cases, carriers, homozygotes, alleleCount } = seen ?? {};
      return { cases, carriers, homozygotes, alleleCount } as Partial<Observation>;
    }

    /** Names a carrier that does not exist: whoever reads carriers fails. */
    const damage = () => runSql(home().section, ["update beacon_alleles set carriers = '99 ' || carriers"]);
    const restore = () => runSql(home().section, ['update beacon_alleles set carriers = substr(carriers, 4)']);
    async function readsCarriers(allele = shared, options = {}): Promise<boolean> {
      await damage();
      const failed = await observed(allele, options).then(
        () => false,
        () => true,
      );
      await restore();
      return failed;
    }

    beforeEach(async () => {
      const storage = await open([beacon]);
      await storage.migrate();
      repository = storage.repository(beacon);
      await repository.addDataset(dataset('ds'), at(0));
      const family = { child: { case: 'f' }, mother: { case: 'f' } };
      await load(['child', 'mother', 'x', 'y'], [called(shared, [0, 1], [1, 1], [2, 3]), called(onX, [3, 1])], family);
      await load(['z'], [called(shared, [0, 2])]);
    });

    // Cases f, x and z; two or more copies of x and z, of which two count: 1 + 1 + 2 + 2.
    const counts = { cases: 3, carriers: 4, homozygotes: 2, alleleCount: 6 };

    it('are the answer for an autosome, and carriers are not read', async () => {
      expect(await observed()).to.deep.equal(counts);
      expect(await readsCarriers()).to.equal(false);
    });

    it('are not used for who the carriers are, nor where sex decides', async () => {
      expect(await readsCarriers(shared, { cases: 5 })).to.equal(true);
      expect(await readsCarriers(onX)).to.equal(true);
      expect(await observed(shared, { cases: 5 })).to.deep.equal(counts);
    });

    it('are not used for samples that share cases otherwise, until they do again', async () => {
      await repository.describeSamples('ds', new Map([['mother', { case: 'm' }]]), at(2));
      expect(await readsCarriers()).to.equal(true);
      expect(await observed()).to.deep.equal({ ...counts, cases: 4 });
      // Another name of the same family, and a sex, change no number.
      const renamed = new Map([['mother', { case: 'g', sex: 'female' as const }], ['child', { case: 'g' }]]); // biome-ignore format: one line
      await repository.describeSamples('ds', renamed, at(3));
      expect(await readsCarriers()).to.equal(false);
      expect(await observed()).to.deep.equal(counts);
    });

    it('are not used for a case that is in two segments', async () => {
      await repository.describeSamples('ds', new Map([['z', { case: 'x' }]]), at(2));
      expect(await readsCarriers()).to.equal(true);
      expect(await observed()).to.deep.equal({ ...counts, cases: 2 });
      await repository.removeSamples('ds', ['z'], at(3));
      expect(await readsCarriers()).to.equal(false);
      expect(await observed()).to.deep.equal({ cases: 2, carriers: 3, homozygotes: 1, alleleCount: 4 });
    });

    it('follow what is left after a removal', async () => {
      await repository.removeSamples('ds', ['mother', 'x'], at(2));
      expect(await readsCarriers()).to.equal(false);
      expect(await observed()).to.deep.equal({ cases: 2, carriers: 2, homozygotes: 1, alleleCount: 3 });
    });

    it('follow alleles that come out of order', async () => {
      const apart = [called(shared, [0, 1]), called(small('1', 9_000, 'A', 'T'), [0, 1]), called(shared, [1, 2])];
      await load(['u', 'v'], apart, { u: { case: 'w' }, v: { case: 'w' } });
      expect(await readsCarriers()).to.equal(false);
      expect(await observed()).to.deep.equal({ cases: 4, carriers: 6, homozygotes: 3, alleleCount: 9 });
    });

    it('may be missing, as in rows of an earlier release', async () => {
      await runSql(home().section, ['update beacon_alleles set carrier_count = null']);
      expect(await observed()).to.deep.equal(counts);
    });
  });
}
