/** What observations need to know of a dataset beside its alleles. It is kept as long as the dataset is in the same revision. */
import {
  type Assembly,
  defaultWindow,
  Observed,
  type ObservedQuestion,
  type Sample,
  type Totals,
  totalsFor,
} from '../../../plugins/beacon/contract.js';
import type { Database } from '../binding.js';
import { readRow } from '../rows.js';
import { type DatasetRow, datasetRows } from './datasets.js';
import { sampleFacts } from './sample-facts.js';

/** Samples that are kept, over all datasets; one takes some 400 bytes. */
const kept = 200_000;

export interface DatasetState {
  id: string;
  assembly: Assembly;
  revision: number;
  /** The largest window in which structural alleles count as one, in bases. */
  window: number;
  samples: readonly Sample[];
  /** Counts carriers by the places of samples in that list: of one question at a time. */
  observed: Observed;
  /** The place of each sample of a segment, by ordinal; remembered. */
  placesIn(segment: number, names: ReadonlyMap<number, string>): Int32Array;
  of: Readonly<Record<ObservedQuestion['type'], Totals>>;
  /** The published ones. */
  segments: ReadonlySet<number>;
  /** Whether one of them may hold rows as an earlier release wrote them. */
  asWritten: boolean;
}

export class DatasetStates {
  readonly #known = new Map<string, DatasetState>();
  #count = 0;

  /** The existing datasets of the assembly among these, by id ascending; as of the snapshot. */
  async of(snapshot: Database, assembly: Assembly, ids: readonly string[]): Promise<DatasetState[]> {
    const { engine } = snapshot;
    const rows = await snapshot.query<DatasetRow & { revision: unknown }>(
      `select ${datasetRows.columns.join(', ')}, revision from ${datasetRows.table} ` +
        `where id in (select q.id from ${engine.bound({ id: 'text' })} q)`,
      [engine.values.json([...new Set(ids)].map((id) => [id])) as string],
    );
    const states: DatasetState[] = [];
    for (const row of rows) {
      const dataset = readRow(snapshot, datasetRows, row);
      if (dataset?.assembly !== assembly) continue;
      const revision = engine.values.parseBig(row.revision);
      const known = this.#known.get(dataset.id);
      if (known?.revision === revision) states.push(known);
      else {
        const window = dataset.counting?.window ?? defaultWindow;
        const state = { id: dataset.id, assembly, revision, window, ...(await contentOf(snapshot, dataset.id)) };
        this.#keep(state);
        states.push(state);
      }
    }
    return states.sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  #keep(state: DatasetState): void {
    this.#drop(state.id);
    this.#known.set(state.id, state);
    this.#count += state.samples.length;
    for (const oldest of this.#known.keys()) {
      if (this.#count <= kept) return;
      this.#drop(oldest);
    }
  }

  #drop(id: string): void {
    this.#count -= this.#known.get(id)?.samples.length ?? 0;
    this.#known.delete(id);
  }
}

function placing(samples: readonly Sample[]): DatasetState['placesIn'] {
  const places = new Map(samples.map(({ name }, place) => [name, place]));
  const known = new Map<number, Int32Array>();
  return (segment, names) => {
    let found = known.get(segment);
    if (!found) {
      found = new Int32Array(Math.max(-1, ...names.keys()) + 1).fill(-1);
      for (const [ordinal, name] of names) found[ordinal] = places.get(name) ?? -1;
      known.set(segment, found);
    }
    return found;
  };
}

async function contentOf(snapshot: Database, dataset: string) {
  const samples = await sampleFacts(snapshot, dataset);
  const segments = await snapshot.query<{ id: number; as_written: number | null }>(
    "select id, as_written from beacon_segments where dataset = ? and state = 'published'",
    [dataset],
  );
  return {
    samples,
    observed: new Observed(samples),
    placesIn: placing(samples),
    of: { sequence: totalsFor(samples, 'sequence'), structural: totalsFor(samples, 'structural') },
    segments: new Set(segments.map(({ id }) => id)),
    asWritten: segments.some(({ as_written }) => as_written === 1),
  };
}
