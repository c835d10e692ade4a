/**
 * The sex chromosomes of a sample from its depths: where the copies of X and Y are counted (places that reads of other
 * chromosomes do not reach, and coding exons if only exons were captured), how many there are, and which karyotype they fit.
 */
import { pseudoautosomal } from '../../../core/genome.js';
import { type Build, codingParts, type Gene, type IntervalRepository, type Span } from '../contract.js';
import { groupedBy, type Region, union } from './region.js';
import { choose } from './transcripts.js';

const karyotypes = ['XX', 'XY', 'X0', 'XXY', 'XYY', 'XXX'] as const;
export type Karyotype = (typeof karyotypes)[number];

/** Median depths of places (bins, or coding exons), and how many there are. */
export interface CopyEvidence {
  unit: 'bins' | 'exons';
  /** Without places that have no depth: gaps of the assembly, or exons that the assay does not capture. */
  autosomes: MedianDepth;
  x: MedianDepth;
  /** All places in single copy on Y, also those without depth. */
  y: MedianDepth;
}

export interface MedianDepth {
  /** 0 if there are no places. */
  median: number;
  count: number;
}

const unclearReasons = ['few-places', 'shallow', 'between', 'y-unknown'] as const;
/** `between`: no karyotype fits, as in a mosaic. `y-unknown`: X0, or a male whose Y the assay does not capture. */
type UnclearReason = (typeof unclearReasons)[number];

export interface KaryotypeEstimate {
  /** Undefined if unclear. */
  karyotype?: Karyotype;
  reason?: UnclearReason;
  /** Twice the median depth of X (of Y) divided by that of the autosomes. Undefined if the autosomes have no depth. */
  xCopies?: number;
  yCopies?: number;
  evidence: CopyEvidence;
}

const copies: Readonly<Record<Karyotype, readonly [x: number, y: number]>> = {
  XX: [2, 0],
  XY: [1, 1],
  X0: [1, 0],
  XXY: [2, 1],
  XYY: [1, 2],
  XXX: [3, 0],
};

/** How far a number of copies may be from a whole one. */
export const tolerance = 0.25;
/** Least number of places on the autosomes and on X, and on Y, where genes are few. */
export const leastPlaces = { autosomes: 500, x: 500, y: 50 };
/** Least median depth of the autosomes. */
export const leastDepth = 5;

/** Both numbers must fit: a karyotype that only one of them supports is unclear. */
export function karyotypeOfCopies(evidence: CopyEvidence): KaryotypeEstimate {
  const { autosomes, x, y, unit } = evidence;
  if (autosomes.median === 0) return { reason: 'few-places', evidence };
  const found = { xCopies: (2 * x.median) / autosomes.median, yCopies: (2 * y.median) / autosomes.median, evidence };
  const isFew = autosomes.count < leastPlaces.autosomes || x.count < leastPlaces.x || y.count < leastPlaces.y;
  if (isFew) return { ...found, reason: 'few-places' };
  if (autosomes.median < leastDepth) return { ...found, reason: 'shallow' };
  const karyotype = karyotypes.find((name) => {
    const [ofX, ofY] = copies[name];
    return Math.abs(found.xCopies - ofX) <= tolerance && Math.abs(found.yCopies - ofY) <= tolerance;
  });
  if (karyotype === undefined) return { ...found, reason: 'between' };
  if (karyotype === 'X0' && unit === 'exons') return { ...found, reason: 'y-unknown' };
  return { ...found, karyotype };
}

/** How many copies of X and of Y, outside the pseudoautosomal regions, a karyotype has. */
export function copiesIn(karyotype: Karyotype): { x: number; y: number } {
  const [x, y] = copies[karyotype];
  return { x, y };
}

/** Whether the depths of a genome fit no Y. A capture without depth on Y may have no baits there. */
export function lacksY({ karyotype, reason, yCopies = 1, evidence }: KaryotypeEstimate): boolean {
  const isEnough = karyotype !== undefined || reason === 'between';
  return isEnough && evidence.unit === 'bins' && yCopies <= tolerance;
}

export function isAneuploid(karyotype: Karyotype): boolean {
  return karyotype !== 'XX' && karyotype !== 'XY';
}

/** With a Y, male. */
export function sexOfKaryotype({ karyotype }: Pick<KaryotypeEstimate, 'karyotype'>): 'female' | 'male' | 'unknown' {
  if (karyotype === undefined) return 'unknown';
  return copies[karyotype][1] > 0 ? 'male' : 'female';
}

// Where the copies of X and Y are counted.

/**
 * The X-transposed region: 98 to 99 % of it is on Y as well (Ross et al. 2005), so that reads of a male map to either. Its bounds
 * are the widest of those in use (SexChrLab/SexChrCoordinates; UK Biobank).
 */
const transposed: Readonly<Record<Build, Span>> = {
  GRCh37: { start: 87_624_342, end: 92_583_067 },
  GRCh38: { start: 88_369_343, end: 93_328_068 },
};

/**
 * The X-degenerate parts of the male-specific region of Y: single copies, without the palindromes and arrays, the X-transposed
 * region and the heterochromatin (Skaletsky et al. 2003; the callable regions of Poznik et al. 2013).
 */
