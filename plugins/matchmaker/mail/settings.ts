/** Settings of notifications by e-mail: the mail server, and which matches are reported. */
import { z } from 'zod';

export const mailSettings = z
  .strictObject({
    server: z.string().min(1).optional().describe('SMTP server; if omitted, no notifications are sent (MAIL_SERVER).'),
    file: z
      .string()
      .min(1)
      .optional()
      .describe(
        'Instead of a server: the file to which mails are appended, in the format mbox, for rehearsals and trials.',
      ),
    port: z.int().min(1).max(65_535).default(587).describe('Port of the SMTP server (MAIL_PORT).'),
    useTls: z.boolean().default(true).describe('Whether STARTTLS is required (MAIL_USE_TLS).'),
    useSsl: z.boolean().default(false).describe('Whether the connection uses TLS from the start (MAIL_USE_SSL).'),
    username: z.string().min(1).optional().describe('User name for the SMTP server (MAIL_USERNAME).'),
    password: z.string().min(1).optional().describe('Password for the SMTP server (MAIL_PASSWORD).'),
    sender: z
      .string()
      .regex(/^[^\s@<>,;:"]+@[^\s@<>,;:"]+$/, 'must be an e-mail address')
      .optional()
      .describe('Address that mails are sent from; if omitted, the user name (MAIL_SENDER).'),
    complete: z
      .boolean()
      .default(false)
      .describe('Whether mails include features and variants of the matched patients (NOTIFY_COMPLETE).'),
    link: z
      .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
      .optional()
      .describe('URL of the page that shows a match; {id} is replaced by the id of the submitted patient.'),
    digest: z
      .boolean()
      .default(false)
      .describe('Whether each submitter gets one mail a day instead of one for each search with matches.'),
    digestHour: z.int().min(0).max(23).default(6).describe('Hour of the daily mail, in UTC.'),
    retrySeconds: z
      .number()
      .min(0.1)
      .max(86_400)
      .default(60)
      .describe('Seconds before a mail that failed is sent again.'),
  })
  .refine(({ server, file }) => server === undefined || file === undefined, {
    path: ['file'],
    error: 'stands in the place of a mail server: leave out mail.server (MAIL_SERVER), or this',
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
        'Minimum score, of the match or of its phenotypes alone, to report patients that share no gene (0 to 1).',
      ),
  })
  .prefault({});

export type NotifySettings = z.output<typeof notifySettings>;
export type MailSettings = z.output<typeof mailSettings>;

/** Whether mails are sent, or written to a file. */
export function sendsMail({ server, file }: Pick<MailSettings, 'server' | 'file'>): boolean {
  return server !== undefined || file !== undefined;
}
