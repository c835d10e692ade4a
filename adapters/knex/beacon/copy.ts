/** Taking samples and datasets out: copies of a segment that leave some carriers out take its place. */
import { step } from '../../../core/storage.js';
import type { Change } from '../../../plugins/beacon/contract.js';
import type { Database } from '../binding.js';
import { callsOfCarriers, decodeCarriers, eachCarrier, type SegmentSample } from './carriers.js';
import {
  alleleSelection,
  allelesByPlace,
  type StoredAlleleRow,
  sameAllele,
  segmentOfRow,
  segmentRows,
} from './layout.js';
import { bounds, onContig, portionsOfSegment, type SegmentPortion, withinPortion } from './portions.js';
import {
  allelesOnlyIn,
  callsIn,
  type DatasetPublication,
  type PublishedSegment,
  published,
  sampleNames,
  takeStep,
} from './published.js';
import { removeFacts } from './sample-facts.js';
import { StagedSegment } from './segment.js';
import { discardSegment, sweepSegment } from './sweep.js';
import { copyUncalled } from './uncalled.js';

const copiedRows = 5000;

/** Which ordinals the rows of a portion lose. */
interface PortionLosses {
  any: boolean;
  of(row: number): Iterable<number>;
}

type LossesOfPortion = (portion: SegmentPortion) => Promise<PortionLosses>;

/** What a copy leaves out. */
interface CopyLosses {
  /** Ids of the rows that lost all carriers. */
  rows: number[];
  /** Copies of the carriers that are gone. */
  calls: number;
}

/** Copies a segment's rows; those that lose all carriers are left out. `gone` are samples that are left out. */
async function copyRows(
  database: Database,
  source: number,
  target: StagedSegment,
  losses: LossesOfPortion,
  gone: ReadonlySet<number> = new Set(),
): Promise<CopyLosses> {
  const left: CopyLosses = { rows: [], calls: 0 };
  for (const portion of await portionsOfSegment(database, source, copiedRows)) {
    const lost = await losses(portion);
    const rows = await database.query<StoredAlleleRow & { span: number }>(
      `select ${alleleSelection}, a.span from beacon_alleles a where ${withinPortion(database.engine, 'a')} order by a.id`,
      bounds(portion),
    );
    for (const row of rows) {
      const carriers = decodeCarriers(row.carriers, row.calls);
      for (const ordinal of lost.of(Number(row.id))) carriers.delete(ordinal);
      const calls = callsOfCarriers(carriers);
      left.calls += row.calls - calls;
      if (carriers.size > 0) await target.addRow(row, carriers, calls);
      else left.rows.push(Number(row.id));
    }
  }
  await target.flush();
  await copyUncalled(database, source, target, (ordinal) => (gone.has(ordinal) ? undefined : ordinal));
  return left;
}

/**
 * Which carriers of a staged segment's rows the dataset has already: the same sample with the same allele in one of the
 * `known` segments.
 */
export function repeatedCarriers(
  database: Database,
  samples: readonly SegmentSample[],
  known: readonly PublishedSegment[],
): LossesOfPortion {
  const { engine } = database;
  const ordinals = new Map(samples.map(({ ordinal, name }) => [name, ordinal]));
  const names = new Map(known.map(({ id, samples }) => [id, new Map(samples.map((s) => [s.ordinal, s.name]))]));
  const text =
    'select s.id, s.carriers, o.id as there, o.carriers as carriers_there ' +
    `from beacon_alleles s join ${allelesByPlace(engine)} o on ${sameAllele} where ${withinPortion(engine, 's')} and ${onContig(engine, 'o')} ` +
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
      const nameOf = names.get(segmentOfRow({ id: there }));
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
  losses: LossesOfPortion,
): Promise<StagedSegment | undefined> {
  let repeats = false;
  for (const portion of await portionsOfSegment(database, source, copiedRows)) {
    repeats = (await losses(portion)).any;
    if (repeats) break;
  }
  if (!repeats) return undefined;
  const target = await open();
  try {
    await copyRows(database, source, target, losses);
    return target;
  } catch (error) {
    target.close();
    await discardSegment(database, target.id);
    throw error;
  }
}

/** Segments that hold one of the samples are swapped for copies without it, or for nothing. */
export async function removeSamples(
  database: Database,
  dataset: string,
  samples: readonly string[],
  now: Date,
): Promise<Change> {
  const names = new Set(samples);
  for (;;) {
    const state = await published(database, dataset, samples);
    const affected = state.segments;
    if (affected.length === 0) return { alleles: 0, calls: 0, samples: 0 };
    const drop = affected.map(({ id }) => id);
    const copies: StagedSegment[] = [];
    const left = new Map<number, CopyLosses>();
    let taken = false;
    try {
      for (const segment of affected) {
        const rest = await copyRest(database, dataset, segment, names, copies);
        if (rest) left.set(segment.id, rest);
      }
      step('beacon.remove.copied');
      const publish = copies.map(({ id }) => id);
      // Of a segment that is copied only the rows that are left out are looked at, not all that stay.
      const among = new Map([...left].map(([id, { rows }]) => [id, rows]));
      const whole = drop.filter((id) => !left.has(id));
      const calls = [...left.values()].reduce((sum, { calls }) => sum + calls, 0);
      const change = {
        alleles: await allelesOnlyIn(database, drop, dataset, { without: drop, with: publish, among }),
        calls: calls + (await callsIn(database, whole)),
        samples: [...sampleNames(affected)].filter((name) => names.has(name)).length,
      };
      const less = { alleles: -change.alleles, calls: -change.calls, samples: -change.samples };
      const facts = (scoped: Database) => removeFacts(scoped, dataset, samples);
      taken = await takeStep(database, { dataset, revision: state.revision, publish, drop, change: less, facts, now });
      if (taken) {
        for (const id of drop) await sweepSegment(database, id);
        return change;
      }
    } finally {
      for (const copy of copies) {
        copy.close();
        if (!taken) await discardSegment(database, copy.id);
      }
    }
  }
}

/** Returns undefined if nothing is left of the segment. */
async function copyRest(
  database: Database,
  dataset: string,
  segment: DatasetPublication['segments'][number],
  names: ReadonlySet<string>,
  copies: StagedSegment[],
): Promise<CopyLosses | undefined> {
  const rest = segment.samples.filter(({ name }) => !names.has(name));
  if (rest.length === 0) return undefined;
  const loads = Math.ceil((segment.loads * rest.length) / segment.samples.length);
  const copy = await StagedSegment.open(database, dataset, rest, { ...segment, loads });
  copies.push(copy);
  const gone = new Set(segment.samples.flatMap(({ name, ordinal }) => (names.has(name) ? ordinal : [])));
  return copyRows(database, segment.id, copy, async () => ({ any: true, of: () => gone }), gone);
}

export async function removeDataset(database: Database, id: string): Promise<boolean> {
  const segments = await database.transaction(async ({ write, engine }) => {
    const found = await engine.forUpdate(write('beacon_datasets').where({ id })).first();
    if (!found) return undefined;
    await write('beacon_datasets').where({ id }).delete();
    await write('beacon_sample_facts').where({ dataset: id }).delete();
    await write('beacon_batches').where({ dataset: id }).delete();
    const rows = await write('beacon_segments').where({ dataset: id }).select('id');
    await write('beacon_segments').where({ dataset: id }).update({ state: 'dropped' });
    step('beacon.remove.dropped');
    return rows.map((row) => Number(row.id));
  });
  step('beacon.remove.committed');
  for (const segment of segments ?? []) await sweepSegment(database, segment);
  return segments !== undefined;
}
