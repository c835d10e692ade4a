/** Taking samples and datasets out: copies of a segment that leave some carriers out take its place. */
import { step } from '../../../core/storage.js';
import type { Change, Searched } from '../../../plugins/beacon/contract.js';
import type { Database, Engine } from '../binding.js';
import { callsOfCarriers, decodeCarriers, eachCarrier, type SegmentSample } from './carriers.js';
import { fractionsWithin, ofCarriers } from './fractions.js';
import {
  alleleSelection,
  allelesByPlace,
  rowRange,
  type StoredAlleleRow,
  sameAllele,
  segmentOfRow,
  segmentRows,
} from './layout.js';
import { bounds, onContig, portionsOfSegment, type SegmentPortion, withinPortion } from './portions.js';
import { allelesOnlyIn, callsIn, type PublishedSegment, published, sampleNames, takeStep } from './published.js';
import { removeFacts } from './sample-facts.js';
import { StagedSegment } from './segment.js';
import { discardSegment, sweepSegment } from './sweep.js';
import { copyUncalled } from './uncalled.js';

export const copiedRows = 5000;

/** Which ordinals a row of a portion loses. */
type LossesOfPortion = (portion: SegmentPortion) => Promise<(row: StoredAlleleRow) => Iterable<number>>;

/** What a copy leaves out. */
interface CopyLosses {
  /** Ids of the rows that lost all carriers. */
  rows: number[];
  /** Copies of the carriers that are gone. */
  calls: number;
}

/** Whether a copy leaves out what a row says of a sample. */
type IsLost = (row: Pick<StoredAlleleRow, 'structural'>, ordinal: number) => boolean;

/** Copies a segment's rows; those that lose all carriers are left out. `isLost` is about rows of samples that were not called. */
export async function copyRows(
  database: Database,
  source: number,
  target: StagedSegment,
  losses: LossesOfPortion,
  isLost: IsLost = () => false,
): Promise<CopyLosses> {
  const left: CopyLosses = { rows: [], calls: 0 };
  for (const portion of await portionsOfSegment(database, source, copiedRows)) {
    const lost = await losses(portion);
    const rows = await database.query<StoredAlleleRow & { span: number }>(
      `select ${alleleSelection}, a.span from beacon_alleles a where ${withinPortion(database.engine, 'a')} order by a.id`,
      bounds(portion),
    );
    const fractions = await fractionsWithin(database, portion);
    for (const row of rows) {
      const carriers = decodeCarriers(row.carriers, row.calls);
      for (const ordinal of lost(row)) carriers.delete(ordinal);
      const calls = callsOfCarriers(carriers);
      left.calls += row.calls - calls;
      const percents = ofCarriers(fractions.get(Number(row.id)), carriers);
      if (carriers.size > 0) await target.addRow(row, carriers, calls, percents);
      else left.rows.push(Number(row.id));
    }
  }
  await target.flush();
  await copyUncalled(database, source, target, (ordinal, row) => (isLost(row, ordinal) ? undefined : ordinal));
  return left;
}

/** The ordinals of a segment's samples that repeat, by the id of the row. */
export type Repeats = Map<number, Set<number>>;

/** The rows `s` of a portion, each with the rows `o` of some segments that are of its allele; bind the portion and its contig. */
export function alsoIn(engine: Engine, segments: readonly { id: number }[]): string {
  return (
    `from beacon_alleles s join ${allelesByPlace(engine)} o on ${sameAllele} where ${withinPortion(engine, 's')} and ${onContig(engine, 'o')} ` +
    `and o.id / ${segmentRows} in (${segments.map(({ id }) => id).join(', ')})`
  );
}

/**
 * Which carriers of a staged segment's rows the dataset has already: the same sample with the same allele in one of the
 * `known` segments.
 */
export function repeatedCarriers(
  database: Database,
  samples: readonly SegmentSample[],
  known: readonly { id: number; samples: readonly SegmentSample[] }[],
): (portion: SegmentPortion) => Promise<Repeats> {
  const ordinals = new Map(samples.map(({ ordinal, name }) => [name, ordinal]));
  const names = new Map(known.map(({ id, samples }) => [id, new Map(samples.map((s) => [s.ordinal, s.name]))]));
  const columns = 's.id, s.carriers, o.id as there, o.carriers as carriers_there';
  const text = `select ${columns} ${alsoIn(database.engine, known)}`;
  return async (portion) => {
    const rows = await database.query<{
      id: number | string;
      carriers: string | null;
      there: number | string;
      carriers_there: string | null;
    }>(text, [...bounds(portion), portion.contig]);
    const lost: Repeats = new Map();
    for (const { id, carriers, there, carriers_there } of rows) {
      const mine = decodeCarriers(carriers, 0);
      const nameOf = names.get(segmentOfRow({ id: there }));
      eachCarrier(carriers_there, 0, (other) => {
        const ordinal = ordinals.get(nameOf?.get(other) ?? '') ?? -1;
        if (mine.has(ordinal)) lost.set(Number(id), (lost.get(Number(id)) ?? new Set()).add(ordinal));
      });
    }
    return lost;
  };
}

