/**
 * Adding of alleles: staged in a segment of their own, where what one import states of the same allele is merged in
 * bounded memory, then published in one small step.
 */
import { Fault, step } from '../../../core/storage.js';
import {
  type Assembly,
  alleleKey,
  type CalledAllele,
  type Contig,
  callsWithinBounds,
  firstFractions,
  fractionsWithinBounds,
  type Import,
  type ImportChange,
  refuseOtherForm,
  statedOfCarriers,
  widened,
} from '../../../plugins/beacon/contract.js';
import type { Database } from '../binding.js';
import { grouped } from '../lists.js';
import {
  addCarriers,
  type CarrierCopies,
  type CasesOfSamples,
  decodeCarriers,
  encodeCarriers,
  type SegmentSample,
} from './carriers.js';
import { changeOfTaking, copyWithoutRepeats, endTaking, repeatedCarriers, type TakenOut, takeOut } from './copy.js';
import { foldFractions } from './fractions.js';
import { alleleOfRow, alleleSelection, countColumns, encodeRanges, type StoredAlleleRow } from './layout.js';
import { bounds, onContig, portionsByContig, type SegmentPortion, withinPortion } from './portions.js';
import { allelesOnlyIn, callsIn, type DatasetPublication, published, sampleNames, takeStep } from './published.js';
import { countReplaced } from './replace.js';
import { addFacts, type ImportedFacts, searchedForAll } from './sample-facts.js';
import { StagedSegment } from './segment.js';
import { discardSegment } from './sweep.js';
import { saysMore } from './uncalled.js';

export async function importAlleles(database: Database, request: Import, now: Date): Promise<ImportChange> {
  const began = await published(database, request.dataset, []);
  refuseOtherForm(request, began);
  const { assembly } = began;
  const samples = request.samples.map((name, ordinal) => ({ ordinal, name }));
  const cases = statedCases(request);
  const staged = await StagedSegment.open(database, request.dataset, samples, { cases });
  const done = new Set<StagedSegment>();
  try {
    const folded = await stage(database, staged, request, assembly);
    const said: ImportedFacts = { facts: request.facts ?? new Map(), searched: request.searched?.() ?? searchedForAll };
    return await publish(database, { staged, samples, cases, folded, said }, request, assembly, now, done);
  } finally {
    staged.close();
    // After any failure, or if a reduced copy or nothing at all was published instead.
    if (!done.has(staged)) await discardSegment(database, staged.id);
  }
}

/** Writes alleles, each in one row. Returns whether rows were merged afterwards, so that fewer are there than were added. */
async function stage(
  database: Database,
  staged: StagedSegment,
  { alleles, signal }: Pick<Import, 'alleles' | 'signal'>,
  assembly: Assembly,
): Promise<boolean> {
  const window = new MergeWindow();
  const addAll = async (complete: Iterable<CalledAllele>) => {
    for (const allele of complete) {
      fractionsWithinBounds(allele.contig, allele.fractions);
      const full = staged.addAllele(assembly, allele, callsWithinBounds(allele, allele.carriers));
      if (full) await full;
    }
  };
  signal?.throwIfAborted();
  for await (const batch of alleles) {
    await addAll(window.pass(batch));
    signal?.throwIfAborted();
  }
  await addAll(window.finish());
  await staged.flush();
  if (window.disordered) {
    await foldRepeats(database, staged);
    step('beacon.load.folded');
  }
  return window.disordered;
}

/** The cases of new samples of which none is stated are their own. */
function statedCases({ facts = new Map() }: Import): CasesOfSamples {
  return new Map([...facts].flatMap(([name, said]) => (said.case === undefined ? [] : [[name, said.case] as const])));
}

interface LoadedSegment {
  staged: StagedSegment;
  samples: readonly SegmentSample[];
  cases: CasesOfSamples;
  /** Whether rows were merged after they were added. */
  folded: boolean;
  said: ImportedFacts;
}

async function publish(
  database: Database,
  loaded: LoadedSegment,
  request: Import,
  assembly: DatasetPublication['assembly'],
  now: Date,
  done: Set<StagedSegment>,
): Promise<ImportChange> {
  const { staged, samples, said } = loaded;
  const { dataset, signal, replaces } = request;
  // The dataset may change while the totals are computed: they are then computed again, from its new state.
  const names = new Set(samples.map(({ name }) => name));
  for (;;) {
    signal?.throwIfAborted();
    const state = await published(database, dataset, [...names]);
    if (state.assembly !== assembly) {
      throw new Fault('conflict', `Dataset "${dataset}" became one of ${state.assembly} during the load`);
    }
    refuseOtherForm(request, state);
    const { segments } = state;
    const kinds = said.searched;
    if (replaces?.judge) {
      replaces.judge(await countReplaced(database, { segments, kinds, staged: staged.id, samples }, replaces));
    }
    const affected = kinds.small || kinds.structural ? segments : [];
    const taken = replaces && (await takeOut(database, dataset, affected, { names, kinds }));
    if (taken) step('beacon.replace.copied');
    let isTaken = false;
    try {
      const change = await publishStaged(database, loaded, { dataset, state, taken, names, now, done });
      if (change === undefined) continue;
      isTaken = true;
      return change;
    } finally {
      if (taken) await endTaking(database, taken, isTaken);
    }
  }
}

