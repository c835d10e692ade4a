/** The `audit` section of the configuration. */
import { z } from 'zod';

export const auditSettings = z.strictObject({
  key: z
    .string()
    .min(32, 'must have at least 32 characters; `openssl rand -base64 32` makes such a key')
    .max(1000)
    .describe(
      // biome-ignore lint/suspicious/noTemplateCurlyInString: how a configuration names a file
      'Secret of at least 32 characters, such as ${file:/run/secrets/audit-key}: it encrypts the names in the audit and seals its ' +
        'chains. All servers of one storage need the same; without it names cannot be read any more.',
    ),
  keepDays: z.int().min(0).max(36_500).default(0).describe('Days for which entries are kept; 0 keeps them for ever.'),
});

export type AuditSettings = z.output<typeof auditSettings>;
