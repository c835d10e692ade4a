/**
 * Alleles of cgbeacon2: all are read and checked first, known errors are corrected if the right value is certain, then they are
 * added to each dataset in one import.
 */
import { createHash } from 'node:crypto';
import { assemblyNamed, contigNamed, lengthOf } from '../../../../core/genome.js';
import { type Finding, Findings, isDocument, type MongoDocument } from '../../../../core/migration.js';
import {
  bases,
  isBreakend,
  isWithin,
  kindOfStructural,
  referenceBases,
  symbol,
  typeNamed,
} from '../../../../core/vcf.js';
import type { BeaconRepository, CalledAllele, Carrier, Change } from '../../contract.js';
import { type Allele, type Assembly, type Contig, farthest } from '../../domain/allele.js';
import { canonical, kindOfSequence } from '../../domain/allele-query.js';
import { ahead } from '../../loading/load.js';
import type { Permit, PermittedImport } from '../../loading/permit.js';
import { breakend } from '../../vcf/alternate.js';
import type { CarriedDataset } from './datasets.js';
import { nameOfDocument, readDocuments } from './documents.js';

export interface DatasetContent {
  dataset: CarriedDataset;
  /** Those that the dataset lists, and others that have alleles. */
  samples: string[];
  /** Alleles of the file that can be carried over. */
  alleles: number;
  calls: number;
}

export interface VariantSurvey {
  read: number;
  contents: DatasetContent[];
  notCarried: Finding[];
  remarks: Finding[];
}

export interface VariantSource {
  file: string;
  signal?: AbortSignal | undefined;
  onProgress?: ((fraction: number, alleles: number) => void) | undefined;
}

/** Reads the whole file, and changes nothing. */
export async function surveyVariants(
  { file, signal, onProgress }: VariantSource,
  datasets: readonly CarriedDataset[],
): Promise<VariantSurvey> {
  const [notCarried, remarks] = [new Findings(), new Findings()];
  const contents = new Map(
    datasets.map((dataset) => [
      dataset.description.id,
      { dataset, samples: new Set(dataset.samples), alleles: 0, calls: 0 },
    ]),
  );
  let read = 0;
  for await (const { documents, fraction } of readDocuments(file, signal)) {
    for (const document of documents) {
      const name = nameOfDocument(document);
      read++;
      const variant = readVariant(document);
      if (typeof variant === 'string') {
        notCarried.note(variant, name);
        continue;
      }
      for (const correction of variant.corrections) remarks.note(correction, name);
      const total = totalRemark(document);
      if (total !== undefined) remarks.note(total, name);
      const stored = datasetsOfDocument(document);
      if (stored.length === 0) notCarried.note('is in no dataset', name);
      for (const [id, calls] of stored) {
        const content = contents.get(id);
        if (!content) {
          notCarried.note('is in a dataset that is not carried over, or was deleted without its alleles', name);
          continue;
        }
        if (content.dataset.description.assembly !== variant.assembly) {
          notCarried.note('is of another assembly than its dataset', name);
          continue;
        }
        const { copies, remarks: odd } = callsIn(calls);
        for (const remark of odd) remarks.note(remark, name);
        if (copies.size === 0) {
          notCarried.note('is carried by no sample of its dataset', name);
          continue;
        }
        content.alleles++;
        for (const [sample, count] of copies) {
          content.calls += count;
          if (!content.samples.has(sample))
            remarks.note('a sample is not listed by its dataset: its load may have been interrupted', sample);
          content.samples.add(sample);
        }
        if (isHaploid(variant) && [...copies.values()].some((count) => count > 1)) {
          remarks.note(
            'is on Y or MT, with two copies in a sample: it may be a haploid call, which cgbeacon2 doubles',
            name,
          );
        }
      }
    }
    onProgress?.(fraction, read);
  }
  return {
    read,
    contents: [...contents.values()].map((content) => ({ ...content, samples: [...content.samples].sort() })),
    notCarried: notCarried.list(),
    remarks: remarks.list(),
  };
}

function isHaploid({ allele: { contig } }: Cgbeacon2Variant): boolean {
  return contig === 'Y' || contig === 'MT';
}

/** Adds the alleles of a dataset: all at once or, after any failure, none. */
export async function importVariants(
  repository: Pick<BeaconRepository, 'importAlleles'>,
  source: VariantSource,
  { dataset, samples }: DatasetContent,
  permit: Permit,
  now: Date,
): Promise<{ added: Change; barred: PermittedImport['barred'] }> {
  const { id: name, assembly } = dataset.description;
  const indexes = new Map(samples.map((sample, i) => [sample, i]));

  async function* alleles(): AsyncGenerator<CalledAllele[]> {
    let read = 0;
    for await (const { documents, fraction } of readDocuments(source.file, source.signal)) {
      const batch = documents.flatMap((document) => calledIn(document, { name, assembly }, indexes));
      read += batch.length;
      if (batch.length > 0) yield batch;
      source.onProgress?.(fraction, read);
    }
  }

  const { signal } = source;
  const whole = { dataset: name, samples, alleles: ahead(alleles()), ...(signal && { signal }) };
  const { request, barred } = await permit(whole, now);
  return { added: await repository.importAlleles(request, now), barred };
}

