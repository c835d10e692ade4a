/** Where the list of erasures is. */
import { isAbsolute } from 'node:path';
import { z } from 'zod';

export const erasureSettings = z.strictObject({
  file: z
    .string()
    .min(1)
    .refine(isAbsolute, 'must be written from the root on: commands and servers with other working folders share it')
    .optional()
    .describe(
      'The list of erasures and of objections to sharing: a file outside the database, which is replayed after an older ' +
        'backup was restored. All servers and commands on one database share it. If omitted, it is in a folder beside that of ' +
        'an embedded database, such as data-erasures for data; a database server has none.',
    ),
  key: z
    .string()
    .min(16)
    .optional()
    .describe(
      'The key under which ids on the list are encrypted, at least 16 characters, best from a secret file. If omitted, a random one is ' +
        'kept beside the list, in a file whose name ends in .key.',
    ),
});
