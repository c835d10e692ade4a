/** How intervals are loaded: a part of the coverage plugin's section of the configuration. */
import { z } from 'zod';

export const intervalSettings = z.strictObject({
  httpLoading: z
    .boolean()
    .default(false)
    .describe(
      'Whether POST /intervals/load/… is there: for tokens of the scope coverage:load, files under `roots` or uploads.',
    ),
  maxShrink: z
    .number()
    .min(0)
    .max(1)
    .default(0.1)
    .describe(
      'Share by which a new set may be smaller than the one that it replaces: more is refused unless forced, since ' +
        'the file may be cut short.',
    ),
  listLimit: z
    .int()
    .min(1)
    .default(5_000_000)
    .describe('Rows of the longest list of intervals that is handed out; longer ones end there.'),
  uploads: z
    .string()
    .min(1)
    .default('data/interval-uploads')
    .describe(
      'Where uploaded interval files stay until they are loaded, relative to the folder that the server is started ' +
        'in. Servers on one database share it.',
    ),
  uploadLimit: z
    .int()
    .min(1)
    .default(1024 ** 3)
    .describe('Largest uploaded interval file in bytes. It must arrive within http.requestTimeout.'),
});

export type IntervalSettings = z.output<typeof intervalSettings>;
