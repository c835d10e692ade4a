/** What a look-up of one gene answers. */
import type { Gene } from './interval.js';

/** By what a gene was found: its id, its symbol in the gene set, or its approved symbol, a previous one or an alias. */
export type FoundBy = 'hgnc' | 'ensembl' | 'symbol' | 'previous' | 'alias';

/**
 * Why a gene was not found: what was asked is no name of a gene; the build has no genes loaded; nothing is called so;
 * a gene is called so, but this build's set lacks it; several genes are called so.
 */
export type NotFoundBy = 'malformed' | 'no-genes-loaded' | 'unknown' | 'not-in-build' | 'ambiguous';

/** One item of a look-up, answered. */
export type GeneAnswer =
  | {
      asked: string;
      by: FoundBy;
      /** At least one, by place: a gene has several places, or Ensembl ids, now and then. */
      genes: Gene[];
    }
  | {
      asked: string;
      reason: NotFoundBy;
      /** Where ambiguous: the HGNC ids (`HGNC:7436`) that it may mean, ascending. */
      candidates?: string[];
    };
