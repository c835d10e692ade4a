/** The carriers of an allele as cgbeacon2 stores them: under `datasetIds`, by dataset and sample. */
import { isDocument, type MongoDocument } from '../../../core/migration.js';
import { farthest } from '../domain/bounds.js';

export interface StoredCalls {
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
export function callsIn(stored: unknown): StoredCalls {
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
export function datasetsOf({ datasetIds }: MongoDocument): [id: string, stored: unknown][] {
  return isDocument(datasetIds) ? Object.entries(datasetIds) : [];
}

/** A remark if the stored total of an allele is not that of its calls in all datasets. */
export function totalRemark(document: MongoDocument): string | undefined {
  const { call_count: stated } = document;
  let total = 0;
  for (const [, stored] of datasetsOf(document)) for (const copies of callsIn(stored).copies.values()) total += copies;
  if (typeof stated !== 'number' || stated === total) return undefined;
  return stated > total ? callRemarks.lost : callRemarks.missing;
}
