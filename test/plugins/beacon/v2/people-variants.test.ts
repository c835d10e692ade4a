/** Variants of people at /beacon/v2: filters, and the paths between variants and people, against a naive model. */
import { expect } from 'chai';
import fc from 'fast-check';
import { type Allele, type Sex, sexes } from '../../../../plugins/beacon/contract.js';
import { genomicVariant } from '../../../../plugins/beacon/faces/v2/entries/genomic-variant.js';
import type { DatasetView } from '../../../../plugins/beacon/faces/v2/framework/entry-type.js';
import { emptyRequest } from '../../../../plugins/beacon/faces/v2/framework/request.js';
import { pseudonym } from '../../../../plugins/beacon/faces/v2/individuals.js';
import { syntheticView } from '../../../../plugins/beacon/faces/v2/test-data.js';
import { variantIdOf } from '../../../../plugins/beacon/faces/v2/variants/record.js';
import { at as atTime, called, load, small } from '../../../conformance/beacon/build.js';
import { dealt } from '../../../support/dealt.js';
import { useOnce } from '../../../support/use.js';
import { answerFaults } from '../support/beacon-schemas.js';
import { engines } from '../support/engines.js';
import { tokenWith } from '../support/observed.js';
import { dataset, type Json, serveBeacon } from '../support/serve.js';
import { describeWithShared } from '../support/shared.js';
import { type Ask, asking, at } from './support.js';

/** Outside the pseudo-autosomal regions: men have one copy. */
const x = 100_000_000;
const alleles: readonly Allele[] = [
  small('1', 99, 'A', 'T'),
  small('1', 199, 'C', 'CAG'),
  small('2', 99, 'G', 'A'),
  small('X', x, 'G', 'T'),
];
const terms = ['HP:0001250', 'HP:0001263', 'OMIM:607208'] as const;
const assays = ['WGS', 'WES'] as const;

interface Person {
  name: string;
  sex: Sex;
  terms: readonly string[];
  assay?: string;
  /** By the number of the allele. */
  copies: readonly number[];
}

const people: readonly Person[] = [
  { name: 'a', sex: 'female', terms: ['HP:0001250'], assay: 'WGS', copies: [1, 0, 2, 1] },
  { name: 'b', sex: 'male', terms: ['HP:0001250', 'OMIM:607208'], assay: 'WGS', copies: [2, 0, 0, 1] },
  { name: 'c', sex: 'unknown', terms: [], assay: 'WES', copies: [1, 1, 1, 2] },
  { name: 'd', sex: 'male', terms: ['HP:0001263'], copies: [0, 0, 0, 0] },
  { name: 'e', sex: 'female', terms: ['HP:0001263'], assay: 'WES', copies: [0, 0, 1, 0] },
];

type Zygosity = 'heterozygous' | 'homozygous' | 'hemizygous' | undefined;

/** As in the guide: men are hemizygous on X; two copies are homozygous; one copy of somebody of unknown sex on X is either. */
function zygosityOf({ sex }: Person, allele: Allele, copies: number): Zygosity {
  if (allele.contig === 'X' && sex === 'male') return 'hemizygous';
  if (copies === 2) return 'homozygous';
  return allele.contig === 'X' && sex === 'unknown' ? undefined : 'heterozygous';
}

const zygosityIds = {
  'GENO:0000458': 'heterozygous',
  'GENO:0000136': 'homozygous',
  'GENO:0000134': 'hemizygous',
} as const;

