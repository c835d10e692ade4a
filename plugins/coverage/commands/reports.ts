/** `list reports` and `delete reports`: reports that were kept. */
import {
  type Columns,
  type Command,
  type CommandContext,
  command,
  confirmed,
  counted,
  printTable,
  recordShown,
} from '../../../core/commands.js';
import { Fault } from '../../../core/plugin.js';
import type { HoldingVersion, PanelsService } from '../../services/panels.js';
import { coverage, coverageReports, type KeptMatch, type KeptReport, type ReportRepository } from '../contract.js';
import { type GeneOutcome, geneOutcomeIn, searchWords } from '../report/kept/search.js';
import { panelsKey } from '../report/panel.js';
import type { CoverageSettings } from '../settings.js';

type ReportCommandContext = CommandContext<CoverageSettings>;

/** Reports that are read at once. */
const portion = 500;

async function repositoryOf({ settings, repository }: ReportCommandContext): Promise<ReportRepository> {
  if (settings.reports === undefined) {
    throw new Fault('unprocessable', 'This server keeps no reports: the setting plugins.coverage.reports is missing');
  }
  return repository(coverageReports);
}

const intervalsOf = ({ repository }: ReportCommandContext) => repository(coverage);

const listReports: Command<CoverageSettings> = command({
  name: 'list reports',
  summary: 'List kept reports: all, or those that a change of a gene or a panel concerns',
  description:
    'With --gene: the reports that measured the gene, those that could not measure it (under any name that means it today), and ' +
    'those whose panel has it with a confidence that was not asked for; then the versions of panels that hold it.',
  examples: ['list reports --gene HGNC:1100', 'list reports --panel kidney@1.9 --json'],
  options: [
    { flags: '--gene <name>', description: 'HGNC id, Ensembl id or symbol' },
    { flags: '--panel <name>', description: 'ID, ID@VERSION or name of a panel' },
    { flags: '--sample <name>', description: 'id or name of a sample' },
  ],
  async run(context, { options: asked }) {
    const repository = await repositoryOf(context);
    const intervals = await intervalsOf(context);
    const panels = await context.find<PanelsService>(panelsKey);
    const { words, isKnown } = await searchWords({ intervals, repository, panels }, asked, context.signal);
    if (asked.gene !== undefined && !isKnown) {
      context.terminal.note(
        `${asked.gene} is not a gene of the loaded gene sets: only reports that asked for this name`,
      );
    }
    const all: KeptMatch[] = [];
    for (let after: KeptReport | undefined; ; ) {
      const page = await repository.list({ words, limit: portion, ...(after && { after }) });
      all.push(...page);
      after = page.at(-1)?.report;
      if (after === undefined) break;
    }
    const sample = all.flatMap(({ report }) =>
      report.facts.samples.map(({ name, registration }) => registration ?? name),
    );
    await recordShown(context, 'coverage.samples', { sample }, { what: 'kept_reports' });
    const shown = asked.gene === undefined ? columns : { ...columns, GENE: geneText };
    printTable(context.terminal, all, shown, 'There are no such reports');
    const versions = asked.gene === undefined ? undefined : await versionsWith(asked.gene, context);
    for (const { panel, version, state, entry } of versions ?? []) {
      const which = entry === undefined ? '' : `: the entry ${entry}, which has no gene yet, may be it`;
      context.terminal.print(`In panel ${panel}@${version} (${state})${which}`);
    }
    if (versions === null)
      context.terminal.print(`${asked.gene} does not mean one gene for certain: panels were not searched`);
    context.terminal.data({
      reports: all.map(reportRow),
      ...(versions !== undefined && { panel_versions: versions }),
    });
    return 0;
  },
});

async function versionsWith(
  gene: string,
  context: ReportCommandContext,
): Promise<readonly HoldingVersion[] | null | undefined> {
  const panels = await context.find<PanelsService>(panelsKey);
  return panels && ((await panels.holding(gene, 'operator')) ?? null);
}

const heldWords: Readonly<Record<GeneOutcome, string>> = {
  measured: 'measured',
  missing: 'not measured',
  left: 'not asked for',
};

const columns: Columns<KeptMatch> = {
  MADE: ({ report }) => report.made.toISOString().slice(0, 16).replace('T', ' '),
  ID: ({ report }) => report.id,
  PAGE: ({ report }) => report.facts.page,
  SAMPLES: ({ report }) => report.facts.samples.map(({ name, registration }) => registration ?? name).join(', '),
  PANEL: ({ report: { facts } }) => (facts.panel ? `${facts.panel.panel}@${facts.panel.version}` : facts.panelName),
  GENES: ({ report }) => report.facts.genes,
  'NOT MEASURED': ({ report }) => report.facts.missing,
};

function geneText({ words }: KeptMatch): string | undefined {
  const held = geneOutcomeIn(words);
  return held && heldWords[held];
}

function reportRow({ report: { id, made, facts }, words }: KeptMatch) {
  return { id, made, ...facts, gene: geneOutcomeIn(words) ?? null };
}

const deleteReports: Command<CoverageSettings> = command({
  name: 'delete reports',
  summary: 'Delete kept reports before their time is over',
  description: 'What was deleted is only in backups.',
  examples: ['delete reports --id 5UYrsjmfHpQxWzX_vjYb5J1B'],
  options: [
    { flags: '--id <id>', description: 'id of a report', required: true, repeatable: true },
    { flags: '--yes', description: 'do not ask for confirmation' },
  ],
  async run(context, { options: { id: ids, yes } }) {
    const repository = await repositoryOf(context);
    const wantedIds = [...new Set(ids)];
    const found = await Promise.all(wantedIds.map((id) => repository.find(id)));
    const missing = wantedIds.filter((_, i) => found[i] === undefined);
    if (missing.length > 0) throw new Fault('not-found', `There is no kept report ${missing.join(', ')}`);
    const question = `Deleting ${counted(wantedIds.length, 'report')}. Do you want to continue?`;
    if (!(await confirmed(context.terminal, { question, yes, otherwise: 'Nothing was deleted' }))) return 1;
    const deleted = await repository.remove(wantedIds);
    context.terminal.print(`Deleted ${counted(deleted, 'report')}`);
    context.terminal.data({ deleted });
    return 0;
  },
});

export const reportCommands = [listReports, deleteReports];
