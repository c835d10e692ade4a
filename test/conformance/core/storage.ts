/** What every storage promises (core/storage.ts), tested with the core's own contracts. */
import type { TokenRepository } from '../../../core/auth/contract.js';
import type { Case } from './case.js';
import { openingCases } from './storage/opening.js';
import { transactionCases } from './storage/transactions.js';

export const storageCases: readonly Case<TokenRepository>[] = [...openingCases, ...transactionCases];
