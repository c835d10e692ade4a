/** Genes in panels: what new names or coordinates of genes mean for the versions in use, and which versions hold a gene. */
import type { PluginContext } from '../../../core/plugin.js';
import type { GeneExons, GeneStructures } from '../../services/coverage.js';
import { type PanelHead, type PanelRepository, type PanelState, panels } from '../contract.js';
import { type PanelGene, parseContent } from '../versions/content.js';
import { nameOfVersion } from '../versions/lifecycle.js';
import { builds, type ExonBuild, geneStructuresKey, reasonOfMissingGene } from './exons.js';
import { type GeneTable, geneOfWord } from './gene-table.js';

/** Versions that reports may use, or will. */
const live: readonly PanelState[] = ['draft', 'in review', 'signed off'];

export interface CheckedVersion {
  panel: string;
  version: string;
  state: PanelState;
  unmapped: number;
  findings: GeneFinding[];
}

interface CheckSources {
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
  { table, structures, panel, signal }: CheckSources,
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
      const named = { panel: nameOfVersion(one), state: one.state, genes, ...(further > 0 && { further }) };
      log.warn(named, 'a panel in use has genes or transcripts without coordinates');
    }
  });
}

// What a release of gene names means for panels: which of their genes have another symbol by now, or are no genes any more.

export interface GeneFinding {
  hgnc: number;
  /** As the panel has it. */
  symbol: string;
  /**
   * `renamed` is harmless; a `merged` gene is one other gene now; a gene that is `withdrawn` (or split, or unknown) needs a decision;
   * `non-coding` genes have no coding bases to report on; a gene that is `elsewhere` is not on the chromosomes of the reference.
   * `no-coordinates` and `transcript` are of what is loaded for a build.
   */
  what: 'renamed' | 'merged' | 'withdrawn' | 'non-coding' | 'elsewhere' | 'no-coordinates' | 'transcript';
  text: string;
}

/** What each finding takes, for people; `unmapped` are entries for which no gene is certain. */
export const remedies: Readonly<Record<GeneFinding['what'] | 'unmapped', string>> = {
  unmapped: 'name the gene of the entry in the draft, or drop the entry; until then it blocks signing',
  withdrawn: 'replace or remove the gene in the draft, or in a new version; until then it blocks signing',
  merged: 'make a new version, which has the gene that it became; reports do not find the former id',
  renamed: 'nothing; reports find the gene by its id, and a new version has the new symbol',
  'non-coding': 'nothing; reports measure its exons',
  elsewhere: 'use another method; reports list the gene as not covered',
  'no-coordinates':
    'load intervals that have the gene (`trefoil coverage load-gtf`); until then reports list it as not covered',
  transcript:
    'load intervals that have the transcript, or want another in a new version; until then reports use what is loaded',
};

/** Findings on these genes, in their order. Those that are `withdrawn` block a signature. */
export function checkGenes(genes: readonly Pick<PanelGene, 'hgnc' | 'symbol'>[], table: GeneTable): GeneFinding[] {
  return genes.flatMap(({ hgnc, symbol }): GeneFinding[] => {
    const found = table.resolve({ hgnc });
    if (!('gene' in found)) return [{ hgnc, symbol, what: 'withdrawn', text: found.why }];
    const { gene, note } = found;
    if (gene.hgnc !== hgnc) return [{ hgnc, symbol, what: 'merged', text: note ?? `is HGNC:${gene.hgnc} now` }];
    const findings: GeneFinding[] = [];
    if (gene.symbol !== symbol)
      findings.push({ hgnc, symbol, what: 'renamed', text: `${symbol} is now ${gene.symbol}` });
    if (!gene.coding) {
      findings.push({ hgnc, symbol, what: 'non-coding', text: `${gene.symbol} is not a protein-coding gene` });
    }
    if (gene.elsewhere !== undefined) {
      const text = `${gene.symbol} is not on the chromosomes of the reference (HGNC: ${gene.elsewhere})`;
      findings.push({ hgnc, symbol, what: 'elsewhere', text });
    }
    return findings;
  });
}

// Which genes and wanted transcripts of panels the coverage plugin cannot place, in each build of which it has genes.

/** Genes of one question, so that neither it nor its answer is large. */
const portion = 500;

export type LocatedGene = Pick<PanelGene, 'hgnc' | 'symbol' | 'transcripts'>;

/** What the builds have of all genes that were asked for. */
export interface Coordinates {
  /** Findings on these genes, in their order. None blocks a signature: reports say so of every such gene. */
  check(genes: readonly LocatedGene[]): GeneFinding[];
}

interface BuildCoordinates {
  build: ExonBuild;
  missing: Map<number, GeneExons['missing'][number]['reason']>;
  /** By gene and wanted transcript. */
  unmet: Map<string, GeneExons['unmet'][number]>;
}

/** Asks once for the genes of all panels together. Builds without genes are left out. */
export async function readCoordinates(
  structures: GeneStructures,
  genes: Iterable<LocatedGene>,
  signal: AbortSignal,
): Promise<Coordinates> {
  const wanted = new Map<number, Set<string>>();
  for (const { hgnc, transcripts = [] } of genes) {
    const known = wanted.get(hgnc) ?? new Set();
    for (const name of transcripts) known.add(name);
    wanted.set(hgnc, known);
  }
  const asked = [...wanted].map(([hgnc, names]) => ({ hgnc, transcripts: [...names] }));
  const known: BuildCoordinates[] = [];
  for (const build of builds) {
    const found = await inBuild(structures, asked, build, signal);
    if (found !== undefined) known.push(found);
  }
  return { check: (own) => own.flatMap((gene) => known.flatMap((one) => findingsOf(gene, one))) };
}

