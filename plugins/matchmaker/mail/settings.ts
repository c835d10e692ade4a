/** Notifications by e-mail: the mail server, and which matches are worth a mail. */
import { z } from 'zod';

export const mailSettings = z
  .strictObject({
    server: z.string().min(1).optional().describe('SMTP server; no notifications where absent (MAIL_SERVER).'),
    port: z.int().min(1).max(65_535).default(587).describe('Its port (MAIL_PORT).'),
    useTls: z.boolean().default(true).describe('Whether STARTTLS is demanded (MAIL_USE_TLS).'),
    useSsl: z.boolean().default(false).describe('Whether the connection is TLS from the start (MAIL_USE_SSL).'),
    username: z.string().min(1).optional().describe('Name at the SMTP server (MAIL_USERNAME).'),
    password: z.string().min(1).optional().describe('Password at the SMTP server (MAIL_PASSWORD).'),
    sender: z
      .string()
      .regex(/^[^\s@<>,;:"]+@[^\s@<>,;:"]+$/, 'is no e-mail address')
      .optional()
      .describe('Address that mails come from; the username where absent (MAIL_SENDER).'),
    complete: z
      .boolean()
      .default(false)
      .describe('Whether mails hold features and variants of the patients that matched (NOTIFY_COMPLETE).'),
    link: z
      .url({ protocol: /^https?$/, error: 'is no http(s) address' })
      .optional()
      .describe('Where a match is shown; {id} stands for the id of the patient that was submitted.'),
    digest: z
      .boolean()
      .default(false)
      .describe('Whether each submitter gets one mail a day instead of one for each search that found something.'),
    digestHour: z.int().min(0).max(23).default(6).describe('Hour of the daily mail, UTC.'),
    retrySeconds: z.number().min(0.1).max(86_400).default(60).describe('Wait before a mail that failed is sent again.'),
  })
  .prefault({});

export const notifySettings = z
  .strictObject({
    minScore: z
      .number()
      .min(0)
      .max(1)
      .default(0.5)
      .describe(
        'How alike patients without a gene in common must be for a mail: their score, or that of phenotypes alone (0 to 1).',
      ),
  })
  .prefault({});

export type NotifySettings = z.output<typeof notifySettings>;
export type MailSettings = z.output<typeof mailSettings>;