interface StagedPublication {
  dataset: string;
  state: DatasetPublication;
  /** What is taken out in the same step. */
  taken: TakenOut | undefined;
  names: ReadonlySet<string>;
  now: Date;
  done: Set<StagedSegment>;
}

/** Publishes what was staged, without what is there already; undefined if the dataset is no longer in the state. */
async function publishStaged(
  database: Database,
  { staged, samples, cases, folded, said }: LoadedSegment,
  { dataset, state, taken, names, now, done }: StagedPublication,
): Promise<ImportChange | undefined> {
  const there = sampleNames(state.segments);
  const known = [...state.segments.filter(({ id }) => !taken?.drop.includes(id)), ...(taken?.copies ?? [])];
  const reduced =
    known.length === 0
      ? undefined
      : await copyWithoutRepeats(
          database,
          staged.id,
          () => StagedSegment.open(database, dataset, samples, { cases }),
          repeatedCarriers(database, samples, known),
        );
  const outgoing = reduced ?? staged;
  if (reduced) step('beacon.publish.reduced');
  try {
    // What was added is known; to look at every row again is for what was folded, or may be there already.
    const counted = outgoing === staged && folded ? undefined : outgoing.added;
    const first = state.isEmpty ? counted : undefined;
    const change = {
      alleles: first?.alleles ?? (await allelesOnlyIn(database, [outgoing.id], dataset)),
      calls: counted?.calls ?? (await callsIn(database, [outgoing.id])),
      samples: samples.filter(({ name }) => !there.has(name)).length,
    };
    const gone = taken && (await changeOfTaking(database, dataset, taken, [outgoing.id]));
    const isLater =
      (there.size > 0 && taken !== undefined) ||
      change.calls > 0 ||
      (outgoing.hasUncalled && (await saysMore(database, { id: outgoing.id, samples: [...samples] }, state.segments)));
    const isNew = isLater || change.samples > 0;
    step('beacon.publish.counted');
    const facts = { names, there, said, replaces: taken !== undefined, isLater, now };
    const next = {
      dataset,
      revision: state.revision,
      staged: staged.id,
      publish: isNew ? [outgoing.id, ...(taken?.copies ?? []).map(({ id }) => id)] : [],
      drop: taken?.drop ?? [],
      change: {
        ...change,
        alleles: change.alleles - (gone?.alleles ?? 0),
        calls: change.calls - (gone?.calls ?? 0),
      },
      facts: (scoped: Database) => addFacts(scoped, dataset, facts),
      now,
    };
    if (!(await takeStep(database, next))) return undefined;
    if (isNew) done.add(outgoing);
    return { ...change, ...(gone && { replaced: { ...gone, samples: samples.length - change.samples } }) };
  } finally {
    reduced?.close();
    if (reduced && !done.has(reduced)) await discardSegment(database, reduced.id);
  }
}

// Merges what one import states of the same allele, in bounded memory.

/**
 * How far, in bases, a start may lag behind the highest seen and still count as sorted: trimming a multi-allelic record
 * moves its alleles' starts past those of later records.
 */
const slack = 1000;

/** Alleles pass through in batches; those near the end of what was seen wait for their like. */
class MergeWindow {
  #contig: Contig | undefined;
  readonly #finished = new Set<Contig>();
  #waiting = new Map<string, CalledAllele>();
  #highest = -1;
  #released = -1;

  /** Alleles came out of order, so that the same allele may have been released twice. */
  disordered = false;

