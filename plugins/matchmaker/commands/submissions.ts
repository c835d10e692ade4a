/** `list submissions`, `show submission`: what came back for submitted patients, as at `/matchmaker/submissions`. */
import { type Columns, type Command, type CommandContext, command, printTable, table } from '../../../core/commands.js';
import { Fault, wording } from '../../../core/plugin.js';
import { trailOfCommand } from '../audit/trail.js';
import { matchmaker, matchmakerNodes, matchmakerTriage, type StoredPatient, triageStatuses } from '../contract.js';
import { lastNumber } from '../exchange/protocol.js';
import type { MatchmakerSettings } from '../settings.js';
import type { ListedSubmission } from '../triage/submission-search.js';

const by = { owner: 'cli', isOperator: true, because: 'command line' };
/** An operator reads the submissions of all owners; what is new is for people who look at pages. */
const operator = { all: true, owners: [], person: 'cli' };

const conditions = [
  {
    flags: '--text <text>',
    description: 'in matches: id or contact of the other patient, node, gene; or own id or label',
  },
  { flags: '--gene <gene>', description: 'only submissions with this gene: symbol, HGNC or Ensembl id' },
  { flags: '--term <id>', description: 'only submissions with this HPO term, or a more specific one' },
  { flags: '--submitter <text>', description: 'only submissions with this text in their contact' },
  { flags: '-l, --label <text>', description: 'only submissions with this text in their label or id' },
  { flags: '--since <date>', description: 'only submissions with a match seen on this day (2026-11-23, UTC) or later' },
  { flags: '--node <id>', description: 'only submissions with a match of this node' },
  {
    flags: '--status <status>',
    description: `only submissions with a match that is ${triageStatuses.join(', ')}`,
    choices: triageStatuses,
  },
  { flags: '--assignee <name>', description: 'only submissions with a match of this assignee' },
  { flags: '--all', description: 'also submissions without matches' },
] as const;

export const listSubmissions: Command<MatchmakerSettings> = command({
  name: 'list submissions',
  summary: 'List submitted patients with what came back, the one with the latest match first',
  description: 'The conditions are those of the page /matchmaker/submissions: all of them must be met.',
  examples: [
    'list submissions --gene KMT2D',
    'list submissions --text clinic.example.org',
    'list submissions --status new --json',
  ],
  options: conditions,
  async run(context, { options }) {
    const { terminal, signal } = context;
    const tools = await toolsOf(context);
    const [{ FilterFault, filters, searchSubmissions, countsOfStatuses }, { submissionShown }] = await Promise.all([
      import('../triage/submission-search.js'),
      import('../triage/json.js'),
    ]);
    const given: Readonly<Record<string, unknown>> = options;
    const conditions = Object.keys(filters.shape).map((name) => [name, given[name]]);
    const read = filters.safeParse(
      { ...Object.fromEntries(conditions), all: options.all === true ? 'yes' : undefined },
      { error: wording },
    );
    const [issue] = read.error?.issues ?? [];
    if (!read.success) throw new Fault('invalid', `--${issue?.path.join('.')} ${issue?.message}`);
    const found: ListedSubmission[] = [];
    for (let after: string | undefined; ; ) {
      const page = await searchSubmissions(tools, operator, { ...read.data, after }, signal).catch((error: unknown) => {
        if (!(error instanceof FilterFault)) throw error;
        throw new Fault('invalid', `--${error.parameter} ${error.rule}`, { cause: error });
      });
      found.push(...page.submissions);
      after = page.next;
      if (after === undefined) break;
    }
    await recordReading(
      context,
      found.map(({ stored }) => stored.patient.id),
    );
    const shown = found.map((listed) => withoutNews(submissionShown(listed, tools.resources())));
    const columns: Columns<(typeof shown)[number]> = {
      NUMBER: 'number',
      ID: 'id',
      LABEL: 'label',
      OWNER: 'owner',
      GENES: ({ genes }) => genes.join(', '),
      'LAST MATCH': ({ last }) => last?.slice(0, 16),
      MATCHES: ({ statuses }) =>
        countsOfStatuses(statuses)
          .map(([status, count]) => `${count} ${status}`)
          .join(', '),
    };
    printTable(terminal, shown, columns, 'There are no such submissions', '');
    terminal.data(shown);
    return 0;
  },
});

