/**
 * The cases of an exported loqusdb: where their variants can be read, and of cases without files what the collections of
 * variants state of them. loqusdb names the last 50 cases of each variant, and not their individuals.
 */
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { contigNamed, lengthOf } from '../../../core/genome.js';
import { type Finding, Findings, isDocument, type MongoDocument } from '../../../core/migration.js';
import { bases, referenceBases } from '../../../core/vcf.js';
import { nameOfDocument, readDocuments } from '../commands/cgbeacon2/documents.js';
import {
  type BeaconRepository,
  type CalledAllele,
  type Carrier,
  type Change,
  type Dataset,
  InsertionLengths,
  type Sample,
  type SampleChange,
  type Sex,
} from '../contract.js';
import type { Allele, Assembly } from '../domain/allele.js';
import { canonical, kindOfSequence } from '../domain/allele-query.js';
import { ahead } from '../loading/load.js';
import { barredLines, type Permit } from '../loading/permit.js';
import { isCaseId } from './load.js';

/** A case as its document describes it. */
export interface LoqusdbCase {
  id: string;
  /** The files that were loaded; undefined if there was none of that kind. */
  small: string | undefined;
  structural: string | undefined;
  /** By name, in the order of the document. */
  individuals: ReadonlyMap<string, SampleChange>;
}

export interface CasePlan {
  read: number;
  /** To load from their files. */
  fromFiles: LoqusdbCase[];
  /** To take from the collections of variants: a file cannot be read. */
  withoutFiles: LoqusdbCase[];
  /** Loaded earlier. */
  unchanged: number;
  notCarried: Finding[];
}

/** `samples` are those of the dataset. Changes nothing. */
export async function planCases(documents: readonly MongoDocument[], samples: readonly Sample[]): Promise<CasePlan> {
  const notCarried = new Findings();
  const plan = { fromFiles: [] as LoqusdbCase[], withoutFiles: [] as LoqusdbCase[], unchanged: 0 };
  const seen = new Set<string>();
  const taken = new Set<string>();
  const caseOf = new Map(samples.map((sample) => [sample.name, sample.case]));
  const namesOf = new Map<string, string[]>();
  for (const { name, case: id } of samples) {
    const names = namesOf.get(id);
    if (names) names.push(name);
    else namesOf.set(id, [name]);
  }
  for (const document of documents) {
    const stored = readCase(document);
    const named = stored?.id ?? 'one without case_id';
    if (!stored) notCarried.note('has no valid case_id', named);
    else if (seen.has(stored.id)) notCarried.note('has the case_id of another document', named);
    else if (stored.small === undefined && stored.structural === undefined) notCarried.note('has no VCF file', named);
    else {
      seen.add(stored.id);
      const readable = await areReadable(stored);
      const here = namesOf.get(stored.id) ?? [];
      const own = nameWithoutFiles(stored);
      const others = caseOf.get(own);
      if (here.length > 0 && (readable || here.some((name) => name !== own))) plan.unchanged++;
      else if (readable) plan.fromFiles.push(stored);
      else if (others !== undefined && others !== stored.id) {
        notCarried.note('has no readable file, and a sample of its name belongs to another case here', named);
      } else if (taken.has(own)) {
        notCarried.note('has no readable file, and the name of its only individual is that of another case', named);
      } else {
        taken.add(own);
        plan.withoutFiles.push(stored);
      }
    }
  }
  return { read: documents.length, ...plan, notCarried: notCarried.list() };
}

/** A case whose carriers are not known one by one is one sample, named after its only individual or itself. */
function nameWithoutFiles({ id, individuals }: LoqusdbCase): string {
  const [only] = individuals.keys();
  return individuals.size === 1 && only !== undefined ? only : id;
}

/** The sex of a case counts only if it is one person. */
function factsWithoutFiles({ id, individuals }: LoqusdbCase): SampleChange {
  const [only] = individuals.values();
  return { ...(individuals.size === 1 && only), case: id };
}

function readCase(document: MongoDocument): LoqusdbCase | undefined {
  const { case_id: id, vcf_path, vcf_sv_path, individuals, sv_individuals } = document;
  if (typeof id !== 'string' || !isCaseId(id)) return undefined;
  return {
    id,
    small: storedText(vcf_path),
    structural: storedText(vcf_sv_path),
    individuals: new Map([...individualsIn(individuals), ...individualsIn(sv_individuals)]),
  };
}

function storedText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

const sexes: Readonly<Record<string, Sex>> = { 1: 'male', 2: 'female' };

/** loqusdb stores the sex as number or text of a PED file. */
function individualsIn(list: unknown): [name: string, facts: SampleChange][] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((individual): [string, SampleChange][] => {
    const name = isDocument(individual) ? storedText(individual.ind_id) : undefined;
    if (name === undefined) return [];
    const { sex } = individual as MongoDocument;
    return [[name, { sex: sexes[String(sex)] ?? 'unknown' }]];
  });
}

