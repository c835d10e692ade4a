/** Queries for one allele at a place: the exact and bracketed positions of Beacon v1 and 1.1. */
import { Fault } from '../../../../core/plugin.js';
import type { AlleleQuery, Bounds, Contig, KindFilter } from '../../contract.js';
import { canonicalQuestion } from '../../domain/allele-query.js';

const exactCoordinates = ['start', 'end'] as const;
export const rangeCoordinates = ['startMin', 'startMax', 'endMin', 'endMax'] as const;
export type Coordinate = (typeof exactCoordinates)[number] | (typeof rangeCoordinates)[number];
export const coordinates: readonly Coordinate[] = [...exactCoordinates, ...rangeCoordinates];

/** Zero-based; ends are exclusive, or the positions of mates. Brackets include both of their sides. */
export type Positions = Partial<Record<Coordinate, number>>;

/** Beyond the end of every chromosome; larger coordinates are cut to it. */
const beyond = 2 ** 31 - 1;

interface PositionedAllele {
  contig: Contig;
  mate: Contig | undefined;
  /** `[ACGTN]+` */
  reference: string | undefined;
  alternate: string | undefined;
  kinds: readonly KindFilter[] | undefined;
  positions: Positions;
  /** Whether the end is the position of a breakend's mate, which may be before the start. */
  isFar: boolean;
}

/** Throws an `invalid` fault for positions that contradict each other. */
export function positionedQuery(asked: PositionedAllele): Omit<AlleleQuery, 'assembly'> {
  const { contig, mate, kinds, positions } = asked;
  const written = { reference: asked.reference, alternate: asked.alternate, ...bounds(positions, asked.isFar) };
  const { start, end, reference, alternate } = isBracket(positions) ? written : canonicalQuestion(written);
  return {
    contig,
    ...(start && { start }),
    ...(end && { end }),
    ...(reference && { reference }),
    ...(alternate && { alternate }),
    ...(kinds && { kinds }),
    ...(mate && { mate }),
  };
}

function isBracket(positions: Positions): boolean {
  return rangeCoordinates.some((name) => positions[name] !== undefined);
}

function bounds(positions: Positions, isFar: boolean): { start?: Bounds | undefined; end?: Bounds | undefined } {
  for (const [name, value] of Object.entries(positions)) {
    if (value < 0) throw invalidPositions(`Invalid coordinates. ${name} is negative: positions are counted from 0`);
  }
  const { start, end, startMin, startMax, endMin, endMax } = positions;
  if (isBracket(positions)) {
    // Some clients send zeros for coordinates that they do not use.
    const unused = start === 0 && end === 0;
    if (!unused && (start !== undefined || end !== undefined)) {
      throw invalidPositions("Invalid coordinates. Range coordinates cannot be combined with 'start' or 'end'");
    }
    return { start: boundsBetween('start', startMin, startMax), end: boundsBetween('end', endMin, endMax) };
  }
  if (start !== undefined && end !== undefined && end < start && !isFar) {
    throw invalidPositions('Invalid coordinates. end is before start');
  }
  return { start: boundsBetween('start', start, start), end: boundsBetween('end', end, end) };
}

function boundsBetween(what: string, min: number | undefined, max: number | undefined): Bounds | undefined {
  if (min === undefined && max === undefined) return undefined;
  const bounds = { min: Math.min(min ?? 0, beyond), max: Math.min(max ?? beyond, beyond) };
  if (bounds.min > bounds.max) throw invalidPositions(`Invalid coordinates. ${what}Max is before ${what}Min`);
  return bounds;
}

function invalidPositions(message: string): Fault {
  return new Fault('invalid', message);
}
