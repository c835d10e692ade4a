/**
 * `publish dataset` and `list budgets`: what callers have learned about protected datasets, without names of samples and with
 * callers by pseudonym.
 */
import { type Columns, type Command, command, confirmed, counted, printTable } from '../../../core/commands.js';
import { beacon, beaconProtection, type Dataset } from '../contract.js';
import { datasetNamed } from '../domain/dataset.js';
import { changesIn, isDue, waitingJson, waitingText } from '../protection/changes.js';
import type { ProtectionRepository } from '../protection/contract.js';
import { generationsFor } from '../protection/generations.js';
import { type Protection, protectionOfDataset } from '../protection/profiles.js';
import { budgetOfRules } from '../protection/spend.js';
import type { BeaconSettings } from '../settings.js';
import { datasetOption } from './datasets.js';

export const publishDataset: Command<BeaconSettings> = command({
  name: 'publish dataset',
  summary: 'Publish what waits in a protected dataset',
  description:
    'New samples, deletions and replacements of a protected dataset show in answers to callers without a grant together, once enough of ' +
    'them wait: the server, loads and deletions publish them then. With --now they are published although they are few.',
  examples: ['publish dataset --ds rare_public', 'publish dataset --ds rare_public --now'],
  options: [
    datasetOption,
    { flags: '--now', description: 'publish all that waits, however little it is' },
    { flags: '--yes', description: 'do not ask for confirmation' },
  ],
  async run(context, { options: { ds, now = false, yes } }) {
    const { terminal } = context;
    const dataset = await datasetNamed(await context.repository(beacon), ds);
    const generations = await generationsFor(context);
    await generations.beforeLoad(dataset);
    const waiting = await generations.waiting(dataset);
    if (!waiting) {
      terminal.print(`Dataset '${ds}' is open: what is loaded and deleted shows at once`);
      terminal.data({ dataset: ds, published: false });
      return 0;
    }
    const changes = changesIn(waiting);
    const isForm = now && generations.formFor(dataset) !== undefined;
    if (!isDue(waiting) && ((changes === 0 && !isForm) || !now)) {
      terminal.print(waitingText(waiting));
      terminal.data({ dataset: ds, published: false, waiting: waitingJson(waiting) });
      return 0;
    }
    if (!isDue(waiting) && changes > 0) {
      const question =
        `${counted(changes, 'change')} would be published, and not ${waiting.batch}: who compares answers from before and ` +
        'after can learn more about these people. Do you want to continue?';
      if (!(await confirmed(terminal, { question, yes, otherwise: 'Nothing was published' }))) return 1;
    }
    await generations.publish(dataset);
    const { added, leaving: deletions, replaced: replacements } = waiting;
    const others = replacements ? ` and ${counted(replacements, 'replacement')}` : '';
    terminal.print(
      `Published: ${counted(added, 'new sample')} and ${counted(deletions, 'deletion')}${others} of dataset '${ds}'`,
    );
    terminal.data({ dataset: ds, published: true, added, deletions, ...(replacements && { replacements }) });
    return 0;
  },
});

export const listBudgets: Command<BeaconSettings> = command({
  name: 'list budgets',
  summary: 'List what callers have learnt about the people of a protected dataset',
  description:
    'Callers appear by the pseudonym under which their budgets are kept; all anonymous callers are one. Servers add their ' +
    'counts of questions every ten seconds.',
  examples: ['list budgets --ds rare_public'],
  options: [datasetOption],
  async run(context, { options: { ds } }) {
    const { terminal, settings } = context;
    const dataset = await datasetNamed(await context.repository(beacon), ds);
    const protectedAs = protectionOfDataset(settings.protection, dataset.id);
    if (!protectedAs) {
      terminal.print(`Dataset '${ds}' is open: answers cost nothing`);
      terminal.data([]);
      return 0;
    }
    const repository = await context.repository(beaconProtection);
    const reports = await accountReports(repository, dataset, protectedAs);
    terminal.data(reports);
    printTable(terminal, reports, columns, `Nobody has asked about dataset '${ds}' yet`, '');
    return 0;
  },
});

const columns: Columns<AccountReport> = {
  ACCOUNT: ({ account }) => account.slice(0, 16),
  QUESTIONS: 'questions',
  YES: 'hits',
  PEOPLE: 'people',
  SPENT: ({ spent }) => percent(spent),
  MOST: ({ most }) => percent(most),
  'LAST YES': ({ last }) => last?.toISOString().slice(0, 16).replace('T', ' '),
  REMARK: 'remark',
};

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

// What callers have learnt about a protected dataset, for its operators: no names of samples, and callers by pseudonym.

interface AccountReport {
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

/** From so many questions on, a share of hits below this one looks like a search for rare alleles of one person. */
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
    const budget = budgetOfRules(account === 'anonymous' && anonymous !== 'none' ? anonymous : named);
    const spent = spending.get(account);
    const { questions = 0, hits = 0 } = tallies.get(account) ?? {};
    const report = {
      ...{ account, questions, hits },
      people: spent?.people ?? 0,
      spent: (spent?.spent ?? 0) / (budget * Math.max(published, 1)),
      most: (spent?.most ?? 0) / budget,
    };
    const remark = remarkOn(report);
    return { ...report, ...(remark !== undefined && { remark }), ...(spent && { last: spent.last }) };
  });
  return reports.sort((one, other) => other.spent - one.spent || other.questions - one.questions);
}

function remarkOn({ questions, hits, spent }: AccountReport): string | undefined {
  if (questions >= manyQuestions && hits < questions * fewHits) return 'many questions, hardly any yes';
  return spent >= muchSpent ? 'most budgets are spent' : undefined;
}
