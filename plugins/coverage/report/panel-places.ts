/**
 * The regions and repeats of a report's panel: which of their bases are counted. They are measured in the pass of the genes, and no
 * total, count of fully covered genes or percentage that a panel requires has a base of theirs.
 */
import type { PanelPlaceOfReport } from '../../services/panels.js';
import type { Gene, IntervalRepository } from '../contract.js';
import { groupedBy, type Region, union } from '../measure/region.js';
import { type GeneTarget, select } from '../measure/select.js';
import type { PageRequest } from './form/request.js';
import { isReported, type LeftPlace, type ReportPanel } from './panel.js';
import { ofPlace, type ReportTarget } from './targets.js';

/** Under which they are measured beside the targets of a report. */
export const placesLayer = 'panelPlaces';

/** A region or repeat whose bases are measured. */
export interface PanelPlace {
  entry: PanelPlaceOfReport;
  target: ReportTarget;
  /** All of its bases, or the coding ones of the genes in it; exonic ones if the gene set does not state which are coding. */
  counted: 'whole' | 'coding' | 'exonic';
  /** Symbols, or else ids, of the genes whose bases are counted, by position. */
  genes: readonly string[];
}

export interface PanelPlaces {
  /** In the order of the panel. */
  measured: readonly PanelPlace[];
  left: ReadonlyMap<PanelPlaceOfReport, LeftPlace>;
}

interface PlaceTools {
  intervals: Pick<IntervalRepository, 'findGenes' | 'transcriptsOf' | 'each'>;
  settings: { limits: { genes: number } };
}

/**
 * A report on whole genes counts whole regions. Others are of exomes or count as such: of a region they count the coding bases of the
 * genes in it, without splice bases.
 */
export async function panelPlacesOf(
  { intervals, settings: { limits } }: PlaceTools,
  { build, type, transcripts }: Pick<PageRequest, 'build' | 'type' | 'transcripts'>,
  panel: ReportPanel,
  signal: AbortSignal,
): Promise<PanelPlaces> {
  const left = new Map<PanelPlaceOfReport, LeftPlace>();
  const whole = new Map<PanelPlaceOfReport, Region>();
  for (const entry of panel.others) {
    const place = entry.places[build];
    if (!isReported(entry, panel.confidence)) left.set(entry, 'confidence');
    else if (place === undefined) left.set(entry, 'no-place');
    else whole.set(entry, place);
  }
  const byCoding = [...whole].filter(([{ kind }]) => kind === 'region' && type !== 'genes');
  const genesOf = await genesIn(intervals, build, byCoding, signal);
  const wanted = new Set<string>();
  for (const [entry] of byCoding) {
    const own = (genesOf.get(entry) ?? []).map(({ ensembl }) => ensembl);
    const more = own.filter((id) => !wanted.has(id)).length;
    if (wanted.size + more > limits.genes) left.set(entry, 'too-many-genes');
    else for (const id of own) wanted.add(id);
  }
  const question = { build, genes: [...wanted], type: 'coding', splice: 0, transcripts } as const;
  const found = wanted.size === 0 ? undefined : await select(intervals, question, { signal });
  const targets = groupedBy(found?.targets ?? [], ({ gene }) => gene.ensembl);
  const counted = found?.type === 'exons' ? 'exonic' : 'coding';
  const basesOf = ({ regions, coding = [] }: GeneTarget) => (counted === 'exonic' ? regions : coding);
  const measured: PanelPlace[] = [];
  for (const [entry, place] of whole) {
    if (entry.kind === 'str' || type === 'genes') {
      measured.push({ entry, target: ofPlace(entry.name, place), counted: 'whole', genes: [] });
      continue;
    }
    if (left.has(entry)) continue;
    const genes: string[] = [];
    const regions: Region[] = [];
    for (const { ensembl, symbol } of genesOf.get(entry) ?? []) {
      const own = (targets.get(ensembl) ?? []).flatMap(basesOf).flatMap((region) => within(region, place));
      if (own.length > 0) genes.push(symbol ?? ensembl);
      regions.push(...own);
    }
    if (regions.length === 0) left.set(entry, 'no-coding');
    else measured.push({ entry, target: { ...ofPlace(entry.name, place), regions: union(regions) }, counted, genes });
  }
  return { measured, left };
}

/** The genes with a base in each of the places, by position. */
async function genesIn(
  intervals: PlaceTools['intervals'],
  build: PageRequest['build'],
  entries: readonly (readonly [PanelPlaceOfReport, Region])[],
  signal: AbortSignal,
): Promise<Map<PanelPlaceOfReport, Gene[]>> {
  const found = new Map<PanelPlaceOfReport, Gene[]>();
  if (entries.length === 0) return found;
  const onChromosome = groupedBy(entries, ([, { chromosome }]) => chromosome);
  const take = async (genes: readonly Gene[]) => {
    for (const gene of genes) {
      for (const [entry, place] of onChromosome.get(gene.chromosome) ?? []) {
        if (within(gene, place).length === 0) continue;
        const own = found.get(entry);
        if (own === undefined) found.set(entry, [gene]);
        else own.push(gene);
      }
    }
  };
  await intervals.each('genes', build, undefined, take, { signal });
  for (const genes of found.values()) genes.sort((a, b) => a.start - b.start || a.end - b.end);
  return found;
}

/** The part of the region in the place; none if they share no base. */
function within({ chromosome, start, end }: Region, place: Region): Region[] {
  const part = { chromosome, start: Math.max(start, place.start), end: Math.min(end, place.end) };
  return chromosome === place.chromosome && part.start < part.end ? [part] : [];
}
