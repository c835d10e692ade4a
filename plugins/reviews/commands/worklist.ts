/** `list`, `show`, `decide`, `export`, `digest` and `demo`: the worklist for people at a terminal, and for scripts. */
import {
  type Columns,
  type Command,
  type CommandContext,
  command,
  counted,
  dayOf,
  printTable,
  recordShown,
} from '../../../core/commands.js';
import { Fault } from '../../../core/plugin.js';
import {
  allelesOf,
  type CaseFinding,
  caseKey,
  findingStates,
  type GroupRow,
  outcomes,
  reasons,
  reviews,
} from '../contract.js';
import { addDemoCases, addDemoNews } from '../demo/demo.js';
import { csvHead, csvOf, findingShown, groupShown } from '../json.js';
import { alleleWords, becauseOf, dayText, factsOf, marksOf, placeWords } from '../pages/words.js';
import { tenantOption, toolsOfCommand } from '../run/commands.js';
import { digestLines, freshFindings } from '../run/digest.js';
import { run } from '../run/run.js';
import type { ReviewSettings } from '../settings.js';
import { en } from '../texts/en.js';
import { decidable, everyOpen, type WorklistChoice, worklistAges, worklistOf } from '../worklist.js';

type ReviewCommandContext = CommandContext<ReviewSettings>;

/** Findings that are read at once. */
const portion = 500;

const conditions = [
  { flags: '--panel <id>', description: 'only cases that were reported with this panel' },
  { flags: '--gene <name>', description: 'symbol or HGNC id of a gene' },
  { flags: '--reason <reason>', description: 'why a case should be looked at', choices: reasons },
  {
    flags: '--age <age>',
    description: 'found in the last 7 (week) or 30 days (month), more than 30 (older) or 90 days ago (oldest)',
    choices: worklistAges,
  },
  { flags: '--person <id>', description: 'a sample, or a patient at the matchmaker' },
  { flags: '--state <state>', description: 'open if omitted', choices: findingStates },
] as const;

async function* worklist(
  context: ReviewCommandContext,
  asked: Partial<WorklistChoice>,
): AsyncGenerator<readonly CaseFinding[]> {
  const repository = await context.repository(reviews);
  const panels = asked.gene === undefined ? undefined : await context.find<never>('panels/versions@1');
  const tools = { now: context.now(), panels };
  for (let after: string | undefined = ''; after !== undefined; ) {
    const { findings, next } = await worklistOf(repository, { ...everyOpen, ...asked, after }, portion, tools);
    await recordShown(context, 'reviews.read', { case: findings.map((one) => one.case) });
    yield findings;
    after = next;
    context.signal.throwIfAborted();
  }
}

const columns: Columns<CaseFinding> = {
  PRIORITY: 'priority',
  CASE: 'case',
  'SHOULD BE LOOKED AT BECAUSE': (one) => becauseOf(one, en),
  PANEL: 'panel',
  FOUND: 'found',
  STATE: 'state',
  ID: 'id',
};

const groupColumns: Columns<GroupRow> = {
  'GENE OR SITE': 'subject',
  WHAT: ({ kind }) => en.groups.kinds[kind],
  ASSAY: 'assay',
  RELEASE: 'release',
  CASES: 'cases',
  PANELS: ({ panels }) => panels.join(', '),
  ID: 'id',
};

const list: Command<ReviewSettings> = command({
  name: 'list',
  summary: 'List the cases that should be looked at again, and why; the most urgent first',
  description: 'Nothing is concluded: a person looks at each case and decides (`decide`).',
  examples: ['list', 'list --reason raised --age week', 'list --gene MTHFR --json'],
  options: conditions,
  async run(context, { options }) {
    const findings: CaseFinding[] = [];
    for await (const part of worklist(context, options)) findings.push(...part);
    const groups = await (await context.repository(reviews)).groups({ states: [options.state ?? 'open'] });
    const { terminal } = context;
    printTable(terminal, findings, columns, 'No finding meets these conditions');
    if (groups.length > 0) {
      terminal.print('');
      printTable(terminal, groups, groupColumns, '');
    }
    terminal.data({ findings: findings.map(findingShown), groups: groups.map(groupShown) });
    return 0;
  },
});

