/** coverage@1 on the SQL engines. */
import { describeContract, type Runner } from '../../../../core/conformance.js';
import { coverage, coverageCases } from '../../../../plugins/coverage/conformance.js';
import { storages } from '../../../support/storages.js';

const runner: Runner = { describe, it: (title, run) => it(title, run) };

for (const subject of storages) describeContract(runner, subject, coverage, coverageCases);
