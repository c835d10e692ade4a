/**
 * What parameters ask for, by the first of these that fits: a description in HGVS, a gene, everything, the ends of breakends, a
 * bracket, a range, a sequence. A parameter that would be ignored is an error: the answer would be to another question.
 */
import { Fault } from '../../../core/plugin.js';
import { type AlleleQuery, type Assembly, replacing } from '../contract.js';
import { genomicChange } from '../domain/hgvs.js';
import { quoted } from '../domain/quoted.js';
import { sequenceAt } from './bases.js';
import { beyondEnd } from './beyond-end.js';
import { type Filters, narrowed, readFilters } from './filters.js';
import type { FindGene } from './genes.js';
import { assemblyFor, assemblyOf, type Chromosome, chromosomeNamed } from './names.js';
import { givenIn, type VariantParameter, type VariantParameters } from './parameters.js';
import { type Placed, readPlace } from './place.js';

/** A question for variants; or for all of them, of one assembly if it is named. */
export type VariantQuestion =
  | { kind: 'all'; assembly?: Assembly; warnings: readonly string[] }
  | {
      kind: 'sequence' | 'range' | 'bracket' | 'allele' | 'gene' | 'breakend';
      assembly: Assembly;
      /** An allele answers if it matches any of them: a gene may have two places, and an unknown one has none. */
      queries: readonly AlleleQuery[];
      warnings: readonly string[];
    };

export interface QuestionTools {
  /** The assemblies of the datasets that the caller may query. */
  assemblies: readonly Assembly[];
  genes: FindGene;
  signal: AbortSignal;
}

/** Throws an `invalid` fault that names the parameter, and what is accepted. */
export async function variantQuestion(
  parameters: VariantParameters,
  { assemblies, genes, signal }: QuestionTools,
): Promise<VariantQuestion> {
  const given = givenIn(parameters);
  const { genomicAlleleShortForm, aminoacidChange, geneId } = parameters;
  if (genomicAlleleShortForm !== undefined) {
    refuseBeside('genomicAlleleShortForm', given, ['assemblyId']);
    return shortForm(genomicAlleleShortForm, parameters, assemblies);
  }
  if (aminoacidChange !== undefined) {
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
    return ofGene(geneId, parameters, { assemblies, genes, signal });
  }
  if (given.every((name) => name === 'assemblyId')) {
    const assembly = assemblyOf(parameters.assemblyId);
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
      narrowed({ assembly, contig, ...replacing({ overlaps: { start, end }, ...filters.patterns }) }, filters),
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
  const placed = readPlace(parameters, filters, mateOf(parameters, assembly));
  return {
    kind: placed.kind,
    assembly,
    queries: placed.asked ? [narrowed({ ...chromosome, ...placed.asked }, filters)] : [],
    warnings: [...warningsOf(placed, filters), ...emptyRange(parameters, filters), ...beyond(chromosome, parameters)],
  };
}

/** The chromosome of mateName; it must be of the same assembly. */
function mateOf({ mateName }: VariantParameters, assembly: Assembly): Chromosome | undefined {
  if (mateName === undefined) return undefined;
  const accession = chromosomeNamed('mateName', mateName);
  return { assembly: assemblyFor(assembly, { accession, parameter: 'mateName' }, []), contig: accession.contig };
}

function warningsOf({ asked }: Placed, { warnings }: Filters): string[] {
  const same =
    'referenceBases and alternateBases are the same: of alleles that do not differ from the reference nothing is stored';
  return [...warnings, ...(asked ? [] : [same])];
}

/** A warning if an end is taken for inclusive. An insertion that is written out as bases lies between two bases. */
function emptyRange({ start = [], end = [] }: VariantParameters, { bases }: Filters): string[] {
  const [first, last] = [start[0], end[0]];
  const isInsertion = bases.reference === '' && bases.alternate !== undefined;
  if (first === undefined || end.length !== 1 || first !== last || isInsertion) return [];
  return [
    `start and end are equal, and end is exclusive: the range has no base. The base at start has the end ${first + 1}`,
  ];
}

function beyond(
  chromosome: Chromosome,
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