const singleCopy: Readonly<Record<Build, readonly Span[]>> = {
  GRCh37: [
    { start: 2_649_520, end: 2_918_085 },
    { start: 6_616_754, end: 7_442_522 },
    { start: 13_879_706, end: 16_096_353 },
    { start: 16_170_613, end: 17_986_973 },
    { start: 18_017_094, end: 18_271_675 },
    { start: 18_537_845, end: 19_568_146 },
    { start: 21_032_220, end: 22_215_886 },
    { start: 22_513_886, end: 23_467_839 },
  ],
  GRCh38: [
    { start: 2_781_479, end: 3_050_044 },
    { start: 6_748_713, end: 7_574_481 },
    { start: 11_759_000, end: 13_984_473 },
    { start: 14_058_733, end: 15_875_093 },
    { start: 15_905_214, end: 16_159_795 },
    { start: 16_425_965, end: 17_456_266 },
    { start: 18_870_334, end: 20_054_000 },
    { start: 20_352_000, end: 21_305_953 },
  ],
};

/** The parts of Y, or those of X outside the pseudoautosomal regions and the X-transposed region, where copies are counted. */
export function countedPlaces(chromosome: 'X' | 'Y', size: number, build: Build): Span[] {
  if (chromosome === 'Y') return singleCopy[build].filter(({ end }) => end <= size);
  const left: Span[] = [];
  const masked = [...pseudoautosomal[build].filter((par) => par.chromosome === 'X'), transposed[build]];
  let at = 0;
  for (const { start, end } of masked.toSorted((a, b) => a.start - b.start)) {
    if (at < Math.min(start, size)) left.push({ start: at, end: Math.min(start, size) });
    at = end;
  }
  if (at < size) left.push({ start: at, end: size });
  return left;
}

/** Bases of a bin. */
const binBases = 10_000;

/** Whole bins within a place, from its start; one of every `each`. */
export function binsIn({ start, end }: Span, each: number): Span[] {
  const bins = Math.floor((end - start) / binBases);
  return Array.from({ length: Math.ceil(bins / each) }, (_, i) => {
    const from = start + i * each * binBases;
    return { start: from, end: from + binBases };
  });
}

// Coding exons by which the copies of X and Y are counted in samples of which only exons were captured.

export interface CopyExons {
  autosomes: readonly Region[];
  x: readonly Region[];
  y: readonly Region[];
}

/** Undefined if no exons are loaded for the build. */
export type FindCopyExons = (build: Build, signal: AbortSignal) => Promise<CopyExons | undefined>;

/** Genes whose exons are taken, evenly spread over the list. */
const mostGenes = { autosomes: 600, x: 500, y: 500 };

/** Looks them up once for each version of the interval sets. */
export function createFindCopyExons(
  intervals: Pick<IntervalRepository, 'sets' | 'each' | 'transcriptsOf'>,
): FindCopyExons {
  const known = new Map<Build, { sets: string; exons: CopyExons }>();
  return async (build, signal) => {
    const own = (await intervals.sets({ signal })).filter((set) => set.build === build);
    if (!own.some(({ kind }) => kind === 'exons')) return undefined;
    const sets = own.map(({ kind, checksum, loaded }) => `${kind} ${checksum} ${loaded.toISOString()}`).join(';');
    const found = known.get(build);
    if (found?.sets === sets) return found.exons;
    const exons = await readExons(intervals, build, signal);
    known.set(build, { sets, exons });
    return exons;
  };
}

async function readExons(
  intervals: Pick<IntervalRepository, 'each' | 'transcriptsOf'>,
  build: Build,
  signal: AbortSignal,
): Promise<CopyExons> {
  const genes: Record<keyof CopyExons, Gene[]> = { autosomes: [], x: [], y: [] };
  const take = async (rows: readonly Gene[]) => {
    for (const gene of rows) {
      const part = copiesOfGene(gene, build);
      if (part !== undefined && (gene.biotype ?? 'protein_coding') === 'protein_coding') genes[part].push(gene);
    }
  };
  await intervals.each('genes', build, undefined, take, { signal });
  const chosen = {
    autosomes: spread(genes.autosomes, mostGenes.autosomes),
    x: spread(genes.x, mostGenes.x),
    y: spread(genes.y, mostGenes.y),
  };
  const ids = Object.values(chosen).flatMap((list) => list.map(({ ensembl }) => ensembl));
  const { transcripts } = await intervals.transcriptsOf(build, [...new Set(ids)], { signal });
  const byGene = groupedBy(transcripts, ({ gene, chromosome }) => `${gene} ${chromosome}`);
  const exonsOf = (list: readonly Gene[]): Region[] =>
    union(
      list.flatMap(({ ensembl, chromosome }) =>
        choose(byGene.get(`${ensembl} ${chromosome}`) ?? [], 'preferred').flatMap((transcript) => {
          const isMessenger = transcript.isManeSelect || transcript.references.refseqMrna.length > 0;
          const coding = isMessenger ? codingParts(transcript) : [];
          return (coding ?? []).map(({ start, end }) => ({ chromosome, start, end }));
        }),
      ),
    );
  return { autosomes: exonsOf(chosen.autosomes), x: exonsOf(chosen.x), y: exonsOf(chosen.y) };
}

/** Which copies the gene counts for; undefined for genes with copies elsewhere, and for those of the mitochondrion. */
function copiesOfGene({ chromosome, start, end }: Gene, build: Build): keyof CopyExons | undefined {
  if (chromosome === 'MT') return undefined;
  if (chromosome !== 'X' && chromosome !== 'Y') return 'autosomes';
  const places = countedPlaces(chromosome, Number.POSITIVE_INFINITY, build);
  const isWithin = places.some((place) => place.start <= start && end <= place.end);
  if (!isWithin) return undefined;
  return chromosome === 'X' ? 'x' : 'y';
}

function spread<One>(list: readonly One[], most: number): One[] {
  const step = Math.max(1, list.length / most);
  return Array.from({ length: Math.min(most, list.length) }, (_, i) => list[Math.floor(i * step)] as One);
}
