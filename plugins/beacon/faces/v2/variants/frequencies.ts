/** How frequent alleles are in a dataset: out of the copies that were covered, never out of all samples. */
import { type Dataset, type FoundAllele, isPlain, type ObservedQuestion } from '../../../contract.js';
import { frequencyOf } from '../../../domain/denominator.js';
import type { Counting } from '../framework/view.js';

export interface Population {
  dataset: Dataset;
  /** Name of the beacon. */
  source: string;
  /** Address of the dataset. */
  sourceReference: string;
}

/** `frequencyInPopulations` of each allele, in their order; undefined where the number of alleles is unknown. */
export async function frequencies(
  { observe, denominators }: Counting,
  { dataset, source, sourceReference }: Population,
  alleles: readonly FoundAllele[],
  signal: AbortSignal,
): Promise<(readonly object[] | undefined)[]> {
  const questions = alleles.map(questionOf);
  const asked = questions.filter((question) => question !== undefined);
  if (asked.length === 0) return questions.map(() => undefined);
  const lists = await observe(dataset.assembly, asked, [dataset.id], { signal });
  const observations = lists.map(([observation]) => observation).filter((observation) => observation !== undefined);
  if (observations.length < asked.length) return questions.map(() => undefined);
  const judged = await (await denominators(dataset)).of(asked, observations, signal);
  let next = 0;
  return questions.map((question) => {
    const one = question && judged[next++];
    const alleleFrequency = one && frequencyOf(one);
    if (!one?.alleles || alleleFrequency === undefined) return undefined;
    const { alleleCount, alleleNumber } = one.alleles;
    const population = { population: dataset.id, alleleFrequency, alleleCount, alleleNumber };
    return [{ source, sourceReference, version: String(dataset.version), frequencies: [population] }];
  });
}

/** Structural variants have no number of alleles: depth does not tell whether one would have been called. */
function questionOf({ contig, start, reference, alternate, structural }: FoundAllele): ObservedQuestion | undefined {
  if (structural || !isPlain(reference) || !isPlain(alternate)) return undefined;
  return { type: 'sequence', contig, start, reference, alternate };
}
