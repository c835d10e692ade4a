/** Sends mail by SMTP. Loads nodemailer for the first mail. */
import { connectNamed, ForbiddenHost } from '../../../core/outgoing.js';
import { Fault } from '../../../core/plugin.js';
import type { Message } from './message.js';
import type { MailSettings } from './settings.js';

export interface Mail extends Message {
  /** Stays the same when a mail is sent again, so that mail programs recognise it. */
  id: string;
  to: readonly string[];
  /** Where replies to a mail go that a person wrote; undefined for a mail that the server wrote. */
  replyTo?: readonly string[];
}

/** Milliseconds to connect, and to be greeted. */
const patience = 10_000;

const addressed = (address: string) => ({ name: '', address });

/**
 * Resolves when the server has accepted the mail. Throws `unavailable` if the server cannot be used at the moment,
 * `unprocessable` if it rejects this mail. The message contains neither recipient nor content.
 */
export async function sendMail(settings: MailSettings, mail: Mail): Promise<void> {
  const { server, port, useTls, useSsl, username, password } = settings;
  const from = settings.sender ?? username;
  if (server === undefined) throw new Fault('invalid', 'No mail server is configured (MAIL_SERVER)');
  if (from === undefined || !from.includes('@')) {
    throw new Fault('unavailable', 'No sender is configured (MAIL_SENDER, or MAIL_USERNAME as an e-mail address)');
  }
  const { createTransport } = await import('nodemailer');
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
    // No part of a mail may be read from a file or URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const { id, to, subject, text, html, replyTo } = mail;
  try {
    await transport.sendMail({
      from: { name: 'Matchmaker Exchange', address: from },
      to: to.map(addressed),
      replyTo: replyTo?.map(addressed),
      subject,
      text,
      html,
      messageId: `<${id}@${from.split('@').pop()}>`,
      headers: replyTo ? {} : { 'Auto-Submitted': 'auto-generated' },
    });
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
