/**
 * The commands `trefoil panels …`: list, show, compare, check and export versions, find a gene, load names of genes. `import`
 * has a file of its own.
 */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Command, type CommandContext, command, counted, Fault, table } from '../../core/commands.js';
import { wording } from '../../core/plugin.js';
import type { GeneStructures } from '../services/coverage.js';
import { type PanelHead, type PanelRepository, panels } from './contract.js';
import { geneStructuresKey } from './genes/exons.js';
import type { GeneTable } from './genes/gene-table.js';
import type { CheckedVersion } from './genes/genes-in-panels.js';
import { importCommands } from './import/command.js';
import type { PanelSettings } from './settings.js';
import {
  basesWords,
  differences,
  type PanelContent,
  type PanelGeneDifference,
  parseContent,
  sameRequirement,
} from './versions/content.js';
import { nameOfVersion, personOfStep, versionNamed } from './versions/lifecycle.js';

const list: Command<PanelSettings> = {
  name: 'list',
  summary: 'List panels with their versions',
  arguments: [{ name: 'panel', description: 'id of a panel; all if omitted' }],
  examples: ['list', 'list panelapp-1207 --json'],
  async run({ repository, terminal }, { arguments: [panel] }) {
    const heads = await (await repository(panels)).list(panel);
    if (panel !== undefined && heads.length === 0) throw new Fault('not-found', `There is no panel ${panel}`);
    const rows = heads.map((head) => [
      nameOfVersion(head),
      head.state,
      counted(head.genes, 'gene') + (head.unmapped > 0 ? `, ${head.unmapped} without a gene` : ''),
      head.history.at(-1)?.at.toISOString().slice(0, 10) ?? '',
      head.name,
    ]);
    if (rows.length === 0) terminal.print('There are no panels: see `trefoil panels import --help`');
    else for (const line of table(['version', 'state', 'genes', 'changed', 'name'], rows)) terminal.print(line);
    terminal.data(heads);
    return 0;
  },
};

const show: Command<PanelSettings> = {
  name: 'show',
  summary: 'Show a version of a panel with its genes and its history',
  arguments: [{ name: 'version', description: 'ID@VERSION, or ID for the latest that is signed off', required: true }],
  examples: ['show panelapp-1207@1.6', 'show epilepsy --json'],
  async run({ repository, terminal }, { arguments: [reference = ''] }) {
    const version = await versionNamed(await repository(panels), reference);
    const content = parseContent(version.content);
    terminal.print(`${nameOfVersion(version)}: ${version.name} (${version.state}), sha256 ${version.digest}`);
    for (const step of version.history) {
      const { what, at, comment } = step;
      terminal.print(
        `  ${at.toISOString()} ${what} by ${personOfStep(step)}${comment === undefined ? '' : `: ${comment}`}`,
      );
    }
    terminal.print(`  ${sourceText(content)}`);
    const rows = content.genes.map((gene) => [
      `HGNC:${gene.hgnc}`,
      gene.symbol,
      gene.confidence,
      gene.inheritance ?? '',
      [gene.core ? 'core' : '', ...(gene.transcripts ?? [])].filter(Boolean).join(', '),
    ]);
    if (content.requirement !== undefined)
      terminal.print(`requires ${requirementText(content)}, and all of core genes`);
    for (const line of table(['gene', 'symbol', 'confidence', 'inheritance', ''], rows)) terminal.print(line);
    for (const { kind, name, place = 'without a position' } of content.others ?? []) {
      terminal.print(`beside genes: ${kind === 'str' ? 'short tandem repeat' : 'region'} ${name}, ${place}`);
    }
    for (const { given, why } of content.unmapped ?? []) terminal.print(`without a gene: ${given}: ${why}`);
    const { content: _, hgnc: __, ...head } = version;
    terminal.data({ ...head, content });
    return 0;
  },
};

/** `from PanelApp 1207 1.6 (panelapp.jsonl), read 2026-11-23, gene names of 2026-11-01` */
function sourceText({ source, names }: PanelContent): string {
  const { kind, id, version, signedOff, name, read } = source;
  const of = kind === 'panelapp' ? ['PanelApp', id, version].filter(Boolean).join(' ') : undefined;
  const parts = [
    of === undefined ? `from ${name}` : `from ${of} (${name})`,
    signedOff === undefined ? '' : `signed off there on ${signedOff}`,
    `read ${read.slice(0, 10)}`,
    names === undefined ? '' : `gene names of ${names}`,
  ];
  return parts.filter(Boolean).join(', ');
}

