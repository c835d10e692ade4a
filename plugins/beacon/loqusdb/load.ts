/**
 * Loads the VCF files of a case, and measures as loqusdb does whether its people are in the dataset already: by the share of
 * equal genotypes.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Source } from '../../../core/files.js';
import { Fault } from '../../../core/plugin.js';
import type { BeaconRepository, Dataset, Genotypes, Sample, SampleChange } from '../contract.js';
import { readFacts } from '../domain/facts.js';
import { comparedSites, mostPairs, pairsAtOnce, wantedSites } from '../loading/comparison.js';
import { type LoadSummary, loadVariants, type VariantLoadRequest } from '../loading/load.js';
import { openVcf } from '../vcf/reader.js';
import { SiteGenotypes } from '../vcf/site-genotypes.js';

interface CaseRequest extends Omit<VariantLoadRequest, 'sources' | 'samples' | 'panel' | 'searched' | 'facts'> {
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
 * Loads a case that the dataset does not have, or with `replace` its files anew. Throws an `unprocessable` fault as
 * `loadVariants`, if the id is not valid, and if a sample belongs to another case.
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
  const stored = await repository.sampleFacts(dataset.id);
  const isOther = (sample: Sample) => loading.replace === undefined || sample.case !== id;
  const known = new Set(stored.filter(isOther).map(({ name }) => name));
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

// Whether the people of a VCF file are in the dataset already, as loqusdb measures it.

/** Sites without which two samples are not compared: fewer can agree by chance. */
const leastSites = 20;

interface ProfileCheck {
  repository: Pick<BeaconRepository, 'commonSites' | 'genotypes'>;
  dataset: Dataset;
  source: Source;
  /** The samples of the file to compare; all if omitted. */
  samples?: readonly string[] | undefined;
  /** The smallest similarity to return. */
  threshold: number;
  /** The largest number of samples that the file may have (`openVcf`). */
  mostSamples?: number | undefined;
  /** Pairs beyond which the check is refused; `mostPairs` if omitted. */
  most?: number | undefined;
  signal?: AbortSignal | undefined;
}

interface ProfileMatch {
  /** A sample of the file. */
  name: string;
  /** One of the dataset. */
  stored: Sample;
  /** Share of sites with equal genotypes, among those where both are known. */
  similarity: number;
}

/** The most similar pairs first. Throws an `unprocessable` fault if the file cannot be read, or has too many samples. */
export async function profileMatches(check: ProfileCheck): Promise<ProfileMatch[]> {
  const { repository, dataset, source, samples = [], threshold, mostSamples, most = mostPairs, signal } = check;
  const wanted = await repository.commonSites(dataset.id, wantedSites);
  let profile = new SiteGenotypes(0, []);
  const genotypes = (samples: number) => {
    profile = new SiteGenotypes(samples, wanted);
    return profile;
  };
  const file = await openVcf({ source, assembly: dataset.assembly, samples, mostSamples, genotypes });
  try {
    // Alleles are read for the genotypes alone.
    for await (const _ of file.batches()) signal?.throwIfAborted();
  } finally {
    await file.close();
  }
  const sites = profile.known(comparedSites);
  const stored = await repository.genotypes(dataset.id, sites, signal ? { signal } : {});
  const own = profile.genotypes(sites);
  if (!stored) return [];
  const matches: ProfileMatch[] = [];
  const [fresh, others] = [comparable(file.samples, own), comparable(stored.samples, stored.genotypes)];
  if (fresh.length * others.length > most) {
    throw new Fault(
      'unprocessable',
      `${source.name}: ${fresh.length} samples of the file are too many to be compared with ${others.length} of the dataset: at ` +
        `most ${most} pairs are`,
    );
  }
  let turn = 0;
  for (const [number, name] of fresh) {
    for (const [place, sample] of others) {
      const likeness = own.likeness(number, stored.genotypes, place);
      const similarity = likeness.same / likeness.sites;
      if (likeness.sites >= leastSites && similarity >= threshold) matches.push({ name, stored: sample, similarity });
      if (++turn % pairsAtOnce > 0) continue;
      await nextTurn();
      signal?.throwIfAborted();
    }
  }
  return matches.sort((one, other) => other.similarity - one.similarity);
}

/** The samples that can have enough sites in common with another, with their places. */
function comparable<Item>(samples: readonly Item[], genotypes: Genotypes): [number, Item][] {
  return [...samples.entries()].filter(([number]) => {
    const { reference, heterozygous, homozygous } = genotypes.counts(number);
    return reference + heterozygous + homozygous >= leastSites;
  });
}

/** In the words of loqusdb. */
export function matchText({ name, stored, similarity }: ProfileMatch): string {
  return `individual ${name} has a ${similarity.toFixed(3)} similarity with individual ${stored.name} in case ${stored.case}`;
}

/** A share from 0 to 1. */
export function share(option: string, text: string): number {
  const value = Number(text);
  if (/^\d*\.?\d+$/.test(text) && value <= 1) return value;
  throw new Fault('invalid', `${option} must be a number from 0 to 1; got "${text.slice(0, 20)}"`);
}
