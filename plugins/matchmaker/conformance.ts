/**
 * What matchmaker@1 and matchmaker-matches@1 promise, as cases of the conformance kit:
 *
 *     describeContract({ describe, it }, subject, matchmaker, matchmakerCases);
 *     describeContract({ describe, it }, subject, matchmakerMatches, matchCases);
 */
import type { Case } from '../../core/conformance.js';
import { changeCases } from './conformance/changes.js';
import { patientCases } from './conformance/patients.js';
import type { MatchmakerRepository } from './contract.js';

export { matchCases } from './conformance/matches.js';
export { matchmaker, matchmakerMatches } from './contract.js';

export const matchmakerCases: readonly Case<MatchmakerRepository>[] = [...patientCases, ...changeCases];