function calledIn(
  document: MongoDocument,
  { name, assembly }: { name: string; assembly: string },
  indexes: ReadonlyMap<string, number>,
): CalledAllele[] {
  const stored = datasetsOfDocument(document).find(([id]) => id === name)?.[1];
  const variant = stored === undefined ? undefined : readVariant(document);
  if (variant === undefined || typeof variant === 'string' || variant.assembly !== assembly) return [];
  const carriers: Carrier[] = [...callsIn(stored).copies].map(([sample, copies]) => {
    const index = indexes.get(sample);
    if (index === undefined) throw new Error('the samples were gathered from the same file');
    return [index, copies];
  });
  return carriers.length === 0 ? [] : [{ ...variant.allele, carriers }];
}

// Reads an allele as cgbeacon2 stores it. Its known errors are corrected if the right value is certain; else the allele is left
// out.

interface Cgbeacon2Variant {
  assembly: Assembly;
  allele: Allele;
  /** What was corrected. */
  corrections: string[];
}

/** Types of alleles without an SVTYPE in cgbeacon2. */
const plainTypes = new Set(['SNP', 'INDEL', 'MNP', 'UNKNOWN']);
const placeholders = new Set(['*', 'NON_REF', 'X', 'UNSPECIFIED']);

const corrections = {
  id: 'has an id that does not match its fields: the fields were taken',
  shortEnd: 'is structural, and its end was stored one base short: corrected',
  insertion: 'is an insertion whose end was stored with its length: it now ends where it begins',
  plainEnd: 'has an end that does not match its bases: the bases were taken',
  mate: 'is a breakend whose end or mateName does not match its alternate: the alternate was taken',
} as const;

const joined = 'has several alternates joined together, which cannot be separated';

/** The allele, or a sentence without its subject why it cannot be carried over. */
function readVariant(document: MongoDocument): Cgbeacon2Variant | string {
  const { referenceName, start, end, assemblyId, alternateBases: alternate } = document;
  const assembly = typeof assemblyId === 'string' ? assemblyNamed(assemblyId) : undefined;
  const contig = typeof referenceName === 'string' ? contigNamed(referenceName) : undefined;
  const reference = typeof document.referenceBases === 'string' ? referenceBases(document.referenceBases) : undefined;
  const type = typeof document.variantType === 'string' ? typeNamed(document.variantType) : 'UNKNOWN';
  if (!assembly) return 'has an assemblyId that is neither GRCh37 nor GRCh38';
  if (!contig) return 'is on none of the chromosomes 1 to 22, X, Y and MT';
  if (!isZeroBasedPosition(start) || !isInteger(end)) return 'has a start or an end that is not a position';
  if (start >= lengthOf(assembly, contig)) return `is beyond the end of its chromosome in ${assembly}`;
  if (!reference) return 'has referenceBases that are not bases';
  if (typeof alternate !== 'string' || alternate === '') return 'has no alternateBases';
  const stored = { contig, start, end, reference, alternate, type, mateName: document.mateName };
  const read = isBreakend(alternate)
    ? readStoredBreakend(stored)
    : plainTypes.has(type) && !alternate.includes('<')
      ? readStoredSequence(stored)
      : readStoredStructural(stored);
  if (typeof read === 'string') return read;
  if (read.allele.end > farthest) return `ends beyond ${farthest}, the last position that can be stored`;
  const found = read.correction === undefined ? [] : [read.correction];
  return {
    assembly,
    allele: canonical(read.allele),
    corrections: hasOwnId(document) ? found : [...found, corrections.id],
  };
}

interface Cgbeacon2Fields {
  contig: Contig;
  start: number;
  end: number;
  reference: string;
  alternate: string;
  type: string;
  mateName: unknown;
}

type VariantReading = { allele: Allele; correction?: string } | string;

/** Plain bases without an SVTYPE. cyvcf2 calls a record SNP or MNP only if all of its alternates are as long as REF. */
function readStoredSequence({ contig, start, end, reference, alternate, type }: Cgbeacon2Fields): VariantReading {
  const sequence = bases(alternate);
  if (!sequence) return 'has alternateBases that are not bases, such as a placeholder (*)';
  if (sequence === reference) return 'has alternateBases equal to its referenceBases';
  const asLong = type === 'SNP' || type === 'MNP';
  if (asLong !== (sequence.length === reference.length) && type !== 'UNKNOWN') return joined;
  const kind = kindOfSequence(reference, sequence);
  const allele = {
    contig,
    start,
    end: start + reference.length,
    reference,
    alternate: sequence,
    kind,
    structural: false,
  };
  return end === allele.end ? { allele } : { allele, correction: corrections.plainEnd };
}

