/** Queries as the settings want them answered. */
import type { MatchedPatient, Patient, StoredPatient } from '../contract.js';
import type { MatchService } from '../matching/service.js';
import type { MatchmakerSettings } from '../settings.js';

/** The answer to a query. */
export interface Found {
  /** Best first; as they are stored. */
  matches: (MatchedPatient & Pick<StoredPatient, 'number'>)[];
  /** Keys of the genes that they were matched on, as in PatientFacts. */
  genes: readonly string[];
}

export interface SearchRequest {
  /** The client's id. */
  asker: string;
  /** Aborted when nobody waits for the answer any more. */
  signal: AbortSignal;
}

export async function search(
  service: Pick<MatchService, 'match'>,
  settings: MatchmakerSettings,
  patient: Patient,
  { asker, signal }: SearchRequest,
): Promise<Found> {
  const found = await service.match(patient, {
    weights: { genotype: settings.maxGenotypeScore, phenotype: settings.maxPhenotypeScore },
    limit: settings.maxResults,
    threshold: settings.scoreThreshold,
    signal,
    ...(settings.includeQuery ? {} : { exclude: { id: patient.id, owner: asker } }),
  });
  const genes = found.flatMap(({ explanation }) => (explanation._matchedGenes ?? []).map(({ id }) => id));
  return {
    matches: found.map(({ stored, score, explanation }) => ({
      number: stored.number,
      patient: stored.patient,
      score: { patient: score.total, _genotype: score.genotype, _phenotype: score.phenotype, ...explanation },
    })),
    genes: [...new Set(genes)],
  };
}
