/** The matchmaker's command line: `trefoil matchmaker …`. */
import type { Command } from '../../core/commands.js';
import { listAudit } from './commands/audit.js';
import { addClient, listClients, removeClient } from './commands/clients.js';
import { addDemoData, removeDemoData } from './commands/demodata.js';
import { doctor, testEmail } from './commands/doctor.js';
import { erase } from './commands/erase.js';
import { exportPatients } from './commands/export.js';
import { importFile } from './commands/import.js';
import { importPatientMatcher } from './commands/import-patientmatcher.js';
import { addNode, listNodes, listQuirks, removeNode, testNode, updateNode } from './commands/nodes.js';
import { listPatients, removePatient, updateContact } from './commands/patients.js';
import { rehearse } from './commands/rehearse.js';
import { reindex, updateResources } from './commands/resources.js';
import { listSubmissions, showSubmission } from './commands/submissions.js';
import type { MatchmakerSettings } from './settings.js';

export const commands: readonly Command<MatchmakerSettings>[] = [
  addClient,
  addNode,
  addDemoData,
  removeClient,
  removeNode,
  removePatient,
  removeDemoData,
  updateContact,
  updateNode,
  updateResources,
  listClients,
  listNodes,
  listQuirks,
  listPatients,
  listSubmissions,
  showSubmission,
  listAudit,
  testNode,
  testEmail,
  erase,
  importFile,
  exportPatients,
  importPatientMatcher,
  reindex,
  doctor,
  rehearse,
];
