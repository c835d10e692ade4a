/**
 * Mails: by SMTP, or appended to a file. nodemailer is loaded for the first one.
 */
import { appendFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { z } from 'zod';
import { Fault } from '../fault.js';
import { ForbiddenHost } from './reach.js';
import { connectNamed } from './request.js';

export const mailAddress = z.string().regex(/^[^\s@<>,;:"]+@[^\s@<>,;:"]+$/, 'must be an e-mail address');

/** Fields of the settings of a mail server. `variable` names the environment variable of a field, for its description. */
export function mailServerFields(variable: (name: string) => string = () => '') {
  const told = (text: string, name: string) => `${text}${variable(name)}.`;
  return {
    server: z.string().min(1).optional().describe(told('SMTP server; if omitted, no notifications are sent', 'SERVER')),
    file: z
      .string()
      .min(1)
      .optional()
      .describe(
        'Instead of a server: the file to which mails are appended, in the format mbox, for rehearsals and trials.',
      ),
    port: z.int().min(1).max(65_535).default(587).describe(told('Port of the SMTP server', 'PORT')),
    useTls: z.boolean().default(true).describe(told('Whether STARTTLS is required', 'USE_TLS')),
    useSsl: z.boolean().default(false).describe(told('Whether the connection uses TLS from the start', 'USE_SSL')),
    username: z.string().min(1).optional().describe(told('User name for the SMTP server', 'USERNAME')),
    password: z.string().min(1).optional().describe(told('Password for the SMTP server', 'PASSWORD')),
    sender: mailAddress
      .optional()
      .describe(told('Address that mails are sent from; if omitted, the user name', 'SENDER')),
  };
}

export type MailServer = z.output<z.ZodObject<ReturnType<typeof mailServerFields>>>;

/** Whether mails are sent, or written to a file. */
export function sendsMail({ server, file }: Pick<MailServer, 'server' | 'file'>): boolean {
  return server !== undefined || file !== undefined;
}

export interface Mail {
  /** Stays the same when a mail is sent again, so that mail programs recognise it. */
  id: string;
  /** What mail programs show as the sender. */
  from: string;
  to: readonly string[];
  /** Where replies to a mail go that a person wrote; undefined for a mail that the server wrote. */
  replyTo?: readonly string[];
  subject: string;
  text: string;
  html?: string;
}

/** Milliseconds to connect, and to be greeted. */
const patience = 10_000;

const addressed = (address: string) => ({ name: '', address });

function smtpMessage({ id, from: name, to, subject, text, html, replyTo }: Mail, from: string) {
  return {
    from: { name, address: from },
    to: to.map(addressed),
    replyTo: replyTo?.map(addressed),
    subject,
    text,
    html,
    messageId: `<${id}@${from.split('@').pop()}>`,
    headers: replyTo ? {} : { 'Auto-Submitted': 'auto-generated' },
    // No part of a mail may be read from a file or URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

function senderOf({ sender, username }: MailServer): string {
  const from = sender ?? username;
  if (from?.includes('@')) return from;
  throw new Fault('unavailable', 'No sender is configured (MAIL_SENDER, or MAIL_USERNAME as an e-mail address)');
}

/** In one write, so that servers may share a file. Lines that begin as the first of a mail does are marked (mboxrd). */
async function append(file: string, message: string, from: string): Promise<void> {
  const day = new Date().toUTCString().replace(/^(...), (\d\d) (...) (\d+) (\S+) GMT$/, '$1 $3 $2 $5 $4');
  const text = `From ${from} ${day}\n${message.replaceAll(/^>*From /gm, '>$&').trimEnd()}\n\n`;
  try {
    await appendFile(resolve(file), text, { mode: 0o600 });
  } catch (cause) {
    const { code = 'unknown error' } = cause as NodeJS.ErrnoException;
    throw new Fault('unavailable', `The file for mails could not be written (${code})`, { cause });
  }
}

/**
 * Resolves when the server has accepted the mail, or it is in the file. Throws `unavailable` if the server or the file cannot
 * be used at the moment, `unprocessable` if it rejects this mail. The message contains neither recipient nor content.
 */
export async function sendMail(settings: MailServer, mail: Mail): Promise<void> {
  const { server, file, port, useTls, useSsl, username, password } = settings;
  const { createTransport } = await import('nodemailer');
  if (file !== undefined) {
    const from = senderOf(settings);
    const transport = createTransport({ streamTransport: true, buffer: true, newline: 'unix' });
    const { message } = await transport.sendMail(smtpMessage(mail, from));
    return append(file, String(message), from);
  }
  if (server === undefined) throw new Fault('invalid', 'No mail server is configured (MAIL_SERVER)');
  const message = smtpMessage(mail, senderOf(settings));
  const transport = createTransport({
    host: server,
    port,
    secure: useSsl,
    requireTLS: useTls && !useSsl,
    ignoreTLS: !useTls && !useSsl,
    auth: username !== undefined && password !== undefined ? { user: username, pass: password } : undefined,
    getSocket(_options, found) {
      connectNamed(server, port, patience).then(
        (connection) => found(null, { connection }),
        (error: Error) => found(error, undefined),
      );
    },
    connectionTimeout: patience,
    greetingTimeout: patience,
    socketTimeout: 20_000,
  });
  try {
    await transport.sendMail(message);
  } catch (cause) {
    if (cause instanceof ForbiddenHost) {
      throw new Fault('unavailable', 'The mail server has an address that is not allowed');
    }
    const { code = 'unknown error', responseCode } = cause as { code?: string; responseCode?: number };
    const said = responseCode === undefined ? code : `${code}, ${responseCode}`;
    const itsOwn = code === 'EENVELOPE' || code === 'EMESSAGE';
    if (itsOwn) throw new Fault('unprocessable', `The mail server rejected a mail (${said})`);
    throw new Fault('unavailable', `The mail server could not be used (${said})`);
  } finally {
    transport.close();
  }
}
