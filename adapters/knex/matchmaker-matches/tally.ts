/** Counts of searches. */
import type { MatchCounts, NewMatch } from '../../../plugins/matchmaker/contract.js';
import type { Database } from '../binding.js';

const tally = 'matchmaker_matches_tally';
const genes = 'matchmaker_matches_genes';

/** If there are more rows than this, counting merges them into one. */
const loose = 1000;

/** Counts a search requested of this node; our searches on other nodes and later findings do not count. */
export async function count({ write, engine }: Database, match: NewMatch): Promise<void> {
  if (match.direction !== 'incoming' || match.key !== undefined) return;
  const sent = match.results.reduce((sum, { patients }) => sum + patients.length, 0);
  await engine.append(write, tally, ['requests', 'sent'], [[1, sent]]);
  if (match.matchedGenes.length === 0) return;
  await write(genes)
    // In a fixed order, so that two of these cannot deadlock.
    .insert([...new Set(match.matchedGenes)].sort().map((gene) => ({ gene })))
    .onConflict('gene')
    .ignore();
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
