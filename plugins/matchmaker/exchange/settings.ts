/** How other nodes are asked. */
import { z } from 'zod';

export const exchangeSettings = z
  .strictObject({
    key: z
      .string()
      .min(16, 'is shorter than 16 characters')
      .optional()
      .describe('Encrypts the tokens of nodes where they are stored (MATCHMAKER_KEY); keep a copy elsewhere.'),
    allowHttp: z
      .boolean()
      .default(false)
      .describe('Whether nodes without encryption are asked. Never with real patients.'),
    timeoutSeconds: z.number().positive().max(300).default(20).describe('How long a node may take to answer.'),
    maxBytes: z
      .int()
      .min(1)
      .max(256 * 1024 ** 2)
      .default(8 * 1024 ** 2)
      .describe('Largest answer of a node.'),
    maxResults: z.int().min(1).max(1000).default(100).describe('Patients of one answer that are kept, the best first.'),
    retrySeconds: z
      .number()
      .min(0.1)
      .max(3600)
      .default(5)
      .describe('Wait before a node that failed is asked again; doubled with each failure.'),
    retryMaxSeconds: z.number().min(0.1).max(86_400).default(900).describe('Longest such wait.'),
    indirect: z
      .boolean()
      .default(true)
      .describe('Whether a patient that is added is compared with what others asked before.'),
  })
  .prefault({});

export type ExchangeSettings = z.output<typeof exchangeSettings>;
