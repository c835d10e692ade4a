/** Notifications by e-mail. */
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
      .describe('Whether there is one mail a day for each submitter instead of one for each search.'),
    digestHour: z.int().min(0).max(23).default(6).describe('Hour of the daily mail, UTC.'),
    retrySeconds: z.number().min(0.1).max(86_400).default(60).describe('Wait before a mail that failed is sent again.'),
  })
  .prefault({});

export type MailSettings = z.output<typeof mailSettings>;