async function areReadable({ small, structural }: LoqusdbCase): Promise<boolean> {
  const files = [small, structural].filter((file) => file !== undefined);
  const found = await Promise.all(
    files.map((file) =>
      access(file, constants.R_OK).then(
        () => true,
        () => false,
      ),
    ),
  );
  return found.every(Boolean);
}

// Imports the observations of cases without files.

export interface CarryRequest {
  repository: Pick<BeaconRepository, 'importAlleles'>;
  dataset: Dataset;
  permit: Permit;
  kind: 'small' | 'structural';
  file: string;
  cases: readonly LoqusdbCase[];
  /** Cases of structural variants that name fewer than they count, by id of the variant: see `missingFamilies`. */
  families?: ReadonlyMap<string, ReadonlySet<string>>;
  dryRun: boolean;
  now: Date;
  signal: AbortSignal;
  onProgress(fraction: number, alleles: number): void;
}

export interface CarriedObservations {
  /** Variants that one of the cases carries. */
  alleles: number;
  /** Cases and variants: how often a case carries a variant. */
  observations: number;
  /** Observations for which loqusdb does not name a case, over all variants. */
  unnamed: number;
  added: Change | undefined;
  /** Lines about samples that were not loaded. */
  barred?: readonly string[];
  notCarried: Finding[];
  remarks: Finding[];
}

/** Adds all of it at once, or nothing after any failure. */
export async function carryVariants(request: CarryRequest): Promise<CarriedObservations> {
  const { repository, dataset, permit, kind, cases, dryRun, now, signal } = request;
  const samples = cases.map(nameWithoutFiles);
  const reading = new ObservationReading(request);
  let added: Change | undefined;
  let barred: readonly string[] = [];
  if (dryRun) for await (const _ of reading.alleles());
  else {
    const facts = new Map(cases.map((stored) => [nameWithoutFiles(stored), factsWithoutFiles(stored)]));
    const searched = () => ({ small: kind === 'small', structural: kind === 'structural' });
    const alleles = ahead(reading.alleles());
    const whole = { dataset: dataset.id, samples, alleles, facts, searched, signal };
    const permitted = await permit(whole, now);
    added = await repository.importAlleles(permitted.request, now);
    barred = barredLines(permitted.barred);
  }
  return { ...reading.result(), added, ...(barred.length > 0 && { barred }) };
}

class ObservationReading {
  readonly #request: CarryRequest;
  readonly #indexes: ReadonlyMap<string, number>;
  readonly #notCarried = new Findings();
  readonly #remarks = new Findings();
  #alleles = 0;
  #observations = 0;
  #unnamed = 0;

  constructor(request: CarryRequest) {
    this.#request = request;
    this.#indexes = new Map(request.cases.map(({ id }, i) => [id, i]));
  }

