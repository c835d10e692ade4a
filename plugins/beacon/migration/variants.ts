/** Alleles of cgbeacon2: all are checked first, then added to each dataset in one import. */
import { type Finding, Findings, type MongoDocument } from '../../../core/migration.js';
import type { BeaconRepository, CalledAllele, Carrier, Change } from '../contract.js';
import { ahead } from '../loading/ahead.js';
import type { Permit, Permitted } from '../loading/permit.js';
import { callsIn, datasetsOf, totalRemark } from './calls.js';
import type { CarriedDataset } from './datasets.js';
import { nameOf, readDocuments } from './documents.js';
import { readVariant, type StoredVariant } from './variant.js';

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
      const name = nameOf(document);
      read++;
      const variant = readVariant(document);
      if (typeof variant === 'string') {
        notCarried.note(variant, name);
        continue;
      }
      for (const correction of variant.corrections) remarks.note(correction, name);
      const total = totalRemark(document);
      if (total !== undefined) remarks.note(total, name);
      const stored = datasetsOf(document);
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

function isHaploid({ allele: { contig } }: StoredVariant): boolean {
  return contig === 'Y' || contig === 'MT';
}

/** Adds the alleles of a dataset: all at once or, after any failure, none. */
export async function importVariants(
  repository: Pick<BeaconRepository, 'importAlleles'>,
  source: VariantSource,
  { dataset, samples }: DatasetContent,
  permit: Permit,
  now: Date,
): Promise<{ added: Change; barred: Permitted['barred'] }> {
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
  const stored = datasetsOf(document).find(([id]) => id === name)?.[1];
  const variant = stored === undefined ? undefined : readVariant(document);
  if (variant === undefined || typeof variant === 'string' || variant.assembly !== assembly) return [];
  const carriers: Carrier[] = [...callsIn(stored).copies].map(([sample, copies]) => {
    const index = indexes.get(sample);
    if (index === undefined) throw new Error('the samples were gathered from the same file');
    return [index, copies];
  });
  return carriers.length === 0 ? [] : [{ ...variant.allele, carriers }];
}
