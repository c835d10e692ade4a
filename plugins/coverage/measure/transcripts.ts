/**
 * Transcripts: which of a gene's are measured, their coding bases with the splice bases beside them, and the names of places in
 * them.
 */
import type { UnmetTranscript } from '../../services/coverage.js';
import {
  type Build,
  type CdsOpen,
  codingParts,
  type Exon,
  type IntervalRepository,
  type ReadOptions,
  type Span,
  type TranscriptWithExons,
} from '../contract.js';
import { type Region, union } from './region.js';

/**
 * `preferred`: MANE Select; if a gene has none, MANE Plus Clinical; if none, those with a RefSeq mRNA; else all. The others
 * name one of these kinds, without falling back: `mane` is MANE Select and MANE Plus Clinical.
 */
export const transcriptChoices = [
  'preferred',
  'mane',
  'mane_select',
  'mane_plus_clinical',
  'refseq_mrna',
  'all',
] as const;
export type TranscriptChoice = (typeof transcriptChoices)[number];

type TranscriptKind = Exclude<TranscriptChoice, 'preferred'>;

const isOf: Readonly<Record<TranscriptKind, (transcript: TranscriptWithExons) => boolean>> = {
  mane: (transcript) => transcript.isManeSelect || transcript.isManePlusClinical,
  mane_select: ({ isManeSelect }) => isManeSelect,
  mane_plus_clinical: ({ isManePlusClinical }) => isManePlusClinical,
  refseq_mrna: ({ references }) => references.refseqMrna.length > 0,
  all: () => true,
};

const preference: readonly TranscriptKind[] = ['mane_select', 'mane_plus_clinical', 'refseq_mrna', 'all'];
/** Of coding bases: what only the transcripts of MANE Plus Clinical have is measured beside those of MANE Select. */
const codingPreference: readonly TranscriptKind[] = ['mane', 'refseq_mrna', 'all'];

/**
 * The transcripts of one gene that were named: by Ensembl or RefSeq id, with or without version. A version that is not loaded is
 * replaced by the one that is. Versions of Ensembl ids are not stored: with one, the transcript is measured and listed as unmet.
 */
export function chooseNamed(
  transcripts: readonly TranscriptWithExons[],
  names: readonly string[],
): { chosen: TranscriptWithExons[]; unmet: UnmetTranscript[] } {
  const chosen = new Set<TranscriptWithExons>();
  const unmet: UnmetTranscript[] = [];
  for (const wanted of names) {
    const [id, version] = idAndVersion(wanted);
    const found = transcripts.flatMap((transcript) =>
      namesOfTranscript(transcript)
        .filter((name) => idAndVersion(name)[0] === id)
        .map((name) => ({ transcript, name })),
    );
    const same = found.filter(({ name }) => idAndVersion(name)[1] === version);
    const used = version === undefined || same.length === 0 ? found : same;
    for (const { transcript } of used) chosen.add(transcript);
    const loaded = used.find(({ name }) => idAndVersion(name)[1] !== undefined) ?? used[0];
    if (loaded === undefined) unmet.push({ wanted });
    else if (version !== undefined && same.length === 0) unmet.push({ wanted, loaded: loaded.name });
  }
  return { chosen: transcripts.filter((one) => chosen.has(one)), unmet };
}

function namesOfTranscript({ ensembl, references }: TranscriptWithExons): string[] {
  return [ensembl, ...Object.values(references).flat()];
}

function idAndVersion(name: string): readonly [id: string, version: string | undefined] {
  const [, id = '', version] = /^(.*?)(?:\.(\d+))?$/s.exec(name.trim().toUpperCase()) ?? [];
  return [id, version];
}

/** The chosen transcripts of one gene, in their order. */
export function choose(
  transcripts: readonly TranscriptWithExons[],
  choice: TranscriptChoice,
  ofCoding = false,
): readonly TranscriptWithExons[] {
  const preferred = ofCoding ? codingPreference : preference;
  for (const kind of choice === 'preferred' ? preferred : [choice]) {
    const chosen = transcripts.filter(isOf[kind]);
    if (chosen.length > 0) return chosen;
  }
  return [];
}

