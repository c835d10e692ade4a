/** `list`, `show`, `diff`, `holding`: what is stored, for people and scripts. */
import { type Command, counted, Fault, table } from '../../../core/commands.js';
import { type PanelHead, panels } from '../contract.js';
import { basesWords, type PanelContent, parseContent } from '../domain/content.js';
import { differences, type GeneDifference, sameRequirement } from '../domain/differences.js';
import { nameOf, personOf } from '../domain/lifecycle.js';
import { versionNamed } from '../domain/reference.js';
import type { PanelSettings } from '../settings.js';

const list: Command<PanelSettings> = {
  name: 'list',
  summary: 'List panels with their versions',
  arguments: [{ name: 'panel', description: 'id of a panel; all if omitted' }],
  examples: ['list', 'list panelapp-1207 --json'],
  async run({ repository, terminal }, { arguments: [panel] }) {
    const heads = await (await repository(panels)).list(panel);
    if (panel !== undefined && heads.length === 0) throw new Fault('not-found', `There is no panel ${panel}`);
    const rows = heads.map((head) => [
      nameOf(head),
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
    terminal.print(`${nameOf(version)}: ${version.name} (${version.state}), sha256 ${version.digest}`);
    for (const step of version.history) {
      const { what, at, comment } = step;
      terminal.print(
        `  ${at.toISOString()} ${what} by ${personOf(step)}${comment === undefined ? '' : `: ${comment}`}`,
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
    for (const { kind, name, place = '' } of content.others ?? []) {
      terminal.print(
        `not covered by reports on genes: ${kind === 'str' ? 'short tandem repeat' : 'region'} ${name} ${place}`.trim(),
      );
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
    const rows = found.map((gene) => [`HGNC:${gene.hgnc}`, gene.symbol, gene.what.join(', '), wordsOf(gene)]);
    if (rows.length === 0) terminal.print('The same genes');
    else for (const line of table(['gene', 'symbol', 'difference', ''], rows)) terminal.print(line);
    const requirement = same ? {} : { requirement: { before: earlier.requirement, after: later.requirement } };
    terminal.data({ before: nameOf(one), after: nameOf(two), ...requirement, genes: found });
    return 0;
  },
};

/** `99 % of the exonic bases at 15x or more`. */
function requirementText({ requirement }: Pick<PanelContent, 'requirement'>): string {
  return requirement === undefined
    ? 'nothing'
    : `${requirement.percent} % of the ${basesWords(requirement.bases)} at ${requirement.depth}x or more`;
}

function wordsOf({ before, after, changed }: GeneDifference): string {
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
      import('../genes/stored.js'),
      import('../genes/held.js'),
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
        rows.push([symbol, nameOf(head), head.state, as.length > 0 ? `as ${as.join(', ')}` : '']);
        found.push({ ...placeOf(head), hgnc, ...(former.length > 0 && { former }) });
      }
      for (const { head, given } of open) {
        rows.push([symbol, nameOf(head), head.state, `may be the entry without a gene: ${given}`]);
        found.push({ ...placeOf(head), hgnc, given });
      }
    }
    if (rows.length === 0) terminal.print('No version holds any of them');
    else for (const line of table(['gene', 'version', 'state', ''], rows)) terminal.print(line);
    terminal.data(found);
    return 0;
  },
};

function placeOf({ panel, version, state }: PanelHead): Pick<PanelHead, 'panel' | 'version' | 'state'> {
  return { panel, version, state };
}

export const readCommands: readonly Command<PanelSettings>[] = [list, show, diff, holding];
