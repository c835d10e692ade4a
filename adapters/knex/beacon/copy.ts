/** Copies of a segment that leave some carriers out. */
import type { Database } from '../binding.js';
import { callsOf, decodeCarriers, eachCarrier, type SegmentSample } from './carriers.js';
import { type AlleleRow, alleleSelection, allelesByPlace, sameAllele, segmentOf, segmentRows } from './layout.js';
import { bounds, onContig, type Portion, portions, within } from './portions.js';
import type { PublishedSegment } from './published.js';
import type { StagedSegment } from './segment.js';
import { copyUncalled } from './uncalled.js';

const copiedRows = 5000;

/** Which ordinals the rows of a portion lose. */
interface PortionLosses {
  any: boolean;
  of(row: number): Iterable<number>;
}

type Losses = (portion: Portion) => Promise<PortionLosses>;

/** What a copy leaves out. */
export interface LeftOut {
  /** Ids of the rows that lost all carriers. */
  rows: number[];
  /** Copies of the carriers that are gone. */
  calls: number;
}

/** Copies a segment's rows; those that lose all carriers are left out. `gone` are samples that are left out. */
async function copy(
  database: Database,
  source: number,
  target: StagedSegment,
  losses: Losses,
  gone: ReadonlySet<number> = new Set(),
): Promise<LeftOut> {
  const left: LeftOut = { rows: [], calls: 0 };
  for (const portion of await portions(database, source, copiedRows)) {
    const lost = await losses(portion);
    const rows = await database.query<AlleleRow & { span: number }>(
      `select ${alleleSelection}, a.span from beacon_alleles a where ${within(database.engine, 'a')} order by a.id`,
      bounds(portion),
    );
    for (const row of rows) {
      const carriers = decodeCarriers(row.carriers, row.calls);
      for (const ordinal of lost.of(Number(row.id))) carriers.delete(ordinal);
      const calls = callsOf(carriers);
      left.calls += row.calls - calls;
      if (carriers.size > 0) await target.addRow(row, carriers, calls);
      else left.rows.push(Number(row.id));
    }
  }
  await target.flush();
  await copyUncalled(database, source, target, (ordinal) => (gone.has(ordinal) ? undefined : ordinal));
  return left;
}

/** Copies a segment without some of its samples. */
export async function copyWithoutSamples(
  database: Database,
  source: number,
  target: StagedSegment,
  ordinals: ReadonlySet<number>,
): Promise<LeftOut> {
  return copy(database, source, target, async () => ({ any: true, of: () => ordinals }), ordinals);
}

/**
 * Which carriers of a staged segment's rows the dataset has already: the same sample with the same allele in one of the
 * `known` segments.
 */
export function repeatedCarriers(
  database: Database,
  samples: readonly SegmentSample[],
  known: readonly PublishedSegment[],
): Losses {
  const { engine } = database;
  const ordinals = new Map(samples.map(({ ordinal, name }) => [name, ordinal]));
  const names = new Map(known.map(({ id, samples }) => [id, new Map(samples.map((s) => [s.ordinal, s.name]))]));
  const text =
    'select s.id, s.carriers, o.id as there, o.carriers as carriers_there ' +
    `from beacon_alleles s join ${allelesByPlace(engine)} o on ${sameAllele} where ${within(engine, 's')} and ${onContig(engine, 'o')} ` +
    `and o.id / ${segmentRows} in (${known.map(({ id }) => id).join(', ')})`;
  return async (portion) => {
    const rows = await database.query<{
      id: number | string;
      carriers: string | null;
      there: number | string;
      carriers_there: string | null;
    }>(text, [...bounds(portion), portion.contig]);
    const lost = new Map<number, Set<number>>();
    for (const { id, carriers, there, carriers_there } of rows) {
      const mine = decodeCarriers(carriers, 0);
      const nameOf = names.get(segmentOf({ id: there }));
      eachCarrier(carriers_there, 0, (other) => {
        const ordinal = ordinals.get(nameOf?.get(other) ?? '') ?? -1;
        if (mine.has(ordinal)) lost.set(Number(id), (lost.get(Number(id)) ?? new Set()).add(ordinal));
      });
    }
    return { any: lost.size > 0, of: (row) => lost.get(row) ?? [] };
  };
}

/** Copies a staged segment without the carriers in `losses`; copies nothing if there are none. */
export async function copyWithoutRepeats(
  database: Database,
  source: number,
  open: () => Promise<StagedSegment>,
  losses: Losses,
): Promise<StagedSegment | undefined> {
  let repeats = false;
  for (const portion of await portions(database, source, copiedRows)) {
    repeats = (await losses(portion)).any;
    if (repeats) break;
  }
  if (!repeats) return undefined;
  const target = await open();
  await copy(database, source, target, losses);
  return target;
}
