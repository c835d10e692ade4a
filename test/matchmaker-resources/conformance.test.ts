/** What matchmaker-resources@1 promises, on every engine that keeps it. */
import { describeContract, type Runner } from '../../core/conformance.js';
import { resourceCases } from '../../plugins/matchmaker/conformance/resources.js';
import { matchmakerResources } from '../../plugins/matchmaker/contract.js';
import { memorySubject } from '../conformance/memory.js';
import { storages } from '../support/storages.js';

const runner: Runner = { describe, it: (title, run) => it(title, run) };

for (const subject of [memorySubject, ...storages])
  describeContract(runner, subject, matchmakerResources, resourceCases);
