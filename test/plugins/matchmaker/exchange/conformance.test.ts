/** The contracts of the exchange on every adapter that provides them. */
import { describeContract, type Runner } from '../../../conformance/core.js';
import {
  auditCases,
  mailCases,
  matchmakerAudit,
  matchmakerMail,
  matchmakerNodes,
  nodeCases,
} from '../../../conformance/matchmaker.js';
import { memorySubject } from '../../../kit/memory.js';
import { storages } from '../../../support/storages.js';

const runner: Runner = { describe, it: (title, run) => it(title, run) };

for (const subject of [memorySubject, ...storages]) {
  describeContract(runner, subject, matchmakerNodes, nodeCases);
  describeContract(runner, subject, matchmakerMail, mailCases);
  describeContract(runner, subject, matchmakerAudit, auditCases);
}
