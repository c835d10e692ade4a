/** The clients: systems that may call this node. */
import { Fault } from '../../../core/storage.js';
import type { Client } from '../../../plugins/matchmaker/contract.js';
import type { Database } from '../binding.js';

interface ClientRow {
  id: string;
  url: string | null;
  contact: string | null;
  created: unknown;
}

export async function addClient(database: Database, { id, url, contact, created }: Client): Promise<void> {
  const added = await database.run(({ write, engine }) =>
    write('matchmaker_clients')
      .insert({ id, url: url ?? null, contact: contact ?? null, created: engine.values.time(created) })
      .onConflict('id')
      .ignore()
      .returning('id'),
  );
  if (added.length === 0) throw new Fault('conflict', `There is already a client with the id "${id}"`);
}

export async function listClients(database: Database): Promise<Client[]> {
  const rows = await database.query<ClientRow>(
    'select id, url, contact, created from matchmaker_clients order by id',
    [],
  );
  return rows.map(({ id, url, contact, created }) => ({
    id,
    ...(url === null ? {} : { url }),
    ...(contact === null ? {} : { contact }),
    created: database.engine.values.parseTime(created),
  }));
}

export async function removeClient(database: Database, id: string): Promise<boolean> {
  return (await database.run(({ write }) => write('matchmaker_clients').where({ id }).delete())) > 0;
}