for (const engine of dealt(engines, 'postgres')) {
  describeWithShared(`beacon v2: variants of people (${engine.name})`, () => {
    const beacon = useOnce(() => serveBeacon(engine));
    let ask: Ask;
    let cases: string;
    let reading: string;
    let salt = '';
    const idOf = (kind: 'individual' | 'biosample' | 'run' | 'analysis', name: string) => pseudonym(salt, kind, name);
    const variantId = (allele: Allele) => variantIdOf('GRCh37', allele);

    before(async () => {
      ask = asking(beacon.url);
      const { repository } = beacon;
      for (const id of ['ds', 'other']) {
        await repository.addDataset(dataset(id), atTime(0));
        const facts = new Map(
          people.map(({ name, sex, terms: stated, assay }) => {
            const [phenotypes, diseases] = ['HP', 'OMIM'].map((prefix) =>
              stated.filter((term) => term.startsWith(prefix)).map((term) => ({ id: term })),
            );
            const labels = { ...(assay && { assay }), run_date: '2026-01-31' };
            return [name, { sex, phenotypes: phenotypes ?? [], diseases: diseases ?? [], labels }];
          }),
        );
        const carried = alleles.map((allele, i) =>
          called(allele, ...people.flatMap(({ copies }, n) => (copies[i] ? [[n, copies[i]] as const] : []))),
        );
        await load(
          repository,
          id,
          people.map(({ name }) => name),
          carried,
          { facts },
        );
      }
      salt = (await repository.salt('ds')) ?? '';
      cases = await tokenWith(beacon, 'beacon:cases:ds', 'beacon:read:ds');
      reading = await tokenWith(beacon, 'beacon:read');
    });

    interface Found {
      id: string;
      carriers: string[];
    }

    /** The variants of "ds" in an answer, which must be valid, with the individuals who carry them. */
    async function variants(path: string, token = cases): Promise<Found[] | number> {
      const { status, body } = await ask(path, { token });
      expect(answerFaults('genomicVariant', body), path).to.deep.equal([]);
      if (status !== 200) return status;
      const sets = (at(body, 'response.resultSets') ?? []) as { id: string; results: Json[]; resultsCount: number }[];
      const all = sets.filter(({ id }) => id === 'ds').flatMap(({ results }) => results);
      expect(at(body, 'responseSummary.numTotalResults')).to.equal(
        sets.reduce((sum, set) => sum + set.resultsCount, 0),
      );
      return all.map((record) => ({
        id: String(record.variantInternalId),
        carriers: (record.caseLevelData as Json[]).map(({ individualId }) => String(individualId)).sort(),
      }));
    }

    it('are narrowed by filters to what matching people carry, as by a naive model', async () => {
      const filter = fc.oneof(
        fc.constantFrom<Sex>(...sexes).map((sex) => ({ text: `sex=${sex}`, fits: (one: Person) => one.sex === sex })),
        fc.constantFrom(...terms).map((term) => ({ text: term, fits: (one: Person) => one.terms.includes(term) })),
        fc
          .constantFrom(...assays)
          .map((assay) => ({ text: `assay=${assay}`, fits: (one: Person) => one.assay === assay })),
        fc.constantFrom(...(Object.keys(zygosityIds) as (keyof typeof zygosityIds)[])).map((term) => ({
          text: term,
          fits: (one: Person, allele: Allele, copies: number) => zygosityOf(one, allele, copies) === zygosityIds[term],
        })),
      );
      const place = fc.constantFrom(
        { query: '', applies: (_: Allele) => true },
        {
          query: 'assemblyId=GRCh37&referenceName=1&start=0&end=1000&',
          applies: ({ contig }: Allele) => contig === '1',
        },
        {
          query: `assemblyId=GRCh37&referenceName=X&start=${x}&referenceBases=G&alternateBases=T&`,
          applies: ({ contig }: Allele) => contig === 'X',
        },
      );
      const asked = fc.array(filter, { minLength: 1, maxLength: 2 });
      await fc.assert(
        fc.asyncProperty(place, asked, async ({ query, applies }, filters) => {
          const expected = alleles.flatMap((allele, i) => {
            const carriers = people.filter(
              (one) => one.copies[i] && filters.every(({ fits }) => fits(one, allele, one.copies[i] ?? 0)),
            );
            if (!applies(allele) || carriers.length === 0) return [];
            return [{ id: variantId(allele), carriers: carriers.map(({ name }) => idOf('individual', name)).sort() }];
          });
          const text = filters.map((one) => one.text).join(',');
          expect(await variants(`/g_variants?${query}filters=${encodeURIComponent(text)}`)).to.deep.equal(expected);
        }),
        { numRuns: Number(process.env.TEST_HISTORIES ?? 10) },
      );
    });

    it('lead to those who carry them, and back', async () => {
      for (const [i, allele] of alleles.entries()) {
        const { body } = await ask(`/g_variants/${variantId(allele)}/individuals`, { token: cases });
        expect(answerFaults('individual', body)).to.deep.equal([]);
        const sets = at(body, 'response.resultSets') as { id: string; results: Json[] }[] | undefined;
        // The cases of the other dataset are not known to the caller: the answer tells as much as it does.
        expect(sets).to.equal(undefined);
        const carriers = people.filter(({ copies }) => copies[i]).map(({ name }) => name);
        const own = await ask(`/g_variants/${variantId(allele)}/individuals?datasetIds=ds`, { token: cases });
        const found = (at(own.body, 'response.resultSets.0.results') as Json[]).map(({ id }) => id);
        expect(found).to.deep.equal(carriers.map((name) => idOf('individual', name)).sort());
        const counted = await ask(`/g_variants/${variantId(allele)}/biosamples?datasetIds=ds`, { token: reading });
        expect(at(counted.body, 'responseSummary')).to.include({ exists: true, numTotalResults: carriers.length });
        const women = await ask(`/g_variants/${variantId(allele)}/biosamples?datasetIds=ds&filters=NCIT:C16576`, {
          token: cases,
        });
        expect(answerFaults('biosample', women.body)).to.deep.equal([]);
        const some = people.filter(({ copies, sex }) => copies[i] && sex === 'female').map(({ name }) => name);
        expect(at(women.body, 'responseSummary.numTotalResults')).to.equal(some.length);
      }
      const homozygous = `/g_variants/${variantId(alleles[0] as Allele)}/individuals?datasetIds=ds&filters=GENO:0000136`;
      expect(at((await ask(homozygous, { token: cases })).body, 'response.resultSets.0.results.0.id')).to.equal(
        idOf('individual', 'b'),
      );
      for (const [i, { name, copies }] of people.entries()) {
        const own = alleles
          .filter((_, n) => copies[n])
          .map((allele) => ({ id: variantId(allele), carriers: [idOf('individual', name)] }));
        const kind = (['individual', 'biosample', 'run'] as const)[i % 3] ?? 'individual';
        expect(await variants(`/${kind}s/${idOf(kind, name)}/g_variants`), name).to.deep.equal(own);
      }
    });

    it('are not told of people to callers who may not know the cases', async () => {
      const anna = idOf('individual', 'a');
      for (const token of [undefined, reading]) {
        const asker = token === undefined ? {} : { token };
        expect((await ask(`/individuals/${anna}/g_variants`, asker)).status).to.equal(404);
        expect((await ask('/g_variants?filters=NCIT:C16576', asker)).status).to.equal(400);
        const { status, body } = await ask('/g_variants?filters=dataset=ds', asker);
        expect([status, at(body, 'responseSummary.exists'), answerFaults('genomicVariant', body)]).to.deep.equal([
          200,
          true,
          [],
        ]);
        expect(JSON.stringify(body)).to.not.include('caseLevelData');
      }
      const absent = await ask(`/g_variants/GRCh37-1-7-A-T/individuals`, { token: cases });
      expect(absent.status).to.equal(404);
      const { body } = await ask('/g_variants?filters=NCIT:C16576', { token: cases });
      expect(at(body, 'info.warnings')).to.include(
        'Filters on people apply to datasets whose cases the caller may know: in the others nothing is looked for',
      );
    });
  });
}

