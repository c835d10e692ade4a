/** Builds patients and records for the cases, and reads them back. */
import assert from 'node:assert/strict';
import type {
  Changes,
  MatchmakerRepository,
  NewMatch,
  Patient,
  PatientCounts,
  PatientFacts,
  PatientSave,
  Writer,
} from '../../../plugins/matchmaker/contract.js';
import { at } from '../core.js';

export { at };

export function patient(id: string, more: Partial<Patient> = {}): Patient {
  const contact = { name: 'Dr. Who', href: 'mailto:who@example.org' };
  return { id, contact, features: [{ id: 'HP:0000252' }], ...more };
}

/** The simplest facts: keys are the ids themselves. */
export function facts({ contact, disorders = [], features = [], genomicFeatures = [] }: Patient): PatientFacts {
  const ids = features.map(({ id }) => id);
  const variants = genomicFeatures.flatMap(({ variant }) => (variant ? [JSON.stringify(variant)] : []));
  return {
    submitter: contact.href,
    diagnosed: disorders.length > 0,
    genes: genomicFeatures.map(({ gene }) => gene.id),
    variants,
    features: ids,
    ...(ids.length === 0 ? {} : { featureSet: [...new Set(ids)].sort().join(' ') }),
  };
}

export const ada: Writer = { owner: 'ada', all: false };
export const bob: Writer = { owner: 'bob', all: false };
export const root: Writer = { owner: 'root', all: true };

export function save(one: Patient, second: number, writer = ada): PatientSave {
  return { patient: one, facts: facts(one), writer, at: at(second) };
}

/** Saves one patient; fails if it is foreign. */
export async function saveOne(repository: MatchmakerRepository, one: Patient, second: number, writer = ada) {
  const [outcome, ...others] = await repository.savePatients([save(one, second, writer)]);
  assert.ok(outcome && others.length === 0, 'one outcome for one patient');
  assert.ok(outcome.outcome !== 'foreign', 'the patient belongs to no other owner');
  return outcome;
}

/** All changes since a revision, in one batch. */
export async function changes(repository: MatchmakerRepository, since: number): Promise<Changes> {
  const all: Changes = { revision: since, saved: [], removed: [] };
  for await (const batch of repository.changesSince(since)) {
    all.saved.push(...batch.saved);
    all.removed.push(...batch.removed);
    all.revision = batch.revision;
  }
  return all;
}

/** Saves `P0`, `P1` and so on. */
export async function saveMany(repository: MatchmakerRepository, many: number): Promise<void> {
  const saves = Array.from({ length: many }, (_, i) => save(patient(`P${i}`), 1));
  for (let i = 0; i < many; i += 1000) await repository.savePatients(saves.slice(i, i + 1000));
}

/** The counters by a naive count. */
export function counted(patients: readonly Patient[]): PatientCounts {
  const all = patients.map(facts);
  const tally = (pick: (one: PatientFacts) => readonly string[]) => {
    const keys = all.flatMap(pick);
    return { total: keys.length, unique: new Set(keys).size };
  };
  return {
    cases: all.length,
    diagnosed: all.filter(({ diagnosed }) => diagnosed).length,
    submitters: new Set(all.map(({ submitter }) => submitter)).size,
    genes: tally(({ genes }) => genes),
    variants: tally(({ variants }) => variants),
    features: tally(({ features }) => features),
    featureSets: new Set(all.flatMap(({ featureSet }) => featureSet ?? [])).size,
  };
}

let made = 0;

/** A search with one patient that found others. */
export function match(query: string, found: readonly string[], more: Partial<NewMatch> = {}): NewMatch {
  made += 1;
  const patients = found.map((id) => ({ patient: patient(id), score: { patient: 0.5, _genotype: 0.5 } }));
  return {
    id: `00000000-0000-4000-8000-${String(made).padStart(12, '0')}`,
    created: at(made),
    type: 'internal',
    direction: 'incoming',
    asker: 'ada',
    patient: patient(query),
    results: found.length === 0 ? [] : [{ node: { id: 'here', label: 'Here' }, patients }],
    errors: [],
    matchedGenes: [],
    ...more,
  };
}
