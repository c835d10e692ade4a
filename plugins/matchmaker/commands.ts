/** The matchmaker's command line: `trefoil matchmaker …`. */
import type { Command } from '../../core/plugin.js';
import { addClient, listClients, removeClient } from './commands/clients.js';
import { updateContact } from './commands/contact.js';
import { addDemoData } from './commands/demodata.js';
import { doctor } from './commands/doctor.js';
import { exportPatients } from './commands/export.js';
import { importFile } from './commands/import.js';
import { importPatientMatcher } from './commands/import-patientmatcher.js';
import { listPatients, removePatient } from './commands/patients.js';
import { reindex } from './commands/reindex.js';
import { updateResources } from './commands/resources.js';
import type { MatchmakerSettings } from './settings.js';

export const commands: readonly Command<MatchmakerSettings>[] = [
  addClient,
  addDemoData,
  removeClient,
  removePatient,
  updateContact,
  updateResources,
  listClients,
  listPatients,
  importFile,
  exportPatients,
  importPatientMatcher,
  reindex,
  doctor,
];
