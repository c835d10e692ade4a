/** Carries the observations of cases without files over: what the collections of variants tell of them, and no more. */
import { type Finding, Findings, type MongoDocument } from '../../../../core/migration.js';
import {
  type BeaconRepository,
  type CalledAllele,
  type Carrier,
  type Change,
  type Dataset,
  InsertionLengths,
} from '../../contract.js';
import { ahead } from '../../loading/ahead.js';
import { barredLines, type Permit } from '../../loading/permit.js';
import { nameOf, readDocuments } from '../documents.js';
import { factsWithoutFiles, nameWithoutFiles, type StoredCase } from './cases.js';
import { readSmall, readStructural, type StoredVariant } from './variants.js';

export interface CarryRequest {
  repository: Pick<BeaconRepository, 'importAlleles'>;
  dataset: Dataset;
  permit: Permit;
  kind: 'small' | 'structural';
  file: string;
  cases: readonly StoredCase[];
  /** Cases of structural variants that name fewer than they count, by id of the variant: see `missingFamilies`. */
  families?: ReadonlyMap<string, ReadonlySet<string>>;
  dryRun: boolean;
  now: Date;
  signal: AbortSignal;
  onProgress(fraction: number, alleles: number): void;
}

export interface Carried {
  /** Variants that one of the cases carries. */
  alleles: number;
  /** Cases and variants: how often a case carries a variant. */
  observations: number;
  /** Observations of which loqusdb does not say in which case they were, over all variants. */
  unnamed: number;
  added: Change | undefined;
  /** Lines about samples that were not loaded. */
  barred?: readonly string[];
  notCarried: Finding[];
  remarks: Finding[];
}

/** Adds all of it at once, or nothing after any failure. */
export async function carryVariants(request: CarryRequest): Promise<Carried> {
  const { repository, dataset, permit, kind, cases, dryRun, now, signal } = request;
  const samples = cases.map(nameWithoutFiles);
  const reading = new Reading(request);
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

class Reading {
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

  result(): Omit<Carried, 'added' | 'barred'> {
    const counts = { alleles: this.#alleles, observations: this.#observations, unnamed: this.#unnamed };
    return { ...counts, notCarried: this.#notCarried.list(), remarks: this.#remarks.list() };
  }

  #calledIn(document: MongoDocument): CalledAllele[] {
    const { kind, dataset, families } = this.#request;
    const name = nameOf(document);
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

  #remark({ mixed }: StoredVariant, name: string): void {
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
      if (typeof observations === 'number' && observations > named) found.set(nameOf(document), new Set());
    }
  }
  for await (const { documents } of readDocuments(identities, signal)) {
    for (const { cluster_id: cluster, case_id: id } of documents) {
      if (typeof id === 'string') found.get(String(cluster))?.add(id);
    }
  }
  return found;
}
