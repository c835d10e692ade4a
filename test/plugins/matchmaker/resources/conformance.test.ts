/** The promises of matchmaker-resources@1, on every engine that provides it. */
import { describeContract, type Runner } from '../../../../core/conformance.js';
import { matchmakerResources, resourceCases } from '../../../../plugins/matchmaker/conformance.js';
import { memorySubject } from '../../../kit/memory.js';
import { storages } from '../../../support/storages.js';

const runner: Runner = { describe, it: (title, run) => it(title, run) };

for (const subject of [memorySubject, ...storages])
  describeContract(runner, subject, matchmakerResources, resourceCases);
