/** The 50 benchmark patients of the exchange with the complete ontology, and known defects of patientMatcher. */
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { dealt } from '../../support/dealt.js';
import { storages } from '../../support/storages.js';
import { completeStored, describeWithShared, shared } from './resources/support/shared.js';
import { type Json, type Matchmaker, patient, serveMatchmaker } from './support/serve.js';

for (const engine of dealt(storages, 'postgres')) {
  describeWithShared(`matchmaker: benchmark patients on ${engine.name}`, () => {
    let server: Matchmaker;
    let all: Json[];
    before(async function () {
      this.timeout(120_000); // reads the complete ontology
      all = JSON.parse(await readFile(shared('benchmark_patients.json'), 'utf8'));
      server = await serveMatchmaker(engine, { resources: await completeStored(), settings: { includeQuery: true } });
    });
    after(() => server.close());

    const match = async (query: Json): Promise<Json[]> => {
      const { status, body } = await server.post('/match', { patient: query });
      expect(status, JSON.stringify(body)).to.equal(200);
      return body.results;
    };
    const scoreOf = async (query: Json, id: string): Promise<number> =>
      (await match(query)).find((one: Json) => one.patient.id === id)?.score.patient ?? 0;

    it('accepts all 50 unchanged, and warns of the two variants without a start', async () => {
      const warned: string[] = [];
      for (const one of all) {
        const { status, body } = await server.post('/patient/add', { patient: one });
        expect([status, body.message], one.id).to.deep.equal([200, 'Patient was successfully inserted into database.']);
        if (body._warnings?.some(({ path }: Json) => path.endsWith('.variant'))) warned.push(one.id);
      }
      expect(warned).to.deep.equal(['P0001017', 'P0001018']);
    });

    it('counts them as the reference does', async () => {
      const { metrics } = (await server.get('/metrics', { token: null })).body;
      expect(metrics).to.include({
        numberOfCases: 50,
        numberOfCasesWithDiagnosis: 43,
        numberOfFeatures: 556,
        numberOfGenes: 70,
        numberOfPotentialMatchesSent: 0,
        numberOfRequestsReceived: 0,
        numberOfSubmitters: 23,
        numberOfUniqueFeatures: 286,
        numberOfUniqueGenes: 23,
        numberOfUniqueGenesMatched: 0,
        numberOfUniqueVariants: 49,
        numberOfVariants: 70,
      });
      expect(metrics.dateGenerated).to.equal(new Date().toISOString().slice(0, 10));
    });

    it('scores each 1.0 against itself, the two without a start at least 0.71875', async () => {
      for (const one of all) {
        const score = await scoreOf(one, one.id);
        if (['P0001017', 'P0001018'].includes(one.id)) expect(score, one.id).to.be.within(0.71875, 0.999_999);
        else expect(score, one.id).to.equal(1);
      }
    });

    it('1: an unknown term does not stop a query or a stored patient from matching', async () => {
      const odd = patient('odd', { features: [{ id: 'HP:9999999' }, { id: 'HP:0001250' }], genomicFeatures: [] });
      const added = await server.post('/patient/add', { patient: odd });
      expect(added.body._warnings).to.have.length(1);
      expect(added.body._warnings[0].path).to.equal('patient.features.0.id');
      expect(await scoreOf({ ...odd, id: 'q' }, 'odd')).to.equal(0.25);
      // HP:0001366 is an alternative id of Microcephaly, HP:0000252 (reference, section 2.7).
      const known = patient('q', { features: [{ id: 'HP:0001366' }], genomicFeatures: [] });
      await server.post('/patient/add', {
        patient: patient('micro', { features: [{ id: 'HP:0000252' }], genomicFeatures: [] }),
      });
      expect(await scoreOf(known, 'micro')).to.equal(0.25);
      const answer = await server.post('/match', { patient: known });
      expect(answer.body._warnings[0].message).to.include('HP:0000252');
      for (const id of ['odd', 'micro']) await server.send('DELETE', `/patient/delete/${id}`);
    });

    it('2: an excluded feature does not count as present', async () => {
      const excluded = (id: string) =>
        patient(id, { features: [{ id: 'HP:0001250', observed: 'no' }], genomicFeatures: [] });
      expect(await match(excluded('q'))).to.deep.equal([]);
      await server.post('/patient/add', { patient: excluded('without') });
      const ids = (await match(patient('q', { genomicFeatures: [] }))).map((one) => one.patient.id);
      expect(ids).to.not.include('without');
      await server.send('DELETE', '/patient/delete/without');
    });

    it('3: genotypes do not depend on the order of features, and missing variants are not the same variant', async () => {
      const variant = (start: number) => ({
        assembly: 'GRCh37',
        referenceName: '19',
        start,
        end: start + 1,
        referenceBases: 'A',
        alternateBases: 'C',
      });
      const feature = (start?: number) => ({
        gene: { id: 'GPX4' },
        ...(start === undefined ? {} : { variant: variant(start) }),
      });
      const genes = (id: string, ...features: Json[]) => patient(id, { features: [], genomicFeatures: features });
      await server.post('/patient/add', { patient: genes('two', feature(1_104_000), feature(1_105_000)) });
      await server.post('/patient/add', { patient: genes('gene', feature()) });
      for (const order of [
        [1_104_000, 1_105_000],
        [1_105_000, 1_104_000],
      ]) {
        expect(await scoreOf(genes('q', ...order.map(feature)), 'two')).to.equal(0.75);
      }
      expect(await scoreOf(genes('q', feature()), 'gene')).to.equal(0.75 / 4);
      for (const id of ['two', 'gene']) await server.send('DELETE', `/patient/delete/${id}`);
    });

    it('8: a gene matches by any of its ids', async () => {
      const ids = ['GPX4', 'gpx4', 'ENSG00000167468', 'ENSG00000167468.12', 'HGNC:4556', 'NCBIGene:2879', '2879'];
      for (const id of ids) {
        const results = await match(patient('q', { features: [], genomicFeatures: [{ gene: { id } }] }));
        expect(
          results.map((one) => one.patient.id),
          id,
        ).to.have.members(['P0001058', 'P0001059']);
        expect(results[0].patient.genomicFeatures[0].gene).to.include({ id: 'ENSG00000167468', _geneName: 'GPX4' });
      }
      // A previous symbol: now KARS1.
      const kars = await match(patient('q', { features: [], genomicFeatures: [{ gene: { id: 'KARS1' } }] }));
      expect(kars.map((one) => one.patient.id)).to.deep.equal(['P0001013', 'P0001014']);
    });

    it('9: a variant matches whatever its patch, keys, end and coordinate base; and in the other build', async () => {
      const [one] = all.filter(({ id }) => id === 'P0000079');
      const { variant } = one.genomicFeatures[0];
      const turned = Object.fromEntries(Object.entries(variant).reverse());
      const spellings: Json[] = [
        turned,
        { ...variant, assembly: 'GRCh37.p13' },
        { ...variant, end: undefined },
        { ...variant, start: variant.start + 1, end: variant.end + 1 },
      ];
      for (const spelling of spellings) {
        const query = patient('q', { features: [], genomicFeatures: [{ gene: { id: 'EFTUD2' }, variant: spelling }] });
        const [first] = await match(query);
        expect(first?.patient.id, JSON.stringify(spelling)).to.equal('P0000079');
        expect(first?.score._matchedVariants, JSON.stringify(spelling)).to.have.length(1);
      }
      // 12:14794075 C>T of GRCh37 is 12:14641141 of GRCh38 (reference, section 7.3).
      const guca = (id: string, assembly: string, start: number) =>
        patient(id, {
          features: [],
          genomicFeatures: [
            {
              gene: { id: 'GUCY2C' },
              variant: {
                assembly,
                referenceName: '12',
                start,
                end: start + 1,
                referenceBases: 'C',
                alternateBases: 'T',
              },
            },
          ],
        });
      await server.post('/patient/add', { patient: guca('old', 'GRCh37', 14_794_075) });
      expect(await scoreOf(guca('q', 'GRCh38', 14_641_141), 'old')).to.equal(0.75);
      await server.send('DELETE', '/patient/delete/old');
    });

    it('a patient that has only one gene of the query is found among five that are alike by chance', async () => {
      const own = all.find(({ id }) => id === 'P0000079');
      await server.post('/patient/add', {
        patient: patient('lone', { features: [], genomicFeatures: [{ gene: { id: 'KCNT2' } }] }),
      });
      const genomicFeatures = ['KCNT2', 'KCNT1', 'SLC6A1'].map((id) => ({ gene: { id } }));
      const results = await match({ ...own, id: 'q', genomicFeatures });
      expect(results.map((one) => one.score.patient)).to.eql(
        results.map((one) => one.score.patient).sort((one, other) => other - one),
      );
      const [last] = results.filter((one) => one.patient.id === 'lone');
      expect(last?.score).to.include({ _geneFirst: true, _genotype: 0.75 * (0.25 / Math.sqrt(3)), _phenotype: 0 });
      await server.send('DELETE', '/patient/delete/lone');
    });

    it('10: disorders match in any spelling, and raise a score', async () => {
      const features = [{ id: 'HP:0009623' }];
      const plain = await scoreOf(patient('q', { features, genomicFeatures: [] }), 'P0000079');
      for (const id of ['MIM:610536', 'OMIM:610536']) {
        const query = patient('q', { features, genomicFeatures: [], disorders: [{ id }] });
        expect(await scoreOf(query, 'P0000079'), id).to.be.above(plain);
      }
      const other = patient('q', { features, genomicFeatures: [], disorders: [{ id: 'MIM:999999' }] });
      expect(await scoreOf(other, 'P0000079')).to.equal(plain);
    });

    it('13: returns the same results in the same order, with reasons', async () => {
      const query = all.find(({ id }) => id === 'P0001135');
      const first = await match(query);
      // Readings are drawn in the background, so that only the second may have them.
      const read = ({ patient, score: { _reading, ...score } }: Json) => ({ patient, score });
      expect((await match(query)).map(read)).to.deep.equal(first.map(read));
      expect(first[0].score).to.include.keys('_matchedGenes', '_matchedVariants', '_matchedFeatures');
    });
  });
}
