/** `load-hgnc` and `check`: the names of genes, and what they mean for the panels that are in use. */
import { type Command, type CommandContext, counted, Fault } from '../../../core/commands.js';
import type { GeneStructures } from '../../services/coverage.js';
import { type PanelRepository, panels } from '../contract.js';
import { nameOf } from '../domain/lifecycle.js';
import { geneStructuresKey } from '../exports/exons.js';
import type { GeneTable } from '../genes/gene-table.js';
import type { CheckedVersion } from '../genes/live.js';
import type { PanelSettings } from '../settings.js';

/** With what the coverage plugin can place, if it is enabled. */
async function checkAll(
  { find, signal }: Pick<CommandContext<PanelSettings>, 'find' | 'signal'>,
  repository: PanelRepository,
  table: GeneTable,
  panel?: string,
): Promise<CheckedVersion[]> {
  const { checkLive } = await import('../genes/live.js');
  const structures = await find<GeneStructures>(geneStructuresKey);
  return checkLive(repository, { table, structures, panel, signal });
}

async function tell({ terminal }: CommandContext<PanelSettings>, checked: readonly CheckedVersion[]): Promise<void> {
  const { remedies } = await import('../genes/check.js');
  const counts = new Map<keyof typeof remedies, number>();
  const count = (what: keyof typeof remedies, more: number) => counts.set(what, (counts.get(what) ?? 0) + more);
  for (const one of checked) {
    const name = `${nameOf(one)} (${one.state})`;
    if (one.unmapped > 0) {
      count('unmapped', one.unmapped);
      terminal.print(`${name}: ${one.unmapped} without a gene (blocks signing)`);
    }
    for (const { what, text } of one.findings) {
      count(what, 1);
      terminal.print(`${name}: ${text}${what === 'withdrawn' ? ' (blocks signing)' : ''}`);
    }
  }
  if (checked.length === 0) terminal.print('Nothing to say of the genes of any panel in use');
  for (const [what, remedy] of Object.entries(remedies) as [keyof typeof remedies, string][]) {
    const found = counts.get(what) ?? 0;
    if (found > 0) terminal.print(`${found} ${what}: ${remedy}`);
  }
}

const loadHgnc: Command<PanelSettings> = {
  name: 'load-hgnc',
  summary: 'Replace the names of genes, and list what changes for the panels in use',
  description:
    "Takes HGNC's complete set and its list of withdrawn entries, plain or gzip. Both are checked as a whole before they " +
    'replace the names in use at once. Panels do not change: what is renamed, merged or withdrawn is listed, and, if the plugin ' +
    'coverage is enabled, what has no coordinates in a build of which genes are loaded.',
  examples: [
    'load-hgnc --approved hgnc_complete_set.txt --withdrawn withdrawn.txt',
    'load-hgnc --approved hgnc_complete_set_2026-11-01.txt --withdrawn withdrawn_2026-11-01.txt',
  ],
  options: [
    { flags: '--approved <file>', description: "HGNC's complete set, hgnc_complete_set.txt", required: true },
    { flags: '--withdrawn <file>', description: "HGNC's list of withdrawn entries, withdrawn.txt", required: true },
    { flags: '--release <name>', description: 'name of the release, if the file names do not have its date' },
  ],
  async run(context, { options }) {
    const { approved, withdrawn, release } = options as { approved: string; withdrawn: string; release?: string };
    const { audit, repository: open, terminal, transaction, signal, now } = context;
    const [{ readTextFile }, { readApproved, readWithdrawn }, { GeneTable }] = await Promise.all([
      import('../../../core/files.js'),
      import('../genes/hgnc.js'),
      import('../genes/gene-table.js'),
    ]);
    const [set, ended] = await Promise.all([readTextFile(approved, signal), readTextFile(withdrawn, signal)]);
    const { genes, release: dated } = readApproved(set);
    const gone = readWithdrawn(ended);
    const named = release ?? dated;
    if (named === undefined) throw new Fault('invalid', 'The files do not tell their release: name it with --release');
    const table = new GeneTable(genes, gone);
    const repository = await open(panels);
    const counts = { approved: genes.length, withdrawn: gone.length };
    const names = { release: named, sources: [set.name, ended.name], ...counts, loaded: now() };
    await audit.within(transaction, async (scope, record) => {
      await scope.repository(panels).replaceNames(names, table.pack());
      const detail = { release: named, ...counts };
      await record(undefined, { action: 'panels.names', about: [], because: 'command line', outcome: 'done', detail });
    });
    terminal.print(`Names of release ${named}: ${counted(genes.length, 'gene')}, ${gone.length} withdrawn`);
    const checked = await checkAll(context, repository, table);
    await tell(context, checked);
    terminal.data({ names, panels: checked });
    return 0;
  },
};

const check: Command<PanelSettings> = {
  name: 'check',
  summary:
    'List the genes of the panels in use that were renamed, merged or withdrawn, or have no coordinates, and entries without a gene',
  examples: ['check', 'check panelapp-1207'],
  arguments: [{ name: 'panel', description: 'id of a panel; all if omitted' }],
  async run(context, { arguments: [panel] }) {
    const { namesInUse } = await import('../genes/stored.js');
    const repository = await context.repository(panels);
    const { names, table } = await namesInUse(repository);
    if (panel !== undefined && (await repository.list(panel)).length === 0)
      throw new Fault('not-found', `There is no panel ${panel}`);
    const checked = await checkAll(context, repository, table, panel);
    await tell(context, checked);
    context.terminal.data({ names, panels: checked });
    return 0;
  },
};

export const namesCommands: readonly Command<PanelSettings>[] = [loadHgnc, check];
