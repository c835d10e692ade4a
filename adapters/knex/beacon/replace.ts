/** What an import would replace, counted for each sample before anything of it becomes visible. */
import type { ReplacedAlleles, ReplaceRules, Searched } from '../../../plugins/beacon/contract.js';
import type { Database } from '../binding.js';
import { decodeCarriers, eachCarrier, type SegmentSample } from './carriers.js';
import { alsoIn } from './copy.js';
import { alleleOfRow, alleleSelection, type StoredAlleleRow, segmentRows } from './layout.js';
import { bounds, portionsOfSegment, withinPortion } from './portions.js';
import type { PublishedSegment } from './published.js';

const countedRows = 5000;

interface Replacement {
  /** Published segments that hold samples of the import, and the kinds of alleles that it replaces. */
  segments: readonly PublishedSegment[];
  kinds: Searched;
  /** The import: its segment, which no reader sees, and its samples. */
  staged: number;
  samples: readonly SegmentSample[];
}

/** Rows that have the same carriers, counted by the engine: those of one sample are few. */
interface CountedRows extends Pick<StoredAlleleRow, 'structural' | 'carriers'> {
  rows: number | string;
}

/** By the name of each sample that the segments hold. */
export async function countReplaced(
  database: Database,
  { segments, kinds, staged, samples }: Replacement,
  { within }: Pick<ReplaceRules, 'within'>,
): Promise<Map<string, ReplacedAlleles>> {
  if (segments.length === 0) return new Map();
  const { engine } = database;
  const imported = new Map(samples.map(({ ordinal, name }) => [name, ordinal]));
  const counts = new Map<string, ReplacedAlleles>();
  const isReplaced = ({ structural }: Pick<StoredAlleleRow, 'structural'>) =>
    kinds[structural === 1 ? 'structural' : 'small'];
  const add = (field: keyof ReplacedAlleles, name: string | undefined, rows: number) => {
    const count = counts.get(name ?? '');
    if (count) count[field] += rows;
  };
  const namesIn = new Map<number, ReadonlyMap<number, string>>();
  for (const segment of segments) {
    const names = new Map(segment.samples.map(({ ordinal, name }) => [ordinal, name]));
    namesIn.set(segment.id, names);
    for (const name of names.values()) {
      if (imported.has(name) && !counts.has(name)) counts.set(name, { before: 0, kept: 0, outside: 0 });
    }
    for (const portion of await portionsOfSegment(database, segment.id)) {
      const counted = await database.query<CountedRows>(
        `select a.structural, a.carriers, count(*) as rows from beacon_alleles a where ${withinPortion(engine, 'a')} ` +
          'group by a.structural, a.carriers',
        bounds(portion),
      );
      for (const row of counted.filter(isReplaced)) {
        eachCarrier(row.carriers, 0, (ordinal) => add('before', names.get(ordinal), Number(row.rows)));
      }
    }
    if (within === undefined) continue;
    for await (const row of rowsOf(database, segment.id)) {
      if (!isReplaced(row) || within(alleleOfRow(row))) continue;
      eachCarrier(row.carriers, 0, (ordinal) => add('outside', names.get(ordinal), 1));
    }
  }
  const columns = `s.structural, s.carriers, o.id / ${segmentRows} as there, o.carriers as carriers_there`;
  const text = `select ${columns}, count(*) as rows ${alsoIn(engine, segments)} group by 1, 2, 3, 4`;
  for (const portion of await portionsOfSegment(database, staged)) {
    const repeats = await database.query<CountedRows & { there: number | string; carriers_there: string | null }>(
      text,
      [...bounds(portion), portion.contig],
    );
    for (const { carriers, there, carriers_there, rows } of repeats.filter(isReplaced)) {
      const mine = decodeCarriers(carriers, 0);
      const names = namesIn.get(Math.floor(Number(there)));
      eachCarrier(carriers_there, 0, (other) => {
        const name = names?.get(other);
        if (name !== undefined && mine.has(imported.get(name) ?? -1)) add('kept', name, Number(rows));
      });
    }
  }
  return counts;
}

async function* rowsOf(database: Database, segment: number): AsyncGenerator<StoredAlleleRow> {
  for (const portion of await portionsOfSegment(database, segment, countedRows)) {
    yield* await database.query<StoredAlleleRow>(
      `select ${alleleSelection} from beacon_alleles a where ${withinPortion(database.engine, 'a')}`,
      bounds(portion),
    );
  }
}
