/**
 * A variant as a record of Beacon v2 (genomicVariations/defaultSchema.json): in the older form that every client reads, or in
 * that of VRS 1.3, with its genomic HGVS description if the record alone determines it; and its identifiers: ours, which are
 * the same after every restart and reload, and those computed by VRS.
 */
import { createHash } from 'node:crypto';
import { accessionOf, refgetOf } from '../../../../../core/genome.js';
import {
  type Allele,
  type AlleleAnnotation,
  type Assembly,
  type Bounds,
  isPlain,
  isRepeat,
  stretchesOf,
  trimmed,
} from '../../../contract.js';
import { alleleKey, assemblies, type Contig, contigs, farthest, writtenAlternate } from '../../../domain/allele.js';
import { type AlleleQuery, kindOfSequence } from '../../../domain/allele-query.js';
import type { FormOf } from '../../../domain/dataset-forms.js';
import { reverseComplement, withoutAnchor } from '../../../domain/matching.js';
import { consequenceTerm, rankOf } from '../../../vcf/consequences/terms.js';
import type { EntryRecord } from '../framework/entry-type.js';

export type VariantForm = 'legacy' | 'vrs';

interface VariantMore {
  frequencyInPopulations?: readonly object[] | undefined;
  caseLevelData?: readonly object[] | undefined;
  /** What its dataset says of it. */
  annotation?: AlleleAnnotation | undefined;
}

/**
 * `vrs` is for alleles that are written out as bases; others have the older form, which alone can say what is known of them. The id
 * of the record is given twice: clients fill in the addresses of the map with `id`.
 */
export function variantRecord(assembly: Assembly, allele: Allele, form: VariantForm, more: VariantMore): EntryRecord {
  const id = variantIdOf(assembly, allele);
  const genomicHGVSId = genomicHgvs(assembly, allele);
  const details = detailsOf(allele);
  const molecularAttributes = more.annotation && molecularAttributesOf(more.annotation);
  return {
    id,
    variantInternalId: id,
    variation:
      form === 'vrs' && isSequence(allele)
        ? vrsAllele({ ...withoutAnchor(trimmed(allele)), assembly })
        : legacyVariation(assembly, allele),
    ...(genomicHGVSId !== undefined && { identifiers: { genomicHGVSId } }),
    ...(molecularAttributes && { molecularAttributes }),
    ...(more.frequencyInPopulations && { frequencyInPopulations: more.frequencyInPopulations }),
    ...(more.caseLevelData && { caseLevelData: more.caseLevelData }),
    ...(details && { info: details }),
  };
}

/** Of all chosen transcripts, each once: genes and protein changes as annotated, effects from the worst. */
function molecularAttributesOf({ genes }: AlleleAnnotation): object {
  const transcripts = genes.flatMap((gene) => gene.transcripts);
  const names = genes.flatMap(({ symbol, hgnc }) => [symbol ?? [], hgnc === undefined ? [] : `HGNC:${hgnc}`].flat());
  const changes = [...new Set(transcripts.flatMap(({ protein }) => protein ?? []))];
  const terms = [...new Set(transcripts.flatMap((one) => one.terms))];
  const effects = terms
    .sort((one, other) => rankOf(one) - rankOf(other))
    .flatMap((name) => consequenceTerm(name) ?? [])
    .map(({ id, name }) => ({ id, label: name }));
  return {
    ...(names.length > 0 && { geneIds: [...new Set(names)] }),
    ...(changes.length > 0 && { aminoacidChanges: changes }),
    ...(effects.length > 0 && { molecularEffects: effects }),
  };
}

