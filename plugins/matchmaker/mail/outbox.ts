/**
 * Sends the notices in the outbox, by SMTP or to a file. One job at a time does so, so that a mail server that hangs occupies one
 * worker only. A notice is removed after the mail server has accepted its mail: if the process dies in between, the mail is
 * sent again, with the same Message-ID. nodemailer is loaded for the first mail.
 */
import { createHash } from 'node:crypto';
import { appendFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { connectNamed, ForbiddenHost } from '../../../core/outgoing.js';
import { Fault, isFault, type PluginContext, step } from '../../../core/plugin.js';
import type { Trail } from '../audit/trail.js';
import { type MailRepository, type Notice, thisNode } from '../contract.js';
import type { MailSettings } from '../settings.js';
import { mailOfNotices, type RenderedMail, sendsMail } from './notices.js';

export const mailKind = 'matchmaker.mail';
/** Notices read at once: enough for one mail per search or day, few enough for memory. */
const batch = 10_000;
const longestWaitMs = 24 * 60 * 60 * 1000;

export interface Outbox {
  /** Queues the job that sends mail, if any is due. */
  look(): Promise<void>;
  /** Calls `look` without waiting for it; a failure is logged. */
  wake(): void;
  /** Ends a search: its notices become due. Never rejects; after a failure they become due by themselves later. */
  over(search: string): Promise<void>;
  /** Sends what is due; returns the number of mails. */
  send(signal: AbortSignal): Promise<number>;
}

/** Does nothing if no mail is sent. */
export function outboxOfMails(
  { jobs, log, now, metrics }: Pick<PluginContext<unknown>, 'jobs' | 'log' | 'now' | 'metrics'>,
  settings: MailSettings,
  { mail, trail }: { mail: MailRepository; trail: Pick<Trail, 'further'> },
): Outbox {
  if (!sendsMail(settings)) {
    return { look: async () => {}, wake() {}, over: async () => {}, send: async () => 0 };
  }
  metrics.gauge('mail_waiting', 'Notifications not sent yet', async () => (await mail.waiting()).waiting);
  metrics.gauge(
    'mail_failing',
    'Notifications that failed to be sent and will be retried',
    async () => (await mail.waiting()).failing,
  );
  const look = async (): Promise<void> => {
    if ((await mail.due(now(), 1)).length > 0) await jobs.enqueue(mailKind, {}, { owner: 'matchmaker', key: mailKind });
  };
  const later = (error: unknown) => {
    log.debug({ reason: isFault(error) ? error.message : 'unexpected error' }, 'mail is sent at the next check');
  };
  return {
    look,
    wake: () => void look().catch(later),
    async over(search) {
      // Notices of a digest wait for its hour.
      if (settings.digest) return;
      await mail.release(search, now()).then(look).catch(later);
    },
    send: (signal) => drain({ mail, trail, settings, now, log, signal }),
  };
}

interface DrainOptions {
  mail: MailRepository;
  /** Records whose data is sent; nothing is recorded if omitted. */
  trail?: Pick<Trail, 'further'>;
  settings: MailSettings;
  now(): Date;
  log: PluginContext<unknown>['log'];
  signal: AbortSignal;
}

/** Sends all that is due, one mail for each search, or digest, and recipients. Returns the number of mails. */
export async function drain({ mail, trail, settings, now, log, signal }: DrainOptions): Promise<number> {
  let sent = 0;
  for (;;) {
    const due = await mail.due(now(), batch);
    if (due.length === 0) return sent;
    const left = new Set(due);
    for (const notices of mailsOf(due, settings.digest)) {
      signal.throwIfAborted();
      const ids = notices.map(({ id }) => id);
      // A mail that is sent again was recorded at the first attempt.
      const fresh = notices.filter(({ failures }) => failures === 0);
      if (fresh.length > 0) await trail?.further(traceOfMail(fresh));
      try {
        await sendMail(settings, { id: mailId(ids), to: notices[0]?.to ?? [], ...mailOfNotices(notices, settings) });
        sent += 1;
      } catch (error) {
        if (!isFault(error)) throw error;
        log.warn({ reason: error.message, notices: ids.length }, 'a notification could not be sent');
        // A mail that the server rejects waits alone; if the server is unavailable, all mails wait.
        const away = error.code === 'unavailable';
        const late = away ? [...left] : notices;
        await mail.failed(
          late.map(({ id }) => id),
          error.message,
          retryAt(now(), late, settings),
        );
        if (away) return sent;
        for (const notice of notices) left.delete(notice);
        continue;
      }
      step('matchmaker.mail.accepted');
      await mail.sent(ids);
      step('matchmaker.mail.removed');
      for (const notice of notices) left.delete(notice);
    }
  }
}

/** Who reads of which patients that are stored here. */
function traceOfMail(notices: readonly Notice[]): Parameters<Trail['further']>[0] {
  const readers = [...new Set(notices.flatMap(({ to }) => to))].sort().join(', ');
  const matches = notices.flatMap((notice) => notice.matches);
  const ours = matches.filter(({ node }) => node.id === thisNode.id).map(({ patient }) => patient.id);
  return {
    by: { owner: 'matchmaker', actor: { kind: 'reader', owner: readers }, because: 'contact of the patient' },
    action: 'mail',
    patients: [...notices.map(({ patient }) => patient.id), ...ours],
    detail: { matches: matches.length },
  };
}

function mailsOf(due: readonly Notice[], digest: boolean): Notice[][] {
  const mails = new Map<string, Notice[]>();
  for (const notice of due) {
    const readers = [...notice.to].sort().join();
    const key = digest ? readers : `${notice.search} ${readers}`;
    const together = mails.get(key);
    if (together) together.push(notice);
    else mails.set(key, [notice]);
  }
  return [...mails.values()];
}

/** Identifies the set of notices: mail programs drop a second mail with the same id. */
function mailId(ids: readonly string[]): string {
  const [first = ''] = ids;
  return ids.length < 2 ? first : createHash('sha256').update(ids.join()).digest('hex').slice(0, 32);
}

function retryAt(now: Date, notices: readonly Notice[], { retrySeconds }: MailSettings): Date {
  const failures = Math.max(0, ...notices.map(({ failures }) => failures));
  return new Date(now.getTime() + Math.min(retrySeconds * 1000 * 2 ** Math.min(failures, 20), longestWaitMs));
}

export interface Mail extends RenderedMail {
  /** Stays the same when a mail is sent again, so that mail programs recognise it. */
  id: string;
  to: readonly string[];
  /** Where replies to a mail go that a person wrote; undefined for a mail that the server wrote. */
  replyTo?: readonly string[];
}

/** Milliseconds to connect, and to be greeted. */
const patience = 10_000;

const addressed = (address: string) => ({ name: '', address });

function smtpMessage({ id, to, subject, text, html, replyTo }: Mail, from: string) {
  return {
    from: { name: 'Matchmaker Exchange', address: from },
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

function senderOf({ sender, username }: MailSettings): string {
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
export async function sendMail(settings: MailSettings, mail: Mail): Promise<void> {
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
