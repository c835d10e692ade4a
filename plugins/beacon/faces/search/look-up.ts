/** Runs a search over the datasets that the caller may query, and gathers what the page shows of it. */
import type { Caller } from '../../../../core/plugin.js';
import type { GeneStructure, GeneStructures } from '../../../services/coverage.js';
import { denominatorsOf } from '../../callability/of-query.js';
import { type AlleleQuery, type Assembly, byAllele, eachOnce, type FoundAllele } from '../../contract.js';
import { type Disclosed, disclosed } from '../../disclosure.js';
import type { BeaconReads } from '../../protection/reads.js';
import type { FindGene } from '../../query/genes.js';
import { questionIn } from '../../query/observed-question.js';
import { variantQuestion } from '../../query/question.js';
import type { BeaconServices } from '../../services.js';
import type { FieldForm, FieldParameters } from './field.js';
import type { AlleleRow, DatasetRow, Result } from './view.js';

export type SearchServices = Pick<
  BeaconServices,
  'repository' | 'guard' | 'datasets' | 'policy' | 'settings' | 'denominators'
> & {
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

export interface Sought {
  form: FieldForm;
  parameters: FieldParameters;
  /** Empty if none was chosen. */
  assemblyId: string;
}

/** Throws an `invalid` fault that says what is wrong with the search. */
export async function search(
  services: SearchServices,
  caller: Caller,
  { form, parameters, assemblyId }: Sought,
  signal: AbortSignal,
): Promise<Result> {
  const all = await disclosed(services, caller, await services.datasets.current());
  const question = await variantQuestion(
    { ...parameters, ...(assemblyId !== '' && { assemblyId }) },
    { assemblies: all.map(({ dataset }) => dataset.assembly), genes: services.findGene, signal },
  );
  if (question.kind === 'all') throw new RangeError('A field always has a place or a gene');
  const { assembly, queries, warnings } = question;
  const open = all.filter(({ dataset }) => dataset.assembly === assembly);
  const one = alleleIn(queries);
  const frequent = open.filter(({ frequencies }) => frequencies).map(({ dataset }) => dataset);
  const counted = one ? await denominatorsOf(services, one, frequent, signal) : undefined;
  const reads = services.guard.reads(caller);
  const rows: DatasetRow[] = [];
  const alleles: AlleleRow[] = [];
  for (const told of open) {
    const found = await inDataset({ reads, settings: services.settings }, told, queries, signal);
    rows.push({ ...found.row, denominator: counted?.get(told.dataset.id)?.judged });
    alleles.push(...found.alleles.map((allele) => ({ dataset: told.dataset, allele })));
  }
  alleles.sort((left, right) => byAllele(left.allele, right.allele));
  return {
    form,
    assembly,
    isOne: one !== undefined,
    datasets: rows,
    alleles: alleles.slice(0, mostAlleles),
    allAlleles: alleles.length,
    genes: await genesOf(services, question, parameters.geneId, signal),
    warnings,
  };
}

interface InDataset {
  row: Omit<DatasetRow, 'denominator'>;
  alleles: readonly FoundAllele[];
}

async function inDataset(
  { reads, settings }: Pick<SearchServices, 'settings'> & { reads: BeaconReads },
  { dataset, granularity }: Disclosed,
  queries: readonly AlleleQuery[],
  signal: AbortSignal,
): Promise<InDataset> {
  const ids = [dataset.id];
  if (granularity === 'boolean') {
    const present = await Promise.all(queries.map((query) => reads.present(query, ids, { most: 1, signal })));
    const exists = present.some(({ length }) => length > 0);
    return { row: { dataset, exists, variants: undefined, samples: undefined }, alleles: [] };
  }
  const { limit } = settings.queries;
  // Of a gene with two places the carriers are compared: one person may have alleles in both.
  if (queries.length > 1) {
    const hits = await Promise.all(queries.map((query) => reads.found(query, ids, { limit, carriers: true, signal })));
    const found = eachOnce(...hits.flat().map(({ alleles }) => alleles));
    const carriers = new Set(found.flatMap(({ named = [] }) => named.map(([name]) => name)));
    const row = { dataset, exists: found.length > 0, variants: found.length, samples: carriers.size };
    return { row, alleles: granularity === 'record' ? found : [] };
  }
  const [query] = queries;
  if (!query) return { row: { dataset, exists: false, variants: 0, samples: 0 }, alleles: [] };
  const [hit] = await reads.search(query, ids, { limit, signal });
  if (!hit) return { row: { dataset, exists: false, variants: 0, samples: 0 }, alleles: [] };
  // Not the number of the hit, which takes the two records of a junction as one: they are listed as two, here and in v2.
  const [{ alleles } = { alleles: [] }] = await reads.found(query, ids, { limit, signal });
  const row = { dataset, exists: true, variants: alleles.length, samples: hit.samples };
  return { row, alleles: granularity === 'record' ? alleles : [] };
}

/** The one allele of plain bases that is asked for, if it is: others have no frequency. */
function alleleIn([query, ...others]: readonly AlleleQuery[]): AlleleQuery | undefined {
  return query && others.length === 0 && questionIn(query)?.type === 'sequence' ? query : undefined;
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
