/**
 * Sends the notices in the outbox, by SMTP or to a file. One job at a time does so, so that a mail server that hangs occupies one
 * worker only. A notice is removed after the mail server has accepted its mail: if the process dies in between, the mail is
 * sent again, with the same Message-ID.
 */
import { createHash } from 'node:crypto';
import { type Mail, sendMail as sendAs, sendsMail } from '../../../core/outgoing.js';
import { isFault, type PluginContext, step } from '../../../core/plugin.js';
import type { Trail } from '../audit/trail.js';
import { type MailRepository, type Notice, thisNode } from '../contract.js';
import type { MailSettings } from '../settings.js';
import { mailOfNotices } from './notices.js';

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

/** As `sendMail` of the core. */
export function sendMail(settings: MailSettings, mail: Omit<Mail, 'from'>): Promise<void> {
  return sendAs(settings, { from: 'Matchmaker Exchange', ...mail });
}