  async *alleles(): AsyncGenerator<CalledAllele[]> {
    const { file, signal, onProgress } = this.#request;
    const insertions = new InsertionLengths();
    for await (const { documents, fraction } of readDocuments(file, signal)) {
      const batch = documents.flatMap((document) => this.#calledIn(document));
      insertions.tellApart(batch);
      if (batch.length > 0) yield batch;
      onProgress(fraction, this.#alleles);
    }
  }

  result(): Omit<CarriedObservations, 'added' | 'barred'> {
    const counts = { alleles: this.#alleles, observations: this.#observations, unnamed: this.#unnamed };
    return { ...counts, notCarried: this.#notCarried.list(), remarks: this.#remarks.list() };
  }

  #calledIn(document: MongoDocument): CalledAllele[] {
    const { kind, dataset, families } = this.#request;
    const name = nameOfDocument(document);
    const variant =
      kind === 'small' ? readSmall(document, dataset.assembly) : readStructural(document, dataset.assembly);
    if (typeof variant === 'string') {
      this.#notCarried.note(variant, name);
      return [];
    }
    const named = [...new Set([...variant.families, ...(families?.get(name) ?? [])])];
    const missing = variant.observations - named.length;
    if (missing > 0) {
      this.#unnamed += missing;
      this.#remarks.note('was observed in more cases than loqusdb names: the others are not counted', name);
    }
    const carriers = named.flatMap((id): Carrier[] => {
      const index = this.#indexes.get(id);
      return index === undefined ? [] : [[index, variant.copies]];
    });
    if (carriers.length === 0) return [];
    this.#remark(variant, name);
    this.#alleles++;
    this.#observations += carriers.length;
    return [{ ...variant.allele, carriers }];
  }

  #remark({ mixed }: LoqusdbVariant, name: string): void {
    if (mixed) {
      const reason = 'is homozygous in some of its cases, and loqusdb does not say in which: each has one copy here';
      this.#remarks.note(reason, name);
    }
  }
}

/**
 * The cases of structural variants that name fewer than they count, by id of the variant: the collection `identity` lists all of
 * them.
 */
export async function missingFamilies(
  { structural, identities }: { structural: string; identities: string },
  signal: AbortSignal,
): Promise<Map<string, Set<string>>> {
  const found = new Map<string, Set<string>>();
  for await (const { documents } of readDocuments(structural, signal)) {
    for (const document of documents) {
      const { observations, families } = document;
      const named = Array.isArray(families) ? families.length : 0;
      if (typeof observations === 'number' && observations > named) found.set(nameOfDocument(document), new Set());
    }
  }
  for await (const { documents } of readDocuments(identities, signal)) {
    for (const { cluster_id: cluster, case_id: id } of documents) {
      if (typeof id === 'string') found.get(String(cluster))?.add(id);
    }
  }
  return found;
}

// Variants of loqusdb, which names the last 50 cases of each and not their individuals.

interface LoqusdbVariant {
  allele: Allele;
  /** The cases that are named; fewer than observations if there are more than 50. */
  families: string[];
  observations: number;
  /** Copies in each case, as far as known: 2 if all cases have a homozygous individual. */
  copies: 1 | 2;
  /** Whether some of the cases, but not all, have a homozygous individual. */
  mixed: boolean;
}

/** Returns the variant, or why it cannot be carried over: a sentence without its subject. */
function readSmall(document: MongoDocument, assembly: Assembly): LoqusdbVariant | string {
  const { chrom, start, ref, alt, homozygote } = document;
  const contig = typeof chrom === 'string' ? contigNamed(chrom) : undefined;
  if (!contig) return 'is on none of the chromosomes 1 to 22, X, Y and MT';
  if (!isOneBasedPosition(start) || start > lengthOf(assembly, contig))
    return `has a start that is not on its chromosome in ${assembly}`;
  const reference = typeof ref === 'string' ? referenceBases(ref) : undefined;
  const alternate = typeof alt === 'string' ? bases(alt) : undefined;
  if (!reference || !alternate) return 'has ref or alt that are not bases';
  if (reference === alternate) return 'has alt equal to its ref';
  const counted = countedIn(document);
  if (typeof counted === 'string') return counted;
  const twice = typeof homozygote === 'number' ? homozygote : 0;
  const kind = kindOfSequence(reference, alternate);
  const place = { contig, start: start - 1, end: start - 1 + reference.length };
  return {
    allele: canonical({ ...place, reference, alternate, kind, structural: false }),
    ...counted,
    copies: twice >= counted.observations ? 2 : 1,
    mixed: twice > 0 && twice < counted.observations,
  };
}

/** The variant at the centre of its cluster. */
function readStructural(document: MongoDocument, assembly: Assembly): LoqusdbVariant | string {
  const { chrom, end_chrom, sv_type } = document;
  const contig = typeof chrom === 'string' ? contigNamed(chrom) : undefined;
  const endContig = typeof end_chrom === 'string' ? contigNamed(end_chrom) : undefined;
  if (!contig || !endContig) return 'is on none of the chromosomes 1 to 22, X, Y and MT';
  const counted = countedIn(document);
  if (typeof counted === 'string') return counted;
  const pos = centre(document.pos_sum, counted.observations);
  const end = centre(document.end_sum, counted.observations);
  if (pos === undefined || end === undefined) return 'has pos_sum or end_sum that are not sums of positions';
  const isJunction = sv_type === 'BND' || endContig !== contig;
  if (pos > lengthOf(assembly, contig) || (isJunction && end > lengthOf(assembly, endContig))) {
    return `has a position that is not on its chromosome in ${assembly}`;
  }
  if (typeof sv_type !== 'string' || !/^[A-Za-z][A-Za-z0-9:_-]{0,63}$/.test(sv_type)) return 'has no sv_type';
  const kind = sv_type.toUpperCase();
  const here = { contig, start: pos - 1, reference: 'N', kind, structural: true };
  const known = { ...counted, copies: 1 as const, mixed: false };
  if (isJunction) {
    const alternate = `N]${endContig}:${end}]`;
    return { allele: { ...here, end: end - 1, mate: endContig, alternate }, ...known };
  }
  if (end < pos) return 'ends before it starts';
  const alternate = `<${kind}>`;
  if (!/^INS\b/.test(kind)) return { allele: { ...here, end, alternate }, ...known };
  // loqusdb adds the length of an insertion to its end.
  return { allele: { ...here, end: pos, alternate, ...(end > pos && { length: end - pos }) }, ...known };
}

function countedIn({ observations, families }: MongoDocument): { observations: number; families: string[] } | string {
  if (!isOneBasedPosition(observations)) return 'has observations that are not a number above 0';
  const named = Array.isArray(families) ? families.filter((family) => typeof family === 'string') : [];
  return { observations, families: [...new Set(named)] };
}

function centre(sum: unknown, observations: number): number | undefined {
  const mean = typeof sum === 'number' ? Math.round(sum / observations) : undefined;
  return isOneBasedPosition(mean) ? mean : undefined;
}

function isOneBasedPosition(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}
