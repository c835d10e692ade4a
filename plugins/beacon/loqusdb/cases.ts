/** Cases of a dataset as documents of loqusdb. */
import { type BeaconRepository, type Sample, type Sex, totalsFor } from '../contract.js';
import type { CaseDocument, IndividualDocument } from './documents.js';

/** Cases that were searched for either kind of variants. */
export interface CaseCounts {
  snv: number;
  sv: number;
}

export async function countCases(
  repository: Pick<BeaconRepository, 'sampleFacts'>,
  dataset: string,
): Promise<CaseCounts> {
  const samples = await repository.sampleFacts(dataset);
  return { snv: totalsFor(samples, 'sequence').cases, sv: totalsFor(samples, 'structural').cases };
}

/** The samples of one case; empty if there is none. */
export async function samplesOfCase(
  repository: Pick<BeaconRepository, 'sampleFacts'>,
  dataset: string,
  id: string,
): Promise<Sample[]> {
  return (await repository.sampleFacts(dataset)).filter((sample) => sample.case === id);
}

/** What is known of the files of a case, while it is loaded. */
export type CaseFiles = Pick<
  CaseDocument,
  'profile_path' | 'vcf_path' | 'vcf_sv_path' | 'nr_variants' | 'nr_sv_variants'
>;

const unknownFiles: CaseFiles = {
  profile_path: null,
  vcf_path: null,
  vcf_sv_path: null,
  nr_variants: null,
  nr_sv_variants: null,
};

export function documentOfCase(id: string, samples: readonly Sample[], files: CaseFiles = unknownFiles): CaseDocument {
  const individuals = samples.filter(({ searched }) => searched.small).map(individualOf);
  const svIndividuals = samples.filter(({ searched }) => searched.structural).map(individualOf);
  return {
    case_id: id,
    ...files,
    individuals,
    sv_individuals: svIndividuals,
    _inds: byId(individuals),
    _sv_inds: byId(svIndividuals),
  };
}

const sexNumbers: Readonly<Record<Sex, number>> = { unknown: 0, male: 1, female: 2 };

function individualOf({ name, case: id, sex }: Sample, index: number): IndividualDocument {
  const numbers = { ind_index: index, sex: sexNumbers[sex] };
  return { ind_id: name, name, case_id: id, ...numbers, profile: [], similar_samples: [] };
}

function byId(individuals: readonly IndividualDocument[]): Record<string, IndividualDocument> {
  return Object.fromEntries(individuals.map((individual) => [individual.ind_id, individual]));
}
