/** Searches with the weights, limits and threshold of the settings. */
import { joinedJson } from '../../../core/plugin.js';
import type { MatchedPatient, Patient, StoredPatient } from '../contract.js';
import type { Explanation } from '../matching/explanation.js';
import { placesOf } from '../matching/gene-first.js';
import type { Score } from '../matching/score.js';
import type { SearchOptions } from '../matching/search.js';
import type { Match, Matches, MatchService, StoredSharer } from '../matching/service.js';
import type { MatchmakerSettings } from '../settings.js';

/** The result of a search. */
export interface Found extends Pick<Matches, 'alsoSharing' | 'leftOut'> {
  /** Stored patients, best first. */
  matches: (MatchedPatient & Pick<StoredPatient, 'number' | 'owner'>)[];
  /** Ids of the matching genes. */
  genes: readonly string[];
}

export interface SearchRequest extends Pick<SearchOptions, 'isWanted' | 'isNamed'> {
  /** The client's id. */
  asker: string;
  /** Aborting ends the search. */
  signal: AbortSignal;
}

export interface Searches {
  /** Searches the stored patients, changes committed before the call included. */
  search(query: Patient, request: SearchRequest): Promise<Found>;
  /** The named patients that a search left out, as they are stored, for mails to their submitters. */
  leftOut(query: Patient, found: Found, request: Pick<SearchRequest, 'signal'>): Promise<StoredSharer[]>;
}

export function searchesOf(
  service: Pick<MatchService, 'match' | 'stillSharing'>,
  settings: MatchmakerSettings,
): Searches {
  const { maxResults: limit, scoreThreshold: threshold, includeQuery } = settings;
  const weights = { genotype: settings.maxGenotypeScore, phenotype: settings.maxPhenotypeScore };
  const places = placesOf(limit, settings.geneShare);
  return {
    async search(query, { asker, ...request }) {
      const isIncluded = includeQuery && request.isWanted === undefined;
      const exclude = isIncluded ? undefined : { id: query.id, owner: asker };
      const options = { weights, threshold, limit, places, ...request, ...(exclude && { exclude }) };
      const { matches: found, ...sharing } = await service.match(query, options);
      const genes = found.flatMap(({ explanation }) => (explanation._matchedGenes ?? []).map(({ id }) => id));
      return {
        matches: found.map(({ stored, score, raised, explanation, reading }) => ({
          number: stored.number,
          owner: stored.owner,
          patient: stored.patient,
          score: joinedJson(scoreAnswer(score, { raised, reading }, explanation)),
        })),
        genes: [...new Set(genes)],
        ...sharing,
      };
    },
    leftOut: (query, found, { signal }) => service.stillSharing(query, found.leftOut, { weights, threshold, signal }),
  };
}

/** A score as it is answered and recorded. */
export function scoreAnswer(
  { total, genotype, phenotype }: Score,
  { raised, reading }: Partial<Pick<Match, 'raised' | 'reading'>>,
  explanation: Explanation,
) {
  return {
    patient: raised ?? total,
    ...{ _genotype: genotype, _phenotype: phenotype },
    ...(raised !== undefined && { _geneFirst: true }),
    ...(reading && { _reading: reading }),
    ...explanation,
  };
}
