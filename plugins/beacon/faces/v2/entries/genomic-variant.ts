/**
 * The entry type of variants: the alleles of datasets, how frequent they are out of the copies that were covered, and by
 * pseudonym who carries them.
 */
import { denominatorsOfDatasets, type ObservationSource } from '../../../ask.js';
import {
  type Allele,
  type AlleleQuery,
  type Assembly,
  alleleKey,
  assemblies,
  contigs,
  type Dataset,
  type DatasetAlleles,
  type FoundAllele,
  type NamedCarrier,
  type Sample,
} from '../../../contract.js';
import { frequencyOfAlleles } from '../../../counts/denominator.js';
import type { DisclosedDataset } from '../../../disclosure.js';
import type { FormOf } from '../../../domain/dataset-forms.js';
import { questionOfAllele } from '../../../domain/written-question.js';
import { type VariantParameters, variantParameters } from '../../query/filters.js';
import { type FindGene, type VariantQuestion, variantQuestion } from '../../query/question.js';
import type { RequestedEntries } from '../effects.js';
import type { EntryMatches, EntryReads, EntryRequest, EntrySchema, SetEntryType } from '../framework/entry-type.js';
import { invalid, shownValue } from '../framework/request.js';
import { carriedBy, pseudonym, zygosityOfCarrier, zygosityTerms } from '../individuals.js';
import { type PeopleTools, whoIn } from '../selection.js';
import {
  AllVariants,
  type DescribeAlleles,
  FoundVariants,
  type NarrowAlleles,
  type VariantSearch,
} from '../variants/found.js';
import { type VariantForm, variantRecord, variantWithId } from '../variants/record.js';
import { sitesHandovers } from '../variants/sites.js';

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
interface VariantTools extends PeopleTools {
  findGene: FindGene;
  /** By which references datasets are left-aligned. */
  formOf: FormOf;
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
    parameters: variantParameters,
    find: (asked) => findVariants(tools, asked),
    handovers: sitesHandovers,
  };
}

async function findVariants(tools: VariantTools, asked: EntryRequest): Promise<EntryMatches> {
  const { place, view, signal } = asked;
  const { source } = view;
  const { limit } = tools;
  const who = await whoIn(asked, 'genomicVariant', tools);
  const { samples, zygosity, notes } = who;
  // How frequent an allele is in all people of a dataset is not how frequent it is in some of them.
  const describe = describing(tools, samples ? { ...asked, view: { ...view, counting: undefined } } : asked);
  const assemblyOf = new Map(who.datasets.map(({ dataset }) => [dataset.id, dataset.assembly]));
  const ofPeople =
    samples &&
    (({ dataset, alleles }: DatasetAlleles) =>
      carriedBy(
        { alleles },
        { samples: samples.get(dataset) ?? [], assembly: assemblyOf.get(dataset) ?? 'GRCh38', zygosity },
      ));
  const ofEffects = narrowedByEffects(asked, who, assemblyOf);
  const narrow =
    ofEffects && ofPeople
      ? async (found: DatasetAlleles) => ofPeople({ ...found, alleles: await ofEffects(found) })
      : (ofEffects ?? ofPeople);
  const outOf = narrow ? undefined : outOfHow(asked);
  const search = { source, limit, signal, describe, narrow, carriers: samples !== undefined, outOf };
  if (place.kind === 'entry') {
    const { queries, isIt } = variantWithId(place.id, tools.formOf);
    return oneVariant(asked, { ...search, queries, datasets: [...assemblyOf.keys()], warnings: notes }, isIt);
  }
  const question = await questionOfRequest(tools, asked);
  const searched = who.datasets.filter(({ dataset }) => !question.assembly || dataset.assembly === question.assembly);
  const datasets = searched.map(({ dataset }) => dataset.id);
  if (question.kind === 'all' && !narrow) {
    return new AllVariants({ source, datasets: searched.map(({ dataset }) => dataset), signal, describe });
  }
  const queries = question.kind === 'all' ? everywhere(searched) : question.queries;
  const within = question.kind === 'all' ? undefined : question.within;
  return new FoundVariants({ ...search, queries, within, datasets, warnings: [...question.warnings, ...notes] });
}

