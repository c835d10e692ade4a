/**
 * Rewrites the segments of earlier releases (`as-written.ts`) one by one: a staged copy in the present form is swapped in
 * under the revision of the dataset. Killed at any moment, a segment is rewritten or as it was, and its copy is swept.
 */
import { isFault, step } from '../../../core/storage.js';
import { type CalledAllele, trimmedStart } from '../../../plugins/beacon/contract.js';
import type { Database } from '../binding.js';
import { mayChange, present } from './as-written.js';
import { callsOf, decodeCarriers } from './carriers.js';
import { copyWithoutCarriers } from './copy.js';
import { type AlleleRow, alleleOf, alleleSelection } from './layout.js';
import { bounds, portions, within } from './portions.js';
import { allelesOnlyIn, callsIn, type Published, type PublishedSegment, published, take } from './published.js';
import { smallerRepeats } from './repeats.js';
import { StagedSegment } from './segment.js';
import { stage } from './stage.js';
import { discardSegment, sweepSegment } from './sweep.js';

/** Called between small pieces of work; what it throws ends the work. */
export type Pause = () => Promise<void>;

/** Rows read in one piece. */
const readRows = 5000;

/** The datasets that hold segments of earlier releases. */
export async function outdatedDatasets(database: Database): Promise<string[]> {
  const rows = await database.query<{ dataset: string }>(
    "select distinct dataset from beacon_segments where state = 'published' and as_written = 1",
    [],
  );
  return rows.map(({ dataset }) => dataset).sort();
}

/** Rewrites one segment of a dataset; returns how many are left. */
export async function rewriteNext(database: Database, dataset: string, pause: Pause): Promise<number> {
  const [first, ...others] = await outdatedSegments(database, dataset);
  if (first === undefined) return 0;
  await rewriteSegment(database, dataset, first, pause);
  return others.length;
}

async function outdatedSegments(database: Database, dataset: string): Promise<number[]> {
  const rows = await database.query<{ id: number }>(
    "select id from beacon_segments where dataset = ? and state = 'published' and as_written = 1 order by id",
    [dataset],
  );
  return rows.map(({ id }) => id);
}

/** Rewrites a segment, unless that was done or the segment was removed meanwhile. */
export async function rewriteSegment(database: Database, dataset: string, id: number, pause: Pause): Promise<void> {
  const before = await stateWith(database, dataset, id);
  if (!before) return;
  if (!(await hasChanges(database, id, pause))) {
    await database.run(({ write }) => write('beacon_segments').where({ id }).update({ as_written: null }));
    return;
  }
  const { assembly, segment } = before;
  const staged = await StagedSegment.open(database, dataset, segment.samples, { ...segment, asWritten: false });
  let isPublished = false;
  try {
    const alleles = allelesOf(database, id, pause);
    await stage(
      database,
      staged,
      { alleles },
      { assembly, kept: 'largest', callsOf: (_, all) => callsOf(new Map(all)) },
    );
    step('beacon.rewrite.staged');
    isPublished = await swap(database, { dataset, id, staged }, pause);
  } finally {
    staged.close();
    if (!isPublished) await discardSegment(database, staged.id);
  }
}

/** The state of a dataset, with the segment if it is still to be rewritten. */
async function stateWith(
  database: Database,
  dataset: string,
  id: number,
): Promise<(Published & { segment: PublishedSegment }) | undefined> {
  try {
    const state = await published(database, dataset);
    const segment = state.segments.find((other) => other.id === id && other.asWritten);
    return segment && { ...state, segment };
  } catch (error) {
    if (isFault(error) && error.code === 'not-found') return undefined;
    throw error;
  }
}

async function hasChanges(database: Database, segment: number, pause: Pause): Promise<boolean> {
  for (const portion of await portions(database, segment)) {
    await pause();
    const rows = await database.query<AlleleRow>(
      `select ${alleleSelection} from beacon_alleles a where ${within(database.engine, 'a')} and ${mayChange}`,
      bounds(portion),
    );
    if (rows.some((row) => present(row) !== row || trimmedStart(alleleOf(row)) !== undefined)) return true;
  }
  return false;
}

async function* allelesOf(database: Database, segment: number, pause: Pause): AsyncGenerator<CalledAllele[]> {
  for (const portion of await portions(database, segment, readRows)) {
    await pause();
    const rows = await database.query<AlleleRow>(
      `select ${alleleSelection} from beacon_alleles a where ${within(database.engine, 'a')} order by a.id`,
      bounds(portion),
    );
    yield rows.map((row) => ({ ...alleleOf(present(row)), carriers: [...decodeCarriers(row.carriers, row.calls)] }));
  }
}

/**
 * Publishes the copy in the place of the segment. Where a sample has an allele in both the copy and another segment, the
 * larger number of copies stays: the other segment, or the copy, is replaced by one without the smaller. Returns whether
 * `staged` itself was published: not if a reduced copy was, or if the segment was removed or rewritten meanwhile.
 */
async function swap(
  database: Database,
  { dataset, id, staged }: { dataset: string; id: number; staged: StagedSegment },
  pause: Pause,
): Promise<boolean> {
  for (;;) {
    await pause();
    const state = await stateWith(database, dataset, id);
    if (!state) return false;
    const names = new Set(state.segment.samples.map(({ name }) => name));
    const related = state.segments.filter(
      (other) => other.id !== id && other.samples.some(({ name }) => names.has(name)),
    );
    const copy = { ...state.segment, id: staged.id, asWritten: false };
    const losses = await smallerRepeats(database, copy, related, pause);
    const [outgoing, drop, reduced] = [[staged.id], [id], [] as StagedSegment[]];
    let taken = false;
    try {
      for (const segment of [copy, ...related]) {
        const lost = losses.get(segment.id);
        if (!lost) continue;
        const target = await StagedSegment.open(database, dataset, segment.samples, segment);
        reduced.push(target);
        await copyWithoutCarriers(database, segment.id, target, lost);
        if (segment === copy) outgoing[0] = target.id;
        else {
          outgoing.push(target.id);
          drop.push(segment.id);
        }
      }
      const change = {
        alleles:
          (await allelesOnlyIn(database, outgoing, dataset, { without: drop })) -
          (await allelesOnlyIn(database, drop, dataset)),
        calls: (await callsIn(database, outgoing)) - (await callsIn(database, drop)),
        samples: 0,
      };
      step('beacon.rewrite.counted');
      taken = await take(database, { dataset, revision: state.revision, publish: outgoing, drop, change });
      if (taken) {
        for (const old of drop) await sweepSegment(database, old);
        return outgoing[0] === staged.id;
      }
    } catch (error) {
      // The dataset was removed between the look and the step.
      if (isFault(error) && error.code === 'not-found') return false;
      throw error;
    } finally {
      for (const target of reduced) {
        target.close();
        if (!taken) await discardSegment(database, target.id);
      }
    }
  }
}