const show: Command<ReviewSettings> = command({
  name: 'show',
  summary: 'Show what was concluded about a case, and what has changed since then',
  arguments: [{ name: 'case', description: 'the case', required: true }],
  examples: ['show demo-1', 'show F12 --tenant north --json'],
  options: [tenantOption],
  async run(context, { options: { tenant }, arguments: [name = ''] }) {
    const repository = await context.repository(reviews);
    const statement = await repository.find(caseKey(name, tenant));
    if (statement === undefined) throw new Fault('not-found', `There is no case ${name}`);
    const findings = await repository.findings({ case: statement, limit: portion });
    const sample = statement.persons.map((person) => person.sample);
    await recordShown(context, 'reviews.read', { case: [name], sample });
    const { terminal } = context;
    const { panel, conclusion, reviewer, decided, revision, baseline: _, ...rest } = statement;
    terminal.print(
      `${name}: ${conclusion}, ${panel.panel}@${panel.version}, by ${reviewer} on ${dayText(decided)} (statement ${revision})`,
    );
    if (!statement.isLookedAt) terminal.print('It was not looked at yet: it has no baseline');
    for (const one of findings) printFinding(context, one);
    if (statement.isLookedAt && findings.length === 0) terminal.print('Nothing was found since then');
    const head = { ...rest, panel, conclusion, reviewer, decided, revision };
    terminal.data({ statement: head, findings: findings.map(findingShown) });
    return 0;
  },
});

function printFinding({ terminal }: Pick<ReviewCommandContext, 'terminal'>, one: CaseFinding): void {
  const { decision, state, priority, id } = one;
  terminal.print(`${priority} (${state}) should be looked at because ${becauseOf(one, en)} [${id}]`);
  for (const { name, before, now } of factsOf(one, en)) terminal.print(`  ${name}: ${before ?? '-'} → ${now ?? '-'}`);
  for (const allele of allelesOf(one)) terminal.print(`  ${placeWords(allele)}: ${alleleWords(allele, en)}`);
  for (const mark of marksOf(one, en)) terminal.print(`  ${mark}`);
  if (decision) terminal.print(`  ${decision.outcome} by ${decision.by}: ${decision.reason}`);
}

const decide: Command<ReviewSettings> = command({
  name: 'decide',
  summary: 'Keep what a person decided about a finding or a row of many cases',
  description:
    'What was decided does not return unless its evidence changes. `later` brings it back on a day (--until). `reopened` ends in a ' +
    'new statement about the case.',
  arguments: [{ name: 'id', description: 'id of the finding, as `list` has it', required: true }],
  examples: [
    'decide 6uRlR8eKJKtgy6OTIWeR9P --outcome "no change" --reason "phenotype does not fit" --by "Anna Berg"',
    'decide 6uRlR8eKJKtgy6OTIWeR9P --outcome later --until 2030-01-31 --reason "waits for RNA" --by "Anna Berg"',
  ],
  options: [
    { flags: '--outcome <outcome>', description: 'what was decided', choices: outcomes, required: true },
    { flags: '--reason <text>', description: 'why', required: true },
    { flags: '--by <person>', description: 'who decided', required: true },
    { flags: '--until <day>', description: 'with the outcome later: such as 2030-01-31' },
  ],
  async run(context, { options, arguments: [id = ''] }) {
    const { outcome, reason, by, until } = options;
    if (until !== undefined && outcome !== 'later')
      throw new Fault('invalid', '--until is for the outcome later alone');
    const repository = await context.repository(reviews);
    const found = await decidable(repository, id);
    const what = 'case' in found ? 'finding' : 'group';
    const decision = { outcome, reason, by, at: context.now(), ...(until !== undefined && { until: dayOf(until) }) };
    const about = [`finding:${id}`, ...('case' in found ? [`case:${found.case}`] : [])];
    await context.audit.within(context.transaction, async (scope, record) => {
      if (!(await scope.repository(reviews).decide(what, id, found.revision, decision)))
        throw new Fault('conflict', `${id} was changed meanwhile: read it again`);
      const event = { action: 'reviews.decide', about, because: 'command line', outcome: 'done' } as const;
      await record(undefined, { ...event, detail: { outcome } });
    });
    const subject = 'case' in found ? `case ${found.case}` : found.subject;
    context.terminal.print(`Kept for ${subject}: ${outcome}`);
    if (outcome === 'reopened') context.terminal.note('It ends in a new statement about the case.');
    context.terminal.data({ id, ...decision });
    return 0;
  },
});