/** Copies a staged segment without the carriers that repeat; copies nothing if none does. */
export async function copyWithoutRepeats(
  database: Database,
  source: number,
  open: () => Promise<StagedSegment>,
  repeats: (portion: SegmentPortion) => Promise<Repeats>,
): Promise<StagedSegment | undefined> {
  let any = false;
  for (const portion of await portionsOfSegment(database, source, copiedRows)) {
    any = (await repeats(portion)).size > 0;
    if (any) break;
  }
  if (!any) return undefined;
  const losses: LossesOfPortion = async (portion) => {
    const lost = await repeats(portion);
    return ({ id }) => lost.get(Number(id)) ?? [];
  };
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
    const { segments, revision } = await published(database, dataset, samples);
    if (segments.length === 0) return { alleles: 0, calls: 0, samples: 0 };
    const taken = await takeOut(database, dataset, segments, { names, kinds: bothKinds });
    let isDone = false;
    try {
      step('beacon.remove.copied');
      const change = {
        ...(await changeOfTaking(database, dataset, taken)),
        samples: [...sampleNames(segments)].filter((name) => names.has(name)).length,
      };
      const less = { alleles: -change.alleles, calls: -change.calls, samples: -change.samples };
      const facts = (scoped: Database) => removeFacts(scoped, dataset, samples);
      const { drop, copies } = taken;
      const publish = copies.map(({ id }) => id);
      isDone = await takeStep(database, { dataset, revision, publish, drop, change: less, facts, now });
      if (isDone) return change;
    } finally {
      await endTaking(database, taken, isDone);
    }
  }
}

/** What is taken out of segments: all that they say of the samples, about alleles of these kinds. */
interface Loss {
  names: ReadonlySet<string>;
  kinds: Searched;
}

export const bothKinds: Searched = { small: true, structural: true };

/** Segments to drop, and those to publish in their place: a segment of which nothing is left has no copy. */
export interface TakenOut {
  drop: number[];
  copies: StagedSegment[];
  /** What the copies leave out, by the segment that they were made of. */
  left: Map<number, CopyLosses>;
}

/** Copies segments without a loss. To be followed by `endTaking`, whatever comes of it. */
export async function takeOut(
  database: Database,
  dataset: string,
  segments: readonly PublishedSegment[],
  loss: Loss,
): Promise<TakenOut> {
  const taken: TakenOut = { drop: segments.map(({ id }) => id), copies: [], left: new Map() };
  try {
    for (const segment of segments) await copyRest(database, dataset, segment, loss, taken);
    return taken;
  } catch (error) {
    await endTaking(database, taken, false);
    throw error;
  }
}

/** Sweeps the dropped segments if the copies were published, and the copies if not. */
export async function endTaking(database: Database, { drop, copies }: TakenOut, isDone: boolean): Promise<void> {
  for (const copy of copies) copy.close();
  if (isDone) for (const id of drop) await sweepSegment(database, id);
  else for (const { id } of copies) await discardSegment(database, id);
}

/** How many alleles and calls are gone, of alleles those that are not in `others` either, which are published in the same step. */
export async function changeOfTaking(
  database: Database,
  dataset: string,
  { drop, copies, left }: TakenOut,
  others: readonly number[] = [],
): Promise<Pick<Change, 'alleles' | 'calls'>> {
  // Of a segment that is copied only the rows that are left out are looked at, not all that stay.
  const among = new Map([...left].map(([id, { rows }]) => [id, rows]));
  const whole = drop.filter((id) => !left.has(id));
  const calls = [...left.values()].reduce((sum, { calls }) => sum + calls, 0);
  const elsewhere = { without: drop, with: [...copies.map(({ id }) => id), ...others], among };
  return {
    alleles: await allelesOnlyIn(database, drop, dataset, elsewhere),
    calls: calls + (await callsIn(database, whole)),
  };
}

async function copyRest(
  database: Database,
  dataset: string,
  segment: PublishedSegment,
  { names, kinds }: Loss,
  { copies, left }: TakenOut,
): Promise<void> {
  const isWhole = kinds.small && kinds.structural;
  const rest = segment.samples.filter(({ name }) => !isWhole || !names.has(name));
  if (rest.every(({ name }) => names.has(name)) && !(await saysOther(database, segment, kinds))) return;
  const loads = Math.ceil((segment.loads * rest.length) / segment.samples.length);
  const copy = await StagedSegment.open(database, dataset, rest, { ...segment, loads });
  copies.push(copy);
  const gone = new Set(segment.samples.flatMap(({ name, ordinal }) => (names.has(name) ? ordinal : [])));
  const isOfKind = ({ structural }: Pick<StoredAlleleRow, 'structural'>) =>
    kinds[structural === 1 ? 'structural' : 'small'];
  const lost = await copyRows(
    database,
    segment.id,
    copy,
    async () => (row) => (isOfKind(row) ? gone : []),
    (row, ordinal) => isOfKind(row) && gone.has(ordinal),
  );
  left.set(segment.id, lost);
}

/** Whether a segment says anything about alleles of other kinds. */
async function saysOther(
  database: Database,
  { id, uncalled }: Pick<PublishedSegment, 'id' | 'uncalled'>,
  kinds: Searched,
): Promise<boolean> {
  if (kinds.small && kinds.structural) return false;
  const isOther = `a.structural = ${kinds.structural ? 0 : 1}`;
  for (const portion of await portionsOfSegment(database, id)) {
    const where = `${withinPortion(database.engine, 'a')} and ${isOther} limit 1`;
    const [row] = await database.query(`select 1 as one from beacon_alleles a where ${where}`, bounds(portion));
    if (row) return true;
  }
  if (!uncalled) return false;
  const [row] = await database.query(
    `select 1 as one from beacon_uncalled a where a.id between ? and ? and ${isOther} limit 1`,
    rowRange(id),
  );
  return row !== undefined;
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
