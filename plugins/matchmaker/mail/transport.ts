/** Sends mail by SMTP. Loads nodemailer when the first mail goes out. */
import { Fault } from '../../../core/plugin.js';
import type { Message } from './message.js';
import type { MailSettings } from './settings.js';

export interface Mail extends Message {
  /** Stays the same when a mail is sent again, so that programs that get it twice know it. */
  id: string;
  to: readonly string[];
}

/**
 * Resolves once the server took the mail. Throws `unavailable` where the server cannot be used at the moment, and
 * `unprocessable` where it does not take this mail. The message names neither recipient nor content.
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
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 20_000,
    // Nothing of a mail is read from elsewhere.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const { id, to, subject, text, html } = mail;
  try {
    await transport.sendMail({
      from: { name: 'Matchmaker Exchange', address: from },
      to: to.map((address) => ({ name: '', address })),
      subject,
      text,
      html,
      messageId: `<${id}@${from.split('@').pop()}>`,
      headers: { 'Auto-Submitted': 'auto-generated' },
    });
  } catch (cause) {
    const { code = 'unknown error', responseCode } = cause as { code?: string; responseCode?: number };
    const said = responseCode === undefined ? code : `${code}, ${responseCode}`;
    const itsOwn = code === 'EENVELOPE' || code === 'EMESSAGE';
    if (itsOwn) throw new Fault('unprocessable', `The mail server did not take a mail (${said})`);
    throw new Fault('unavailable', `The mail server could not be used (${said})`);
  } finally {
    transport.close();
  }
}
