/** What an import would replace, counted for each sample before anything of it becomes visible. */
import type { ReplacedAlleles, ReplaceRules, Searched } from '../../../plugins/beacon/contract.js';
import type { Database } from '../binding.js';
import { eachCarrier, type SegmentSample } from './carriers.js';
import { repeatedCarriers } from './copy.js';
import { alleleOfRow, alleleSelection, type StoredAlleleRow } from './layout.js';
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

/** By the name of each sample that the segments hold. */
export async function countReplaced(
  database: Database,
  { segments, kinds, staged, samples }: Replacement,
  { within }: Pick<ReplaceRules, 'within'>,
): Promise<Map<string, ReplacedAlleles>> {
  if (segments.length === 0) return new Map();
  const imported = new Map(samples.map(({ ordinal, name }) => [name, ordinal]));
  const counts = new Map<number, ReplacedAlleles>();
  const isReplaced = ({ structural }: Pick<StoredAlleleRow, 'structural'>) =>
    kinds[structural === 1 ? 'structural' : 'small'];
  for (const segment of segments) {
    const own = new Map(segment.samples.map(({ ordinal, name }) => [ordinal, imported.get(name)]));
    for (const ordinal of own.values()) {
      if (ordinal !== undefined && !counts.has(ordinal)) counts.set(ordinal, { before: 0, kept: 0, outside: 0 });
    }
    for await (const row of rowsOf(database, segment.id)) {
      if (!isReplaced(row)) continue;
      const outside = within?.(alleleOfRow(row)) === false ? 1 : 0;
      eachCarrier(row.carriers, row.calls, (ordinal) => {
        const count = counts.get(own.get(ordinal) ?? -1);
        if (count === undefined) return;
        count.before++;
        count.outside += outside;
      });
    }
  }
  const repeats = repeatedCarriers(database, samples, segments);
  for (const portion of await portionsOfSegment(database, staged, countedRows)) {
    for (const { structural, ordinals } of (await repeats(portion)).values()) {
      if (!isReplaced({ structural })) continue;
      for (const ordinal of ordinals) (counts.get(ordinal) as ReplacedAlleles).kept++;
    }
  }
  const names = new Map(samples.map(({ ordinal, name }) => [ordinal, name]));
  return new Map([...counts].map(([ordinal, count]) => [names.get(ordinal) ?? '', count]));
}

async function* rowsOf(database: Database, segment: number): AsyncGenerator<StoredAlleleRow> {
  for (const portion of await portionsOfSegment(database, segment, countedRows)) {
    yield* await database.query<StoredAlleleRow>(
      `select ${alleleSelection} from beacon_alleles a where ${withinPortion(database.engine, 'a')}`,
      bounds(portion),
    );
  }
}
