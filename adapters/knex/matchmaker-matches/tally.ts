/** Searches in numbers. */
import type { MatchCounts, NewMatch } from '../../../plugins/matchmaker/contract.js';
import type { Database } from '../binding.js';

const tally = 'matchmaker_matches_tally';
const genes = 'matchmaker_matches_genes';

/** More rows than these are folded into one when they are counted. */
const loose = 1000;

/** Counts a search that was asked of us; our own questions to others are none, nor what was found without being asked. */
export async function count({ write, engine }: Database, match: NewMatch): Promise<void> {
  if (match.direction !== 'incoming' || match.key !== undefined) return;
  const sent = match.results.reduce((sum, { patients }) => sum + patients.length, 0);
  await engine.append(write, tally, ['requests', 'sent'], [[1, sent]]);
  if (match.matchedGenes.length === 0) return;
  await write(genes)
    // In one order, so that two of these cannot wait for each other.
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

/** Two who fold at once take different rows: each puts back the sum of what it could take itself. */
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