/** Leaves the alleles that have all effects, on the gene if one is named; undefined if the request asks for none. */
function narrowedByEffects(
  { request, view: { annotations } }: EntryRequest,
  { effects }: RequestedEntries,
  assemblyOf: ReadonlyMap<string, Assembly>,
): NarrowAlleles | undefined {
  if (!effects || !annotations) return undefined;
  const { geneId } = request.parameters as VariantParameters;
  return ({ dataset, alleles }) => {
    const assembly = assemblyOf.get(dataset);
    return assembly ? annotations.affected(assembly, alleles, { effects, gene: geneId }) : [];
  };
}

/** Out of how many samples datasets count, for those whose denominators the caller may know. */
function outOfHow({ view: { counting }, datasets, signal }: EntryRequest): VariantSearch['outOf'] {
  if (!counting) return undefined;
  return (query, ids) => {
    // Bases with a type that is not theirs find nothing, regardless of the carriers.
    if (query.kinds && query.reference !== undefined) return Promise.resolve(new Map());
    const told = datasets.filter(({ dataset, frequencies }) => frequencies && ids.includes(dataset.id));
    const all = told.map(({ dataset }) => dataset);
    return denominatorsOfDatasets(counting, query, all, signal);
  };
}

/** Queries for all variants of datasets: those of some carriers are not listed by place. */
function everywhere(datasets: readonly DisclosedDataset[]): AlleleQuery[] {
  const builds = new Set(datasets.map(({ dataset }) => dataset.assembly));
  return [...builds].flatMap((assembly) => contigs.map((contig) => ({ assembly, contig })));
}

/** The one with this id; it takes no parameters, which could only hide it. */
function oneVariant({ request }: EntryRequest, search: VariantSearch, isIt: (allele: Allele) => boolean): EntryMatches {
  const [parameter] = Object.keys(request.parameters);
  if (parameter !== undefined) throw invalid(`Unknown parameter ${shownValue(parameter)}: a single variant takes none`);
  return new FoundVariants({
    ...search,
    isOne: true,
    only: isIt,
    narrow: async (found) => ((await search.narrow?.(found)) ?? found.alleles).filter(isIt),
  });
}

function questionOfRequest(
  { findGene }: VariantTools,
  { request, datasets, view: { annotations }, signal }: EntryRequest,
): Promise<VariantQuestion> {
  const builds = assemblies.filter((assembly) => datasets.some(({ dataset }) => dataset.assembly === assembly));
  return variantQuestion(request.parameters, { assemblies: builds, genes: findGene, annotations, signal });
}

function describing(
  { name, limit }: VariantTools,
  { request, datasets, view, base, signal }: EntryRequest,
): DescribeAlleles {
  const form = formOfSchemas(request.requestedSchemas);
  const schemaOf = form === 'vrs' && { schema: vrsSchema };
  const byId = new Map(datasets.map((one) => [one.dataset.id, one]));
  return async (id, alleles) => {
    const disclosed = byId.get(id) as DisclosedDataset;
    const { dataset } = disclosed;
    const population = { dataset, source: name, sourceReference: `${base}/datasets/${encodeURIComponent(id)}` };
    const counted =
      disclosed.frequencies && view.counting ? await frequencies(view.counting, population, alleles, signal) : [];
    const cases = disclosed.cases ? await caseTeller(view.source, dataset, alleles, { limit, signal }) : undefined;
    const annotations = await view.annotations?.known(id, alleles);
    const records = [];
    for (const [i, allele] of alleles.entries()) {
      const annotation = annotations?.get(alleleKey(allele));
      const more = { frequencyInPopulations: counted[i], caseLevelData: await cases?.(allele, i), annotation };
      records.push(variantRecord(dataset.assembly, allele, form, more));
    }
    return { records, ...schemaOf };
  };
}

/** By its address, on this server or another, or by its id. */
function formOfSchemas(requested: EntryRequest['request']['requestedSchemas']): VariantForm {
  const isVrs = requested.some(({ schema }) => schema === vrsSchema.id || schema?.endsWith('#vrs'));
  return isVrs ? 'vrs' : 'legacy';
}

