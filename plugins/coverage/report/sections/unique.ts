/**
 * What reads that map uniquely change: genes whose coverage rests on ambiguous reads, as notices and in JSON. The percentages by
 * unique reads stand beside all others. Entered only if a sample has a file of such reads.
 */
import { isComplete } from '../../measure/measure.js';
import { numberedMembers } from '../../measure/region.js';
import type { Texts } from '../../texts/texts.js';
import { isLeftOut, type Measurement, type ReportData } from '../data.js';
import { cutList } from '../targets.js';
import type { PageNotice } from '../view.js';

/** Genes that a notice names. */
const mostNamed = 30;

interface DoubtedGenes {
  /** With bases at or above the coverage threshold, of which none is so by unique reads. */
  ambiguous: string[];
  /** Others of which every base is at or above the threshold by all reads, and not by unique ones. */
  incomplete: string[];
}

/** In the order of the targets. Nothing if the sample has no file of unique reads. */
export function doubtedGenes(data: ReportData, one: Measurement): DoubtedGenes | undefined {
  const { unique } = one.depths;
  if (unique === undefined) return undefined;
  const { level } = data;
  const genes = new Map<string, { isFull: boolean; isUnique: boolean; reached: number; byUnique: number }>();
  for (const [at, depths] of numberedMembers(one.depths.targets)) {
    const second = unique.targets.at(at);
    if (second === undefined || isLeftOut(data, one, at)) continue;
    const name = data.targets.at(at)?.group ?? '';
    const gene = genes.get(name) ?? { isFull: true, isUnique: true, reached: 0, byUnique: 0 };
    gene.isFull &&= isComplete(depths, level);
    gene.isUnique &&= isComplete(second, level);
    gene.reached += depths.reached[level] ?? 0;
    gene.byUnique += second.reached[level] ?? 0;
    genes.set(name, gene);
  }
  const found: DoubtedGenes = { ambiguous: [], incomplete: [] };
  for (const [name, { isFull, isUnique, reached, byUnique }] of genes) {
    if (reached > 0 && byUnique === 0) found.ambiguous.push(name);
    else if (isFull && !isUnique) found.incomplete.push(name);
  }
  return found;
}

export function uniqueNotices(data: ReportData, texts: Texts): PageNotice[] {
  const depth = texts.depth(data.request.level);
  return data.samples.flatMap((one) => {
    const found = doubtedGenes(data, one);
    return (['ambiguous', 'incomplete'] as const).flatMap((kind): PageNotice[] => {
      const names = found?.[kind] ?? [];
      if (names.length === 0) return [];
      const text = texts.unique[kind](one.sample.name, names.length, depth);
      return [{ text, list: [cutList(names, mostNamed, texts).join(', ')] }];
    });
  });
}

export function uniqueTerms({ request }: ReportData, texts: Texts): (readonly [term: string, text: string])[] {
  return [[texts.unique.title, texts.unique.term(texts.depth(request.level))]];
}

/** Of one sample, in JSON; the percentages stand beside those by all reads. */
export function uniqueData(data: ReportData, one: Measurement) {
  const { unique } = one;
  const genes = doubtedGenes(data, one);
  if (unique === undefined || genes === undefined) return {};
  return {
    unique_file: unique.fileName,
    unique_fingerprint: unique.fingerprint,
    unique_mapping_quality: unique.quality ?? null,
    genes_covered_only_by_ambiguous_reads: genes.ambiguous,
    genes_incomplete_by_unique_reads: genes.incomplete,
  };
}
