/** The sex chromosomes of a sample from its depths: how many copies of X and Y, and which karyotype they fit. */

export const karyotypes = ['XX', 'XY', 'X0', 'XXY', 'XYY', 'XXX'] as const;
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
export type UnclearReason = (typeof unclearReasons)[number];

export interface KaryotypeFound {
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
export function karyotypeOf(evidence: CopyEvidence): KaryotypeFound {
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
export function lacksY({ karyotype, reason, yCopies = 1, evidence }: KaryotypeFound): boolean {
  const isEnough = karyotype !== undefined || reason === 'between';
  return isEnough && evidence.unit === 'bins' && yCopies <= tolerance;
}

export function isAneuploid(karyotype: Karyotype): boolean {
  return karyotype !== 'XX' && karyotype !== 'XY';
}

/** With a Y, male. */
export function sexOfKaryotype({ karyotype }: Pick<KaryotypeFound, 'karyotype'>): 'female' | 'male' | 'unknown' {
  if (karyotype === undefined) return 'unknown';
  return copies[karyotype][1] > 0 ? 'male' : 'female';
}