// How frequent alleles are in a dataset: out of the copies that were covered, never out of all samples.

interface FrequencyPopulation {
  dataset: Dataset;
  /** Name of the beacon. */
  source: string;
  /** Address of the dataset. */
  sourceReference: string;
}

/** `frequencyInPopulations` of each allele, in their order; undefined where the number of alleles is unknown. */
async function frequencies(
  { repository, denominators }: ObservationSource,
  { dataset, source, sourceReference }: FrequencyPopulation,
  alleles: readonly FoundAllele[],
  signal: AbortSignal,
): Promise<(readonly object[] | undefined)[]> {
  // Structural variants have no number of alleles: depth does not show whether one would have been called.
  const questions = alleles.map((allele) => (allele.structural ? undefined : questionOfAllele(allele)));
  const asked = questions.filter((question) => question !== undefined);
  if (asked.length === 0) return questions.map(() => undefined);
  const lists = await repository.observe(dataset.assembly, asked, [dataset.id], { signal });
  const observations = lists.map(([observation]) => observation).filter((observation) => observation !== undefined);
  if (observations.length < asked.length) return questions.map(() => undefined);
  const judged = await (await denominators(dataset)).of(asked, observations, signal);
  let next = 0;
  return questions.map((question) => {
    const one = question && judged[next++];
    const alleleFrequency = one && frequencyOfAlleles(one);
    if (!one?.alleles || alleleFrequency === undefined) return undefined;
    const { alleleCount, alleleNumber } = one.alleles;
    const population = { population: dataset.id, alleleFrequency, alleleCount, alleleNumber };
    return [{ source, sourceReference, version: String(dataset.version), frequencies: [population] }];
  });
}

// Who carries an allele, by pseudonyms of the dataset.

/** `caseLevelData` of an allele of a dataset; undefined if the dataset is gone. */
type CaseTeller = (allele: FoundAllele, place: number) => Promise<readonly object[] | undefined>;

/** Reads what all alleles of a page need once. `limit` is that of carriers. */
async function caseTeller(
  source: EntryReads,
  dataset: Dataset,
  alleles: readonly FoundAllele[],
  { limit, signal }: { limit: number; signal: AbortSignal },
): Promise<CaseTeller> {
  const salt = await source.salt(dataset.id);
  const samples = new Map((await source.sampleFacts(dataset.id)).map((sample) => [sample.name, sample]));
  const fractions = await source.fractions(dataset.id, alleles, { signal });
  return async (allele, place) => {
    if (salt === undefined) return undefined;
    const named = allele.named ?? (await carriersOf(allele));
    return named.map((carrier) => caseOf(allele, carrier, fractions[place]?.get(carrier[0])));
  };

  async function carriersOf(allele: FoundAllele): Promise<readonly NamedCarrier[]> {
    const [found] = await source.found(queryAtAllele(dataset, allele), [dataset.id], { limit, carriers: true, signal });
    const key = alleleKey(allele);
    return found?.alleles.find((one) => alleleKey(one) === key)?.named ?? [];
  }

  function caseOf(allele: FoundAllele, [name, copies]: NamedCarrier, percent: number | undefined): object {
    const { sex }: Pick<Sample, 'sex'> = samples.get(name) ?? { sex: 'unknown' };
    const zygosity = zygosityOfCarrier(allele, { assembly: dataset.assembly, sex, copies });
    return {
      biosampleId: pseudonym(salt ?? '', 'biosample', name),
      individualId: pseudonym(salt ?? '', 'individual', name),
      ...(zygosity && { zygosity: zygosityTerms[zygosity] }),
      // The model has no member for it.
      ...(percent !== undefined && { info: { alleleFraction: percent / 100 } }),
    };
  }
}

/** Finds the allele, and perhaps others at its place. */
function queryAtAllele({ assembly }: Dataset, { contig, start, end, mate }: FoundAllele): AlleleQuery {
  const exact = { assembly, contig, start: { min: start, max: start }, end: { min: end, max: end } };
  return mate === undefined ? exact : { ...exact, mate };
}
