/** Filters on people against a naive model, and the terms that they are listed under. */
import { expect } from 'chai';
import fc from 'fast-check';
import { type Sample, type Sex, sexes, unknownFacts } from '../../../../plugins/beacon/contract.js';
import type { DisclosedDataset } from '../../../../plugins/beacon/disclosure.js';
import { applyFilters, type FilteredData, filteringTerms } from '../../../../plugins/beacon/faces/v2/filters.js';
import type { SentFilter } from '../../../../plugins/beacon/faces/v2/framework/request.js';
import type { PhenotypeService } from '../../../../plugins/services/matchmaker.js';
import { dataset } from '../support/serve.js';

/** Parents of terms of a small ontology; `HP:0000099` is another id of `HP:0000004`. */
const parents: Readonly<Record<string, readonly string[]>> = {
  'HP:0000118': [],
  'HP:0000001': ['HP:0000118'],
  'HP:0000002': ['HP:0000118'],
  'HP:0000003': ['HP:0000001'],
  'HP:0000004': ['HP:0000001', 'HP:0000002'],
};
const alternatives: Readonly<Record<string, string>> = { 'HP:0000099': 'HP:0000004' };

const ontology: PhenotypeService = {
  release: async () => ({ version: '2026-01-01' }),
  async terms(ids) {
    const lineage = (id: string): string[] => [...new Set([id, ...(parents[id] ?? []).flatMap(lineage)])];
    return new Map(
      ids.flatMap((given) => {
        const id = alternatives[given] ?? given;
        return parents[id] ? [[given, { id, name: `Name of ${id}`, lineage: lineage(id) }] as const] : [];
      }),
    );
  },
};

function sampleOf(name: string, facts: Partial<Sample>): Sample {
  return { ...unknownFacts(name), name, added: undefined, searched: { small: true, structural: true }, ...facts };
}

function disclosedAs(id: string, cases: boolean, fields: Partial<DisclosedDataset['dataset']> = {}): DisclosedDataset {
  const now = new Date(0);
  const totals = { created: now, updated: now, alleleCount: 0, callCount: 0, sampleCount: 0 };
  return { dataset: { ...dataset(id), ...totals, ...fields }, granularity: 'record', frequencies: cases, cases };
}

function dataOf(
  people: Readonly<Record<string, readonly Sample[]>>,
  datasets: readonly DisclosedDataset[],
  phenotypes: PhenotypeService | undefined,
): FilteredData {
  const sampleFacts = async (id: string) => {
    if (!datasets.some((one) => one.dataset.id === id && one.cases)) throw new Error(`${id} must not be read`);
    return [...(people[id] ?? [])];
  };
  return { datasets, source: { sampleFacts }, phenotypes };
}

const term = (id: string, includeDescendantTerms = true): SentFilter => ({ id, includeDescendantTerms });
const text = (id: string, operator: NonNullable<SentFilter['operator']>, value: string): SentFilter => ({
  id,
  operator,
  value,
  includeDescendantTerms: true,
});

/** Names of the samples that are left, by dataset; or the message. */
async function left(filters: readonly SentFilter[], data: FilteredData, scope = 'individual'): Promise<unknown> {
  return applyFilters(filters, data, scope).then(
    ({ samples, datasets }) =>
      samples
        ? Object.fromEntries([...samples].map(([id, some]) => [id, some.map(({ name }) => name)]))
        : datasets.map((one) => one.dataset.id),
    (error: Error) => error.message,
  );
}

