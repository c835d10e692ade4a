/** Coding bases of transcripts, and the splice bases beside them. */
import type { Build, CdsOpen, Exon, IntervalRepository, ReadOptions, TranscriptWithExons } from '../contract.js';
import { type Region, union } from './region.js';

/** The splice region of the Sequence Ontology reaches 8 bases into an intron; laboratories use 2 to 20. */
export const usualSplice = 8;
export const mostSplice = 20;

export interface CodingBases {
  /** With start and stop codon. */
  coding: Region[];
  /** Bases of introns, beside the coding segments that end there. */
  splice: Region[];
  /** Both, each base once. */
  counted: Region[];
}

/**
 * The coding bases of a transcript, and up to `splice` bases of an intron wherever a coding segment ends at it: never bases of
 * exons, so that none are untranslated, and none where the coding sequence begins or ends within an exon. Undefined if the source
 * states no coding bases.
 */
export function codingBases(
  { chromosome, exons }: { chromosome: string; exons: readonly Pick<Exon, 'start' | 'end' | 'cds'>[] },
  splice: number,
): CodingBases | undefined {
  const coding = union(exons.flatMap(({ cds }) => (cds === undefined ? [] : [{ chromosome, ...cds }])));
  if (coding.length === 0) return undefined;
  // Exons that touch have no intron between them.
  const blocks = union(exons.map(({ start, end }) => ({ chromosome, start, end })));
  const [starts, ends] = [new Set(coding.map(({ start }) => start)), new Set(coding.map(({ end }) => end))];
  const beside = blocks.flatMap(({ end }, i): Region[] => {
    const next = blocks[i + 1]?.start;
    if (next === undefined) return [];
    const after = ends.has(end) ? Math.min(end + splice, next) : end;
    const before = starts.has(next) ? Math.max(next - splice, end) : next;
    return after >= before
      ? [{ chromosome, start: end, end: next }]
      : [
          { chromosome, start: end, end: after },
          { chromosome, start: before, end: next },
        ];
  });
  const spliced = beside.filter(({ start, end }) => start < end);
  return { coding, splice: spliced, counted: union([...coding, ...spliced]) };
}

/** The end of the coding sequence that the source does not have, if there is one. */
export function cdsOpenOf({ exons }: Pick<TranscriptWithExons, 'exons'>): CdsOpen | undefined {
  const open = new Set(exons.flatMap(({ cdsOpen }) => cdsOpen ?? []));
  return open.size > 1 ? 'both' : [...open][0];
}

/** Exons that are looked at for a coding part: annotations have one among their first hundreds. */
const exonsLookedAt = 20_000;

/** Whether the exons that are loaded for the build state which of their bases are coding, as far as the first of them tell. */
export async function statesCoding(
  intervals: Pick<IntervalRepository, 'each'>,
  build: Build,
  options: ReadOptions,
): Promise<boolean> {
  let found = false;
  const take = async (exons: readonly { cds?: unknown }[]) => {
    found ||= exons.some(({ cds }) => cds !== undefined);
  };
  await intervals.each('exons', build, exonsLookedAt, take, options);
  return found;
}
