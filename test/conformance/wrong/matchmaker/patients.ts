/** Repositories of patients that break one promise. */
import { isFault } from '../../../../core/storage.js';
import type { Changes, MatchmakerRepository, PatientCounts } from '../../../../plugins/matchmaker/contract.js';
import { sqlite } from '../../../support/storages.js';
import { matchmaker } from '../../matchmaker.js';
import { type Damage, type Wrong, wrongRepository } from '../wrap.js';

const wrong = (does: string, fails: string, damage: Damage<MatchmakerRepository>): Wrong =>
  wrongRepository(matchmaker, does, fails, damage, sqlite);

/** A feed of which each batch is changed. */
const feeding =
  (change: (batch: Changes) => Changes): Damage<MatchmakerRepository> =>
  () =>
  (right) => ({
    async *changesSince(revision) {
      for await (const batch of right.changesSince(revision)) yield change(batch);
    },
  });

const lists = 'patients are listed by number, in pages, by owner and label';

export const wrongPatients: readonly Wrong[] = [
  wrong(
    'finds a patient for everybody',
    'a patient is found for its owners alone, if owners are named',
    () => (right) => ({
      patient: (id) => right.patient(id),
    }),
  ),
  wrong('reports every save as a change', 'an equal patient is unchanged, in any order of its keys', () => (right) => ({
    savePatients: async (saves) =>
      (await right.savePatients(saves)).map((saved) =>
        saved.outcome === 'unchanged' ? { ...saved, outcome: 'updated' } : saved,
      ),
  })),
  wrong(
    'lets everybody change everything',
    'only its owner, or a writer that may change all, changes a patient',
    () => (right) => ({
      savePatients: (saves) =>
        right.savePatients(saves.map((save) => ({ ...save, writer: { ...save.writer, all: true } }))),
      removePatient: (id, writer) => right.removePatient(id, { ...writer, all: true }),
    }),
  ),
  wrong('starts every page at the first patient', lists, () => (right) => ({
    patients: ({ after: _, ...page }) => right.patients(page),
  })),
  wrong('lists patients for aborted calls', 'aborted reads of patients throw the reason', () => (right) => ({
    patients: ({ signal: _, ...page }) => right.patients(page),
  })),
  wrong('finds patients for aborted calls', 'aborted reads of patients throw the reason', () => (right) => ({
    patientsByNumber: (numbers) => right.patientsByNumber(numbers),
  })),
  wrong('lists patients of every owner', lists, () => (right) => ({
    patients: ({ owner: _, ...page }) => right.patients(page),
  })),
  wrong('finds five hundred patients at most', 'any number of patients is found in one call', () => (right) => ({
    patientsById: async (ids) => (await right.patientsById(ids)).slice(0, 500),
  })),
  wrong('passes an empty batch on', 'without changes there is no batch', () => (right) => ({
    async *changesSince(revision) {
      yield* right.changesSince(revision);
      yield { revision, saved: [], removed: [] };
    },
  })),
  wrong(
    'does not tell of removed patients',
    'a changed patient appears in its last state, a removed one by its number',
    feeding((batch) => ({ ...batch, removed: [] })),
  ),
  wrong('accepts any revision as its own', 'a revision that the store has not reached is refused', () => (right) => ({
    async *changesSince(revision) {
      try {
        yield* right.changesSince(revision);
      } catch (error) {
        if (!isFault(error) || error.code !== 'conflict') throw error;
      }
    },
  })),
  wrong('counts only once and keeps the result', 'changes and counts equal those of a naive model', () => {
    let counted: Promise<PatientCounts> | undefined;
    return (right) => ({
      counts: () => {
        counted ??= right.counts();
        return counted;
      },
    });
  }),
  wrong('adds a client that exists', 'clients are added once, listed and removed', () => (right) => ({
    addClient: (client) =>
      right.addClient(client).catch((error: unknown) => {
        if (!isFault(error)) throw error;
      }),
  })),
];
