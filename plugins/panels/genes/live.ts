/** The versions that are in use, checked by names and coordinates of genes: after every load of either. */
import type { PluginContext } from '../../../core/plugin.js';
import type { GeneStructures } from '../../services/coverage.js';
import { type PanelHead, type PanelRepository, type PanelState, panels } from '../contract.js';
import { type PanelGene, parseContent } from '../domain/content.js';
import { nameOf } from '../domain/lifecycle.js';
import { geneStructuresKey } from '../exports/exons.js';
import { checkGenes, type GeneFinding } from './check.js';
import { readCoordinates } from './coordinates.js';
import type { GeneTable } from './gene-table.js';

/** Versions that reports may use, or will. */
const live: readonly PanelState[] = ['draft', 'in review', 'signed off'];

export interface CheckedVersion {
  panel: string;
  version: string;
  state: PanelState;
  unmapped: number;
  findings: GeneFinding[];
}

interface CheckedBy {
  /** Names; undefined to check coordinates alone. */
  table: GeneTable | undefined;
  structures: GeneStructures | undefined;
  /** Its versions alone; those of all panels if undefined. */
  panel?: string | undefined;
  signal: AbortSignal;
}

/** Versions with findings, or with entries without a gene. */
export async function checkLive(
  repository: Pick<PanelRepository, 'list' | 'find'>,
  { table, structures, panel, signal }: CheckedBy,
): Promise<CheckedVersion[]> {
  const found: { head: PanelHead; genes: PanelGene[] }[] = [];
  for (const head of await repository.list(panel)) {
    if (!live.includes(head.state)) continue;
    const version = await repository.find(head.panel, head.version);
    if (version !== undefined) found.push({ head, genes: parseContent(version.content).genes });
  }
  const all = found.flatMap(({ genes }) => genes);
  const coordinates = structures && (await readCoordinates(structures, all, signal));
  return found.flatMap(({ head: { panel: id, version, state, unmapped }, genes }) => {
    const findings = [...(table ? checkGenes(genes, table) : []), ...(coordinates?.check(genes) ?? [])];
    return findings.length + unmapped > 0 ? [{ panel: id, version, state, unmapped, findings }] : [];
  });
}

/** Findings of one version that are logged. */
const logged = 50;

/** Logs which genes and transcripts of versions in use have no coordinates, after every load of intervals. */
export function checkWithIntervals({
  on,
  repository,
  find,
  log,
}: Pick<PluginContext<unknown>, 'on' | 'repository' | 'find' | 'log'>): void {
  const stored = repository(panels);
  on('coverage/intervals-replaced@1', async () => {
    const structures = find<GeneStructures>(geneStructuresKey);
    if (structures === undefined) return;
    const { signal } = new AbortController();
    for (const { findings, ...one } of await checkLive(stored, { table: undefined, structures, signal })) {
      if (findings.length === 0) continue;
      const genes = findings.slice(0, logged).map(({ text }) => text);
      const further = findings.length - genes.length;
      const named = { panel: nameOf(one), state: one.state, genes, ...(further > 0 && { further }) };
      log.warn(named, 'a panel in use has genes or transcripts without coordinates');
    }
  });
}
