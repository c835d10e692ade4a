/** Samples that have one allele in two segments of a dataset. */
import type { Database } from '../binding.js';
import { decodeCarriers } from './carriers.js';
import { allelesByPlace, sameAllele, segmentRows } from './layout.js';
import { bounds, onContig, type Portion, portions, within } from './portions.js';
import type { PublishedSegment } from './published.js';

/** A carrier of a row: how many copies which sample has. */
interface Place {
  segment: number;
  row: number;
  ordinal: number;
  copies: number;
}

interface Repeat {
  /** In the segment that is looked at. */
  here: Place;
  /** In one of the others. */
  there: Place;
}

/** Ordinals by row: carriers that a copy leaves out. */
export type LostCarriers = Map<number, Set<number>>;

type Repeats = (portion: Portion) => Promise<Repeat[]>;
type Sampled = Pick<PublishedSegment, 'id' | 'samples'>;

/** Finds the repeats in a portion of a segment. */
export function repeatsAmong(database: Database, { id, samples }: Sampled, others: readonly Sampled[]): Repeats {
  const ordinals = new Map(samples.map(({ ordinal, name }) => [name, ordinal]));
  const names = new Map(others.map(({ id, samples }) => [id, new Map(samples.map((s) => [s.ordinal, s.name]))]));
  const { engine } = database;
  const text =
    'select s.id, s.calls, s.carriers, o.id as there, o.calls as calls_there, o.carriers as carriers_there ' +
    `from beacon_alleles s join ${allelesByPlace(engine)} o on ${sameAllele} where ${within(engine, 's')} and ${onContig(engine, 'o')} ` +
    `and o.id / ${segmentRows} in (${others.map(({ id }) => id).join(', ')})`;
  return async (portion) => {
    const rows = await database.query<{
      id: number | string;
      calls: number;
      carriers: string | null;
      there: number | string;
      calls_there: number;
      carriers_there: string | null;
    }>(text, [...bounds(portion), portion.contig]);
    return rows.flatMap((row) => {
      const mine = decodeCarriers(row.carriers, row.calls);
      const there = { segment: Math.floor(Number(row.there) / segmentRows), row: Number(row.there) };
      return [...decodeCarriers(row.carriers_there, row.calls_there)].flatMap(([other, copies]): Repeat[] => {
        const ordinal = ordinals.get(names.get(there.segment)?.get(other) ?? '') ?? -1;
        const here = { segment: id, row: Number(row.id), ordinal, copies: mine.get(ordinal) ?? 0 };
        return mine.has(ordinal) ? [{ here, there: { ...there, ordinal: other, copies } }] : [];
      });
    });
  };
}

/**
 * The carriers that segments lose, by segment, so that each sample has each allele of this segment once: with the larger
 * number of copies.
 */
export async function smallerRepeats(
  database: Database,
  segment: Sampled,
  others: readonly Sampled[],
  pause: () => Promise<void>,
): Promise<Map<number, LostCarriers>> {
  const losses = new Map<number, LostCarriers>();
  if (others.length === 0) return losses;
  const repeats = repeatsAmong(database, segment, others);
  for (const portion of await portions(database, segment.id)) {
    await pause();
    for (const { here, there } of await repeats(portion)) {
      const loser = here.copies > there.copies ? there : here;
      const lost = losses.get(loser.segment) ?? new Map<number, Set<number>>();
      losses.set(loser.segment, lost);
      lose(lost, loser);
    }
  }
  return losses;
}

export function lose(lost: LostCarriers, { row, ordinal }: Pick<Place, 'row' | 'ordinal'>): void {
  lost.set(row, (lost.get(row) ?? new Set()).add(ordinal));
}
