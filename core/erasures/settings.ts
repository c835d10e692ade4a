/** Where the list of erasures is. */
import { z } from 'zod';

export const erasureSettings = z.strictObject({
  file: z
    .string()
    .min(1)
    .optional()
    .describe(
      'The list of erasures and of objections to sharing: a file outside the database, which is replayed after an older ' +
        'backup was restored. All servers and commands on one database share it. If omitted, it is beside the file of an ' +
        'embedded database; a database server has none.',
    ),
});
