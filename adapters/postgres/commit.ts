/** Commits, of which a caller learns surely whether they happened, or that it is unknown. */
import type { Client } from 'pg';
import { Fault, outage } from '../../core/storage.js';
import { isLost } from './errors.js';
import { type Address, showAddress } from './settings.js';

const unknown =
  'The connection to the storage was lost while a change was saved: it may have been saved, or not. Look, or send the same again';

/** Resolves once the transaction is stored as durably as the server promises. */
export async function commit(connection: Client, address: Address): Promise<void> {
  const where = `The PostgreSQL ${showAddress(address)}`;
  let alone = false;
  // The server says "canceling wait for synchronous replication": only the primary has the transaction.
  const onNotice = ({ severity }: { severity?: string | undefined }) => {
    alone ||= severity === 'WARNING';
  };
  connection.on('notice', onNotice);
  try {
    const { command } = await connection.query('commit');
    // If a statement failed and the work continued regardless, the server rolls back without an error.
    if (command !== 'COMMIT') throw new Fault('internal', 'A statement of the transaction failed: nothing was written');
  } catch (error) {
    if (!isLost(error)) throw error;
    throw outage(`${where} was lost during a commit, whose outcome is unknown`, error, unknown);
  } finally {
    connection.off('notice', onNotice);
  }
  if (alone)
    throw outage(`${where} stopped to wait for its replica: the outcome of a commit is unknown`, undefined, unknown);
}
