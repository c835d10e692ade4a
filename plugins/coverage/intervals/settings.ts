/** How intervals are loaded: part of the coverage plugin's section of the configuration. */
import { z } from 'zod';
import { uploadPlace } from '../../../core/outgoing.js';

export const intervalSettings = z.strictObject({
  httpLoading: z
    .boolean()
    .default(false)
    .describe(
      'Whether POST /intervals/load/… exists: it loads files under `roots` or uploads, for tokens of the scope coverage:load.',
    ),
  maxShrink: z
    .number()
    .min(0)
    .max(1)
    .default(0.1)
    .describe(
      'Fraction by which a new set may be smaller than the set that it replaces. A smaller one is refused unless forced, ' +
        'because its file may be cut short.',
    ),
  listLimit: z
    .int()
    .min(1)
    .default(5_000_000)
    .describe('Rows of the longest list of intervals; longer ones end there.'),
  uploads: uploadPlace
    .default('data/interval-uploads')
    .describe(
      'Where uploaded interval files stay until they are loaded: a folder, relative to the one that the server is started in, ' +
        'or s3://bucket/prefix/. Servers that share a database share it too.',
    ),
  uploadLimit: z
    .int()
    .min(1)
    .default(1024 ** 3)
    .describe('Largest uploaded interval file in bytes. It must arrive within http.requestTimeout.'),
});

export type IntervalSettings = z.output<typeof intervalSettings>;
