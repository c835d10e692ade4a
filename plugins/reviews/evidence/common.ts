/** What is known of other cases, and of terms, for the rules about shared alleles. */
import type { Services } from '../../services/services.js';
import { alleleKey, type ReviewRepository, type Statement, type StatementHead } from '../contract.js';
import type { CarriedAllele, CaseEvidence, CommonKnowledge } from './evidence.js';

interface CommonTools {
  /** The alleles that pass by the rules. */
  passing(statement: Statement, evidence: CaseEvidence): Iterable<CarriedAllele>;
  find<Key extends keyof Services>(key: Key): Services[Key] | undefined | Promise<Services[Key] | undefined>;
  repository: Pick<ReviewRepository, 'list'>;
}

/** The root of all abnormalities says nothing of a person. */
const root = 'HP:0000118';
/** Samples whose statements are looked up at once. */
const atOnce = 500;

/** For statements of one tenant, with what is known of their cases. */
export async function commonKnowledge(
  { find, repository, passing }: CommonTools,
  statements: readonly Statement[],
  evidence: readonly CaseEvidence[],
): Promise<CommonKnowledge> {
  // Only what passes is compared with other cases.
  const affected = evidence.flatMap((one, i) =>
    [...passing(statements[i] as Statement, one)].flatMap(({ others }) =>
      others.filter((other) => other.affected === true),
    ),
  );
  const terms = new Set([
    ...statements.flatMap((one) => one.terms),
    ...evidence.flatMap((one) => one.terms.value ?? []),
    ...affected.flatMap(({ phenotypes }) => phenotypes),
  ]);
  const ontology = affected.length === 0 ? undefined : await (await find('matchmaker/phenotypes@1'))?.terms([...terms]);
  const solved = await solvedCases(repository, statements[0]?.owner, [
    ...new Set(affected.map(({ sample }) => sample)),
  ]);
  return {
    lineageOf: (term) => ontology?.get(term)?.lineage.filter((one) => one !== root) ?? [term],
    isSolvedOtherwise: (sample, key) => {
      const own = solved.get(sample);
      return own !== undefined && !own.alleles.some((allele) => allele.isBasis && alleleKey(allele) === key);
    },
  };
}

/** By sample of an affected person: the newest statement of the case, if that is solved. */
async function solvedCases(
  repository: Pick<ReviewRepository, 'list'>,
  owner: string | undefined,
  samples: readonly string[],
): Promise<Map<string, StatementHead>> {
  const found = new Map<string, StatementHead>();
  for (let from = 0; from < samples.length; from += atOnce) {
    const touched = { samples: samples.slice(from, from + atOnce) };
    const heads = await repository.list({ owners: [owner], touched, conclusion: 'solved', limit: 2 * atOnce });
    for (const head of heads) {
      for (const { isAffected, sample } of head.persons) if (isAffected) found.set(sample, head);
    }
  }
  return found;
}
