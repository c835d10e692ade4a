/** The contracts of patients and matches on every adapter that provides them. */
import { describeContract, type Runner } from '../../conformance/core.js';
import { matchCases, matchmaker, matchmakerCases, matchmakerMatches } from '../../conformance/matchmaker.js';
import { memorySubject } from '../../kit/memory.js';
import { storages } from '../../support/storages.js';

const runner: Runner = { describe, it: (title, run) => it(title, run) };

for (const subject of [memorySubject, ...storages]) {
  describeContract(runner, subject, matchmaker, matchmakerCases);
  describeContract(runner, subject, matchmakerMatches, matchCases);
}