/** The end of a breakend is the zero-based place of its mate, there and here. */
function readStoredBreakend({
  contig,
  start,
  end,
  reference,
  alternate,
  type,
  mateName,
}: Cgbeacon2Fields): VariantReading {
  const brackets = alternate.match(/[[\]]/g)?.length ?? 0;
  if (brackets > 2) return joined;
  const read = breakend(alternate, { contig: contigNamed }, false);
  if (!read || read.mate?.position === 0) return 'has a malformed breakend as its alternate';
  const kind = plainTypes.has(type) ? 'BND' : type;
  const allele = { contig, start, reference, alternate: read.alternate, kind, structural: true };
  if (!read.mate) return { allele: { ...allele, end: start + 1 } };
  const { contig: mate } = read.mate;
  const position = read.mate.position - 1;
  const isAsStored = end === position && typeof mateName === 'string' && contigNamed(mateName) === mate;
  return { allele: { ...allele, end: position, mate }, ...(!isAsStored && { correction: corrections.mate }) };
}

function readStoredStructural({ contig, start, end, reference, alternate, type }: Cgbeacon2Fields): VariantReading {
  if (isWithin(type, 'BND')) return 'joins two places, of which its alternate does not name the other';
  const word = symbol(alternate);
  if (word !== undefined && /[<>]/.test(word)) return joined;
  if (word !== undefined && placeholders.has(word)) return 'has a placeholder as its alternate';
  const sequence = word === undefined ? bases(alternate) : undefined;
  if (word === undefined && sequence === undefined) return 'has an alternate that is neither bases nor one <symbol>';
  if (sequence === reference) return 'has alternateBases equal to its referenceBases';
  const hasType = !plainTypes.has(type);
  const kind = kindOfStructural(hasType ? type : undefined, word, false);
  const allele = { contig, start, reference, alternate: sequence ?? alternate, kind, structural: true };
  // cgbeacon2 subtracts one from the end only if the record has an SVTYPE.
  const exclusive = hasType ? end + 1 : end;
  if (kind.startsWith('INS')) {
    const here = start + reference.length;
    const correction = here === exclusive ? corrections.shortEnd : corrections.insertion;
    return { allele: { ...allele, end: here }, ...((hasType || here !== end) && { correction }) };
  }
  if (exclusive <= start) return 'is structural, and ends before it starts';
  return { allele: { ...allele, end: exclusive }, ...(hasType && { correction: corrections.shortEnd }) };
}

/** The id is the MD5 digest of the fields. */
function hasOwnId({ _id, ...fields }: MongoDocument): boolean {
  const { referenceName, start, end, referenceBases, alternateBases, assemblyId } = fields;
  const text = [referenceName, start, end, referenceBases, alternateBases, assemblyId].join(' ');
  return createHash('md5').update(text).digest('hex') === _id;
}

function isInteger(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function isZeroBasedPosition(value: unknown): value is number {
  return isInteger(value) && value >= 0;
}

// The carriers of an allele as cgbeacon2 stores them: under `datasetIds`, by dataset and sample.

interface StoredCalls {
  /** Alternate alleles called, by sample. */
  copies: Map<string, number>;
  /** What cgbeacon2 stored wrongly. */
  remarks: string[];
}

export const callRemarks = {
  withoutLevel:
    'has samples that were added one after the other, which cgbeacon2 stores where it does not find them; here they are found',
  withoutCount: 'has a sample without a number of copies, which is left out',
  lost:
    'counts more calls than it has: cgbeacon2 lost or repeated some when samples were added one after the other; ' +
    'loading the VCF files again adds what is missing',
  missing: 'counts fewer calls than it has: they were recounted',
} as const;

/** The calls of a dataset. */
function callsIn(stored: unknown): StoredCalls {
  const calls: StoredCalls = { copies: new Map(), remarks: [] };
  if (!isDocument(stored)) return calls;
  // The second load of an allele into a dataset writes the samples one level too high.
  const isRight = isDocument(stored.samples) && typeof stored.samples.allele_count !== 'number';
  const samples = isRight ? (stored.samples as MongoDocument) : stored;
  if (!isRight) calls.remarks.push(callRemarks.withoutLevel);
  for (const [sample, call] of Object.entries(samples)) {
    const count = isDocument(call) ? call.allele_count : undefined;
    if (sample !== '' && typeof count === 'number' && Number.isInteger(count) && count > 0 && count <= farthest) {
      calls.copies.set(sample, count);
    } else calls.remarks.push(callRemarks.withoutCount);
  }
  return calls;
}

/** The datasets of an allele. */
function datasetsOfDocument({ datasetIds }: MongoDocument): [id: string, stored: unknown][] {
  return isDocument(datasetIds) ? Object.entries(datasetIds) : [];
}

/** A remark if the stored total of an allele is not that of its calls in all datasets. */
function totalRemark(document: MongoDocument): string | undefined {
  const { call_count: stated } = document;
  let total = 0;
  for (const [, stored] of datasetsOfDocument(document))
    for (const copies of callsIn(stored).copies.values()) total += copies;
  if (typeof stated !== 'number' || stated === total) return undefined;
  return stated > total ? callRemarks.lost : callRemarks.missing;
}