/** What the forms of variations have no place for. */
function detailsOf({ mate, end, alternate, kind, length }: Allele): Record<string, unknown> | undefined {
  const bracket = alternate.search(/[[\]]/);
  if (mate !== undefined && bracket >= 0) {
    // VCF 4.3 §5.4: the bracket shows which side of the mate is joined, its place which side of this end.
    const orientation = { here: bracket > 0 ? 'left' : 'right', mate: alternate[bracket] === ']' ? 'left' : 'right' };
    return { mate: { referenceName: mate, position: end, orientation }, vcfAlt: alternate };
  }
  if (length !== undefined) return isRepeat(kind) ? { repeatLength: length } : { svlen: length };
  return undefined;
}

// The older form of a variation, which every client reads (`LegacyVariation`).

export interface LegacyVariation {
  variantType: string;
  referenceBases?: string;
  /** Empty for deletions; `N` for what is not written out. */
  alternateBases: string;
  location: VrsLocation;
}

const written = /^[ACGTN]+$/;

/**
 * The location is what the allele replaces, without bases that reference and alternate share: an insertion is between two bases.
 * Ends that the record leaves open are ranges.
 */
function legacyVariation(assembly: Assembly, allele: Allele): LegacyVariation {
  const { contig, kind, reference, alternate, mate, start } = allele;
  if (mate !== undefined || !(written.test(alternate) || alternate.startsWith('<'))) {
    const location = locationOf(assembly, contig, {
      start,
      end: start + 1,
      startRange: widenedBy(allele.startRange, 0),
    });
    return { variantType: kind, referenceBases: reference, alternateBases: 'N', location };
  }
  if (written.test(alternate)) {
    const bare = withoutAnchor(trimmed(allele));
    const location = locationOf(assembly, contig, bare);
    return { variantType: kind, referenceBases: bare.reference, alternateBases: bare.alternate, location };
  }
  const stretch = stretchesOf(allele).at(-1) ?? allele;
  const interval = {
    ...stretch,
    startRange: widenedBy(allele.startRange, stretch.start - start),
    endRange: widenedBy(allele.endRange, 0),
  };
  const location = locationOf(assembly, contig, interval);
  return { variantType: kind, alternateBases: /^DEL(:|$)/.test(kind) ? '' : 'N', location };
}

/** A range of a position, moved; none if it has one position. */
function widenedBy(range: Bounds | undefined, shift: number): Bounds | undefined {
  if (!range || range.min === range.max) return undefined;
  return { min: range.min + shift, max: range.max + shift };
}

// The form of VRS 1.3 (`MolecularVariation`).

/** Whether the allele is written out as bases. */
function isSequence({ reference, alternate, mate }: Allele): boolean {
  return mate === undefined && isPlain(reference) && isPlain(alternate);
}

// The genomic HGVS description of an allele, where the record alone decides it.

/**
 * Of substitutions, and of as many bases in the place of others. Undefined for insertions and deletions, which HGVS places as far to
 * the right as the reference sequence allows, and for inversions, which it describes in other words.
 */
function genomicHgvs(
  assembly: Assembly,
  { contig, start, end, reference, alternate, structural }: Allele,
): string | undefined {
  if (structural || reference.length !== alternate.length || !/^[ACGT]+$/.test(reference + alternate)) return undefined;
  const place = `${accessionOf(assembly, contig)}:${contig === 'MT' ? 'm' : 'g'}.${start + 1}`;
  if (reference.length === 1) return `${place}${reference}>${alternate}`;
  const inverted = reverseComplement(reference);
  return inverted === alternate ? undefined : `${place}_${end}delins${alternate}`;
}

// Ids of alleles that are the same after every restart and reload, and that say which allele they mean: positions count from
// 1, as in VCF files. `GRCh38-17-43045703-G-A` is a short allele of plain bases; any other has its POS, its END (or the
// position of its mate), a word and a digest: `GRCh38-17-100-200-DEL-…`.

/** Bases of reference and alternate together that an id spells out. */
const longest = 50;

/** Characters of a digest: 132 bits. */
const digestLength = 22;

