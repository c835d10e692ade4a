/** Which genes and wanted transcripts of panels the coverage plugin cannot place, in each build of which it has genes. */
import type { GeneExons, GeneStructures } from '../../services/coverage.js';
import type { PanelGene } from '../domain/content.js';
import { type Build, builds, reasonOf } from '../exports/exons.js';
import type { GeneFinding } from './check.js';

/** Genes of one question, so that neither it nor its answer is large. */
const portion = 500;

export type OfCoordinates = Pick<PanelGene, 'hgnc' | 'symbol' | 'transcripts'>;

/** What the builds have of all genes that were asked for. */
export interface Coordinates {
  /** Findings on these genes, in their order. None blocks a signature: reports say so of every such gene. */
  check(genes: readonly OfCoordinates[]): GeneFinding[];
}

interface InBuild {
  build: Build;
  missing: Map<number, GeneExons['missing'][number]['reason']>;
  /** By gene and wanted transcript. */
  unmet: Map<string, GeneExons['unmet'][number]>;
}

/** Asks once for the genes of all panels together. Builds without genes are left out. */
export async function readCoordinates(
  structures: GeneStructures,
  genes: Iterable<OfCoordinates>,
  signal: AbortSignal,
): Promise<Coordinates> {
  const wanted = new Map<number, Set<string>>();
  for (const { hgnc, transcripts = [] } of genes) {
    const known = wanted.get(hgnc) ?? new Set();
    for (const name of transcripts) known.add(name);
    wanted.set(hgnc, known);
  }
  const asked = [...wanted].map(([hgnc, names]) => ({ hgnc, transcripts: [...names] }));
  const known: InBuild[] = [];
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
  build: Build,
  signal: AbortSignal,
): Promise<InBuild | undefined> {
  const found: InBuild = { build, missing: new Map(), unmet: new Map() };
  for (let from = 0; from < asked.length; from += portion) {
    signal.throwIfAborted();
    const genes = asked.slice(from, from + portion);
    const { missing, unmet } = await structures.exonsOf(build, genes, { choice: 'preferred', signal });
    if (missing.some(({ reason }) => reason === 'no-genes-loaded')) return undefined;
    for (const { hgnc, reason } of missing) found.missing.set(hgnc, reason);
    for (const one of unmet) found.unmet.set(keyOf(one.hgnc, one.wanted), one);
  }
  return found;
}

function findingsOf(
  { hgnc, symbol, transcripts = [] }: OfCoordinates,
  { build, missing, unmet }: InBuild,
): GeneFinding[] {
  const reason = missing.get(hgnc);
  if (reason !== undefined)
    return [{ hgnc, symbol, what: 'no-coordinates', text: `${symbol}: ${reasonOf(reason, build)}` }];
  return transcripts.flatMap((name): GeneFinding[] => {
    const one = unmet.get(keyOf(hgnc, name));
    if (one === undefined) return [];
    const text =
      one.loaded === undefined
        ? `${symbol}: the wanted transcript ${name} is not loaded for ${build}`
        : `${symbol}: ${build} has ${one.loaded}${one.loaded.includes('.') ? '' : ', whose version is not known,'} for the wanted transcript ${name}`;
    return [{ hgnc, symbol, what: 'transcript', text }];
  });
}

function keyOf(hgnc: number, wanted: string): string {
  return `${hgnc} ${wanted}`;
}
