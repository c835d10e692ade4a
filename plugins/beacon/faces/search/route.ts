/**
 * `GET /beacon/search`: variants, genes and regions in one field; from the parameters over the datasets that the caller may
 * query to what the page shows.
 */
import { z } from 'zod';
import { assemblyNamed } from '../../../../core/genome.js';
import {
  type Caller,
  type PluginContext,
  type RouteDeclaration,
  type RouteRequest,
  route,
} from '../../../../core/plugin.js';
import type { GeneStructure, GeneStructures } from '../../../services/coverage.js';
import { type AlleleAsker, ask, askerOf, questionOfQuery } from '../../ask.js';
import { type AlleleQuery, type Assembly, alleleKey, byAllele, eachOnce, type FoundAllele } from '../../contract.js';
import { type DisclosedDataset, disclosedDatasets } from '../../disclosure.js';
import { type BeaconServices, pathBefore } from '../../services.js';
import { outcomeOf } from '../pages.js';
import { type AnnotatedDatasets, annotationsOf } from '../query/naming.js';
import { type FindGene, geneFinder, geneStructuresKey, queriesFor, variantQuestion } from '../query/question.js';
import {
  type FieldForm,
  type FieldParameters,
  type ListedAllele,
  longestField,
  readField,
  type SearchedDataset,
  type SearchInput,
  type SearchOutcome,
  type SearchResult,
} from './field.js';
import { type SearchExample, type SearchTexts, searchPage, textsFor } from './page.js';

export function registerSearch(
  context: Pick<PluginContext<unknown>, 'route' | 'link' | 'find'>,
  services: BeaconServices,
): void {
  const structures = async () => context.find<GeneStructures>(geneStructuresKey);
  const findGene = geneFinder({ genes: services.genes, structures });
  context.route(searchRoute({ ...services, findGene, structures }));
  context.link(searchPath, 'Search for variants');
}

const searchPath = '/beacon/search';

const text = z
  .union([z.string(), z.array(z.string()).transform((all) => all[0] ?? '')])
  .default('')
  .meta({ type: 'string' });

const query = z.object({
  q: text.describe('A gene, a variant, a place, or a line of a VCF file; positions are one-based.'),
  assemblyId: text.describe('GRCh37 or GRCh38; may be omitted if all datasets use one of them.'),
  lang: z.enum(['en', 'sv']).optional().catch(undefined).describe('Language of the page.'),
});

type SearchParameters = z.output<typeof query>;

function searchRoute(services: SearchServices): RouteDeclaration {
  const { settings, baseUrl, readAccess } = services;
  const base = pathBefore(baseUrl);
  return route({
    method: 'GET',
    path: searchPath,
    operation: 'searchPage',
    summary: 'Search for variants on a page',
    description:
      'What is wrong with a search is explained on the page, with status 200. Programs ask /beacon/v2/g_variants.',
    query,
    optionalAccess: readAccess,
    answers: { 200: { description: 'The page.', content: { 'text/html': z.string() } } },
    async handle(request) {
      const { q, assemblyId, lang } = request.input;
      const texts = textsFor(lang, request.headers);
      const caller = await readAccess.callerOf(request);
      const assembly = assemblyId === '' ? await onlyAssemblyOpen(services, caller) : assemblyNamed(assemblyId);
      const asked: SearchInput = { text: q, assembly: assembly ?? assemblyId };
      const { outcome, json } = await outcomeOfSearch(services, caller, { asked, texts, request });
      const body = searchPage({
        texts,
        beacon: settings.name,
        asked,
        outcome,
        examples: outcome === undefined ? await examples(services, caller) : [],
        json: json && `${base}${json}`,
        hasForm: settings.faces.includes('v1'),
        base,
        nonce: request.nonce,
      });
      return { type: 'text/html', headers: { Vary: 'Accept-Language' }, body };
    },
  });
}

/** The assembly of all datasets that the caller may query; undefined if they use several, or if there are none. */
async function onlyAssemblyOpen(services: SearchServices, caller: Caller): Promise<string | undefined> {
  const open = await disclosedDatasets(services, caller, await services.datasets.current());
  const [only, ...others] = new Set(open.map(({ dataset }) => dataset.assembly));
  return others.length === 0 ? only : undefined;
}

