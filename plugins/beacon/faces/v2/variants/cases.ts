/** Who carries an allele, by pseudonyms of the dataset. */
import type { AlleleQuery, Dataset, FoundAllele, NamedCarrier, Sample } from '../../../contract.js';
import { alleleKey } from '../../../contract.js';
import { pseudonym } from '../../../individuals/pseudonyms.js';
import { zygosityTerms } from '../../../individuals/vocabulary.js';
import { zygosityOf } from '../../../individuals/zygosity.js';
import type { Source } from '../framework/view.js';

/** `caseLevelData` of an allele of a dataset; undefined if the dataset is gone. */
export type CaseTeller = (allele: FoundAllele) => Promise<readonly object[] | undefined>;

/** Reads what all alleles of a page need once. `limit` is that of carriers. */
export async function caseTeller(
  source: Source,
  dataset: Dataset,
  { limit, signal }: { limit: number; signal: AbortSignal },
): Promise<CaseTeller> {
  const salt = await source.salt(dataset.id);
  const samples = new Map((await source.sampleFacts(dataset.id)).map((sample) => [sample.name, sample]));
  return async (allele) => {
    if (salt === undefined) return undefined;
    const named = allele.named ?? (await carriersOf(allele));
    return named.map((carrier) => caseOf(allele, carrier));
  };

  async function carriersOf(allele: FoundAllele): Promise<readonly NamedCarrier[]> {
    const [found] = await source.found(queryFor(dataset, allele), [dataset.id], { limit, carriers: true, signal });
    const key = alleleKey(allele);
    return found?.alleles.find((one) => alleleKey(one) === key)?.named ?? [];
  }

  function caseOf(allele: FoundAllele, [name, copies]: NamedCarrier): object {
    const { sex }: Pick<Sample, 'sex'> = samples.get(name) ?? { sex: 'unknown' };
    const zygosity = zygosityOf(allele, { assembly: dataset.assembly, sex, copies });
    return {
      biosampleId: pseudonym(salt ?? '', 'biosample', name),
      individualId: pseudonym(salt ?? '', 'individual', name),
      ...(zygosity && { zygosity: zygosityTerms[zygosity] }),
    };
  }
}

/** Finds the allele, and perhaps others at its place. */
function queryFor({ assembly }: Dataset, { contig, start, end, mate }: FoundAllele): AlleleQuery {
  const exact = { assembly, contig, start: { min: start, max: start }, end: { min: end, max: end } };
  return mate === undefined ? exact : { ...exact, mate };
}
