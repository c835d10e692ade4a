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
