/** Searches with the weights, limits and threshold of the settings. */
import { joinedJson } from '../../../core/plugin.js';
import type { MatchedPatient, Patient, StoredPatient } from '../contract.js';
import type { SearchOptions } from '../matching/search.js';
import type { MatchService } from '../matching/service.js';
import type { MatchmakerSettings } from '../settings.js';

/** The result of a search. */
export interface Found {
  /** Stored patients, best first. */
  matches: (MatchedPatient & Pick<StoredPatient, 'number' | 'owner'>)[];
  /** Ids of the matching genes. */
  genes: readonly string[];
}

export interface SearchRequest extends Pick<SearchOptions, 'isWanted'> {
  /** The client's id. */
  asker: string;
  /** Aborting ends the search. */
  signal: AbortSignal;
}

export async function search(
  service: Pick<MatchService, 'match'>,
  settings: MatchmakerSettings,
  patient: Patient,
  { asker, signal, ...limited }: SearchRequest,
): Promise<Found> {
  const found = await service.match(patient, {
    weights: { genotype: settings.maxGenotypeScore, phenotype: settings.maxPhenotypeScore },
    limit: settings.maxResults,
    threshold: settings.scoreThreshold,
    signal,
    ...limited,
    ...(settings.includeQuery && limited.isWanted === undefined ? {} : { exclude: { id: patient.id, owner: asker } }),
  });
  const genes = found.flatMap(({ explanation }) => (explanation._matchedGenes ?? []).map(({ id }) => id));
  return {
    matches: found.map(({ stored, score, explanation, reading }) => ({
      number: stored.number,
      owner: stored.owner,
      patient: stored.patient,
      score: joinedJson({
        patient: score.total,
        _genotype: score.genotype,
        _phenotype: score.phenotype,
        ...(reading && { _reading: reading }),
        ...explanation,
      }),
    })),
    genes: [...new Set(genes)],
  };
}
