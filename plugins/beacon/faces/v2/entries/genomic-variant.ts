/** Variants: the alleles of datasets. */
import { denominatorsOf } from '../../../callability/of-query.js';
import { type Allele, type AlleleQuery, assemblies, contigs, type DatasetAlleles } from '../../../contract.js';
import type { Disclosed } from '../../../disclosure.js';
import { queryForVariantId, variantIdOf } from '../../../domain/variant-id.js';
import { carriedBy } from '../../../individuals/carriers.js';
import type { FindGene } from '../../../query/genes.js';
import { type VariantQuestion, variantQuestion } from '../../../query/question.js';
import type { Asked, EntrySchema, Matches, SetEntryType } from '../framework/entry-type.js';
import type { ParameterNames } from '../request/parameters.js';
import { invalid, shown } from '../request/values.js';
import { caseTeller } from '../variants/cases.js';
import { type Describe, FoundVariants, type Search } from '../variants/found.js';
import { frequencies } from '../variants/frequencies.js';
import { AllVariants } from '../variants/listing.js';
import { type VariantForm, variantRecord } from '../variants/record.js';
import { sitesHandovers } from '../variants/sites.js';
import { type PeopleTools, whoIn } from './people/who.js';

const parameters = {
  assemblyId: 'text',
  referenceName: 'text',
  start: 'wholes',
  end: 'wholes',
  referenceBases: 'text',
  alternateBases: 'text',
  variantType: 'text',
  variantMinLength: 'whole',
  variantMaxLength: 'whole',
  geneId: 'text',
  genomicAlleleShortForm: 'text',
  aminoacidChange: 'text',
  mateName: 'text',
  mateStart: 'wholes',
  mateEnd: 'wholes',
} as const satisfies ParameterNames;

const schema: EntrySchema = {
  id: 'ga4gh-beacon-variant-v2.1.0',
  name: 'Default schema for genomic variations',
  file: 'genomicVariations/defaultSchema.json',
  version: 'v2.1.0',
};

const vrsSchema: EntrySchema = {
  id: 'ga4gh-beacon-variant-vrs-v2.1.0',
  name: 'Genomic variations with VRS 1.3 alleles',
  file: 'genomicVariations/defaultSchema.json#vrs',
  version: 'v2.1.0',
};

/** `limit` is also that of the alleles that a question may find. */
export interface VariantTools extends PeopleTools {
  findGene: FindGene;
  /** Name of the beacon. */
  name: string;
}

export function genomicVariant(tools: VariantTools): SetEntryType {
  return {
    id: 'genomicVariant',
    name: 'Genomic variant',
    description:
      'Alleles, as trimmed of shared bases. Ranges find what they overlap by a base; brackets are half-open, and two equal ' +
      'bounds are one position; structural variants are found by the positions that their records state.',
    term: { id: 'ENSGLOSSARY:0000092', label: 'Variant' },
    path: 'g_variants',
    schema,
    furtherSchemas: [vrsSchema],
    related: ['biosample', 'individual'],
    parameters,
    find: (asked) => found(tools, asked),
    handovers: sitesHandovers,
  };
}

async function found(tools: VariantTools, asked: Asked): Promise<Matches> {
  const { place, view, signal } = asked;
  const { source } = view;
  const { limit } = tools;
  const who = await whoIn(asked, 'genomicVariant', tools);
  const { samples, zygosity, notes } = who;
  // How frequent an allele is in all people of a dataset is not how frequent it is in some of them.
  const describe = describing(tools, samples ? { ...asked, view: { ...view, counting: undefined } } : asked);
  const assemblyOf = new Map(who.datasets.map(({ dataset }) => [dataset.id, dataset.assembly]));
  const narrow = samples && {
    carriers: true,
    narrow: ({ dataset, alleles }: DatasetAlleles) =>
      carriedBy(
        { alleles },
        { samples: samples.get(dataset) ?? [], assembly: assemblyOf.get(dataset) ?? 'GRCh38', zygosity },
      ),
  };
  const search = { source, limit, signal, describe, ...narrow, ...(!samples && { outOf: outOfHow(asked) }) };
  if (place.kind === 'entry') return oneVariant(asked, place.id, search, [...assemblyOf.keys()], notes);
  const question = await questionOf(tools, asked);
  const searched = who.datasets.filter(({ dataset }) => !question.assembly || dataset.assembly === question.assembly);
  const datasets = searched.map(({ dataset }) => dataset.id);
  if (question.kind === 'all' && !narrow) {
    return new AllVariants({ source, datasets: searched.map(({ dataset }) => dataset), signal, describe });
  }
  const queries = question.kind === 'all' ? everywhere(searched) : question.queries;
  return new FoundVariants({ ...search, queries, datasets, warnings: [...question.warnings, ...notes] });
}