const diff: Command<PanelSettings> = {
  name: 'diff',
  summary: 'List the genes that differ between two versions',
  arguments: [
    { name: 'before', description: 'ID@VERSION', required: true },
    { name: 'after', description: 'ID@VERSION, or ID for the latest that is signed off', required: true },
  ],
  examples: ['diff epilepsy@1.9 epilepsy@1.10'],
  async run({ repository, terminal }, { arguments: [before = '', after = ''] }) {
    const stored = await repository(panels);
    const [one, two] = [await versionNamed(stored, before), await versionNamed(stored, after)];
    const [earlier, later] = [parseContent(one.content), parseContent(two.content)];
    const found = differences(earlier, later);
    const same = sameRequirement(earlier, later);
    if (!same) terminal.print(`requirement: ${requirementText(earlier)} → ${requirementText(later)}`);
    const rows = found.map((gene) => [`HGNC:${gene.hgnc}`, gene.symbol, gene.what.join(', '), differenceWords(gene)]);
    if (rows.length === 0) terminal.print('The same genes');
    else for (const line of table(['gene', 'symbol', 'difference', ''], rows)) terminal.print(line);
    const requirement = same ? {} : { requirement: { before: earlier.requirement, after: later.requirement } };
    terminal.data({ before: nameOfVersion(one), after: nameOfVersion(two), ...requirement, genes: found });
    return 0;
  },
};

/** `99 % of the exonic bases at 15x or more`. */
function requirementText({ requirement }: Pick<PanelContent, 'requirement'>): string {
  return requirement === undefined
    ? 'nothing'
    : `${requirement.percent} % of the ${basesWords(requirement.bases)} at ${requirement.depth}x or more`;
}

function differenceWords({ before, after, changed }: PanelGeneDifference): string {
  if (before === undefined || after === undefined) return (after ?? before)?.confidence ?? '';
  const parts = [
    before.confidence === after.confidence ? '' : `${before.confidence} → ${after.confidence}`,
    before.symbol === after.symbol ? '' : `was ${before.symbol}`,
    changed.join(', '),
  ];
  return parts.filter(Boolean).join('; ');
}

const holding: Command<PanelSettings> = {
  name: 'holding',
  summary: 'List the versions of panels that hold a gene, or were made while no gene was found for its name',
  arguments: [{ name: 'genes', description: 'symbols or HGNC ids', required: true, variadic: true }],
  examples: ['holding BAP1', 'holding HGNC:950 PER3 --json'],
  async run({ repository, terminal }, { arguments: wanted }) {
    const stored = await repository(panels);
    const [{ namesInUse }, { versionsHolding, wantedGene }] = await Promise.all([
      import('./genes/gene-table.js'),
      import('./genes/genes-in-panels.js'),
    ]);
    const { table: genes } = await namesInUse(stored);
    const heads = await stored.list();
    const rows: string[][] = [];
    const found: object[] = [];
    for (const word of wanted) {
      const gene = wantedGene(word, genes);
      if (typeof gene === 'string') throw new Fault('not-found', gene);
      const { hgnc, symbol, note } = gene;
      if (note !== undefined) terminal.note(note);
      const { held, open } = await versionsHolding(stored, heads, gene, genes);
      for (const { former, ...head } of held) {
        const as = former.map((id) => `HGNC:${id}`);
        rows.push([symbol, nameOfVersion(head), head.state, as.length > 0 ? `as ${as.join(', ')}` : '']);
        found.push({ ...placeOfVersion(head), hgnc, ...(former.length > 0 && { former }) });
      }
      for (const { head, given } of open) {
        rows.push([symbol, nameOfVersion(head), head.state, `may be the entry without a gene: ${given}`]);
        found.push({ ...placeOfVersion(head), hgnc, given });
      }
    }
    if (rows.length === 0) terminal.print('No version holds any of them');
    else for (const line of table(['gene', 'version', 'state', ''], rows)) terminal.print(line);
    terminal.data(found);
    return 0;
  },
};

function placeOfVersion({ panel, version, state }: PanelHead): Pick<PanelHead, 'panel' | 'version' | 'state'> {
  return { panel, version, state };
}

// `load-hgnc` and `check`: the names of genes, and what they mean for the panels that are in use.

/** With what the coverage plugin can place, if it is enabled. */
async function checkVersions(
  { find, signal }: Pick<CommandContext<PanelSettings>, 'find' | 'signal'>,
  repository: PanelRepository,
  table: GeneTable,
  panel?: string,
): Promise<CheckedVersion[]> {
  const { checkLive } = await import('./genes/genes-in-panels.js');
  const structures = await find<GeneStructures>(geneStructuresKey);
  return checkLive(repository, { table, structures, panel, signal });
}