interface SearchCall {
  asked: SearchInput;
  texts: SearchTexts;
  request: RouteRequest<unknown, SearchParameters, unknown>;
}

interface AnsweredSearch {
  /** Undefined if nothing was asked. */
  outcome: SearchOutcome | undefined;
  /** Address of the same search as JSON. */
  json?: string;
}

/** A search that cannot be made is an outcome, which the page shows; any other failure is thrown. */
async function outcomeOfSearch(
  services: SearchServices,
  caller: Caller,
  { asked, texts, request }: SearchCall,
): Promise<AnsweredSearch> {
  if (asked.text.trim() === '') return { outcome: undefined };
  if (asked.text.length > longestField) return { outcome: { error: texts.tooLong(longestField) } };
  const field = readField(asked.text);
  if ('mistake' in field) return { outcome: { error: texts.mistakes[field.mistake] } };
  const all = await disclosedDatasets(services, caller, await services.datasets.current());
  const annotations = annotationsOf(
    services,
    all.map(({ dataset }) => dataset),
  );
  if (field.form === 'change' && !(await annotations.isAny())) {
    return { outcome: { error: texts.mistakes['transcript-form'] } };
  }
  const search = { ...field, assemblyId: asked.assembly, all, annotations };
  const outcome = await outcomeOf(['invalid', 'too-many-requests'], () =>
    searchDatasets(services, caller, search, request.signal),
  );
  return 'error' in outcome
    ? { outcome }
    : { outcome, json: jsonOf({ ...field.parameters, assemblyId: outcome.assembly }) };
}

/** The length that all servers and browsers accept in an address. */
const longestAddress = 4000;

function jsonOf(parameters: object): string | undefined {
  const fields = Object.entries(parameters).map(([name, value]): [string, string] => [name, String(value)]);
  const search = new URLSearchParams([...fields, ['includeResultsetResponses', 'ALL']]);
  const address = `/beacon/v2/g_variants?${search}`;
  return address.length > longestAddress ? undefined : address;
}

/** A variant of the first dataset with any, and the place around it. */
async function examples(services: SearchServices, caller: Caller): Promise<SearchExample[]> {
  const open = await disclosedDatasets(services, caller, await services.datasets.current());
  const filled = open.find(({ dataset, granularity }) => dataset.alleleCount > 0 && granularity === 'record');
  if (!filled) return [];
  const { id, assembly } = filled.dataset;
  const [allele] = await services.guard.reads(caller).examples(id, false, 1);
  if (!allele) return [];
  const { contig, start, reference, alternate } = allele;
  const thousand = Math.floor(start / 1000) * 1000;
  return [
    { text: `${contig}-${start + 1}-${reference}-${alternate}`, assembly },
    { text: `${contig}:${thousand + 1}-${thousand + 10_000}`, assembly },
  ];
}

// Runs a search over the datasets that the caller may query, and gathers what the page shows of it.

type SearchServices = BeaconServices & {
  findGene: FindGene;
  /** Undefined if no plugin knows them. */
  structures(): Promise<GeneStructures | undefined>;
};

/** Alleles in the table of the page. */
const mostAlleles = 100;
/** Genes that are drawn of a place. */
const mostGenes = 3;
/** Bases from which on a place is too wide to draw its genes. */
const widest = 5_000_000;

interface FieldSearch {
  form: FieldForm;
  parameters: FieldParameters;
  /** Empty if none was chosen. */
  assemblyId: string;
  /** The datasets that the caller may query. */
  all: readonly DisclosedDataset[];
  annotations: AnnotatedDatasets;
}