describe('beacon v2: frequencies of variants', () => {
  it('are those of all people, so that they are not told of some', async () => {
    let counted = 0;
    const observe: NonNullable<DatasetView['counting']>['repository']['observe'] = async () => {
      counted++;
      return [];
    };
    const view: DatasetView = {
      ...syntheticView,
      open: syntheticView.open.map((one) => ({ ...one, frequencies: true })),
      counting: { repository: { observe }, denominators: () => Promise.reject(new Error('nothing was counted')) },
    };
    const { find } = genomicVariant({
      phenotypes: async () => undefined,
      findGene: async () => [],
      formOf: () => undefined,
      limit: 100,
      name: 'Beacon',
    });
    const asked = async (...ids: string[]) => {
      const filters = ids.map((id) => ({ id, includeDescendantTerms: true }));
      const { signal } = new AbortController();
      const common = { view, datasets: view.open, base: 'https://beacon.example.org/beacon/v2', signal };
      const matches = await find({
        ...common,
        place: { kind: 'all' },
        request: { ...emptyRequest, filters },
      });
      counted = 0;
      const { records } = await matches.page('synthetic', { skip: 0 }, 10);
      return [records.length > 0, counted];
    };
    expect(await asked()).to.deep.equal([true, 1]);
    expect(await asked('NCIT:C16576')).to.deep.equal([true, 0]);
  });
});
