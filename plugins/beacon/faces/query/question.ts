/**
 * What the parameters of a query for variants mean, by the first of these that fits: a description in HGVS, a protein change, a
 * gene, everything, the ends of breakends, a bracket, a range, a sequence. A parameter that would be ignored is an error: the
 * response would be to another question.
 */
import { lengthOf } from '../../../../core/genome.js';
import { Fault } from '../../../../core/plugin.js';
import type { GeneStructures } from '../../../services/coverage.js';
import { type AlleleQuery, type Assembly, type Contig, type GeneRepository, replacing } from '../../contract.js';
import { grouped } from '../../counts/denominator.js';
import { quoted } from '../../domain/written-question.js';
import { geneIdsNamed } from '../../genes/files.js';
import { type NamedChange, namedChange, proteinChange } from '../../vcf/consequences/hgvs.js';
import {
  givenIn,
  narrowedQuery,
  type QueryFilters,
  readFilters,
  sequenceAt,
  type VariantParameter,
  type VariantParameters,
} from './filters.js';
import { type AnnotatedDatasets, type NamedAlleles, type NamingNote, namingText } from './naming.js';
import {
  assemblyFor,
  assemblyOfParameter,
  chromosomeNamed,
  type NamedChromosome,
  type PlaceOfQuery,
  readPlace,
} from './place.js';
import { genomicChange } from './terms.js';

/** A question for variants; or for all of them, of one assembly if it is named. */
export type VariantQuestion =
  | { kind: 'all'; assembly?: Assembly; warnings: readonly string[] }
  | {
      kind: 'sequence' | 'range' | 'bracket' | 'allele' | 'gene' | 'breakend';
      assembly: Assembly;
      /** An allele answers if it matches any of them: a gene may have two places, and an unknown one has none. */
      queries: readonly AlleleQuery[];
      /** Those of the queries that are for one dataset alone. */
      within?: ReadonlyMap<AlleleQuery, string>;
      /** Of a change that annotations name: the genes of its alleles by `alleleKey`. */
      alleleGenes?: NamedAlleles['genes'];
      /** Of a change that annotations name; the warnings say the same in English. */
      notes?: readonly NamingNote[];
      warnings: readonly string[];
    };

interface QuestionTools {
  /** The assemblies of the datasets that the caller may query. */
  assemblies: readonly Assembly[];
  genes: FindGene;
  /** Of these datasets; nothing is annotated if omitted. */
  annotations?: AnnotatedDatasets | undefined;
  signal: AbortSignal;
}

/** Those of a question's queries that a dataset is asked. */
export function queriesFor(
  { queries, within }: { queries: readonly AlleleQuery[]; within?: ReadonlyMap<AlleleQuery, string> | undefined },
  dataset: string,
): readonly AlleleQuery[] {
  return within ? queries.filter((query) => (within.get(query) ?? dataset) === dataset) : queries;
}

/** Throws an `invalid` fault that names the parameter, and what is accepted. */
export async function variantQuestion(parameters: VariantParameters, tools: QuestionTools): Promise<VariantQuestion> {
  const given = givenIn(parameters);
  const { assemblies } = tools;
  const { genomicAlleleShortForm, aminoacidChange, geneId } = parameters;
  if (genomicAlleleShortForm !== undefined) {
    refuseBeside('genomicAlleleShortForm', given, ['assemblyId']);
    const named = namedChange(genomicAlleleShortForm);
    const annotations = named && (await annotated(tools));
    if (named && annotations) return ofChange('genomicAlleleShortForm', named, parameters, annotations, assemblies);
    return shortForm(genomicAlleleShortForm, parameters, assemblies);
  }
  if (aminoacidChange !== undefined) {
    const annotations = await annotated(tools);
    if (annotations) {
      refuseBeside('aminoacidChange', given, ['assemblyId', 'geneId']);
      const named = aminoAcidChange(aminoacidChange, geneId);
      return ofChange('aminoacidChange', named, parameters, annotations, assemblies);
    }
    throw new Fault(
      'invalid',
      `aminoacidChange is not supported: the beacon has no annotations; ask by genomicAlleleShortForm, such as NC_000007.14:g.140753336A>T, or by position; got ${quoted(aminoacidChange)}`,
    );
  }
  if (geneId !== undefined) {
    refuseBeside('geneId', given, [
      ...(['assemblyId', 'variantType', 'referenceBases', 'alternateBases'] as const),
      ...(['variantMinLength', 'variantMaxLength'] as const),
    ]);
    return ofGene(geneId, parameters, tools);
  }
  if (given.every((name) => name === 'assemblyId')) {
    const assembly = assemblyOfParameter(parameters.assemblyId);
    return { kind: 'all', ...(assembly && { assembly }), warnings: [] };
  }
  return atPlace(parameters, assemblies);
}

