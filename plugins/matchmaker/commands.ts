/** The matchmaker's command line: `trefoil matchmaker …`. */
import type { Command } from '../../core/commands.js';
import { addClient, listClients, removeClient } from './commands/clients.js';
import { addDemoData, importFile, importPatientMatcher, removeDemoData } from './commands/import.js';
import { addNode, listNodes, listQuirks, removeNode, testNode, updateNode } from './commands/nodes.js';
import { erase, exportPatients, listPatients, removePatient, updateContact } from './commands/patients.js';
import { rehearse } from './commands/rehearse.js';
import { listSubmissions, showSubmission } from './commands/submissions.js';
import { doctor, listAudit, reindex, testEmail, updateResources } from './commands/upkeep.js';
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