const exportFindings: Command<ReviewSettings> = command({
  name: 'export',
  summary: 'Write findings as CSV',
  examples: ['export --out worklist.csv', 'export --state decided --out decided.csv'],
  options: [...conditions, { flags: '--out <file>', description: 'file to write', required: true }],
  async run(context, { options: { out, ...asked } }) {
    const { writeWhole } = await import('../../../core/files.js');
    const { Readable } = await import('node:stream');
    const { pipeline } = await import('node:stream/promises');
    let count = 0;
    async function* lines(): AsyncGenerator<string> {
      yield csvHead;
      for await (const findings of worklist(context, asked)) {
        count += findings.length;
        yield csvOf(findings);
      }
    }
    const { signal } = context;
    await writeWhole(out, (target) => pipeline(Readable.from(lines()), target, { signal }), signal);
    context.terminal.print(`${counted(count, 'finding')} written to ${out}`);
    context.terminal.data({ findings: count, out });
    return 0;
  },
});

const digest: Command<ReviewSettings> = command({
  name: 'digest',
  summary: 'Print what came onto the list in the last days, as the text of a mail',
  description:
    'Counts and cases, without alleles. A server mails the counts once a week (`digest` in its settings). Nothing is printed if ' +
    'nothing is new.',
  examples: ['digest', 'digest --days 1'],
  options: [{ flags: '--days <days>', description: 'how many (default: 7)' }],
  async run(context, { options: { days = '7' } }) {
    if (!/^[1-9]\d{0,3}$/.test(days)) throw new Fault('invalid', `--days must be a number from 1 to 9999; got ${days}`);
    const repository = await context.repository(reviews);
    const from = new Date(context.now().getTime() - Number(days) * 86_400_000);
    const fresh: CaseFinding[] = [];
    for await (const part of freshFindings(repository, { from })) {
      await recordShown(context, 'reviews.read', { case: part.map((one) => one.case) });
      fresh.push(...part);
    }
    const open = await repository.countOpen();
    const { terminal } = context;
    const listed = fresh.map((one) => `${one.case}: ${en.reasons[one.reason]} (priority ${one.priority})`);
    if (fresh.length > 0)
      for (const line of digestLines({ from, fresh: fresh.length, listed, open }, en)) terminal.print(line);
    terminal.data({ from, findings: fresh.map(findingShown), open: Object.fromEntries(open) });
    return 0;
  },
});

const demo: Command<ReviewSettings> = command({
  name: 'demo',
  summary: 'Bring a panel version, a release of ClinVar and a match for the demo cases, so that the list fills',
  description: 'Needs `demo: true` in the configuration. All of it is made up, and describes no person.',
  async run(context) {
    const { terminal, signal, announce, now } = context;
    const repository = await context.repository(reviews);
    const tools = await toolsOfCommand(context);
    const added = await addDemoCases({ repository, announce, now });
    // What is so already is no news.
    await run(tools, {}, { signal });
    await addDemoNews({ announce });
    const { cases } = await run(tools, {}, { signal });
    // The server may have looked at the cases meanwhile, too.
    const findings = [...(await repository.countOpen()).values()].reduce((sum, count) => sum + count, 0);
    terminal.print(`${counted(cases, 'case')}, with ${counted(findings, 'finding')} on the list`);
    terminal.data({ cases, added, findings });
    return 0;
  },
});

export const worklistCommands: readonly Command<ReviewSettings>[] = [list, show, decide, exportFindings, digest, demo];