function refuseBeside(
  parameter: VariantParameter,
  given: readonly VariantParameter[],
  allowed: readonly VariantParameter[],
): void {
  const others = given.filter((name) => name !== parameter && !allowed.includes(name));
  if (others.length === 0) return;
  throw new Fault(
    'invalid',
    `${parameter} cannot be combined with ${others.join(', ')}; beside it ${allowed.join(', ')} ${allowed.length === 1 ? 'is' : 'are'} accepted`,
  );
}

function shortForm(text: string, { assemblyId }: VariantParameters, assemblies: readonly Assembly[]): VariantQuestion {
  const { place, change, warnings } = genomicChange(text);
  const assembly = assemblyFor(assemblyId, { accession: place, parameter: 'genomicAlleleShortForm' }, assemblies);
  const chromosome = { assembly, contig: place.contig };
  if (!change) return { kind: 'allele', assembly, queries: [], warnings };
  const { start, end, reference, alternate } = change;
  const isSubstitution = reference?.length === 1 && typeof alternate === 'string' && alternate.length === 1;
  // A substitution is stored in one form only.
  const asked = isSubstitution ? sequenceAt(start, { reference, alternate }) : replacing({ change });
  return {
    kind: 'allele',
    assembly,
    queries: asked ? [{ ...chromosome, ...asked }] : [],
    warnings: [...warnings, ...beyondEnd(chromosome, 'genomicAlleleShortForm', [end])],
  };
}

/** Undefined if nothing is annotated. */
async function annotated({ annotations }: QuestionTools): Promise<AnnotatedDatasets | undefined> {
  return (await annotations?.isAny()) ? annotations : undefined;
}

/** A protein change, with its gene in front of it or beside it. */
function aminoAcidChange(text: string, gene: string | undefined): NamedChange {
  const named = namedChange(text);
  if (named?.system === 'protein' && gene === undefined) return named;
  const change = named?.gene === undefined && !named?.sequence ? proteinChange(text) : undefined;
  if (change !== undefined) return { ...(gene !== undefined && { gene }), system: 'protein', change };
  throw new Fault(
    'invalid',
    `aminoacidChange must be a change of a protein in HGVS, with one or three letters, such as V600E or p.Val600Glu, perhaps with its gene in geneId; got ${quoted(text)}`,
  );
}

async function ofChange(
  parameter: VariantParameter,
  change: NamedChange,
  { assemblyId }: VariantParameters,
  annotations: AnnotatedDatasets,
  assemblies: readonly Assembly[],
): Promise<VariantQuestion> {
  const assembly = assemblyFor(assemblyId, { parameter }, assemblies);
  const { queries, within, genes: alleleGenes, notes } = await annotations.named(assembly, change);
  return {
    ...{ kind: 'allele', assembly, queries, within, alleleGenes, notes },
    warnings: notes.map((note) => `${parameter}: ${namingText(note)}`),
  };
}

async function ofGene(
  geneId: string,
  parameters: VariantParameters,
  { assemblies, genes, signal }: QuestionTools,
): Promise<VariantQuestion> {
  const assembly = assemblyFor(parameters.assemblyId, { parameter: 'geneId' }, assemblies);
  const filters = readFilters(parameters);
  const places = await genes(assembly, geneId, signal);
  const unknown = `geneId: no gene ${quoted(geneId)} is known in ${assembly}; it is looked up by symbol, HGNC id and Ensembl id`;
  return {
    kind: 'gene',
    assembly,
    queries: places.map(({ contig, start, end }) =>
      narrowedQuery({ assembly, contig, ...replacing({ overlaps: { start, end }, ...filters.patterns }) }, filters),
    ),
    warnings: [...filters.warnings, ...(places.length === 0 ? [unknown] : [])],
  };
}

