/** Settings for querying other nodes. */
import { z } from 'zod';
import { purposes } from '../patient/extensions.js';

const seconds = (usual: number, most: number) => z.number().positive().max(most).default(usual);
const whole = (usual: number, least: number, most: number) => z.int().min(least).max(most).default(usual);

export const exchangeSettings = z
  .strictObject({
    key: z
      .string()
      .min(16, 'must have at least 16 characters')
      .optional()
      .describe('Key that encrypts the stored tokens of nodes (MATCHMAKER_KEY); keep a copy elsewhere.'),
    allowHttp: z
      .boolean()
      .default(false)
      .describe('Whether nodes may be queried over http, without encryption. Never with real patients.'),
    timeoutSeconds: seconds(20, 300).describe('Seconds that a node may take to respond.'),
    slowSeconds: seconds(300, 900).describe(
      'The same for nodes with the quirk `slow`, which background queries wait for.',
    ),
    waitSeconds: z
      .number()
      .min(0)
      .max(300)
      .default(20)
      .describe(
        'Seconds that /match/external waits for responses unless the client states a time; later ones are recorded.',
      ),
    maxBytes: whole(8 * 1024 ** 2, 1, 256 * 1024 ** 2).describe('Maximum size of the response of a node, in bytes.'),
    maxResults: whole(100, 1, 1000).describe('Maximum number of patients kept from one response, best first.'),
    retrySeconds: z
      .number()
      .min(0.1)
      .max(3600)
      .default(5)
      .describe('Seconds before a node that failed is queried again; doubled after each failure.'),
    retryMaxSeconds: z.number().min(0.1).max(86_400).default(900).describe('Upper limit of that wait, in seconds.'),
    purpose: z
      .enum(purposes)
      .optional()
      .describe('Purpose (`_purpose`) stated in queries with patients that state none; nothing is stated if omitted.'),
    indirect: z.boolean().default(true).describe('Whether a new patient is compared with earlier queries of clients.'),
    within: z
      .enum(['off', 'others', 'all'])
      .default('others')
      .describe(
        'Stored patients that a patient is compared with when it is added or changed: those of other clients, of all ' +
          'clients, or none. Demo and test patients never are.',
      ),
  })
  .prefault({});

export type ExchangeSettings = z.output<typeof exchangeSettings>;
