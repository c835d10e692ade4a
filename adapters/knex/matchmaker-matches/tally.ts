/** Counts of searches. */
import type { MatchCounts, NewMatch } from '../../../plugins/matchmaker/contract.js';
import type { Database, Engine } from '../binding.js';
import { refuseUnstorable } from '../values.js';

const tally = 'matchmaker_matches_tally';
const genes = 'matchmaker_matches_genes';

/** If there are more rows than this, counting merges them into one. */
const loose = 1000;

/** Genes that are known to be counted, by storage: no gene is ever removed. */
const known = new WeakMap<Engine, Set<string>>();
/** More than there are genes; clients may send others. */
const mostKnown = 100_000;

function knownGenes(engine: Engine): Set<string> {
  const genes = known.get(engine) ?? new Set();
  known.set(engine, genes);
  return genes;
}

/** Counts the searches requested of this node; our searches on other nodes and later findings do not count. */
export async function count(inside: Database, matches: readonly NewMatch[]): Promise<void> {
  const { engine } = inside;
  const counted = matches.filter(({ direction, key }) => direction === 'incoming' && key === undefined);
  if (counted.length === 0) return;
  const results = counted.flatMap((match) => match.results);
  const sent = results.reduce((sum, { patients }) => sum + patients.length, 0);
  await inside.later(`insert into ${tally} (requests, sent) values (?, ?)`, [counted.length, sent]);
  const known = knownGenes(engine);
  // In a fixed order, so that two of these cannot deadlock.
  const matched = [...new Set(counted.flatMap(({ matchedGenes }) => matchedGenes))]
    .filter((gene) => !known.has(gene))
    .sort();
  if (matched.length === 0) return;
  refuseUnstorable(matched);
  inside.onCommit(() => {
    if (known.size < mostKnown) for (const gene of matched) known.add(gene);
  });
  await inside.later(
    `insert into ${genes} (gene) select gene from ${engine.bound({ gene: 'text' })} q where true on conflict (gene) do nothing`,
    [engine.values.json(matched.map((gene) => [gene])) as string],
  );
}

export async function counts(database: Database): Promise<MatchCounts> {
  const { parseBig } = database.engine.values;
  const [[sums], [found]] = await Promise.all([
    database.query<{ number: unknown; requests: unknown; sent: unknown }>(
      'select count(*) as number, cast(coalesce(sum(requests), 0) as bigint) as requests, ' +
        `cast(coalesce(sum(sent), 0) as bigint) as sent from ${tally}`,
      [],
    ),
    database.query<{ number: unknown }>(`select count(*) as number from ${genes}`, []),
  ]);
  if (parseBig(sums?.number) > loose) await fold(database);
  return {
    requests: parseBig(sums?.requests),
    sent: parseBig(sums?.sent),
    uniqueGenes: parseBig(found?.number),
  };
}

/** Two concurrent merges take different rows: each writes back the sum of the rows that it took. */
async function fold(database: Database): Promise<void> {
  await database.transaction(async ({ write, engine }) => {
    const { parseBig } = engine.values;
    const taken = engine.skipLocked(write(tally).select('id', 'requests', 'sent'));
    const rows: { id: number; requests: unknown; sent: unknown }[] = await taken;
    if (rows.length === 0) return;
    let [requests, sent] = [0, 0];
    for (const row of rows) {
      requests += parseBig(row.requests);
      sent += parseBig(row.sent);
    }
    await engine
      .whereIn(
        write(tally),
        'id',
        rows.map(({ id }) => id),
      )
      .delete();
    await engine.append(write, tally, ['requests', 'sent'], [[requests, sent]]);
  });
}
