/** How often alleles were seen, as a caller may know it, for other plugins. */
import { isFault } from '../../../core/plugin.js';
import type { AlleleCounts, CountedAllele, CountsService } from '../../services/beacon.js';
import type { Assembly, SequenceQuestion } from '../contract.js';
import { chromosomeOf, sequenceQuestion } from '../domain/question.js';
import type { Recording } from '../recording.js';
import type { Counted, Observing } from './observing.js';

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
      const asked = alleles.map((allele) => questionOf(allele, assembly));
      const questions = asked.filter((question) => question !== undefined);
      if (open.length === 0 || questions.length === 0) return asked.map((question) => question && []);
      const found = await observing.count(open, assembly, questions, { signal });
      await recording.observed(request, { datasets: open, cases: [], alleles: questions.length });
      let next = 0;
      return asked.map((question) => question && found[next++]?.map(countsOf));
    },
  };
}

/** Undefined for alleles that are not plain bases, or beyond the end of the chromosome. */
function questionOf(
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

function countsOf({ dataset, shared, observation, denominator }: Counted): AlleleCounts {
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