/** Throws an `invalid` fault that says what is wrong with the search. */
async function searchDatasets(
  services: SearchServices,
  caller: Caller,
  { form, parameters, assemblyId, all, annotations }: FieldSearch,
  signal: AbortSignal,
): Promise<SearchResult> {
  const question = await variantQuestion(
    { ...parameters, ...(assemblyId !== '' && { assemblyId }) },
    { assemblies: all.map(({ dataset }) => dataset.assembly), genes: services.findGene, annotations, signal },
  );
  if (question.kind === 'all') throw new RangeError('A field always has a place or a gene');
  const { assembly, queries, within, alleleGenes, warnings, notes = [] } = question;
  const open = all.filter(({ dataset }) => dataset.assembly === assembly);
  const forAll = queries.filter((query) => !within?.has(query));
  const isOne = isOneAllele(forAll);
  const asker = askerOf(services, caller);
  const rows: SearchedDataset[] = [];
  const alleles: ListedAllele[] = [];
  for (const told of open) {
    const found = await searchDataset(asker, told, queriesFor(question, told.dataset.id), signal);
    rows.push(found.row);
    for (const allele of found.alleles) {
      const genes = [...(alleleGenes?.get(alleleKey(allele)) ?? [])].sort();
      alleles.push({ dataset: told.dataset, allele, genes });
    }
  }
  alleles.sort((left, right) => byAllele(left.allele, right.allele));
  return {
    form,
    assembly,
    isOne,
    datasets: rows,
    alleles: alleles.slice(0, mostAlleles),
    allAlleles: alleles.length,
    genes: await genesOf(services, { assembly, queries: forAll }, parameters.geneId, signal),
    warnings: notes.length > 0 ? [] : warnings,
    notes,
  };
}

interface DatasetSearch {
  row: SearchedDataset;
  alleles: readonly FoundAllele[];
}

async function searchDataset(
  asker: AlleleAsker,
  told: DisclosedDataset,
  queries: readonly AlleleQuery[],
  signal: AbortSignal,
): Promise<DatasetSearch> {
  const { dataset, granularity } = told;
  const { reads, limit } = asker;
  const ids = [dataset.id];
  const isCounted = granularity !== 'boolean';
  // Of a gene with two places the carriers are compared: one person may have alleles in both.
  if (isCounted && queries.length > 1) {
    const hits = await Promise.all(queries.map((query) => reads.found(query, ids, { limit, carriers: true, signal })));
    const found = eachOnce(...hits.flat().map(({ alleles }) => alleles));
    const carriers = new Set(found.flatMap(({ named = [] }) => named.map(([name]) => name)));
    const row = { dataset, exists: found.length > 0, variants: found.length, samples: carriers.size };
    return { row, alleles: granularity === 'record' ? found : [] };
  }
  const asked = queries.map((query) => ask(asker, { query, covered: [told], include: 'ALL' }, { signal }));
  const answers = (await Promise.all(asked)).flatMap(({ datasets }) => datasets);
  const exists = answers.some((answer) => answer.exists);
  const [query] = queries;
  // Their number is not that of the answer, which takes the two records of a junction as one: they are listed as two, here and in v2.
  const [found] = query && exists && isCounted ? await reads.found(query, ids, { limit, signal }) : [];
  const alleles = found?.alleles ?? [];
  const variants = isCounted ? alleles.length : undefined;
  const [{ counts, counted } = {}] = answers;
  const samples = isCounted ? (counts?.samples ?? 0) : undefined;
  return {
    row: { dataset, exists, variants, samples, denominator: counted?.judged },
    alleles: granularity === 'record' ? alleles : [],
  };
}

/** Whether the query is for one allele of plain bases: others have no frequency. */
function isOneAllele([query, ...others]: readonly AlleleQuery[]): boolean {
  return query !== undefined && others.length === 0 && questionOfQuery(query)?.type === 'sequence';
}

/** The gene that was asked for, or those at the place. */
async function genesOf(
  { structures }: SearchServices,
  { assembly, queries }: { assembly: Assembly; queries: readonly AlleleQuery[] },
  geneId: string | undefined,
  signal: AbortSignal,
): Promise<readonly GeneStructure[] | undefined> {
  const known = await structures();
  if (!known) return undefined;
  if (geneId !== undefined) return (await known.named(assembly, geneId, signal)).slice(0, mostGenes);
  const [query] = queries;
  const stretch = query && stretchOf(query);
  if (!query || !stretch || stretch.end - stretch.start > widest) return [];
  return known.at(assembly, query.contig, stretch, { most: mostGenes, signal });
}

/** Where the query looks; undefined if nothing bounds it. */
function stretchOf({ overlaps, replaces, start, end }: AlleleQuery): { start: number; end: number } | undefined {
  const asked = replaces?.overlaps ?? replaces?.change ?? overlaps;
  if (asked) return { start: asked.start, end: Math.max(asked.end, asked.start + 1) };
  if (!start) return undefined;
  return { start: start.min, end: Math.max(end?.max ?? start.min, start.min + 1) };
}
