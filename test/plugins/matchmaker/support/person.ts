/** A person with data in every contract that an erasure covers, and a check for what remains. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Contract, StorageScope } from '../../../../core/storage.js';
import {
  matchmaker,
  matchmakerAudit,
  matchmakerMail,
  matchmakerMatches,
  matchmakerNodes,
  type Patient,
} from '../../../../plugins/matchmaker/contract.js';

export const personContracts: readonly Contract[] = [
  matchmaker,
  matchmakerMatches,
  matchmakerMail,
  matchmakerNodes,
  matchmakerAudit,
];

/** Occurs nowhere else. */
export const personId = 'Zq7-person';
const march = new Date('2026-03-01T08:00:00Z');
const peer = { id: 'peer', label: 'Peer' };

export const person: Patient = {
  id: personId,
  contact: { name: 'Dr', href: 'mailto:dr@example.org' },
  features: [],
};

/** The node with a pending query about the person. */
export async function addPeer(scope: StorageScope): Promise<void> {
  await scope.repository(matchmakerNodes).add({
    ...peer,
    url: 'https://peer.example.org/match',
    contentType: 'application/json',
    token: { sealed: 'sealed' },
    enabled: true,
    created: march,
  });
}

/** Adds the person, a search of other nodes that found another patient, a mail about it, and a pending query. */
export async function savePerson(scope: StorageScope, now = march): Promise<void> {
  const facts = { submitter: 'dr', diagnosed: false, genes: ['g'], variants: [], features: [] };
  const writer = { owner: 'lab', all: true };
  await scope.repository(matchmaker).savePatients([{ patient: person, facts, writer, at: now }]);
  const stored = await scope.repository(matchmaker).patient(personId);
  if (!stored) throw new Error('the person is not stored');
  const found: Patient = { ...person, id: 'found' };
  await scope.repository(matchmakerAudit).add([
    { at: now, actor: 'lab', action: 'add', patient: personId },
    { at: now, actor: 'node:peer', action: 'send', patient: personId },
  ]);
  await scope.repository(matchmakerMatches).add({
    id: randomUUID(),
    created: now,
    type: 'external',
    direction: 'outgoing',
    asker: 'lab',
    number: stored.number,
    patient: person,
    results: [{ node: peer, patients: [{ patient: found, score: { patient: 1 } }] }],
    errors: [],
    matchedGenes: [],
  });
  await scope.repository(matchmakerMail).add([
    {
      id: randomUUID(),
      created: now,
      due: now,
      search: 'a search',
      to: ['dr@example.org'],
      patient: { id: personId },
      matches: [
        { node: peer, patient: { id: 'found', contact: found.contact }, genes: [], terms: [], pair: randomUUID() },
      ],
    },
  ]);
  await scope.repository(matchmakerNodes).owe([peer.id], stored);
}

/** The amount of the person's data; `none` after an erasure. */
export interface Traces {
  stored: boolean;
  records: number;
  notices: number;
  owed: number;
  entries: number;
}

export const whole: Traces = { stored: true, records: 1, notices: 1, owed: 1, entries: 2 };
export const none: Traces = { stored: false, records: 0, notices: 0, owed: 0, entries: 0 };

/** Returns the remaining data of the person. The totals must agree with the stored data. */
export async function tracesOf(scope: StorageScope): Promise<Traces> {
  const patients = scope.repository(matchmaker);
  expect(await patients.recount(), 'totals').to.deep.equal(await patients.counts());
  const { records } = await scope.repository(matchmakerMatches).matches({ patient: personId, limit: 10 });
  return {
    stored: (await patients.patient(personId)) !== undefined,
    records: records.length,
    notices: (await scope.repository(matchmakerMail).due(new Date(Date.UTC(2100, 0, 1)), 10)).length,
    owed: (await scope.repository(matchmakerNodes).owed(peer.id, 10, new Date())).length,
    entries: (await scope.repository(matchmakerAudit).entries({ patient: personId, limit: 10 })).length,
  };
}
