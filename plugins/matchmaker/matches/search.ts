/** Searches with the weights, limits and threshold of the settings. */
import { joinedJson } from '../../../core/plugin.js';
import type { MatchedPatient, Patient, StoredPatient } from '../contract.js';
import { placesOf } from '../matching/gene-first.js';
import type { SearchOptions } from '../matching/search.js';
import type { Matches, MatchService, StoredSharer } from '../matching/service.js';
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

export async function search(
  service: Pick<MatchService, 'match'>,
  settings: MatchmakerSettings,
  patient: Patient,
  request: SearchRequest,
): Promise<Found> {
  const { matches: found, ...sharing } = await service.match(patient, {
    ...comparingOf(settings, patient, request),
    limit: settings.maxResults,
    places: placesOf(settings.maxResults, settings.geneShare),
  });
  const genes = found.flatMap(({ explanation }) => (explanation._matchedGenes ?? []).map(({ id }) => id));
  return {
    matches: found.map(({ stored, score, raised, explanation, reading }) => ({
      number: stored.number,
      owner: stored.owner,
      patient: stored.patient,
      score: joinedJson({
        patient: raised ?? score.total,
        _genotype: score.genotype,
        _phenotype: score.phenotype,
        ...(raised !== undefined && { _geneFirst: true }),
        ...(reading && { _reading: reading }),
        ...explanation,
      }),
    })),
    genes: [...new Set(genes)],
    ...sharing,
  };
}

/** The named patients that a search left out, as they are stored. */
export function leftOut(
  service: Pick<MatchService, 'stillSharing'>,
  settings: MatchmakerSettings,
  patient: Patient,
  found: Found,
  request: SearchRequest,
): Promise<StoredSharer[]> {
  return service.stillSharing(patient, found.leftOut, comparingOf(settings, patient, request));
}

function comparingOf(settings: MatchmakerSettings, patient: Patient, { asker, ...request }: SearchRequest) {
  const isIncluded = settings.includeQuery && request.isWanted === undefined;
  return {
    weights: { genotype: settings.maxGenotypeScore, phenotype: settings.maxPhenotypeScore },
    threshold: settings.scoreThreshold,
    ...request,
    ...(isIncluded ? {} : { exclude: { id: patient.id, owner: asker } }),
  };
}
