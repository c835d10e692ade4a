/** coverage@1 on the SQL engines. */
import { describeContract, type Runner } from '../../../conformance/core.js';
import { coverage, coverageCases } from '../../../conformance/coverage.js';
import { storages } from '../../../support/storages.js';

const runner: Runner = { describe, it: (title, run) => it(title, run) };

for (const subject of storages) describeContract(runner, subject, coverage, coverageCases);
