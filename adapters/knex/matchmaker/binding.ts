/** matchmaker@1 on SQL, with the clients: systems that may call this node. */
import { Fault } from '../../../core/storage.js';
import { type Client, type MatchmakerRepository, matchmaker } from '../../../plugins/matchmaker/contract.js';
import { type Database, defineBinding } from '../binding.js';
import { changesSince, counts, recount } from './changes.js';
import { migrations, patientRows } from './layout.js';
import {
  findPatient,
  findPatients,
  holdPatient,
  listContacts,
  listPatients,
  removePatient,
  replaceContact,
  replaceFacts,
  savePatients,
} from './patients.js';

function repository(database: Database): MatchmakerRepository {
  return {
    savePatients: (saves) => savePatients(database, saves),
    removePatient: (id, writer) => removePatient(database, id, writer),
    patient: (id, owners) => findPatient(database, id, owners),
    held: (number) => database.run((inside) => holdPatient(inside, number)),
    patientsById: (ids) => findPatients(database, 'id', ids),
    patientsByNumber: (numbers, options) => findPatients(database, 'number', numbers, options),
    patients: (page) => listPatients(database, page),
    changesSince: (revision) => changesSince(database, revision),
    counts: () => counts(database),
    recount: () => recount(database),
    replaceFacts: (patients) => replaceFacts(database, patients),
    contacts: () => listContacts(database),
    replaceContact: (href, contact, submitter, now) => replaceContact(database, href, contact, submitter, now),
    addClient: (client) => addClient(database, client),
    clients: () => listClients(database),
    removeClient: (id) => removeClient(database, id),
  };
}

export default defineBinding({ contract: matchmaker, migrations, rows: [patientRows], repository });

// The clients: systems that may call this node.

interface ClientRow {
  id: string;
  url: string | null;
  contact: string | null;
  created: unknown;
}

async function addClient(database: Database, { id, url, contact, created }: Client): Promise<void> {
  const added = await database.run(({ write, engine }) =>
    write('matchmaker_clients')
      .insert({ id, url: url ?? null, contact: contact ?? null, created: engine.values.time(created) })
      .onConflict('id')
      .ignore()
      .returning('id'),
  );
  if (added.length === 0) throw new Fault('conflict', `There is already a client with the id "${id}"`);
}

async function listClients(database: Database): Promise<Client[]> {
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

async function removeClient(database: Database, id: string): Promise<boolean> {
  return (await database.run(({ write }) => write('matchmaker_clients').where({ id }).delete())) > 0;
}
