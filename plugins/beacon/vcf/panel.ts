/** The regions that a load is restricted to: those of one or several BED files, or the places of the genes of a list. */
import { readBedFile } from '../../../core/files.js';
import { type Assembly, contigNamed, ensemblId, lengthOf } from '../../../core/genome.js';
import { Fault } from '../../../core/plugin.js';
import type { Gene, GeneIds, GeneIdType, GeneRepository } from '../contract.js';
import { type Contig, contigs } from '../domain/allele.js';
import { hgncId } from '../genes/files.js';

/** Sorted, disjoint regions of one contig. */
interface ChromosomeRegions {
  starts: number[];
  ends: number[];
}

/** Regions of the reference, zero-based half-open. */
export class Panel {
  readonly #regions: ReadonlyMap<Contig, ChromosomeRegions>;

  constructor(intervals: Iterable<readonly [contig: Contig, start: number, end: number]>) {
    const byContig = new Map<Contig, [number, number][]>();
    for (const [contig, start, end] of intervals) {
      const list = byContig.get(contig);
      if (list) list.push([start, end]);
      else byContig.set(contig, [[start, end]]);
    }
    this.#regions = new Map([...byContig].map(([contig, list]) => [contig, mergeIntervals(list)]));
  }

  /** The regions, disjoint and in order within a contig. */
  *regions(): Generator<readonly [contig: Contig, start: number, end: number]> {
    for (const [contig, { starts, ends }] of this.#regions) {
      for (const [i, start] of starts.entries()) yield [contig, start, ends[i] ?? start];
    }
  }

  get isEmpty(): boolean {
    return this.#regions.size === 0;
  }

  /** Returns whether [start, end) shares a base with a region. */
  overlaps(contig: Contig, start: number, end: number): boolean {
    const regions = this.#regions.get(contig);
    if (!regions) return false;
    // Only the first region that ends after the start can overlap.
    let low = 0;
    let high = regions.ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((regions.ends[middle] ?? 0) > start) high = middle;
      else low = middle + 1;
    }
    const candidate = regions.starts[low];
    return candidate !== undefined && candidate < end;
  }
}

function mergeIntervals(intervals: [number, number][]): ChromosomeRegions {
  intervals.sort((a, b) => a[0] - b[0]);
  const starts: number[] = [];
  const ends: number[] = [];
  for (const [start, end] of intervals) {
    const last = ends.length - 1;
    if (last >= 0 && start <= (ends[last] ?? 0)) ends[last] = Math.max(ends[last] ?? 0, end);
    else {
      starts.push(start);
      ends.push(end);
    }
  }
  return { starts, ends };
}

/**
 * Reads BED files (regions overlapping or not) into one panel, without regions on other contigs. Throws an `unprocessable` fault
 * with file and line, also for a region that ends beyond its chromosome, or if no region is left.
 */
export async function readPanel(paths: readonly string[], assembly: Assembly): Promise<Panel> {
  const intervals: [Contig, number, number][] = [];
  for (const path of paths) {
    const bed = await readBedFile(path);
    const known = bed.chromosomes.map(contigNamed);
    bed.within((name) => {
      const contig = contigNamed(name);
      return contig && lengthOf(assembly, contig);
    });
    for (let place = 0; place < bed.length; place++) {
      const contig = known[bed.ordinals[place] as number];
      if (contig) intervals.push([contig, bed.starts[place] as number, bed.ends[place] as number]);
    }
  }
  const panel = new Panel(intervals);
  if (panel.isEmpty) {
    throw new Fault('unprocessable', `${paths.join(', ')}: no region on chromosomes ${contigs[0]}-22, X, Y or MT`);
  }
  return panel;
}

// Turns a list of genes into the regions that a load is restricted to.

/** Genes as a request names them: `17284`, `HGNC:17284`, `ENSG00000128513`. */
export interface GeneListRequest {
  ids: readonly unknown[];
  id_type: GeneIdType;
}

/** The message that clients of the HTTP interface know. */
const noFilter = 'Could not create a gene filter using the provided gene list';

/** The places of the known genes; throws an `unprocessable` fault if none is known. */
export async function genePanel(repository: GeneRepository, assembly: Assembly, list: GeneListRequest): Promise<Panel> {
  const genes = await repository.genes(assembly, readIds(list).wanted);
  if (genes.length === 0) throw new Fault('unprocessable', noFilter);
  return panelOf(genes);
}

/** As genePanel, for ids of both kinds; throws an `unprocessable` fault that names unknown ids, if any. */
export async function strictGenePanel(
  repository: GeneRepository,
  assembly: Assembly,
  ids: readonly string[],
): Promise<Panel> {
  const isEnsembl = (id: string) => /^ENS/i.test(id);
  const lists: GeneListRequest[] = [
    { id_type: 'HGNC', ids: ids.filter((id) => !isEnsembl(id)) },
    { id_type: 'Ensembl', ids: ids.filter(isEnsembl) },
  ];
  const found: Gene[] = [];
  const unknown: string[] = [];
  for (const list of lists) {
    const { wanted, unreadable } = readIds(list);
    const genes = await repository.genes(assembly, wanted);
    const known = new Set<string | number | undefined>(
      genes.map(({ hgnc, ensembl }) => (list.id_type === 'HGNC' ? hgnc : ensembl)),
    );
    unknown.push(...unreadable, ...wanted.ids.filter((id) => !known.has(id)).map(String));
    found.push(...genes);
  }
  if (unknown.length === 0) return panelOf(found);
  const release = await repository.release(assembly);
  const hint = release ? '' : `; there are no genes for ${assembly} yet: run update genes first`;
  throw new Fault('unprocessable', `${noFilter}: ${unknown.join(', ')} not found in ${assembly}${hint}`);
}

function panelOf(genes: readonly Gene[]): Panel {
  return new Panel(genes.map(({ contig, start, end }) => [contig, start, end] as const));
}

/** Ids in the form in which they are stored, and those that are not ids of this kind. */
function readIds({ ids, id_type }: GeneListRequest): { wanted: GeneIds; unreadable: string[] } {
  const unreadable: string[] = [];
  const read = <Id>(readId: (text: string) => Id | undefined): Id[] =>
    ids.flatMap((id) => {
      const text = typeof id === 'string' || typeof id === 'number' ? String(id).trim() : '';
      const known = readId(text);
      if (known === undefined) unreadable.push(text);
      return known === undefined ? [] : [known];
    });
  const wanted: GeneIds =
    id_type === 'HGNC'
      ? { type: 'HGNC', ids: read(hgncId) }
      : { type: 'Ensembl', ids: read((text) => ensemblId(text, 'ENSG')) };
  return { wanted, unreadable };
}
