/** matchmaker@1 on SQL. */
import { type MatchmakerRepository, matchmaker } from '../../../plugins/matchmaker/contract.js';
import { type Database, defineBinding } from '../binding.js';
import { changesSince, counts, recount } from './changes.js';
import { addClient, listClients, removeClient } from './clients.js';
import { patientRows } from './layout.js';
import { migrations } from './migrations.js';
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