/** Out of how many samples the datasets count of which the caller may know it. */
function outOfHow({ view: { counting }, datasets, signal }: Asked): Search['outOf'] {
  if (!counting) return undefined;
  return (query, ids) => {
    // Bases and a type that they are not find nothing, whoever carries them.
    if (query.kinds && query.reference !== undefined) return Promise.resolve(new Map());
    const told = datasets.filter(({ dataset, frequencies }) => frequencies && ids.includes(dataset.id));
    const { observe, denominators } = counting;
    const all = told.map(({ dataset }) => dataset);
    return denominatorsOf({ repository: { observe }, denominators }, query, all, signal);
  };
}

/** Queries for all variants of datasets: those of some carriers are not listed by place. */
function everywhere(datasets: readonly Disclosed[]): AlleleQuery[] {
  const builds = new Set(datasets.map(({ dataset }) => dataset.assembly));
  return [...builds].flatMap((assembly) => contigs.map((contig) => ({ assembly, contig })));
}

/** The one with this id; it takes no parameters, which could only hide it. */
function oneVariant(
  { request }: Asked,
  id: string,
  search: Pick<Search, 'source' | 'limit' | 'signal' | 'describe' | 'narrow' | 'carriers' | 'outOf'>,
  datasets: readonly string[],
  warnings: readonly string[],
): Matches {
  const [parameter] = Object.keys(request.parameters);
  if (parameter !== undefined) throw invalid(`Unknown parameter ${shown(parameter)}: a single variant takes none`);
  const query = queryForVariantId(id);
  const isIt = (allele: Allele) => query !== undefined && variantIdOf(query.assembly, allele) === id;
  return new FoundVariants({
    ...search,
    queries: query ? [query] : [],
    datasets,
    only: isIt,
    narrow: (found) => (search.narrow?.(found) ?? found.alleles).filter(isIt),
    warnings,
  });
}

function questionOf({ findGene }: VariantTools, { request, datasets, signal }: Asked): Promise<VariantQuestion> {
  const builds = assemblies.filter((assembly) => datasets.some(({ dataset }) => dataset.assembly === assembly));
  return variantQuestion(request.parameters, { assemblies: builds, genes: findGene, signal });
}

function describing({ name, limit }: VariantTools, { request, datasets, view, base, signal }: Asked): Describe {
  const form = formOf(request.requestedSchemas);
  const schemaOf = form === 'vrs' && { schema: vrsSchema };
  const byId = new Map(datasets.map((one) => [one.dataset.id, one]));
  return async (id, alleles) => {
    const disclosed = byId.get(id) as Disclosed;
    const { dataset } = disclosed;
    const population = { dataset, source: name, sourceReference: `${base}/datasets/${encodeURIComponent(id)}` };
    const counted =
      disclosed.frequencies && view.counting ? await frequencies(view.counting, population, alleles, signal) : [];
    const cases = disclosed.cases ? await caseTeller(view.source, dataset, { limit, signal }) : undefined;
    const records = [];
    for (const [i, allele] of alleles.entries()) {
      const more = { frequencyInPopulations: counted[i], caseLevelData: await cases?.(allele) };
      records.push(variantRecord(dataset.assembly, allele, form, more));
    }
    return { records, ...schemaOf };
  };
}

/** By its address, on this server or another, or by its id. */
function formOf(requested: Asked['request']['requestedSchemas']): VariantForm {
  const isVrs = requested.some(({ schema }) => schema === vrsSchema.id || schema?.endsWith('#vrs'));
  return isVrs ? 'vrs' : 'legacy';
}
