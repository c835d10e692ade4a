/** What the search page shows. */

import type { GeneStructure } from '../../../services/coverage.js';
import type { Assembly, Dataset, FoundAllele } from '../../contract.js';
import type { Denominator } from '../../domain/denominator.js';
import type { FieldForm } from './field.js';

/** One dataset; numbers that the caller may not know are undefined. */
export interface DatasetRow {
  dataset: Pick<Dataset, 'id' | 'name'>;
  exists: boolean;
  variants: number | undefined;
  samples: number | undefined;
  /** Of a search for one variant, if the caller may know it. */
  denominator: Denominator | undefined;
}

/** An allele of a dataset. */
export interface AlleleRow {
  dataset: Pick<Dataset, 'id' | 'name'>;
  allele: FoundAllele;
}

export interface Result {
  form: FieldForm;
  assembly: Assembly;
  /** Whether the search is for one allele of plain bases, which has a frequency. */
  isOne: boolean;
  /** By dataset; empty if none of the assembly may be searched. */
  datasets: readonly DatasetRow[];
  /** Of datasets whose records the caller may see, by place. */
  alleles: readonly AlleleRow[];
  /** How many there are in all. */
  allAlleles: number;
  /** The genes that are drawn; undefined if no plugin knows genes. */
  genes: readonly GeneStructure[] | undefined;
  /** What the query model has to say, in English. */
  warnings: readonly string[];
}

export type Outcome = Result | { /** What is wrong, in one sentence. */ error: string };

export interface Asked {
  /** The field as it was sent. */
  text: string;
  /** As it was sent; empty if none was. */
  assembly: string;
}
