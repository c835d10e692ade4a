/** People, samples, runs and analyses at /beacon/v2. */
import { expect } from 'chai';
import { type Pseudonymous, pseudonym } from '../../../../plugins/beacon/faces/v2/individuals.js';
import { at as atTime, called, load, small } from '../../../conformance/beacon/build.js';
import { dealt } from '../../../support/dealt.js';
import { useOnce } from '../../../support/use.js';
import { answerFaults } from '../support/beacon-schemas.js';
import { engines } from '../support/engines.js';
import { tokenWith } from '../support/observed.js';
import { dataset, type Json, serveBeacon } from '../support/serve.js';
import { describeWithShared } from '../support/shared.js';
import { type Ask, asking, at } from './support.js';

const seizure = { id: 'HP:0001250', label: 'Seizure' };
const dravet = { id: 'OMIM:607208', label: 'Dravet syndrome' };
const names = ['Zq7-ANNA', 'Zq7-BO', 'Zq7-CAI'] as const;
const [anna, bo, cai] = names;
const paths = ['individuals', 'biosamples', 'runs', 'analyses'] as const;
const typeOf = { individuals: 'individual', biosamples: 'biosample', runs: 'run', analyses: 'analysis' } as const;

for (const engine of dealt(engines, 'sqlite')) {
  describeWithShared(`beacon v2: people (${engine.name})`, () => {
    const beacon = useOnce(() => serveBeacon(engine));
    let ask: Ask;
    /** Tokens: of somebody who may know the cases of "ds", and of one who may only query it. */
    let cases: string;
    let reading: string;
    const ids = new Map<string, string>();
    const id = (kind: Pseudonymous, name: string) => ids.get(`${kind} ${name}`) ?? '';

    before(async () => {
      ask = asking(beacon.url);
      const { repository } = beacon;
      await repository.addDataset(dataset('ds'), atTime(0));
      await repository.addDataset(dataset('secret', { access: 'CONTROLLED' }), atTime(0));
      const allele = small('1', 99, 'A', 'T');
      const dates = { run_date: '2025-12-31', pipeline: 'raredisease 2.1', analysis_date: '2026-01-02' };
      const facts = new Map([
        [anna, { sex: 'female', case: 'Zq7-F1', phenotypes: [seizure], labels: { assay: 'WGS', ...dates } }],
        [bo, { sex: 'male', case: 'Zq7-F1', diseases: [dravet], labels: { assay: 'WES', run_date: '2025-11-30' } }],
      ] as const);
      await load(repository, 'ds', names, [called(allele, [0, 1], [1, 2])], { facts });
      await load(repository, 'secret', [anna], [called(allele, [0, 1])], { facts });
      for (const one of ['ds', 'secret']) {
        const salt = (await repository.salt(one)) ?? '';
        for (const kind of ['individual', 'biosample', 'run', 'analysis'] as const) {
          for (const name of names)
            ids.set(`${kind} ${one === 'ds' ? name : `hidden ${name}`}`, pseudonym(salt, kind, name));
        }
      }
      cases = await tokenWith(beacon, 'beacon:cases:ds');
      reading = await tokenWith(beacon, 'beacon:read:ds');
    });

    /** The records of an answer, which must be valid, by id. */
    async function records(path: string, token = cases): Promise<Json[]> {
      const { status, body } = await ask(path, { token });
      expect(status, `${path}: ${JSON.stringify(body)}`).to.equal(200);
      const entry = path
        .replace(/\?.*/, '')
        .split('/')
        .filter((part) => part in typeOf)
        .at(-1) as (typeof paths)[number];
      expect(answerFaults(typeOf[entry], body), path).to.deep.equal([]);
      expect(JSON.stringify(body), 'names and cases of the laboratory').not.to.include('Zq7');
      const sets = (at(body, 'response.resultSets') ?? []) as { results: Json[] }[];
      return sets.flatMap(({ results }) => results).sort((one, other) => (String(one.id) < String(other.id) ? -1 : 1));
    }

    const sorted = (all: readonly Json[]) =>
      [...all].sort((one, other) => (String(one.id) < String(other.id) ? -1 : 1));

    it('are records of what is stated of them, under pseudonyms', async () => {
      expect(await records('/individuals')).to.deep.equal(
        sorted([
          {
            id: id('individual', anna),
            sex: { id: 'NCIT:C16576', label: 'female' },
            phenotypicFeatures: [{ featureType: seizure }],
          },
          { id: id('individual', bo), sex: { id: 'NCIT:C20197', label: 'male' }, diseases: [{ diseaseCode: dravet }] },
          { id: id('individual', cai), sex: { id: 'NCIT:C17998', label: 'unknown' } },
        ]),
      );
      const sample = (name: string, assay?: string) => ({
        id: id('biosample', name),
        individualId: id('individual', name),
        biosampleStatus: { id: 'NCIT:C17998', label: 'Unknown' },
        sampleOriginType: { id: 'OBI:0000747', label: 'material sample' },
        ...(assay && { info: { assay } }),
      });
      expect(await records('/biosamples')).to.deep.equal(sorted([sample(anna, 'WGS'), sample(bo, 'WES'), sample(cai)]));
      const of = (name: string) => ({ biosampleId: id('biosample', name), individualId: id('individual', name) });
      expect(await records('/runs')).to.deep.equal(
        sorted([
          { id: id('run', anna), ...of(anna), runDate: '2025-12-31', libraryStrategy: 'WGS' },
          { id: id('run', bo), ...of(bo), runDate: '2025-11-30', libraryStrategy: 'WES' },
        ]),
      );
      const analysed = { analysisDate: '2026-01-02', pipelineName: 'raredisease 2.1', runId: id('run', anna) };
      expect(await records('/analyses')).to.deep.equal([{ id: id('analysis', anna), ...of(anna), ...analysed }]);
    });

    it('lead to each other', async () => {
      const found = async (path: string) => (await records(path)).map((record) => record.id);
      expect(await found(`/individuals/${id('individual', bo)}`)).to.deep.equal([id('individual', bo)]);
      expect(await found(`/individuals/${id('individual', bo)}/biosamples`)).to.deep.equal([id('biosample', bo)]);
      expect(await found(`/biosamples/${id('biosample', anna)}/runs`)).to.deep.equal([id('run', anna)]);
      expect(await found(`/biosamples/${id('biosample', bo)}/analyses`)).to.deep.equal([]);
      expect(await found(`/runs/${id('run', anna)}/analyses`)).to.deep.equal([id('analysis', anna)]);
      expect(await found('/datasets/ds/individuals?filters=NCIT:C20197')).to.deep.equal([id('individual', bo)]);
      expect(await found('/datasets/ds/biosamples?filters=OMIM:607208')).to.deep.equal([id('biosample', bo)]);
      expect(await found(`/individuals/${id('individual', bo)}/biosamples?filters=HP:0001250`)).to.deep.equal([]);
    });

    it('are narrowed by filters, by GET and by POST', async () => {
      const found = async (filters: string) => {
        const by = (await records(`/individuals?filters=${encodeURIComponent(filters)}`)).map((record) => record.id);
        const list = filters.split(',').map((filter) => {
          const [, name, operator, value] = /^(\w+)(=|!)(.*)$/.exec(filter) ?? [];
          return name ? { id: name, operator, value } : { id: filter };
        });
        const json = { meta: { apiVersion: 'v2.1.1' }, query: { filters: list, requestedGranularity: 'count' } };
        const { body } = await ask('/individuals', { json, token: cases });
        expect([answerFaults('individual', body), at(body, 'responseSummary.numTotalResults')]).to.deep.equal([
          [],
          by.length,
        ]);
        return names.filter((name) => by.includes(id('individual', name)));
      };
      expect(await found('NCIT:C16576')).to.deep.equal([anna]);
      expect(await found('HP:0001250')).to.deep.equal([anna]);
      expect(await found('HP:0001250,sex=male')).to.deep.equal([]);
      expect(await found('assay!WGS')).to.deep.equal([bo]);
      expect(await found('sex!male')).to.deep.equal([anna]);
      expect(await found('sex!male,assay!WGS')).to.deep.equal([]);
      expect(await found('assay!W%')).to.deep.equal([]);
      expect(await found('dataset!ds')).to.deep.equal([]);
      expect(await found('dataset=ds')).to.deep.equal([...names]);
      expect(await found('dataset=secret')).to.deep.equal([]);
      expect(await found('dataset=nothing')).to.deep.equal([]);
      const { body } = await ask('/individuals?filters=HP:0001250', { token: cases });
      expect(at(body, 'info.warnings')).to.deep.equal([
        'Descendants of HP:0001250 are not known here: the filter matches this term alone',
      ]);
      const refused = await ask('/individuals?filters=ageOfOnset:>=P3Y', { token: cases });
      expect([refused.status, at(refused.body, 'error.errorMessage')]).to.deep.equal([
        400,
        'There is no filter "ageOfOnset": /beacon/v2/filtering_terms lists those that work',
      ]);
    });

    it('are pages, of which each follows from the one before', async () => {
      const seen: unknown[] = [];
      let page = '';
      for (let i = 0; i < 3; i++) {
        const { body } = await ask(`/individuals?limit=1${page}`, { token: cases });
        expect(at(body, 'responseSummary.numTotalResults')).to.equal(3);
        seen.push(at(body, 'response.resultSets.0.results.0.id'));
        const { body: skipped } = await ask(`/individuals?limit=1&skip=${i}`, { token: cases });
        expect(at(skipped, 'response.resultSets.0.results.0.id')).to.equal(seen[i]);
        const next = at(body, 'meta.receivedRequestSummary.pagination.nextPage');
        expect(next === undefined).to.equal(i === 2);
        page = `&currentPage=${next}`;
      }
      expect(seen).to.deep.equal(names.map((name) => id('individual', name)).sort());
    });

    it('are numbers for callers who may not know the cases, and less for strangers', async () => {
      for (const [path, number] of [
        ['individuals', 3],
        ['biosamples', 3],
        ['runs', 2],
        ['analyses', 1],
      ] as const) {
        const counted = await ask(`/${path}`, { token: reading });
        expect([path, at(counted.body, 'responseSummary'), answerFaults(typeOf[path], counted.body)]).to.deep.equal([
          path,
          { exists: true, numTotalResults: number, countPrecision: 'exact' },
          [],
        ]);
        const { body } = await ask(`/${path}`);
        expect([path, at(body, 'responseSummary'), answerFaults(typeOf[path], body)]).to.deep.equal([
          path,
          { exists: true },
          [],
        ]);
        expect(body).to.not.have.property('response');
      }
    });

    it('that are hidden are as if they did not exist', async () => {
      const answers = async (path: string, token?: string) => {
        const { status, body } = await ask(path, token === undefined ? {} : { token });
        return JSON.stringify([status, body]);
      };
      for (const path of paths) {
        const kind = typeOf[path];
        const absent = await answers(`/${path}/${'x'.repeat(22)}`, cases);
        expect(absent).to.match(/^\[404,.*There is no such /);
        for (const one of [id(kind, `hidden ${anna}`), anna, 'x', id(kind === 'run' ? 'individual' : 'run', anna)]) {
          expect(await answers(`/${path}/${encodeURIComponent(one)}`, cases), one).to.equal(absent);
        }
        for (const token of [undefined, reading]) {
          expect(await answers(`/${path}/${id(kind, anna)}`, token)).to.equal(absent);
        }
      }
      const below = await answers(`/individuals/${'x'.repeat(22)}/biosamples`, cases);
      expect(below).to.match(/^\[404,/);
      for (const token of [undefined, reading]) {
        expect(await answers(`/individuals/${id('individual', anna)}/biosamples`, token)).to.equal(below);
      }
      // A filter on people would tell a stranger what is known of the carrier of an allele.
      const unknown = await ask('/individuals?filters=nothing');
      const known = await ask('/individuals?filters=NCIT:C16576');
      expect([unknown.status, known.status]).to.deep.equal([400, 400]);
      expect(at(known.body, 'error.errorMessage')).to.equal(
        String(at(unknown.body, 'error.errorMessage')).replace('nothing', 'NCIT:C16576'),
      );
    });

    it('are filtered by what the list of terms has, for each caller', async () => {
      const listed = async (token?: string) => {
        const { body } = await ask('/filtering_terms?limit=0', token === undefined ? {} : { token });
        return (at(body, 'response.filteringTerms') as Json[]).map(({ id: term, values }) =>
          values ? [term, values] : term,
        );
      };
      expect(await listed()).to.deep.equal([
        ['assembly', ['GRCh37']],
        ['dataset', ['ds']],
      ]);
      expect(await listed(reading)).to.deep.equal(await listed());
      expect(await listed(cases)).to.deep.equal([
        ['assay', ['WES', 'WGS']],
        ['assembly', ['GRCh37']],
        ['dataset', ['ds']],
        ['sex', ['female', 'male', 'unknown']],
        ...['GENO:0000134', 'GENO:0000136', 'GENO:0000458', 'HP:0001250'],
        ...['NCIT:C16576', 'NCIT:C17998', 'NCIT:C20197', 'OMIM:607208'],
      ]);
    });

    it('are valid whatever is asked for', async () => {
      for (const path of paths) {
        for (const granularity of ['boolean', 'count', 'record']) {
          for (const include of ['ALL', 'HIT', 'MISS', 'NONE']) {
            for (const token of [cases, reading, undefined]) {
              const query = `requestedGranularity=${granularity}&includeResultsetResponses=${include}`;
              const { status, body } = await ask(`/${path}?${query}`, token === undefined ? {} : { token });
              const what = `${path} ${query} ${token === cases}`;
              expect([status, answerFaults(typeOf[path], body)], what).to.deep.equal([200, []]);
              expect(at(body, 'responseSummary.exists'), what).to.equal(true);
            }
          }
        }
      }
    });

    it('are in no cohort', async () => {
      const { status, body } = await ask('/cohorts', { token: cases });
      expect([status, answerFaults('cohort', body), at(body, 'response')]).to.deep.equal([
        200,
        [],
        { collections: [] },
      ]);
      expect(at(body, 'responseSummary.exists')).to.equal(false);
      expect((await ask('/cohorts/synthetic')).status).to.equal(404);
    });
  });
}
