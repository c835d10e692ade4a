/** Repositories of mails that break one promise. */
import { randomUUID } from 'node:crypto';
import type { MailRepository, NewReportedMatch } from '../../../../plugins/matchmaker/contract.js';
import { sqlite } from '../../../support/storages.js';
import { matchmakerMail } from '../../matchmaker.js';
import { type Damage, type Wrong, wrongRepository } from '../wrap.js';

const mail = (does: string, fails: string, damage: Damage<MailRepository>): Wrong =>
  wrongRepository(matchmakerMail, does, fails, damage, sqlite);

const waits = 'a notice waits until it is due, and is removed when it was sent';
const farOff = new Date(8.64e15);
const ids = (all: readonly { id: string }[]) => all.map(({ id }) => id);
const anyPair = (match: NewReportedMatch): NewReportedMatch => ({ ...match, pair: randomUUID() });

export const wrongMail: readonly Wrong[] = [
  mail('sends notices before they are due', waits, () => (right) => ({ due: (_, limit) => right.due(farOff, limit) })),
  mail('sends the newest notice first', waits, () => (right) => ({
    due: async (now, limit) => (await right.due(now, limit)).reverse(),
  })),
  mail('releases no notices', 'the end of a search releases its notices', () => () => ({
    release: async () => {},
  })),
  mail('releases the notices of all searches', 'the end of a search releases its notices', () => (right) => ({
    release: async (_, due) => {
      await right.release('s', due);
      await right.release('other', due);
    },
  })),
  mail('postpones notices that were due earlier', 'the end of a search releases its notices', () => (right) => ({
    release: async (search, due) => {
      const all = (await right.due(farOff, 100)).filter((notice) => notice.search === search);
      await right.failed(ids(all), 'late', due);
    },
  })),
  mail('identifies pairs by ids alone', 'a pair is reported once, under any ids', () => (right) => ({
    add: (notices) => right.add(notices.map((notice) => ({ ...notice, matches: notice.matches.map(anyPair) }))),
  })),
  mail('identifies matches by pairs alone', 'no submitter is notified twice of one match', () => (right) => ({
    add: (notices) => right.add(notices.map((notice) => ({ ...notice, patient: { id: randomUUID() } }))),
  })),
  mail('checks and adds without a transaction', 'one of several concurrent searches reports a match', () => {
    const known = new Set<string>();
    return (right) => ({
      async add(notices) {
        const isNew = ({ pair }: NewReportedMatch) => !known.has(pair);
        const fresh = notices.map((notice) => ({ ...notice, matches: notice.matches.filter(isNew) }));
        await new Promise((resolve) => setImmediate(resolve));
        for (const { pair } of fresh.flatMap(({ matches }) => matches)) known.add(pair);
        return right.add(fresh.map((notice) => ({ ...notice, matches: notice.matches.map(anyPair) })));
      },
    });
  }),
  mail('erases no pairs', 'a patient is erased with its pairs', () => (right) => ({
    erase: (patient, only) => right.forget(patient, only),
  })),
  mail('forgets pairs with the patient', 'a patient is forgotten as the subject and as a match', () => (right) => ({
    forget: (patient, only) => right.erase(patient, only),
  })),
  mail('forgets no patient', 'a patient is forgotten as the subject and as a match', () => () => ({
    forget: async () => {},
  })),
  mail('forgets all patients of an id', 'one of two patients with the same id is forgotten', () => (right) => ({
    forget: (patient) => right.forget(patient),
  })),
];
