/** The promises of matchmaker-resources@1, on every engine that provides it. */
import { describeContract, type Runner } from '../../../conformance/core.js';
import { matchmakerResources, resourceCases } from '../../../conformance/matchmaker.js';
import { memorySubject } from '../../../kit/memory.js';
import { storages } from '../../../support/storages.js';

const runner: Runner = { describe, it: (title, run) => it(title, run) };

for (const subject of [memorySubject, ...storages])
  describeContract(runner, subject, matchmakerResources, resourceCases);
