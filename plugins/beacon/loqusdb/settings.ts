/** The setting `loqusdb`: the routes and commands of loqusdb. */
import { z } from 'zod';
import { addressRange } from '../domain/addresses.js';

const datasetId = z.string().min(1);

const addressRanges = z.array(addressRange);

export const loqusdbSettings = z
  .strictObject({
    dataset: datasetId.describe('The dataset that it serves, and that `trefoil loqusdb` works on.'),
    databases: z
      .record(z.string().min(1), datasetId)
      .default({})
      .describe('Datasets for requests with the parameter db_name, by its value.'),
    prefix: z
      .string()
      .regex(/^(\/[A-Za-z0-9._~-]+)+$/, 'is a path without a slash at its end, such as /loqusdb')
      .default('/loqusdb')
      .describe('Path of its routes.'),
    addresses: z
      .union([
        z
          .string()
          .transform((text) => text.split(',').map((part) => part.trim()))
          .pipe(addressRanges),
        addressRanges,
      ])
      .default([])
      .describe(
        'Addresses of its clients, such as 10.0.0.0/8; requests from others are refused. As text, separated by commas. ' +
          'Behind proxies http.trustProxy must be set.',
      ),
    secret: z
      .string()
      .regex(/^[A-Za-z0-9_-]{16,128}$/, 'is made of 16 to 128 letters, digits and the signs _ and -')
      .optional()
      .describe(
        'A segment that follows the prefix in the path of every request; keep it in a file or the environment.',
      ),
    families: z.int().min(1).max(10_000).default(1000).describe('Largest number of case ids in an answer, the newest.'),
  })
  .refine(
    ({ addresses, secret }) => addresses.length > 0 || secret !== undefined,
    'needs addresses or a secret: its clients send no token, and it names cases',
  );

export type LoqusdbSettings = z.output<typeof loqusdbSettings>;
