/** Questions asked of a handful of alleles. */
import { isFault } from '../../../../core/plugin.js';
import { type Allele, type Assembly, matches } from '../../../../plugins/beacon/contract.js';
import type { VariantParameters } from '../../../../plugins/beacon/faces/query/filters.js';
import {
  type FindGene,
  type VariantQuestion,
  variantQuestion,
} from '../../../../plugins/beacon/faces/query/question.js';

export const both: readonly Assembly[] = ['GRCh37', 'GRCh38'];

/** PER3, and a gene with a place on each of X and Y. */
const genes: FindGene = async (assembly, name) => {
  if (name === 'PER3' && assembly === 'GRCh37') return [{ contig: '1', start: 7_844_379, end: 7_905_237 }];
  if (name !== 'SHOX') return [];
  return [
    { contig: 'X', start: 585_078, end: 620_145 },
    { contig: 'Y', start: 535_078, end: 570_145 },
  ];
};

export function ask(parameters: VariantParameters, assemblies: readonly Assembly[] = both): Promise<VariantQuestion> {
  return variantQuestion(parameters, { assemblies, genes, signal: new AbortController().signal });
}

/** The message of the `invalid` fault that a question is refused with. */
export async function refusal(parameters: VariantParameters, assemblies: readonly Assembly[] = both): Promise<string> {
  try {
    await ask(parameters, assemblies);
  } catch (error) {
    if (isFault(error) && error.code === 'invalid') return error.message;
    throw error;
  }
  throw new Error(`Not refused: ${JSON.stringify(parameters)}`);
}

/** The names of the alleles that answer. */
export async function found(
  alleles: Readonly<Record<string, Allele>>,
  parameters: VariantParameters,
  assemblies?: readonly Assembly[],
): Promise<string[]> {
  const question = await ask(parameters, assemblies);
  if (question.kind === 'all') return Object.keys(alleles);
  const { queries } = question;
  return Object.keys(alleles).filter((name) => queries.some((query) => matches(alleles[name] as Allele, query)));
}