/** Undefined if no genes of the build are loaded. */
async function inBuild(
  structures: GeneStructures,
  asked: readonly { hgnc: number; transcripts: string[] }[],
  build: ExonBuild,
  signal: AbortSignal,
): Promise<BuildCoordinates | undefined> {
  const found: BuildCoordinates = { build, missing: new Map(), unmet: new Map() };
  for (let from = 0; from < asked.length; from += portion) {
    signal.throwIfAborted();
    const genes = asked.slice(from, from + portion);
    const { missing, unmet } = await structures.exonsOf(build, genes, { choice: 'preferred', signal });
    if (missing.some(({ reason }) => reason === 'no-genes-loaded')) return undefined;
    for (const { hgnc, reason } of missing) found.missing.set(hgnc, reason);
    for (const one of unmet) found.unmet.set(keyOfTranscript(one.hgnc, one.wanted), one);
  }
  return found;
}

function findingsOf(
  { hgnc, symbol, transcripts = [] }: LocatedGene,
  { build, missing, unmet }: BuildCoordinates,
): GeneFinding[] {
  const reason = missing.get(hgnc);
  if (reason !== undefined)
    return [{ hgnc, symbol, what: 'no-coordinates', text: `${symbol}: ${reasonOfMissingGene(reason, build)}` }];
  return transcripts.flatMap((name): GeneFinding[] => {
    const one = unmet.get(keyOfTranscript(hgnc, name));
    if (one === undefined) return [];
    const text =
      one.loaded === undefined
        ? `${symbol}: the wanted transcript ${name} is not loaded for ${build}`
        : `${symbol}: ${build} has ${one.loaded}${one.loaded.includes('.') ? '' : ', whose version is not known,'} for the wanted transcript ${name}`;
    return [{ hgnc, symbol, what: 'transcript', text }];
  });
}

function keyOfTranscript(hgnc: number, wanted: string): string {
  return `${hgnc} ${wanted}`;
}

// Which versions of panels hold a gene, or have an entry without a gene that may be it: for the page and the command.

/** What a word means, and the ids under which versions may hold it. */
export interface SearchedGene {
  hgnc: number;
  symbol: string;
  /** What people should know of the word. */
  note: string | undefined;
  /** Its id, the one that was given, and those of entries that were merged into it. */
  ids: readonly number[];
}

export interface HoldingVersions {
  /** Versions that hold it, with former ids by which they do. */
  held: readonly (PanelHead & { former: readonly number[] })[];
  /** Versions with an entry without a gene that may be it. */
  open: readonly { head: PanelHead; given: string }[];
}

/** Or why the word means no gene, in a sentence. Panels may hold an id that no names have, or have no more. */
export function wantedGene(word: string, table: GeneTable | undefined): SearchedGene | string {
  const given = geneOfWord(word);
  const named = table?.resolve(given);
  const { hgnc } = given;
  if (named !== undefined && !('gene' in named) && hgnc === undefined)
    return `No gene: ${named.why}${meantBy(named.candidates, table)}`;
  if (named === undefined && hgnc === undefined) return 'No names of genes are loaded: give an HGNC id';
  const gene = named && 'gene' in named ? named.gene : undefined;
  const former = gene === undefined ? [] : (table?.formerIds(gene.hgnc) ?? []);
  const ids = [...new Set([hgnc, gene?.hgnc, ...former].filter((id) => id !== undefined))];
  return {
    hgnc: gene?.hgnc ?? ids[0] ?? 0,
    symbol: gene?.symbol ?? `HGNC:${hgnc}`,
    note: named && ('gene' in named ? named.note : named.why),
    ids,
  };
}

/** `; may be SLC46A1 (HGNC:30521)` */
function meantBy(candidates: readonly number[], table: GeneTable | undefined): string {
  if (candidates.length === 0) return '';
  const names = candidates.map((id) => `${table?.gene(id)?.symbol ?? 'a former entry'} (HGNC:${id})`);
  return `; may be ${names.join(' or ')}`;
}

/** Entries without a gene are those of `heads`; of the versions that hold the gene, the caller keeps those that may be read. */
export async function versionsHolding(
  repository: Pick<PanelRepository, 'holding' | 'find'>,
  heads: readonly PanelHead[],
  { hgnc, ids }: SearchedGene,
  table: GeneTable | undefined,
): Promise<HoldingVersions> {
  const held = (await repository.holding(ids)).map(({ head, hgnc: by }) => ({
    ...head,
    former: by.filter((id) => id !== hgnc),
  }));
  const open: { head: PanelHead; given: string }[] = [];
  const wanted = new Set(ids);
  for (const head of heads.filter(({ unmapped }) => unmapped > 0)) {
    const version = await repository.find(head.panel, head.version);
    for (const { given, candidates = [] } of version ? (parseContent(version.content).unmapped ?? []) : []) {
      const today = table?.resolve(geneOfWord(given));
      const now = today === undefined ? [] : 'gene' in today ? [today.gene.hgnc] : today.candidates;
      if ([...candidates, ...now].some((id) => wanted.has(id))) open.push({ head, given });
    }
  }
  return { held, open };
}
