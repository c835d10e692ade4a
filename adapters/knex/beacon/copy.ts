/** Copies of a segment that leave some carriers out. */
import type { Database } from '../binding.js';
import { type Carriers, callsOf, decodeCarriers } from './carriers.js';
import { type AlleleRow, alleleSelection, sameAllele } from './layout.js';
import { bounds, onContig, type Portion, portions, within } from './portions.js';
import type { PublishedSegment } from './published.js';
import type { SegmentSample, StagedSegment } from './segment.js';

const copiedRows = 5000;

/** Which ordinals the rows of a portion lose. */
interface PortionLosses {
  any: boolean;
  of(row: number): Iterable<number>;
}

type Losses = (portion: Portion) => Promise<PortionLosses>;

/** Copies a segment's rows; those that lose all carriers are left out. */
async function copy(database: Database, source: number, target: StagedSegment, losses: Losses): Promise<void> {
  for (const portion of await portions(database, source, copiedRows)) {
    const lost = await losses(portion);
    const rows = await database.query<AlleleRow & { span: number }>(
      `select ${alleleSelection}, a.span from beacon_alleles a where ${within(database.engine, 'a')} order by a.id`,
      bounds(portion),
    );
    for (const row of rows) {
      const carriers = decodeCarriers(row.carriers, row.calls);
      for (const ordinal of lost.of(Number(row.id))) carriers.delete(ordinal);
      if (carriers.size > 0) await target.addRow(row, carriers, callsOf(carriers));
    }
  }
  await target.flush();
}

/** Copies a segment without some of its samples. */
export async function copyWithoutSamples(
  database: Database,
  source: number,
  target: StagedSegment,
  ordinals: ReadonlySet<number>,
): Promise<void> {
  await copy(database, source, target, async () => ({ any: true, of: () => ordinals }));
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
  const ordinals = new Map(samples.map(({ ordinal, name }) => [name, ordinal]));
  const names = new Map(known.map(({ id, samples }) => [id, new Map(samples.map((s) => [s.ordinal, s.name]))]));
  const { engine } = database;
  const text =
    'select s.id, o.id / 4294967296 as segment, o.calls, o.carriers from beacon_alleles s ' +
    `join beacon_alleles o on ${sameAllele} where ${within(engine, 's')} and ${onContig(engine, 'o')} ` +
    `and o.id / 4294967296 in (${known.map(({ id }) => id).join(', ')})`;
  return async (portion) => {
    const rows = await database.query<{
      id: number | string;
      segment: number | string;
      calls: number;
      carriers: string | null;
    }>(text, [...bounds(portion), portion.contig]);
    const lost = new Map<number, Set<number>>();
    for (const row of rows) {
      const carriers: Carriers = decodeCarriers(row.carriers, row.calls);
      for (const there of carriers.keys()) {
        const ordinal = ordinals.get(names.get(Number(row.segment))?.get(there) ?? '');
        if (ordinal === undefined) continue;
        const id = Number(row.id);
        lost.set(id, (lost.get(id) ?? new Set()).add(ordinal));
      }
    }
    return { any: lost.size > 0, of: (row) => lost.get(row) ?? [] };
  };
}

/** Copies a staged segment without the carriers that `losses` names; where there are none it copies nothing. */
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
