/** The result of looking up one gene. */
import type { Gene } from './interval.js';

/**
 * How a gene was found: by its id, its symbol (in the gene set, or approved), a previous symbol or an alias. Storages do not
 * find genes by transcripts.
 */
export type FoundBy = 'hgnc' | 'ensembl' | 'symbol' | 'previous' | 'alias' | 'transcript';

/**
 * Why a gene was not found: the text cannot be the name of a gene; no genes are loaded for the build; no gene has the
 * name; a gene has it, but is not in the set of this build; several genes have it. If the name is the id of a transcript: no
 * transcripts are loaded for the build; none of them has the id, or its gene is not in the set.
 */
export type NotFoundBy =
  | 'malformed'
  | 'no-genes-loaded'
  | 'unknown'
  | 'not-in-build'
  | 'ambiguous'
  | 'no-transcripts-loaded'
  | 'unknown-transcript';

/** The result for one name of a look-up. */
export type GeneAnswer =
  | {
      asked: string;
      by: FoundBy;
      /** At least one, by position: some genes have several positions or Ensembl ids. */
      genes: Gene[];
    }
  | {
      asked: string;
      reason: NotFoundBy;
      /** If ambiguous: the HGNC ids (`HGNC:7436`) that it may mean, ascending. */
      candidates?: string[];
    };
