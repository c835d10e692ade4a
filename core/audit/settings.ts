/** The `audit` section of the configuration. */
import { z } from 'zod';
import { uploadPlace } from '../outgoing/s3/name.js';

const destination = z.union([
  uploadPlace,
  z.strictObject({
    command: z
      .array(z.string().min(1))
      .min(1)
      .describe('A program and its arguments, run without a shell. It gets the checkpoint on standard input.'),
    seconds: z.int().min(1).max(3600).default(60).describe('Time after which the program is ended.'),
  }),
]);

/** A folder, a prefix in S3, or a command. */
export type CheckpointDestination = z.output<typeof destination>;

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
  checkpoints: z
    .strictObject({
      to: z
        .array(destination)
        .min(1)
        .describe('Folders (best of another machine), prefixes such as s3://bucket/audit/, or commands.'),
      everyMinutes: z.int().min(1).max(10_080).default(60).describe('Minutes between two checkpoints.'),
    })
    .optional()
    .describe('Where servers store checkpoints at each interval and when they stop; nowhere if omitted.'),
  keepDays: z.int().min(0).max(36_500).default(0).describe('Days for which entries are kept; 0 keeps them for ever.'),
});

export type AuditSettings = z.output<typeof auditSettings>;