describe('beacon: filters on people', () => {
  const female = { sex: 'female' as const };
  const people = {
    wgs: [
      sampleOf('a', { ...female, phenotypes: [{ id: 'HP:0000003' }], labels: { assay: 'WGS 30x' } }),
      sampleOf('b', {
        sex: 'male',
        phenotypes: [{ id: 'HP:0000099', label: 'Old name' }],
        diseases: [{ id: 'MIM:1' }],
      }),
    ],
    wes: [sampleOf('c', { ...female, labels: { assay: 'WES' } })],
    hidden: [sampleOf('d', { diseases: [{ id: 'LAB:7' }] })],
  };
  const wgs = disclosedAs('wgs', true, { assembly: 'GRCh38' });
  const all = dataOf(people, [wgs, disclosedAs('wes', true), disclosedAs('hidden', false)], ontology);
  const none = (id: string) => `There is no filter "${id}": /beacon/v2/filtering_terms lists those that work`;

  it('find people by what is stated of them, in datasets whose cases the caller may know', async () => {
    expect(await left([], all)).to.deep.equal(['wgs', 'wes', 'hidden']);
    expect(await left([term('NCIT:C16576')], all)).to.deep.equal({ wgs: ['a'], wes: ['c'] });
    expect(await left([text('sex', '=', 'male')], all)).to.deep.equal({ wgs: ['b'] });
    expect(await left([term('NCIT:C17998')], all)).to.deep.equal({});
    expect(await left([term('hp:0000001')], all)).to.deep.equal({ wgs: ['a', 'b'] });
    expect(await left([term('HP:0000001', false)], all)).to.deep.equal({});
    expect(await left([term('HP:0000004', false)], all)).to.deep.equal({ wgs: ['b'] });
    expect(await left([term('OMIM:1')], all)).to.deep.equal({ wgs: ['b'] });
    expect(await left([term('OMIM:2')], all)).to.deep.equal({});
    expect(await left([term('HP:0000001'), term('NCIT:C16576')], all)).to.deep.equal({ wgs: ['a'] });
    expect(await left([text('assay', '=', 'W%')], all)).to.deep.equal({ wgs: ['a'], wes: ['c'] });
    // The assay of b is unknown: it differs from none.
    expect(await left([text('assay', '!', 'WES')], all)).to.deep.equal({ wgs: ['a'] });
    expect(await left([text('assembly', '=', 'GRCh37'), text('dataset', '!', 'hidden')], all)).to.deep.equal(['wes']);
    expect(await left([text('assembly', '=', 'GRCh38'), term('NCIT:C16576')], all)).to.deep.equal({ wgs: ['a'] });
  });

  it('take an assembly by any of its names, and refuse values that no dataset and nobody can have', async () => {
    for (const name of ['hg38', 'grch38', 'GRCh38.p14', 'GCF_000001405.40']) {
      expect(await left([text('assembly', '=', name)], all), name).to.deep.equal(['wgs']);
    }
    expect(await left([text('assembly', '!', 'hg38')], all)).to.deep.equal(['wes', 'hidden']);
    expect(await left([text('assembly', '=', 'GRCh36')], all)).to.match(
      /^value of filter "assembly" must be GRCh37 or GRCh38/,
    );
    expect(await left([text('sex', '=', 'NCIT:C16576')], all)).to.equal(
      'value of filter "sex" must be female, male, unknown; got "NCIT:C16576"',
    );
    const stranger = dataOf(people, [disclosedAs('wgs', false)], ontology);
    expect(await left([text('sex', '=', 'f')], stranger)).to.equal(none('sex'));
  });

  it('are refused if they do not work, with the same words whatever the reason', async () => {
    expect(await left([term('LAB:7')], all)).to.equal(none('LAB:7'));
    expect(await left([term('nonsense')], all)).to.equal(none('nonsense'));
    expect(await left([text('age', '>', 'P3Y')], all)).to.equal(none('age'));
    // The ontology is loaded and has no such term.
    expect(await left([term('HP:7777777')], all)).to.equal(none('HP:7777777'));
    const stranger = dataOf(people, [disclosedAs('wgs', false)], ontology);
    for (const id of ['NCIT:C16576', 'HP:0000001', 'OMIM:1', 'GENO:0000136', 'sex', 'assay', 'nonsense']) {
      expect(await left([term(id)], stranger), id).to.equal(none(id));
    }
    expect(await left([text('sex', '>', 'male')], all)).to.equal('operator of filter "sex" must be = or !; got ">"');
    expect(await left([term('sex')], all)).to.match(/^Filter "sex" takes an operator and a value/);
    expect(await left([text('HP:0000001', '=', 'yes')], all)).to.match(/ takes neither operator nor value$/);
    expect(await left([{ ...term('HP:0000001'), scope: 'cohort' }], all)).to.match(
      /^scope of filter "HP:0000001" must be /,
    );
    expect(await left([term('GENO:0000136')], all)).to.equal(
      'Filter "GENO:0000136" is for genomicVariant, not for individual',
    );
  });

  it('tell how carriers have an allele', async () => {
    const asked = async (...ids: string[]) => {
      const { zygosity, samples } = await applyFilters(
        ids.map((id) => term(id)),
        all,
        'genomicVariant',
      );
      return [[...(zygosity ?? [])], [...(samples?.keys() ?? [])]];
    };
    expect(await asked('GENO:0000136')).to.deep.equal([['homozygous'], ['wgs', 'wes']]);
    expect(await asked('GENO:0000135', 'GENO:0000458', 'HP:0000001')).to.deep.equal([['heterozygous'], ['wgs']]);
    expect(await asked('GENO:0000134', 'GENO:0000136')).to.deep.equal([[], ['wgs', 'wes']]);
  });

  it('match terms alone, and say so, if no ontology is loaded', async () => {
    const bare = { ...all, phenotypes: undefined };
    expect(await left([term('HP:0000001')], bare)).to.deep.equal({});
    expect(await left([term('HP:7777777')], bare)).to.deep.equal({});
    expect(await left([term('HP:0000003')], bare)).to.deep.equal({ wgs: ['a'] });
    const leftOut =
      'Filters on people apply to datasets whose cases the caller may know: in the others nothing is looked for';
    expect((await applyFilters([term('HP:0000003')], bare, 'individual')).notes).to.deep.equal([
      'Descendants of HP:0000003 are not known here: the filter matches this term alone',
      leftOut,
    ]);
    expect((await applyFilters([term('HP:0000003', false)], bare, 'individual')).notes).to.deep.equal([leftOut]);
    const known = { ...all, datasets: all.datasets.filter(({ cases }) => cases) };
    expect((await applyFilters([term('HP:0000003')], known, 'individual')).notes).to.deep.equal([]);
  });

  it('are listed with what occurs in the datasets that the caller may see, and each of them works', async () => {
    const { filteringTerms: listed, resources } = await filteringTerms(all);
    const scopes = ['individual', 'biosample', 'run', 'analysis', 'genomicVariant'];
    const named = (id: string) => ({ type: 'ontology', id, label: `Name of ${id}`, scopes });
    const genotype = (id: string, label: string) => ({ type: 'ontology', id, label, scopes: ['genomicVariant'] });
    expect(listed).to.deep.equal([
      { type: 'alphanumeric', id: 'assay', scopes, values: ['WES', 'WGS 30x'] },
      { type: 'alphanumeric', id: 'assembly', scopes, values: ['GRCh37', 'GRCh38'] },
      { type: 'alphanumeric', id: 'dataset', scopes, values: ['hidden', 'wes', 'wgs'] },
      { type: 'alphanumeric', id: 'sex', scopes, values: ['female', 'male'] },
      genotype('GENO:0000134', 'hemizygous'),
      genotype('GENO:0000136', 'homozygous'),
      genotype('GENO:0000458', 'simple heterozygous'),
      ...['1', '2', '3', '4', '118'].map((digits) => named(`HP:${digits.padStart(7, '0')}`)),
      { type: 'ontology', id: 'NCIT:C16576', label: 'female', scopes },
      { type: 'ontology', id: 'NCIT:C20197', label: 'male', scopes },
      { type: 'ontology', id: 'OMIM:1', scopes },
    ]);
    expect(resources.map(({ nameSpacePrefix, version }) => [nameSpacePrefix, version])).to.deep.equal([
      ['GENO', undefined],
      ['HP', '2026-01-01'],
      ['NCIT', undefined],
      ['OMIM', undefined],
    ]);
    for (const { id, values, type, scopes: of } of listed) {
      const filters = type === 'ontology' ? [term(id)] : (values ?? []).map((value) => text(id, '=', value));
      for (const filter of filters) {
        expect(await left([filter], all, of.at(-1)), JSON.stringify(filter)).to.not.be.empty.and.not.be.a('string');
      }
    }
    const stranger = dataOf(people, [disclosedAs('wgs', false)], ontology);
    expect((await filteringTerms(stranger)).filteringTerms.map(({ id, values }) => [id, values])).to.deep.equal([
      ['assembly', ['GRCh37']],
      ['dataset', ['wgs']],
    ]);
  });

  it('take no longer for many wildcards', async () => {
    const long = dataOf({ wgs: [sampleOf('a', { labels: { assay: `${'a'.repeat(199)}b` } })] }, [wgs], ontology);
    expect(await left([text('assay', '=', `${'a%'.repeat(120)}c`)], long)).to.deep.equal({});
    expect(await left([text('assay', '=', `${'a%'.repeat(120)}b`)], long)).to.deep.equal({ wgs: ['a'] });
  });

  it('agree with a naive model', async () => {
    const ids = [...Object.keys(parents), ...Object.keys(alternatives)];
    const canonical = (id: string) => alternatives[id] ?? id;
    const isBelow = (id: string, ancestor: string): boolean =>
      id === ancestor || (parents[id] ?? []).some((parent) => isBelow(parent, ancestor));
    const assays = ['WGS', 'WES', 'W', 'panel 1'];
    const somebody = fc.record({
      sex: fc.constantFrom<Sex>(...sexes),
      phenotypes: fc.uniqueArray(fc.constantFrom(...ids), { maxLength: 3 }),
      assay: fc.option(fc.constantFrom(...assays), { nil: undefined }),
    });
    const pattern = fc.array(fc.constantFrom('W', 'G', 'S', '%', 'panel'), { minLength: 1, maxLength: 4 });
    const filter = fc.oneof(
      fc.record({ kind: fc.constant('term' as const), id: fc.constantFrom(...ids), descendants: fc.boolean() }),
      fc.record({ kind: fc.constant('sex' as const), sex: fc.constantFrom<Sex>(...sexes), not: fc.boolean() }),
      fc.record({
        kind: fc.constant('assay' as const),
        value: pattern.map((parts) => parts.join('')),
        not: fc.boolean(),
      }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(somebody, { maxLength: 6 }),
        fc.array(filter, { minLength: 1, maxLength: 3 }),
        async (some, asked) => {
          const samples = some.map(({ sex, phenotypes, assay }, i) =>
            sampleOf(`s${i}`, { sex, phenotypes: phenotypes.map((id) => ({ id })), labels: assay ? { assay } : {} }),
          );
          const filters = asked.map((one) => {
            if (one.kind === 'term') return term(one.id, one.descendants);
            if (one.kind === 'sex') return text('sex', one.not ? '!' : '=', one.sex);
            return text('assay', one.not ? '!' : '=', one.value);
          });
          const expected = some.flatMap(({ sex, phenotypes, assay }, i) => {
            const fits = asked.every((one) => {
              if (one.kind === 'term') {
                return phenotypes.some((id) =>
                  one.descendants ? isBelow(canonical(id), canonical(one.id)) : canonical(id) === canonical(one.id),
                );
              }
              if (one.kind === 'sex') return one.not ? sex !== 'unknown' && sex !== one.sex : sex === one.sex;
              const isLike = assay !== undefined && new RegExp(`^${one.value.replaceAll('%', '.*')}$`).test(assay);
              return assay !== undefined && isLike !== one.not;
            });
            return fits ? [`s${i}`] : [];
          });
          const found = await left(filters, dataOf({ wgs: samples }, [wgs], ontology));
          expect(found).to.deep.equal(expected.length > 0 ? { wgs: expected } : {});
        },
      ),
      { numRuns: Number(process.env.TEST_HISTORIES ?? 200) },
    );
  });
});
