/**
 * The promises of the matchmaker’s contracts, as cases of the conformance kit:
 *
 *     describeContract({ describe, it }, subject, matchmaker, matchmakerCases);
 *     describeContract({ describe, it }, subject, matchmakerMatches, matchCases);
 *     describeContract({ describe, it }, subject, matchmakerNodes, nodeCases);
 *     describeContract({ describe, it }, subject, matchmakerMail, mailCases);
 *     describeContract({ describe, it }, subject, matchmakerAudit, auditCases);
 *     describeContract({ describe, it }, subject, matchmakerResources, resourceCases);
 *     describeContract({ describe, it }, subject, matchmakerTriage, triageCases);
 */
import { store as trail } from '../../plugins/matchmaker/audit/store.js';
import type { MatchmakerRepository, MatchRepository, TriageRepository } from '../../plugins/matchmaker/contract.js';
import { store as nodes } from '../../plugins/matchmaker/exchange/store.js';
import { store as mail } from '../../plugins/matchmaker/mail/store.js';
import { store as matches } from '../../plugins/matchmaker/matches/store.js';
import { store as resources } from '../../plugins/matchmaker/resources/store.js';
import { store as patients } from '../../plugins/matchmaker/store.js';
import { store as triage } from '../../plugins/matchmaker/triage/store.js';
import type { Case, Store } from './core.js';
import { changeCases } from './matchmaker/changes.js';
import { recordCases } from './matchmaker/matches.js';
import { matchMeetings, patientMeetings, triageMeetings } from './matchmaker/meetings.js';
import { patientCases } from './matchmaker/patients.js';
import { rowCases } from './matchmaker/triage.js';

export {
  matchmaker,
  matchmakerAudit,
  matchmakerMail,
  matchmakerMatches,
  matchmakerNodes,
  matchmakerResources,
  matchmakerTriage,
} from '../../plugins/matchmaker/contract.js';
export { auditCases } from './matchmaker/audit.js';
export { mailCases } from './matchmaker/mail.js';
export { nodeCases } from './matchmaker/nodes.js';
export { resourceCases } from './matchmaker/resources.js';

/** For adapters with tables: what the plugin brings in `stores`. */
export const matchmakerStores: readonly Store[] = [resources, mail, trail, nodes, patients, matches, triage];

export const matchmakerCases: readonly Case<MatchmakerRepository>[] = [
  ...patientCases,
  ...patientMeetings,
  ...changeCases,
];

export const matchCases: readonly Case<MatchRepository>[] = [...recordCases, ...matchMeetings];

export const triageCases: readonly Case<TriageRepository>[] = [...rowCases, ...triageMeetings];