  /** Takes a batch in and gives out what is complete. */
  *pass(batch: readonly CalledAllele[]): Generator<CalledAllele> {
    for (const record of batch) {
      const allele = statedOfCarriers(record);
      if (allele.contig !== this.#contig) {
        yield* this.finish();
        if (this.#contig) this.#finished.add(this.#contig);
        if (this.#finished.has(allele.contig)) this.disordered = true;
        this.#contig = allele.contig;
        this.#highest = this.#released = -1;
      }
      if (allele.start <= this.#released) this.disordered = true;
      if (allele.start > this.#highest) this.#highest = allele.start;
      const key = alleleKey(allele);
      const known = this.#waiting.get(key);
      this.#waiting.set(key, known ? this.#merged(known, allele) : allele);
    }
    const waiting = this.#waiting;
    this.#waiting = new Map();
    for (const [key, allele] of waiting) {
      if (allele.start > this.#highest - slack) {
        this.#waiting.set(key, allele);
        continue;
      }
      if (allele.start > this.#released) this.#released = allele.start;
      yield allele;
    }
  }

  /** Gives out the rest. */
  *finish(): Generator<CalledAllele> {
    yield* this.#waiting.values();
    this.#waiting = new Map();
  }

  #merged(known: CalledAllele, again: CalledAllele): CalledAllele {
    const carriers = new Map(known.carriers);
    addCarriers(carriers, again.carriers);
    const uncalled = new Set([...(known.uncalled ?? []), ...(again.uncalled ?? [])]);
    const fractions = firstFractions(known.fractions, again.fractions);
    return {
      ...widened(known, again),
      carriers: [...carriers],
      ...(uncalled.size > 0 && { uncalled: [...uncalled] }),
      ...(fractions && { fractions }),
    };
  }
}

// Brings rows of one allele within a staged segment together: needed only where its input was not sorted.

/** Rows folded in one transaction; at least two, so that each round leaves fewer. */
const foldedRows = 10_000;

/** For each allele, the row with the lowest id takes over the carriers of later rows, and their ranges. */
async function foldRepeats(database: Database, segment: StagedSegment): Promise<void> {
  const allele = 'start, stop, reference, alternate, coalesce(mate, 0)';
  // Rows are counted rather than joined: planners without statistics took the worst of ways to join them.
  const repeated =
    `select * from (select ${alleleSelection}, count(*) over (partition by ${allele}) as times ` +
    `from beacon_alleles a where ${withinPortion(database.engine, 'a')}) as counted ` +
    `where times > 1 order by ${allele}, id limit ${foldedRows}`;
  for (const portion of await portionsByContig(database, segment.id)) {
    for (;;) {
      const rows = await database.query<StoredAlleleRow>(repeated, bounds(portion));
      if (rows.length === 0) break;
      await database.transaction(async (scoped) => {
        await foldFractions(scoped, grouped(rows, (row) => alleleKey(alleleOfRow(row))).values());
        await fold(scoped, portion, rows, segment);
      });
    }
  }
}

async function fold(
  { write, engine }: Database,
  { contig }: SegmentPortion,
  rows: readonly StoredAlleleRow[],
  segment: StagedSegment,
): Promise<void> {
  const superfluous: StoredAlleleRow[] = [];
  for (const [kept, ...others] of grouped(rows, (row) => alleleKey(alleleOfRow(row))).values()) {
    if (kept === undefined) continue;
    superfluous.push(...others);
    const { carriers, ...folded } = mergedAllele(kept, others);
    const text = kept.carriers === null ? null : encodeCarriers(carriers);
    if (folded.calls === kept.calls && text === kept.carriers && folded.ranges === kept.ranges) continue;
    const counts = text === null ? [] : segment.countsOf(carriers).map((count, i) => [countColumns[i], count]);
    for (const table of kept.mate === null ? ['beacon_alleles'] : ['beacon_alleles', 'beacon_breakends']) {
      const counted = table === 'beacon_alleles' ? Object.fromEntries(counts) : {};
      await write(table)
        .where({ id: kept.id })
        .whereRaw(onContig(engine, table), [contig])
        .update({ ...folded, carriers: text, ...counted });
    }
  }
  const ids = (some: readonly StoredAlleleRow[]) => some.map(({ id }) => id);
  await engine
    .whereIn(write('beacon_alleles'), 'id', ids(superfluous))
    .whereRaw(onContig(engine, 'beacon_alleles'), [contig])
    .delete();
  await engine.whereIn(write('beacon_breakends'), 'id', ids(superfluous.filter(({ mate }) => mate !== null))).delete();
}

function mergedAllele(
  kept: StoredAlleleRow,
  others: readonly StoredAlleleRow[],
): Pick<StoredAlleleRow, 'calls' | 'ranges'> & { carriers: CarrierCopies } {
  const carriers = decodeCarriers(kept.carriers, kept.calls);
  let allele = alleleOfRow(kept);
  for (const other of others) {
    allele = widened(allele, alleleOfRow(other));
    addCarriers(carriers, decodeCarriers(other.carriers, other.calls));
  }
  return {
    calls: callsWithinBounds(allele, carriers),
    carriers,
    ranges: encodeRanges(allele),
  };
}
