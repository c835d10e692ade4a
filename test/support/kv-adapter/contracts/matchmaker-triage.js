/**
 * matchmaker-triage@1: rows by submission, where a row is by its id, and the rows that have or had the id of a counterpart.
 */
import { sighted, textOf, visitMinutes } from 'trefoil/matchmaker/contract';
import { keyOf, under } from '../keys.js';

const rowKey = ({ submission, id }) => keyOf('row', submission, id);
const placeKey = (id) => keyOf('place', id);
const visitKey = (submission, person) => keyOf('visit', submission, person);
const notesKey = (submission) => keyOf('notes', submission);

async function valuesUnder(space, ...parts) {
  const found = [];
  for await (const [, value] of space.range(under(...parts))) found.push(value);
  return found;
}

const rowsOf = (space, submission) => valuesUnder(space, 'row', submission);

async function find(space, id) {
  const submission = await space.get(placeKey(id));
  return submission === undefined ? undefined : space.get(rowKey({ submission, id }));
}

function isAbout({ patient: current, formerIds, node }, patient, nodes) {
  return [current, ...formerIds].includes(patient) && (nodes?.includes(node) ?? true);
}

function selects(row, { owners, text, status, assignee, node, since }) {
  return (
    (owners?.includes(row.owner) ?? true) &&
    (text === undefined || textOf(row).includes(text.toLowerCase())) &&
    (status === undefined || row.work.status === status) &&
    (assignee === undefined || row.work.assignee === assignee) &&
    (node === undefined || row.node === node) &&
    (since === undefined || row.lastSeen >= since)
  );
}

const lastOf = (rows) => rows.map(({ lastSeen }) => lastSeen).reduce((one, other) => (one > other ? one : other));

async function summaryOf(space, submission, person) {
  const rows = await rowsOf(space, submission);
  const visit = await space.get(visitKey(submission, person));
  const statuses = {};
  for (const { work } of rows) statuses[work.status] = (statuses[work.status] ?? 0) + 1;
  const unseen = rows.filter(({ firstSeen }) => visit === undefined || firstSeen > visit.at).length;
  return { submission, ...(rows.length > 0 && { last: lastOf(rows) }), statuses, unseen };
}

function remove(space, rows) {
  for (const row of rows) {
    space.remove(rowKey(row));
    space.remove(placeKey(row.id));
  }
  return rows.length;
}

const isGone = async (space, submission) => (await space.get(notesKey(submission))) === 'gone';

export default ({ read, write }) => ({
  seen: (sightings) =>
    write(async (space) => {
      for (const submission of new Set(sightings.map((sighting) => sighting.submission))) {
        if (await isGone(space, submission)) continue;
        const own = sightings.filter((sighting) => sighting.submission === submission);
        for (const row of sighted(await rowsOf(space, submission), own)) {
          space.put(rowKey(row), row);
          space.put(placeKey(row.id), submission);
        }
      }
    }),

  row: (id) => read((space) => find(space, id)),

  rows: (submission) =>
    read(async (space) =>
      (await rowsOf(space, submission)).sort(
        (one, other) => other.lastSeen - one.lastSeen || (one.id < other.id ? -1 : 1),
      ),
    ),

  rowsAbout: (patient, nodes) =>
    read(async (space) =>
      (await valuesUnder(space, 'row'))
        .filter((row) => isAbout(row, patient, nodes))
        .sort((one, other) => (one.id < other.id ? -1 : 1)),
    ),

  submissions: (page, person) =>
    read(async (space) => {
      const { after, limit } = page;
      const bySubmission = new Map();
      for (const row of await valuesUnder(space, 'row')) {
        if (!selects(row, page)) continue;
        bySubmission.set(row.submission, [...(bySubmission.get(row.submission) ?? []), row]);
      }
      const found = [...bySubmission]
        .map(([submission, rows]) => ({ submission, owner: rows[0].owner, last: lastOf(rows) }))
        .sort((one, other) => other.last - one.last || other.submission - one.submission)
        .filter(({ last, submission }) => {
          if (after === undefined) return true;
          return last < after.last || (last.getTime() === after.last.getTime() && submission < after.submission);
        })
        .slice(0, limit);
      return Promise.all(
        found.map(async (one) => {
          const { statuses, unseen } = await summaryOf(space, one.submission, person);
          return { ...one, statuses, unseen };
        }),
      );
    }),

  summaries: (submissions, person) =>
    read((space) => Promise.all([...new Set(submissions)].map((one) => summaryOf(space, one, person)))),

  change: (id, revision, work) =>
    write(async (space) => {
      const row = await find(space, id);
      if (row?.revision !== revision) return false;
      space.put(rowKey(row), { ...row, revision: revision + 1, work });
      return true;
    }),

  note: (submission, entry) =>
    write(async (space) => {
      if (await isGone(space, submission)) return false;
      space.put(notesKey(submission), [...((await space.get(notesKey(submission))) ?? []), entry]);
      return true;
    }),

  notes: (submission) =>
    read(async (space) => {
      const notes = await space.get(notesKey(submission));
      return Array.isArray(notes) ? notes : [];
    }),

  visit: (person, submission, at) =>
    write(async (space) => {
      const known = await space.get(visitKey(submission, person));
      const goesOn = known !== undefined && at - known.at < visitMinutes * 60_000;
      const since = goesOn ? known.since : known?.at;
      space.put(visitKey(submission, person), { since, at });
      return since;
    }),

  forget: ({ submission, patient, nodes }) =>
    write(async (space) => {
      const about = (row) => patient !== undefined && isAbout(row, patient, nodes);
      const rows = await valuesUnder(space, 'row');
      if (submission !== undefined) {
        space.put(notesKey(submission), 'gone');
        for await (const [key] of space.range(under('visit', submission))) space.remove(key);
      }
      return remove(
        space,
        rows.filter((row) => row.submission === submission || about(row)),
      );
    }),

  expire: (before) =>
    write(async (space) =>
      remove(
        space,
        (await valuesUnder(space, 'row')).filter((row) => row.revision === 1 && row.lastSeen < before),
      ),
    ),
});