async function printFindings(
  { terminal }: CommandContext<PanelSettings>,
  checked: readonly CheckedVersion[],
): Promise<void> {
  const { remedies } = await import('./genes/genes-in-panels.js');
  const counts = new Map<keyof typeof remedies, number>();
  const count = (what: keyof typeof remedies, more: number) => counts.set(what, (counts.get(what) ?? 0) + more);
  for (const one of checked) {
    const name = `${nameOfVersion(one)} (${one.state})`;
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

/** The event `panels/names-replaced@1`: a release of the names of genes was loaded. */
interface NamesReplaced {
  readonly release: string;
}

const loadHgnc: Command<PanelSettings> = command({
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
    const { approved, withdrawn, release } = options;
    const { announce, audit, repository: open, terminal, transaction, signal, now } = context;
    const [{ readTextFile }, { readApproved, readWithdrawn }, { GeneTable }] = await Promise.all([
      import('../../core/files.js'),
      import('./genes/hgnc.js'),
      import('./genes/gene-table.js'),
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
    await announce<NamesReplaced>('panels/names-replaced@1', { release: named });
    terminal.print(`Names of release ${named}: ${counted(genes.length, 'gene')}, ${gone.length} withdrawn`);
    const checked = await checkVersions(context, repository, table);
    await printFindings(context, checked);
    terminal.data({ names, panels: checked });
    return 0;
  },
});

const check: Command<PanelSettings> = {
  name: 'check',
  summary:
    'List the genes of the panels in use that were renamed, merged or withdrawn, or have no coordinates, and entries without a gene',
  examples: ['check', 'check panelapp-1207'],
  arguments: [{ name: 'panel', description: 'id of a panel; all if omitted' }],
  async run(context, { arguments: [panel] }) {
    const { namesInUse } = await import('./genes/gene-table.js');
    const repository = await context.repository(panels);
    const { names, table } = await namesInUse(repository);
    if (panel !== undefined && (await repository.list(panel)).length === 0)
      throw new Fault('not-found', `There is no panel ${panel}`);
    const checked = await checkVersions(context, repository, table, panel);
    await printFindings(context, checked);
    context.terminal.data({ names, panels: checked });
    return 0;
  },
};

// `export`: a version of a panel as BED.

const exportBed: Command<PanelSettings> = command({
  name: 'export',
  summary: 'Write the exons of the genes of a panel as BED',
  description:
    'Positions are those of the intervals that the plugin coverage has for the build. Lines with # at the beginning of the file ' +
    'name panel, version, state, releases and digests, and list every gene and entry that has no lines.',
  arguments: [{ name: 'version', description: 'ID@VERSION, or ID for the latest that is signed off', required: true }],
  options: [
    { flags: '--build <build>', description: 'GRCh37 or GRCh38', required: true },
    { flags: '--padding <bases>', description: 'bases that are added on both sides of each exon (default: 0)' },
    {
      flags: '--transcripts <choice>',
      description:
        'preferred (default; those that the panel wants, else those of reports), mane, mane_select, mane_plus_clinical, refseq_mrna or all',
    },
    { flags: '--confidence <level>', description: 'all (default), amber (without red genes) or green' },
    { flags: '--chromosomes <names>', description: 'plain (default: 1, X, MT) or chr (chr1, chrX, chrM)' },
    { flags: '--out <file>', description: 'file to write (default: standard output)' },
  ],
  examples: ['export kidney --build GRCh38 --padding 20 --out kidney.bed', 'export kidney@1.9 --build GRCh37'],
  async run(context, { options, arguments: [reference = ''] }) {
    const { out, ...given } = options;
    const { terminal, signal, version: software } = context;
    if (terminal.json && out === undefined)
      throw new Fault('invalid', '--json needs --out, since standard output cannot hold both');
    const [{ bedQuery, panelBed }, { writeWhole }] = await Promise.all([
      import('./genes/bed-export.js'),
      import('../../core/files.js'),
    ]);
    const { data: asked, error } = bedQuery.safeParse(given, { error: wording });
    if (asked === undefined)
      throw new Fault('invalid', `--${error.issues[0]?.path.join('.')}: ${error.issues[0]?.message}`);
    const version = await versionNamed(await context.repository(panels), reference);
    const structures = await context.find<GeneStructures>(geneStructuresKey);
    const made = { structures, signal, software, now: context.now() };
    const { text, lines, bases, lacking } = await panelBed(version, asked, made);
    const content = Readable.from([text]);
    if (out === undefined) await pipeline(content, process.stdout, { signal, end: false });
    else await writeWhole(out, (target) => pipeline(content, target, { signal }), signal);
    for (const sentence of lacking) terminal.note(sentence);
    const summary = `${nameOfVersion(version)} on ${asked.build}: ${counted(lines, 'line')} with ${counted(bases, 'base')}`;
    if (out === undefined) terminal.note(summary);
    else terminal.print(`${summary}, written to ${out}`);
    terminal.data({ panel: version.panel, version: version.version, ...asked, lines, bases, lacking, out });
    return 0;
  },
});

export const commands: readonly Command<PanelSettings>[] = [
  ...[loadHgnc, check],
  ...importCommands,
  ...[list, show, diff, holding, exportBed],
];