export function variantIdOf(assembly: Assembly, allele: Allele): string {
  const { contig, start, end, reference, alternate, mate } = allele;
  const place = `${assembly}-${contig}-${start + 1}`;
  const isWhole = mate === undefined && end === start + reference.length;
  if (isWhole && written.test(reference) && written.test(alternate) && reference.length + alternate.length <= longest) {
    return `${place}-${reference}-${alternate}`;
  }
  const digest = createHash('sha256').update(alleleKey(allele)).digest('base64url').slice(0, digestLength);
  return `${place}-${mate === undefined ? end : end + 1}-${wordFor(allele)}-${digest}`;
}

/** The word of an id: the symbol of a symbolic allele, BND, or the kind of plain bases. */
function wordFor({ reference, alternate, mate }: Allele): string {
  if (alternate.startsWith('<')) return writtenAlternate({ alternate }).toUpperCase().replace(/[^A-Z0-9]/g, '').slice(0, 20) || 'SV'; // biome-ignore format: one
  if (mate !== undefined || !written.test(alternate)) return 'BND';
  return kindOfSequence(reference, alternate);
}

const spelled = /^(GRCh37|GRCh38)-([0-9XYMT]{1,2})-(\d{1,10})-([ACGTN]+)-([ACGTN]+)$/;
const digested = new RegExp(
  `^(GRCh37|GRCh38)-([0-9XYMT]{1,2})-(\\d{1,10})-(\\d{1,10})-[A-Z0-9]{1,20}-[A-Za-z0-9_-]{${digestLength}}$`,
);

/**
 * A query that finds the allele with this id, and perhaps others at its place: only those count for which `variantIdOf` is this
 * id. Undefined for a text that is no id.
 */
export function queryForVariantId(id: string): AlleleQuery | undefined {
  const bases = spelled.exec(id);
  const found = bases ?? digested.exec(id);
  const assembly = assemblies.find((one) => one === found?.[1]);
  const contig = contigs.find((one): one is Contig => one === found?.[2]);
  const start = Number(found?.[3]) - 1;
  if (!assembly || !contig || !(start >= 0)) return undefined;
  const exact = { assembly, contig, start: { min: start, max: start } };
  if (bases) return { ...exact, reference: bases[4] ?? '', alternate: bases[5] ?? '' };
  // The end, or the position of a mate.
  const end = Number(found?.[4]);
  return { ...exact, end: { min: end - 1, max: end } };
}

/** How far alleles may have moved to the left since an id was given, in bases. */
const farthestMove = 10_000;
/** Bases that an allele has at least whose id does not spell it. */
const leastUnspelled = longest - 2;

/** What finds the allele with an id, also if it was given before its dataset was left-aligned. */
interface VariantWithId {
  /** The allele matches one of them; the first is for the allele as the id has it. */
  queries: readonly AlleleQuery[];
  /** Whether an allele that matches is it. */
  isIt(allele: Allele): boolean;
}

/** Nothing is found by a text that is no id. */
export function variantWithId(id: string, formOf: FormOf): VariantWithId {
  const query = queryForVariantId(id);
  if (query === undefined) return { queries: [], isIt: () => false };
  const { assembly, contig, start, reference, alternate } = query;
  const hasId = (allele: Allele) => variantIdOf(assembly, allele) === id;
  const form = formOf(assembly);
  const first = start?.min ?? 0;
  if (form === undefined) return { queries: [query], isIt: hasId };
  if (reference !== undefined && alternate !== undefined) {
    const kind = kindOfSequence(reference, alternate);
    const end = first + reference.length;
    const to = form.aligned({ contig, start: first, end, reference, alternate, kind, structural: false });
    if (to.start === first && to.reference === reference) return { queries: [query], isIt: hasId };
    const at = { ...query, start: { min: to.start, max: to.start }, reference: to.reference, alternate: to.alternate };
    return { queries: [query, at], isIt: (allele) => hasId(allele) || alleleKey(allele) === alleleKey(to) };
  }
  const before = {
    ...{ assembly, contig, start: { min: Math.max(0, first - farthestMove), max: first } },
    kinds: (['INS', 'DEL'] as const).map((kind) => ({ kind, structural: false })),
    replaces: { length: { min: leastUnspelled, max: farthest } },
  };
  return { queries: [query, before], isIt: (allele) => hasId(allele) || [...form.spellings(allele)].some(hasId) };
}