function atPlace(parameters: VariantParameters, assemblies: readonly Assembly[]): VariantQuestion {
  const { referenceName, assemblyId } = parameters;
  if (referenceName === undefined) {
    throw new Fault(
      'invalid',
      `referenceName is missing: the chromosome, such as 17 or NC_000017.11; without it geneId or genomicAlleleShortForm is needed`,
    );
  }
  const accession = chromosomeNamed('referenceName', referenceName);
  const assembly = assemblyFor(assemblyId, { accession, parameter: 'referenceName' }, assemblies);
  const chromosome = { assembly, contig: accession.contig };
  const filters = readFilters(parameters);
  const placed = readPlace(parameters, filters, chromosomeOfMate(parameters, assembly));
  return {
    kind: placed.kind,
    assembly,
    queries: placed.asked ? [narrowedQuery({ ...chromosome, ...placed.asked }, filters)] : [],
    warnings: [...warningsOf(placed, filters), ...emptyRange(parameters, filters), ...beyond(chromosome, parameters)],
  };
}

/** The chromosome of mateName; it must be of the same assembly. */
function chromosomeOfMate({ mateName }: VariantParameters, assembly: Assembly): NamedChromosome | undefined {
  if (mateName === undefined) return undefined;
  const accession = chromosomeNamed('mateName', mateName);
  return { assembly: assemblyFor(assembly, { accession, parameter: 'mateName' }, []), contig: accession.contig };
}

function warningsOf({ asked }: PlaceOfQuery, { warnings }: QueryFilters): string[] {
  const same =
    'referenceBases and alternateBases are the same: of alleles that do not differ from the reference nothing is stored';
  return [...warnings, ...(asked ? [] : [same])];
}

/** A warning if an end is taken for inclusive. An insertion that is written out as bases lies between two bases. */
function emptyRange({ start = [], end = [] }: VariantParameters, { bases }: QueryFilters): string[] {
  const [first, last] = [start[0], end[0]];
  const isInsertion = bases.reference === '' && bases.alternate !== undefined;
  if (first === undefined || end.length !== 1 || first !== last || isInsertion) return [];
  return [
    `start and end are equal, and end is exclusive: the range has no base. The base at start has the end ${first + 1}`,
  ];
}

function beyond(
  chromosome: NamedChromosome,
  { start = [], end = [], mateName, mateStart = [], mateEnd = [] }: VariantParameters,
) {
  const mate = mateName === undefined ? undefined : chromosomeNamed('mateName', mateName).contig;
  const far = [...mateStart.map((position) => position + 1), ...mateEnd];
  return [
    ...beyondEnd(
      chromosome,
      'start',
      start.map((position) => position + 1),
    ),
    ...beyondEnd(chromosome, 'end', end),
    ...(mate ? beyondEnd({ ...chromosome, contig: mate }, 'mateStart or mateEnd', far) : []),
  ];
}

// Positions beyond the end of a chromosome: no error, but mostly a sign of another assembly.

/** A warning if one of these ends lies beyond; they are zero-based and exclusive. */
function beyondEnd({ assembly, contig }: NamedChromosome, parameter: string, ends: readonly number[]): string[] {
  const length = lengthOf(assembly, contig);
  if (ends.every((end) => end <= length)) return [];
  return [
    `${parameter} lies beyond the end of chromosome ${contig} of ${assembly}, which has ${grouped(length)} bases`,
  ];
}

// Finds genes by their names, in those that the beacon has, else in those of the coverage plugin.

/** The place of a gene: zero-based half-open, in bases. */
interface GeneLocation {
  contig: Contig;
  start: number;
  end: number;
}

/** The places of a gene by symbol, HGNC id or Ensembl id; none if it is unknown. */
export type FindGene = (assembly: Assembly, name: string, signal: AbortSignal) => Promise<readonly GeneLocation[]>;

/** The key under which the coverage plugin offers its genes. */
export const geneStructuresKey = 'coverage/gene-structures@1';

interface GeneSources {
  genes: Pick<GeneRepository, 'genes'>;
  /** Undefined without the coverage plugin. */
  structures(): Promise<GeneStructures | undefined>;
}

export function geneFinder({ genes, structures }: GeneSources): FindGene {
  return async (assembly, name, signal) => {
    const own = await genes.genes(assembly, geneIdsNamed(name.trim()));
    if (own.length > 0) return own;
    const others = (await (await structures())?.named(assembly, name.trim(), signal)) ?? [];
    return others.map(({ chromosome, start, end }) => ({ contig: chromosome, start, end }));
  };
}