// Coding bases of transcripts, and the splice bases beside them.

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

// What a place in a transcript is called: the exon's number, and the coding position (HGVS, `c.`).

export interface TranscriptPlace {
  /** `12`, or `3-4` for a place that runs over exons without an intron between them. Empty outside of all exons. */
  exon: string;
  /**
   * `c.123_145`, `c.-12_34`, `c.1971_*45`, or `c.123` for a single base, in the direction of reading; bases of introns by the
   * nearest base of an exon, `c.145+1_145+8`. Undefined if the coding sequence or the strand is unknown.
   */
  coding?: string;
}

type Model = Pick<TranscriptWithExons, 'exons' | 'strand'>;

/** Names places (zero-based half-open, on the transcript's chromosome) by the exons and the coding part of a transcript. */
export function placesIn(transcript: Model): (place: Span) => TranscriptPlace {
  const numbered = codingNumbers(transcript);
  return ({ start, end }) => {
    const ranks = transcript.exons.flatMap((exon) => (exon.start < end && start < exon.end ? [exon.rank] : []));
    const [first, last] = [Math.min(...ranks), Math.max(...ranks)];
    const exon = ranks.length === 0 ? '' : first === last ? String(first) : `${first}-${last}`;
    const [from, to] = transcript.strand === -1 ? [end - 1, start] : [start, end - 1];
    const [begin, until] = [numbered?.(from), numbered?.(to)];
    if (begin === undefined || until === undefined) return { exon };
    return { exon, coding: begin === until ? `c.${begin}` : `c.${begin}_${until}` };
  };
}

/**
 * Numbers bases as HGVS does: 1 is the first base of the start codon, -1 the base before it, *1 the base after
 * the stop codon. Undefined if the coding sequence is unknown, or is not one run of the exons' bases.
 */
function codingNumbers(transcript: Model): ((position: number) => string | undefined) | undefined {
  const parts = codingParts(transcript) ?? [];
  const [first, last] = [parts[0], parts.at(-1)];
  if (transcript.strand === undefined || first === undefined || last === undefined) return undefined;
  const reverse = transcript.strand === -1;
  const exons = transcript.exons.toSorted((a, b) => (reverse ? b.start - a.start : a.start - b.start));
  const offsetOf = (position: number): number | undefined => {
    let before = 0;
    for (const { start, end } of exons) {
      if (start <= position && position < end) return before + (reverse ? end - 1 - position : position - start);
      before += end - start;
    }
    return undefined;
  };
  const begin = offsetOf(reverse ? last.end - 1 : first.start);
  const until = offsetOf(reverse ? first.start : last.end - 1);
  const bases = parts.reduce((sum, { start, end }) => sum + end - start, 0);
  if (begin === undefined || until === undefined || until - begin + 1 !== bases) return undefined;
  const exonic = (position: number) => {
    const offset = offsetOf(position);
    if (offset === undefined) return undefined;
    if (offset < begin) return String(offset - begin);
    return offset > until ? `*${offset - until}` : String(offset - begin + 1);
  };
  return (position) => {
    const own = exonic(position);
    if (own !== undefined) return own;
    // The nearest bases of exons on both sides; in the middle of an intron the one before counts.
    const left = Math.max(...exons.map(({ end }) => (end <= position ? end - 1 : Number.NEGATIVE_INFINITY)));
    const right = Math.min(...exons.map(({ start }) => (start > position ? start : Number.POSITIVE_INFINITY)));
    const [before, after] = reverse ? [right, left] : [left, right];
    if (!Number.isFinite(before) || !Number.isFinite(after)) return undefined;
    const [since, to] = [Math.abs(position - before), Math.abs(after - position)];
    return since <= to ? `${exonic(before)}+${since}` : `${exonic(after)}-${to}`;
  };
}
