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
import type { Case } from '../../core/conformance.js';
import { changeCases } from './conformance/changes.js';
import { patientCases } from './conformance/patients.js';
import type { MatchmakerRepository } from './contract.js';

export { auditCases } from './conformance/audit.js';
export { mailCases } from './conformance/mail.js';
export { matchCases } from './conformance/matches.js';
export { nodeCases } from './conformance/nodes.js';
export { resourceCases } from './conformance/resources.js';
export { triageCases } from './conformance/triage.js';
export {
  matchmaker,
  matchmakerAudit,
  matchmakerMail,
  matchmakerMatches,
  matchmakerNodes,
  matchmakerResources,
  matchmakerTriage,
} from './contract.js';

export const matchmakerCases: readonly Case<MatchmakerRepository>[] = [...patientCases, ...changeCases];
