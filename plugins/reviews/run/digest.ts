/**
 * What came onto the list in some days, as a text; and the mail of a week: counts without cases, to those whom the settings name.
 * Each mail is a job, which one of several servers queues, and which is tried again if the mail server does not respond.
 */
import { z } from 'zod';
import { sendMail } from '../../../core/outgoing.js';
import { type Json, type PluginContext, recurring } from '../../../core/plugin.js';
import {
  type CaseFinding,
  type FindingSelection,
  type Owners,
  type Reason,
  type ReviewRepository,
  reasons,
} from '../contract.js';
import { dayText } from '../pages/words.js';
import { type DigestSettings, type ReviewSettings, weekdays } from '../settings.js';
import { en, type ReviewTexts } from '../texts/en.js';
import { sv } from '../texts/sv.js';
import { enqueueOnce, lastHour } from './schedule.js';

export const digestJob = 'reviews.digest';

const dayMs = 86_400_000;
/** Findings that are read at once. */
const portion = 500;

/** Findings that are open and came onto the list in this time, some at once. */
export async function* freshFindings(
  repository: Pick<ReviewRepository, 'findings'>,
  { from, until, owners }: { from: Date; until?: Date; owners?: Owners },
): AsyncGenerator<readonly CaseFinding[]> {
  const selection = {
    states: ['open'],
    foundFrom: from,
    limit: portion,
    ...(until && { foundBefore: until }),
    ...(owners && { owners }),
  } satisfies FindingSelection;
  for (let after: CaseFinding | undefined; ; ) {
    const found = await repository.findings({ ...selection, ...(after && { after }) });
    if (found.length > 0) yield found;
    after = found.at(-1);
    if (after === undefined || found.length < portion) return;
  }
}

const counted = (counts: ReadonlyMap<Reason, number>, { reasons: names }: ReviewTexts) =>
  reasons.flatMap((reason) => (counts.get(reason) ? `${counts.get(reason)} ${names[reason]}` : []));

/** The lines of the text, of which `listed` say what is new. */
export function digestLines(
  {
    from,
    fresh,
    listed,
    open,
  }: { from: Date; fresh: number; listed: readonly string[]; open: ReadonlyMap<Reason, number> },
  texts: ReviewTexts,
): string[] {
  const { since, open: title } = texts.digest;
  return [
    since(fresh, dayText(from)),
    ...listed.map((line) => `- ${line}`),
    `${title}: ${counted(open, texts).join(', ')}`,
  ];
}

/** The last time at which the mail of a week was due. */
export function lastTurn(now: Date, { weekday, hour }: Pick<DigestSettings, 'weekday' | 'hour'>): Date {
  const turn = lastHour(now, hour);
  turn.setUTCDate(turn.getUTCDate() - ((turn.getUTCDay() - weekdays.indexOf(weekday) + 7) % 7));
  return turn;
}

const payload = z.strictObject({ until: z.iso.datetime(), tenant: z.string().optional() });

type DigestContext = Pick<PluginContext<ReviewSettings>, 'jobs' | 'now' | 'log' | 'onReady' | 'onClose' | 'baseUrl'>;

/** Mails what came onto the list once a week, from the first turn at which the server runs. */
export function mailDigests(context: DigestContext, repository: ReviewRepository, settings: DigestSettings): void {
  const { jobs, now, baseUrl } = context;
  const texts = { en, sv }[settings.language];

  jobs.handle<z.infer<typeof payload>>(digestJob, {
    payload,
    async run({ until, tenant }, { id }) {
      const end = new Date(until);
      const from = new Date(end.getTime() - 7 * dayMs);
      const owners = tenant === undefined ? undefined : [tenant];
      const counts = new Map<Reason, number>();
      for await (const findings of freshFindings(repository, { from, until: end, ...(owners && { owners }) }))
        for (const { reason } of findings) counts.set(reason, (counts.get(reason) ?? 0) + 1);
      const fresh = [...counts.values()].reduce((sum, count) => sum + count, 0);
      const to = tenant === undefined ? settings.to : (settings.tenants[tenant] ?? []);
      if (fresh === 0 || to.length === 0) return { findings: fresh, mails: 0 };
      const open = await repository.countOpen(owners);
      const lines = digestLines({ from, fresh, listed: counted(counts, texts), open }, texts);
      const link = baseUrl === undefined ? [] : ['', `${baseUrl}/reviews`];
      await sendMail(settings.mail, {
        ...{ id, from: 'Trefoil', to, subject: texts.digest.subject(fresh) },
        text: `${[...lines, ...link].join('\n')}\n`,
      });
      return { findings: fresh, mails: 1 };
    },
  });

  recurring(context, {
    what: 'queueing the mails of the week',
    everyMs: 10 * 60 * 1000,
    async work() {
      const turn = lastTurn(now(), settings);
      // Jobs are kept for longer than that: none is queued again once it was deleted.
      if (now().getTime() - turn.getTime() >= dayMs) return;
      const until = turn.toISOString();
      const groups: Json[] = [
        ...(settings.to.length > 0 ? [{ until }] : []),
        ...Object.keys(settings.tenants).map((tenant) => ({ until, tenant })),
      ];
      for (const group of groups) await enqueueOnce(jobs, digestJob, group);
    },
  });
}
