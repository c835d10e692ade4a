/** What jobs@1 promises (core/jobs/contract.ts). */
import type { JobRepository } from '../../../core/jobs/contract.js';
import type { Case } from './case.js';
import { claimCases, leaseCases } from './jobs/claims.js';
import { endingCases, keyCases } from './jobs/endings.js';
import { listCases } from './jobs/lists.js';
import { valueCases } from './jobs/values.js';

export const jobCases: readonly Case<JobRepository>[] = [
  ...valueCases,
  ...claimCases,
  ...leaseCases,
  ...endingCases,
  ...keyCases,
  ...listCases,
];
