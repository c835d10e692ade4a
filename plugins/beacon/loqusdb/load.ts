/** Loads the VCF files of a case. */
import type { Source } from '../../../core/files.js';
import { Fault } from '../../../core/plugin.js';
import type { SampleChange } from '../contract.js';
import { readFacts } from '../domain/facts.js';
import { type LoadRequest, type LoadSummary, loadVariants } from '../loading/load.js';

export interface CaseRequest
  extends Pick<
    LoadRequest,
    | 'repository'
    | 'dataset'
    | 'permit'
    | 'filter'
    | 'quality'
    | 'smallQualityOnly'
    | 'missing'
    | 'mostSamples'
    | 'compare'
    | 'generations'
    | 'now'
    | 'signal'
    | 'onProgress'
  > {
  /** Id of the case. */
  id: string;
  /** The files: at least one of them. If there are two, both hold all individuals. */
  small: Source | undefined;
  structural: Source | undefined;
  /** The individuals of the case with what is known of them; all samples of the files if omitted. */
  individuals?: ReadonlyMap<string, SampleChange> | undefined;
}

export interface LoadedCase extends LoadSummary {
  /** Records of the files. */
  records: { small: number | undefined; structural: number | undefined };
}

/**
 * Loads a case that the dataset does not have. Throws an `unprocessable` fault as `loadVariants`, if the id is not valid, and
 * if a sample belongs to another case.
 */
export async function loadCase(request: CaseRequest): Promise<LoadedCase> {
  const { id, small, structural, individuals, ...loading } = request;
  const { repository, dataset } = loading;
  const [first, ...others] = [small, structural].filter((source) => source !== undefined);
  if (first === undefined) throw new Fault('invalid', 'A case needs a VCF file');
  if (!isCaseId(id)) {
    throw new Fault(
      'unprocessable',
      'The id of a case must be one line of 1 to 200 characters, without blanks around it',
    );
  }
  const known = new Set(await repository.samples(dataset.id));
  const summary = await loadVariants({
    ...loading,
    sources: [first, ...others],
    samples: [...(individuals?.keys() ?? [])],
    // A file without small variants was hardly searched for them.
    searched: ([read]) => ({
      small: small !== undefined && (read?.records ?? 0) > 0,
      structural: structural !== undefined,
    }),
    facts(samples) {
      const taken = samples.filter((sample) => known.has(sample)).length;
      if (taken > 0) {
        const which = taken === 1 ? 'a sample' : `${taken} samples`;
        throw new Fault(
          'unprocessable',
          `${first.name}: ${which} of the file belong to another case in dataset '${dataset.id}'`,
        );
      }
      return new Map(samples.map((sample) => [sample, { ...individuals?.get(sample), case: id }]));
    },
  });
  const records = summary.files.map((file) => file.summary.records);
  return {
    ...summary,
    records: {
      small: small && records[0],
      structural: structural && records.at(-1),
    },
  };
}

/** Whether a case can have this id. */
export function isCaseId(id: string): boolean {
  const read = readFacts({ case_id: id });
  return 'facts' in read && read.facts.case === id;
}
