/** What callers have learnt about a protected dataset, for its operators: no names of samples, and callers by pseudonym. */
import type { Dataset } from '../contract.js';
import type { ProtectionRepository } from './contract.js';
import type { Protection } from './profiles.js';
import { budgetOf } from './spend.js';

export interface AccountReport {
  account: string;
  /** Questions about the dataset, and those that were answered with yes, as far as servers have counted them. */
  questions: number;
  hits: number;
  /** Samples of whose budgets anything is spent. */
  people: number;
  /** Share that is spent of the budgets of all published samples; renewal does not count. */
  spent: number;
  /** The largest share that is spent of one sample's budget. */
  most: number;
  /** When a yes was last paid for. */
  last?: Date;
  /** What an operator should look at. */
  remark?: string;
}

/** From so many questions on, a share of hits below this one looks like a search for rare alleles of somebody. */
const manyQuestions = 1000;
const fewHits = 0.01;
/** The share of all budgets from which on an account is a heavy user. */
const muchSpent = 0.5;

/** By what was spent, the most first; then by questions. */
export async function accountReports(
  repository: Pick<ProtectionRepository, 'publications' | 'spending' | 'tallies'>,
  { id }: Dataset,
  { anonymous, named }: Protection,
): Promise<AccountReport[]> {
  const published = (await repository.publications()).find(({ dataset }) => dataset === id)?.people ?? 0;
  const spending = new Map((await repository.spending(id)).map((one) => [one.account, one]));
  const tallies = new Map((await repository.tallies(id)).map((one) => [one.account, one]));
  const accounts = new Set([...spending.keys(), ...tallies.keys()]);
  const reports = [...accounts].map((account): AccountReport => {
    const budget = budgetOf(account === 'anonymous' && anonymous !== 'none' ? anonymous : named);
    const spent = spending.get(account);
    const { questions = 0, hits = 0 } = tallies.get(account) ?? {};
    const report = {
      ...{ account, questions, hits },
      people: spent?.people ?? 0,
      spent: (spent?.spent ?? 0) / (budget * Math.max(published, 1)),
      most: (spent?.most ?? 0) / budget,
      ...(spent && { last: spent.last }),
    };
    const remark = remarkOn(report);
    return { ...report, ...(remark !== undefined && { remark }) };
  });
  return reports.sort((one, other) => other.spent - one.spent || other.questions - one.questions);
}

function remarkOn({ questions, hits, spent }: AccountReport): string | undefined {
  if (questions >= manyQuestions && hits < questions * fewHits) return 'many questions, hardly any yes';
  return spent >= muchSpent ? 'most budgets are spent' : undefined;
}
