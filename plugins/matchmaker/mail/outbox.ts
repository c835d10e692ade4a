/**
 * Sends what is in the outbox. One job at a time does, so that a mail server that hangs keeps one worker and no more. A
 * notice is taken out once the mail server has accepted its mail: a process that dies in between sends the mail again,
 * under the same Message-ID.
 */
import { createHash } from 'node:crypto';
import { isFault, type PluginContext, step } from '../../../core/plugin.js';
import type { MailRepository, Notice } from '../contract.js';
import { messageOf } from './message.js';
import type { MailSettings } from './settings.js';
import { sendMail } from './transport.js';

export const mailKind = 'matchmaker.mail';
/** So many that a submitter gets one mail for a search or day, and few enough to be held in memory. */
const batch = 10_000;
const longestWaitMs = 24 * 60 * 60 * 1000;

export interface Outbox {
  /** Queues the job that sends mail, if any is due. */
  look(): Promise<void>;
  /** As `look`, for callers that do not wait for it; a failure is logged. */
  wake(): void;
  /** A search is over, and its notices are due. Never rejects: at a failure they go out later by themselves. */
  over(search: string): Promise<void>;
  /** Sends what is due; returns the number of mails. */
  send(signal: AbortSignal): Promise<number>;
}

/** Without a mail server it does nothing. */
export function outboxOf(
  { jobs, log, now, metrics }: Pick<PluginContext<unknown>, 'jobs' | 'log' | 'now' | 'metrics'>,
  settings: MailSettings,
  mail: MailRepository,
): Outbox {
  if (settings.server === undefined) {
    return { look: async () => {}, wake() {}, over: async () => {}, send: async () => 0 };
  }
  metrics.gauge('mail_waiting', 'Notifications that are not sent yet', async () => (await mail.waiting()).waiting);
  metrics.gauge(
    'mail_failing',
    'Notifications that could not be sent so far',
    async () => (await mail.waiting()).failing,
  );
  const look = async (): Promise<void> => {
    if ((await mail.due(now(), 1)).length > 0) await jobs.enqueue(mailKind, {}, { owner: 'matchmaker', key: mailKind });
  };
  const later = (error: unknown) => {
    log.debug({ reason: isFault(error) ? error.message : 'unexpected error' }, 'mail goes out with the next look');
  };
  return {
    look,
    wake: () => void look().catch(later),
    async over(search) {
      // A digest waits for its hour.
      if (settings.digest) return;
      await mail.release(search, now()).then(look).catch(later);
    },
    send: (signal) => drain({ mail, settings, now, log, signal }),
  };
}

export interface DrainOptions {
  mail: MailRepository;
  settings: MailSettings;
  now(): Date;
  log: PluginContext<unknown>['log'];
  signal: AbortSignal;
}

/** Sends all that is due: one mail for each search, or for each digest, to the same addresses. Returns how many mails. */
export async function drain({ mail, settings, now, log, signal }: DrainOptions): Promise<number> {
  let sent = 0;
  for (;;) {
    const due = await mail.due(now(), batch);
    if (due.length === 0) return sent;
    const left = new Set(due);
    for (const notices of bundled(due, settings.digest)) {
      signal.throwIfAborted();
      const ids = notices.map(({ id }) => id);
      try {
        await sendMail(settings, { id: mailId(ids), to: notices[0]?.to ?? [], ...messageOf(notices, settings) });
        sent += 1;
      } catch (error) {
        if (!isFault(error)) throw error;
        log.warn({ reason: error.message, notices: ids.length }, 'a notification could not be sent');
        // What the server does not take is its own trouble; where the server is away, all of them wait.
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
      for (const notice of notices) left.delete(notice);
    }
  }
}

function bundled(due: readonly Notice[], digest: boolean): Notice[][] {
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

/** The same for the same notices alone: readers' programs drop what they take for a mail that came twice. */
function mailId(ids: readonly string[]): string {
  const [first = ''] = ids;
  return ids.length < 2 ? first : createHash('sha256').update(ids.join()).digest('hex').slice(0, 32);
}

function retryAt(now: Date, notices: readonly Notice[], { retrySeconds }: MailSettings): Date {
  const failures = Math.max(0, ...notices.map(({ failures }) => failures));
  return new Date(now.getTime() + Math.min(retrySeconds * 1000 * 2 ** Math.min(failures, 20), longestWaitMs));
}
