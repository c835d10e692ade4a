/** The rules by which a file is read into a dataset. */
import { Fault } from '../../../core/plugin.js';
import type { Dataset } from '../contract.js';
import { type Filter, filterOf } from '../vcf/filter.js';
import type { MissingRule } from '../vcf/missing.js';
import type { QualityRule } from '../vcf/quality.js';

/** What a load requires of records and genotypes, in addition to the rules of the dataset. */
export interface LoadRules {
  /** Only records with an accepted FILTER; if omitted, all. */
  filter?: Filter | undefined;
  /** The smallest GQ of a genotype. */
  quality?: number | undefined;
  /** Structural variants need no GQ: many of their callers write none. */
  smallQualityOnly?: boolean | undefined;
}

export interface ReadingRules {
  filter: Filter | undefined;
  quality: QualityRule | undefined;
}

const passed = filterOf(['PASS']);

/** The rules of the dataset and those of the load: what is read satisfies both. */
export function readingRules({ counting }: Pick<Dataset, 'counting'>, load: LoadRules): ReadingRules {
  const filters = [counting?.passOnly ? passed : undefined, load.filter].filter((filter) => filter !== undefined);
  const minima = [counting?.quality, load.quality].filter((minimum) => minimum !== undefined);
  return {
    filter: filters.length > 0 ? (column) => filters.every((accepts) => accepts(column)) : undefined,
    quality: minima.length > 0 ? { minimum: Math.max(...minima), structural: !load.smallQualityOnly } : undefined,
  };
}

/** What may become of genotypes that are missing, as options state it. */
export const missingWords = ['unknown', 'carrier'] as const;
export type MissingWord = (typeof missingWords)[number];

export function missingRule({
  genotype,
  quality,
}: {
  genotype?: MissingWord | undefined;
  quality?: MissingWord | undefined;
}): MissingRule {
  return {
    ...(genotype === 'carrier' && { genotype }),
    ...(quality === 'carrier' && { quality }),
  };
}

/** Throws an `invalid` fault if an operator asks for more than the rules of the dataset allow. */
export function refuseWider(
  { id, counting }: Pick<Dataset, 'id' | 'counting'>,
  asked: { filter?: readonly string[] | undefined; quality?: number | undefined },
): void {
  if (counting?.passOnly && asked.filter?.some((name) => !/^pass$/i.test(name))) {
    throw new Fault('invalid', `Dataset '${id}' takes only records that passed all filters: --filter can only be PASS`);
  }
  if (counting?.quality !== undefined && asked.quality !== undefined && asked.quality < counting.quality) {
    throw new Fault(
      'invalid',
      `Dataset '${id}' takes no genotypes with GQ below ${counting.quality}: --gq cannot be lower`,
    );
  }
}
