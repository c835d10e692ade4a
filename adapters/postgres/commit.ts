/** Commits, of which a caller learns surely whether they happened, or that it is unknown. */
import type { Socket } from 'node:net';
import type { Client, QueryResult } from 'pg';
import { Fault, outage } from '../../core/storage.js';
import { askSoon } from './ask.js';
import { isLost } from './errors.js';
import { type Address, showAddress } from './settings.js';
import type { Position } from './watch.js';

/** A property of a `pg` connection that its types do not declare. */
type Link = Client & { connection?: { stream?: Socket } };

const unknown =
  'The connection to the storage was lost while a change was saved: it may have been saved, or not. Look, or send the same again';

/** Asked for in the same message as the commit, so that it is known as soon as that is. */
const positioned = 'commit; select pg_current_wal_lsn()::text as position';

/**
 * Milliseconds after which a commit is not waited for any longer: without a second machine, strict synchronous replication
 * keeps it waiting until there is one.
 */
const patience = 20_000;

/**
 * Resolves once the transaction is stored as durably as the server promises; with the primary's position after it, if
 * wanted.
 */
export async function commit(
  connection: Client,
  address: Address,
  { isPositioned }: { isPositioned: boolean },
): Promise<Position | undefined> {
  const where = `The PostgreSQL ${showAddress(address)}`;
  let alone = false;
  // The server says "canceling wait for synchronous replication": only the primary has the transaction.
  const onNotice = ({ severity }: { severity?: string | undefined }) => {
    alone ||= severity === 'WARNING';
  };
  connection.on('notice', onNotice);
  let position: Position | undefined;
  try {
    const at = performance.now();
    // Several statements have several results.
    const results: unknown = await askSoon(connection, { text: isPositioned ? positioned : 'commit' }, patience);
    const [{ command }, asked] = [results].flat() as [QueryResult, QueryResult<{ position: string }>?];
    const [row] = asked?.rows ?? [];
    if (row) position = { text: row.position, at };
    // If a statement failed and the work continued regardless, the server rolls back without an error.
    if (command !== 'COMMIT') throw new Fault('internal', 'A statement of the transaction failed: nothing was written');
  } catch (error) {
    if (!isLost(error)) throw error;
    // A rollback would wait behind a commit that still hangs.
    (connection as Link).connection?.stream?.destroy();
    throw outage(`${where} was lost during a commit, whose outcome is unknown`, error, unknown);
  } finally {
    connection.off('notice', onNotice);
  }
  if (alone)
    throw outage(`${where} stopped to wait for its replica: the outcome of a commit is unknown`, undefined, unknown);
  return position;
}
