/** Adapters of the matchmaker's patients and triage that break a promise in a way that no mutant does. */
import {
  matchmaker,
  matchmakerTriage,
  type PatientCounts,
  type TriageRepository,
} from '../../../../plugins/matchmaker/contract.js';
import { sqlite } from '../../../support/storages.js';
import { type Damage, type Wrong, wrongRepository } from '../wrap.js';

const triage = (does: string, fails: string, damage: Damage<TriageRepository>): Wrong =>
  wrongRepository(matchmakerTriage, does, fails, damage);

export const wrongTriage: readonly Wrong[] = [
  triage('keeps scores as small numbers', 'a counterpart is returned as a search saw it', () => (right) => ({
    seen: (sightings) =>
      right.seen(
        sightings.map((sighting) => ({
          ...sighting,
          score: { ...sighting.score, patient: Math.fround(sighting.score.patient) },
        })),
      ),
  })),
  triage('notes the first thousand counterparts', 'thousands of counterparts are noted at once', () => (right) => ({
    seen: (sightings) => right.seen(sightings.slice(0, 1000)),
  })),
  triage('takes % in a text for any characters', 'rows are found by any text in them', () => (right) => ({
    submissions: ({ text, ...page }, person) =>
      right.submissions({ ...page, ...(text !== undefined && !text.includes('%') && { text }) }, person),
  })),
];

export const wrongPatients: readonly Wrong[] = [
  wrongRepository(
    matchmaker,
    'counts only once and keeps the result',
    'changes and counts equal those of a naive model',
    () => {
      let counted: Promise<PatientCounts> | undefined;
      return (right) => ({
        counts: () => {
          counted ??= right.counts();
          return counted;
        },
      });
    },
    sqlite,
  ),
];