export const showSubmission: Command<MatchmakerSettings> = command({
  name: 'show submission',
  summary: 'Show a submitted patient with its matches, those with a shared gene first',
  examples: ['show submission --id P0001058', 'show submission --number 17 --json'],
  options: [
    { flags: '-i, --id <id>', description: 'id of the patient' },
    { flags: '-n, --number <number>', description: 'its number, as listed and in the address of its page' },
    { flags: '--require-gene', description: 'only matches with a shared gene' },
  ],
  async run(context, { options: { id, number, requireGene } }) {
    const { terminal } = context;
    const tools = await toolsOf(context);
    const stored = await chosenSubmission(tools, { id, number });
    const { repository } = tools.triage;
    const [all, notes, [summary], nodes] = await Promise.all([
      repository.rows(stored.number),
      repository.notes(stored.number),
      repository.summaries([stored.number], operator.person),
      (await context.repository(matchmakerNodes)).nodes(),
    ]);
    const { byWeight, historyShown, rowShown, featuresOfPatient, submissionShown } = await import('../triage/json.js');
    const rows = all.filter(({ genes }) => requireGene !== true || genes.length > 0).sort(byWeight);
    await recordReading(context, [stored.patient.id]);
    const peers = new Map(nodes.map((node) => [node.id, node]));
    const listed = { stored, summary: summary ?? { submission: stored.number, statuses: {}, unseen: 0 } };
    const shown = withoutNews(submissionShown(listed, tools.resources()));
    const matches = rows.map((row) => rowShown(row, peers));
    terminal.data({
      ...shown,
      stated: featuresOfPatient(stored, tools.resources()),
      rows: matches,
      history: historyShown(notes),
    });
    const { name, href } = shown.contact;
    terminal.print(`Submission ${shown.number}: ${shown.id}${shown.label === undefined ? '' : ` (${shown.label})`}`);
    terminal.print(`Submitted by ${shown.owner}, contact ${name} <${href.replace(/^mailto:/i, '')}>`);
    terminal.print(`Genes: ${shown.genes.join(', ') || 'none'}`);
    const hidden = all.length - rows.length;
    terminal.print(`${matchesOf(rows.length)}${hidden > 0 ? `, and ${hidden} without a shared gene` : ''}`);
    const lines = matches.map(({ patient, node, genes, score, lastSeen, status, assignee = '' }) => {
      const above = score.reading === undefined ? '' : `${score.reading.higherThan} %`;
      const values = [score.patient.toFixed(3), above, lastSeen.slice(0, 16), status, assignee];
      return [patient, node.label, genes.join(', '), ...values];
    });
    const headings = ['PATIENT', 'NODE', 'GENES', 'SCORE', 'ABOVE', 'LAST SEEN', 'STATUS', 'ASSIGNEE'];
    if (lines.length > 0) for (const line of table(headings, lines)) terminal.print(line);
    return 0;
  },
});

async function toolsOf(context: CommandContext<MatchmakerSettings>) {
  if (context.settings.triage === undefined) {
    throw new Fault('invalid', 'The configuration has no plugins.matchmaker.triage, so nothing is kept about matches');
  }
  const { resourcesInUse } = await import('./upkeep.js');
  const [repository, patients, resources] = await Promise.all([
    context.repository(matchmakerTriage),
    context.repository(matchmaker),
    resourcesInUse(context),
  ]);
  return { triage: { repository }, patients, resources: () => resources };
}

async function chosenSubmission(
  { patients }: Awaited<ReturnType<typeof toolsOf>>,
  { id, number }: { id: string | undefined; number: string | undefined },
): Promise<StoredPatient> {
  if ((id === undefined) === (number === undefined)) {
    throw new Fault('invalid', 'Name the submission by --id or by --number, and not by both');
  }
  if (number !== undefined && !(/^[1-9]\d{0,9}$/.test(number) && Number(number) <= lastNumber)) {
    const got = JSON.stringify(number.slice(0, 40));
    throw new Fault('invalid', `--number must be a whole number from 1 to ${lastNumber}; got ${got}`);
  }
  const stored = id === undefined ? (await patients.patientsByNumber([Number(number)]))[0] : await patients.patient(id);
  if (stored === undefined) throw new Fault('not-found', 'There is no such submission');
  return stored;
}

/** `1 match`, `2 matches`. */
function matchesOf(count: number): string {
  return `${count} ${count === 1 ? 'match' : 'matches'}`;
}

/** What is new to the person who looks at pages is nothing to a command. */
function withoutNews<Shown extends { unseen: number }>({ unseen: _, ...shown }: Shown): Omit<Shown, 'unseen'> {
  return shown;
}

async function recordReading(context: CommandContext<MatchmakerSettings>, patients: string[]): Promise<void> {
  if (patients.length > 0) await trailOfCommand(context).add([{ by, action: 'read', patients }]);
}
