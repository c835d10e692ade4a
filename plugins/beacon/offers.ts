/** What the beacon offers to other plugins: how often alleles were seen, and what its datasets state of samples. */
import { isFault } from '../../core/plugin.js';
import type {
  AlleleCounts,
  CountedAllele,
  CountsService,
  DatasetFacts,
  SampleFactsService,
} from '../services/beacon.js';
import type { Recording } from './audit.js';
import type { Assembly, BeaconRepository, SequenceQuestion } from './contract.js';
import { type BatchRepository, countingTogether, type DatasetObservation, type Observing } from './counts/observing.js';
import { chromosomeOf, sequenceQuestion } from './domain/written-question.js';

export function countsService({
  observing,
  recording,
}: {
  observing: Observing;
  recording: Pick<Recording, 'observed'>;
}): CountsService {
  return {
    async counts(request, assembly, alleles, signal) {
      const open = await observing.named(request.principal, assembly, []);
      const asked = alleles.map((allele) => plainQuestion(allele, assembly));
      const questions = asked.filter((question) => question !== undefined);
      if (open.length === 0 || questions.length === 0) return asked.map((question) => question && []);
      const found = await observing.count(open, assembly, questions, { signal });
      await recording.observed(request, { datasets: open, cases: [], alleles: questions.length });
      let next = 0;
      return asked.map((question) => question && found[next++]?.map(alleleCounts));
    },
  };
}

/** Undefined for alleles that are not plain bases, or beyond the end of the chromosome. */
function plainQuestion(
  { chromosome, start, reference, alternate }: CountedAllele,
  assembly: Assembly,
): SequenceQuestion | undefined {
  try {
    return sequenceQuestion(chromosomeOf('chromosome', chromosome), start + 1, reference, alternate, assembly);
  } catch (error) {
    if (!isFault(error) || error.code !== 'invalid') throw error;
    return undefined;
  }
}

function alleleCounts({ dataset, shared, observation, denominator }: DatasetObservation): AlleleCounts {
  const { carriers, homozygotes, alleleCount, of } = observation;
  const { threshold, total, covered, notCovered, unknown, alleles } = denominator;
  return {
    ...{ dataset: dataset.id, shared: shared !== undefined, carriers, homozygotes, alleleCount, samples: of.samples },
    denominator: {
      ...{ threshold, total, covered, notCovered, unknown },
      carriers: alleles?.carriers ?? 0,
      homozygotes: alleles?.homozygotes ?? 0,
      alleleCount: alleles?.alleleCount ?? 0,
      alleleNumber: alleles?.alleleNumber ?? 0,
      carriersBelowThreshold: alleles?.carriersBelowThreshold ?? 0,
    },
  };
}

// What the beacon knows of samples, for other plugins that know the same samples.

export function sampleFactsService(
  repository: BatchRepository & Pick<BeaconRepository, 'datasets' | 'sampleFacts'>,
): SampleFactsService {
  return {
    async countingTogether(dataset, ...figures) {
      return new Set((await countingTogether(repository, dataset, ...figures)).keys());
    },

    async factsOf(ids) {
      const wanted = new Set(ids);
      const found = new Map<string, DatasetFacts[]>();
      if (wanted.size === 0) return found;
      for (const { id: dataset } of await repository.datasets()) {
        for (const { name, case: stated, sex, labels, coverageId } of await repository.sampleFacts(dataset)) {
          if (!wanted.has(coverageId)) continue;
          const facts = { dataset, ...(stated !== name && { case: stated }), sex, labels };
          const others = found.get(coverageId);
          if (others) others.push(facts);
          else found.set(coverageId, [facts]);
        }
      }
      return found;
    },
  };
}