// Variants as objects of the GA4GH Variation Representation Specification (VRS) 1.3, with their computed identifiers.

/** A stretch of a sequence, which a CURIE names. */
type VrsLocation = ReturnType<typeof located> & { _id?: string };

export interface VrsAllele {
  _id?: string;
  type: 'Allele';
  location: VrsLocation;
  state: { type: 'LiteralSequenceExpression'; sequence: string };
}

/** Inter-residue. */
type VrsInterval = Pick<Allele, 'start' | 'end'> & { [Range in 'startRange' | 'endRange']?: Bounds | undefined };

/** A stretch of a chromosome, by its RefSeq accession. */
function locationOf(assembly: Assembly, contig: Contig, interval: VrsInterval): VrsLocation {
  return located(`refseq:${accessionOf(assembly, contig)}`, interval);
}

function located(sequence: string, { start, end, startRange, endRange }: VrsInterval) {
  const interval = { type: 'SequenceInterval', start: point(start, startRange), end: point(end, endRange) } as const;
  return { type: 'SequenceLocation', sequence_id: sequence, interval } as const;
}

/** A position, or the range of one that is not known exactly, both of whose bounds are possible. */
function point(value: number, range: Bounds | undefined) {
  return range
    ? ({ type: 'DefiniteRange', min: range.min, max: range.max } as const)
    : ({ type: 'Number', value } as const);
}

type ReplacedBases = Pick<Allele, 'contig' | 'start' | 'end' | 'reference' | 'alternate'> & { assembly: Assembly };

/**
 * An allele of plain bases. As many bases as it replaces make it the only form of itself, so that its identifier can be computed
 * if the digest of the chromosome is known, which is so for GRCh38. Insertions and deletions have none: within repeats they are
 * shifted by rules that need the reference sequence.
 */
export function vrsAllele({ assembly, contig, start, end, reference, alternate }: ReplacedBases): VrsAllele {
  const state = { type: 'LiteralSequenceExpression', sequence: alternate } as const;
  const sequence = assembly === 'GRCh38' ? refgetOf(assembly, contig) : undefined;
  const isWhole =
    reference.length === alternate.length && reference[0] !== alternate[0] && reference.at(-1) !== alternate.at(-1);
  if (sequence === undefined || !isWhole) {
    return { type: 'Allele', location: locationOf(assembly, contig, { start, end }), state };
  }
  return identifiedAllele({ type: 'Allele', location: located(`ga4gh:${sequence}`, { start, end }), state });
}

/** With the computed identifiers of the allele and of its location, whose sequence must be given by its digest. */
export function identifiedAllele({ location, ...allele }: VrsAllele): VrsAllele {
  const sequence = location.sequence_id.replace(/^ga4gh:SQ\./, '');
  const ofLocation = digestOfObject({ ...location, sequence_id: sequence });
  const ofAllele = digestOfObject({ ...allele, location: ofLocation });
  return { _id: `ga4gh:VA.${ofAllele}`, ...allele, location: { _id: `ga4gh:VSL.${ofLocation}`, ...location } };
}

/**
 * The digest of an object, `sha512t24u` of its canonical form: members by name, without blanks and without those whose names begin
 * with `_`. What has an identifier of its own must be given as its digest.
 */
export function digestOfObject(object: object): string {
  return createHash('sha512').update(canonicalJson(object)).digest().subarray(0, 24).toString('base64url');
}

function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.entries(value)
    .filter(([name, member]) => !name.startsWith('_') && member !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`;
}
