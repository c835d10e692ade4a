/** Adapters that break one promise of matchmaker-triage@1 each. */
import type { Sighting, TriagePage, TriageRepository } from '../../../../plugins/matchmaker/contract.js';
import { matchmakerTriage } from '../../matchmaker.js';
import { type Damage, toSeconds, type Wrong, wrongRepository } from '../wrap.js';

const wrong = (does: string, fails: string, damage: Damage<TriageRepository>): Wrong =>
  wrongRepository(matchmakerTriage, does, fails, damage);

/** An adapter that notes other sightings than it was given. */
const seeing = (does: string, fails: string, change: (sighting: Sighting, place: number) => Sighting): Wrong =>
  wrong(does, fails, () => (right) => ({ seen: (sightings) => right.seen(sightings.map(change)) }));

/** An adapter that lists by other conditions. */
const listing = (does: string, fails: string, change: (page: TriagePage) => TriagePage): Wrong =>
  wrong(does, fails, () => (right) => ({ submissions: (page, person) => right.submissions(change(page), person) }));

const asSeen = 'a counterpart is returned as a search saw it';
const sameRow = 'a counterpart that is seen again is the same row';
const otherId = 'a counterpart under another id is the same row';
const noted = 'what people note is kept if they saw the latest revision';
const byRows = 'submissions are selected by their rows';
const inOrder = 'submissions are listed by their latest row';
const byText = 'rows are found by any text in them';
const visited = 'rows are new to a person until they were looked at';
const forgotten = 'a submission is forgotten for good';
const byIds = 'a counterpart is forgotten by any of its ids';
const expiring = 'rows that nobody works on expire';

export const wrongTriage: readonly Wrong[] = [
  seeing('keeps times to the second', asSeen, toSeconds),
  seeing('keeps scores as small numbers', asSeen, (sighting) => ({
    ...sighting,
    score: { ...sighting.score, patient: Math.fround(sighting.score.patient) },
  })),
  seeing('makes a row of every sighting', sameRow, (sighting) => ({
    ...sighting,
    ...{ patient: `${sighting.patient} ${sighting.id}`, content: sighting.id },
  })),
  seeing('knows counterparts by their ids alone', otherId, (sighting) => ({ ...sighting, content: sighting.id })),
  seeing(
    'takes equal content for one patient',
    'patients of one search are several rows, whatever their content',
    (one) => ({
      ...one,
      patient: one.content,
    }),
  ),
  seeing('does not tell nodes apart', 'submissions and nodes have rows of their own', (sighting) => ({
    ...sighting,
    node: { ...sighting.node, id: 'far' },
  })),
  wrong('notes the first thousand counterparts', 'thousands of counterparts are noted at once', () => (right) => ({
    seen: (sightings) => right.seen(sightings.slice(0, 1000)),
  })),
  wrong('forgets notes when it sees a row again', noted, () => (right) => ({
    async seen(sightings) {
      await right.seen(sightings);
      for (const { submission } of sightings) {
        for (const { id, revision } of await right.rows(submission)) {
          if (revision > 1) await right.change(id, revision, { status: 'new', history: [] });
        }
      }
    },
  })),
  wrong('does not look at revisions', noted, () => (right) => ({
    async change(id, _revision, work) {
      const row = await right.row(id);
      return row !== undefined && right.change(id, row.revision, work);
    },
  })),
  wrong('lists rows in the order of their ids', sameRow, () => (right) => ({
    rows: async (submission) => (await right.rows(submission)).sort((one, other) => (one.id > other.id ? -1 : 1)),
  })),
  wrong('lists submissions by their numbers', inOrder, () => (right) => ({
    submissions: async (page, person) =>
      (await right.submissions(page, person)).sort((one, other) => one.submission - other.submission),
  })),
  listing('lists submissions of all owners', inOrder, ({ owners: _, ...page }) => page),
  listing('lists every page from the start', inOrder, ({ after: _, ...page }) => page),
  listing('does not look at the status', byRows, ({ status: _, ...page }) => page),
  listing('does not look at the assignee', byRows, ({ assignee: _, ...page }) => page),
  listing('does not look at the node', byRows, ({ node: _, ...page }) => page),
  listing('does not look at the time', byRows, ({ since: _, ...page }) => page),
  wrong('counts the rows that were selected', byRows, () => (right) => ({
    submissions: async (page, person) =>
      (await right.submissions(page, person)).map((one) =>
        page.status === undefined ? one : { ...one, statuses: { [page.status]: one.statuses[page.status] ?? 0 } },
      ),
  })),
  listing('takes % in a text for any characters', byText, ({ text, ...page }) => ({
    ...page,
    ...(text !== undefined && !text.includes('%') && { text }),
  })),
  wrong('takes every look for a visit', visited, () => {
    const looks = new Map<string, Date>();
    return (right) => ({
      async visit(person, submission, at) {
        const key = `${person} ${submission}`;
        const before = looks.get(key);
        looks.set(key, at);
        await right.visit(person, submission, at);
        return before;
      },
    });
  }),
  wrong('has one visit for all people', visited, () => (right) => ({
    visit: (_, submission, at) => right.visit('all', submission, at),
    submissions: (page) => right.submissions(page, 'all'),
  })),
  wrong('keeps the latest note only', 'a submission has a history of its own', () => (right) => ({
    notes: async (submission) => (await right.notes(submission)).slice(-1),
  })),
  wrong('notes what was forgotten', forgotten, () => (right) => ({
    async forget({ submission, ...rest }) {
      const rows = submission === undefined ? [] : await right.rows(submission);
      for (const { patient } of rows) await right.forget({ patient });
      return rows.length + (await right.forget(rest));
    },
  })),
  wrong('forgets counterparts on all nodes', byIds, () => (right) => ({
    forget: ({ nodes: _, ...what }) => right.forget(what),
  })),
  wrong('finds counterparts by their latest ids', byIds, () => (right) => ({
    rowsAbout: async (patient, nodes) =>
      (await right.rowsAbout(patient, nodes)).filter((row) => row.patient === patient),
  })),
  wrong('deletes rows that are exactly as old as the given time', expiring, () => (right) => ({
    expire: (before) => right.expire(new Date(before.getTime() + 1)),
  })),
  wrong('deletes rows that people work on', expiring, () => (right) => ({
    async expire(before) {
      const old = (await right.rows(1)).filter(({ lastSeen }) => lastSeen < before);
      for (const { patient } of old) await right.forget({ patient });
      return old.length;
    },
  })),
];
