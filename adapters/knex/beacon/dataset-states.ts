/** What observations need to know of a dataset beside its alleles. It is kept as long as the dataset is in the same revision. */
import { type Assembly, defaultWindow, Observed, type Sample } from '../../../plugins/beacon/contract.js';
import type { Database } from '../binding.js';
import { readRow } from '../rows.js';
import { groupingOfSamples, isSole } from './carriers.js';
import { datasetRows, type StoredDatasetRow } from './datasets.js';
import { type PublishedSegment, published, sampleNames } from './published.js';
import { sampleFacts } from './sample-facts.js';

/** Samples that are kept, over all datasets; one takes some 400 bytes. */
const samplesKept = 200_000;

export interface DatasetState {
  id: string;
  assembly: Assembly;
  revision: number;
  /** The largest window in which structural alleles count as one, in bases. */
  window: number;
  /** On MT, calls with a lower allele fraction do not count, in percent. */
  minimumHeteroplasmy: number | undefined;
  samples: readonly Sample[];
  /** Counts carriers by the places of samples in that list: of one question at a time. */
  observed: Observed;
  /** The published ones: for each the places of its samples, by ordinal. */
  segments: ReadonlyMap<number, Int32Array>;
  /**
   * Those whose rows are counted by their numbers alone: none of their cases has a sample in another segment, and the samples
   * share cases as they did when the rows were counted.
   */
  summed: ReadonlySet<number>;
  /** Whether a segment states of any sample that it was not called. */
  uncalled: boolean;
}

export class DatasetStates {
  readonly #known = new Map<string, DatasetState>();
  #count = 0;

  /** The existing datasets of the assembly among these, by id ascending; as of the snapshot. */
  async of(snapshot: Database, assembly: Assembly, ids: readonly string[]): Promise<DatasetState[]> {
    const { engine } = snapshot;
    const rows = await snapshot.query<StoredDatasetRow & { revision: unknown }>(
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
        const { window = defaultWindow, minimumHeteroplasmy } = dataset.counting ?? {};
        const described = { id: dataset.id, assembly, revision, window, minimumHeteroplasmy };
        const state = { ...described, ...(await contentOf(snapshot, dataset.id)) };
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
      if (this.#count <= samplesKept) return;
      this.#drop(oldest);
    }
  }

  #drop(id: string): void {
    this.#count -= this.#known.get(id)?.samples.length ?? 0;
    this.#known.delete(id);
  }
}

async function contentOf(snapshot: Database, dataset: string) {
  const { segments } = await published(snapshot, dataset);
  // In code-unit order, as they are listed.
  const samples = await sampleFacts(snapshot, dataset, [...sampleNames(segments)].sort());
  return {
    samples,
    observed: new Observed(samples),
    segments: placesIn(segments, samples),
    summed: summedAmong(segments, samples),
    uncalled: segments.some(({ uncalled }) => uncalled),
  };
}

function placesIn(segments: readonly PublishedSegment[], samples: readonly Sample[]): Map<number, Int32Array> {
  const places = new Map(samples.map(({ name }, place) => [name, place]));
  return new Map(
    segments.map(({ id, samples }) => {
      const found = new Int32Array(Math.max(-1, ...samples.map(({ ordinal }) => ordinal)) + 1).fill(-1);
      for (const { ordinal, name } of samples) found[ordinal] = places.get(name) ?? -1;
      return [id, found];
    }),
  );
}

function summedAmong(segments: readonly PublishedSegment[], samples: readonly Sample[]): Set<number> {
  const cases = new Map(samples.map((sample) => [sample.name, sample.case]));
  const caseOf = (name: string) => cases.get(name) ?? name;
  const first = new Map<string, number>();
  const apart = new Set(segments.map(({ id }) => id));
  for (const { id, samples } of segments) {
    for (const { name } of samples) {
      const other = first.get(caseOf(name)) ?? id;
      first.set(caseOf(name), other);
      if (other === id) continue;
      apart.delete(other);
      apart.delete(id);
    }
  }
  const summed = segments.filter(
    ({ id, grouping, samples }) => apart.has(id) && (isSole(samples) || grouping === groupingOfSamples(samples, cases)),
  );
  return new Set(summed.map(({ id }) => id));
}
