/** Compares a patient that was saved with the patients stored here, as if its owner had searched with it. */
import { randomUUID } from 'node:crypto';
import { type PluginContext, step } from '../../../core/plugin.js';
import type { Trail } from '../audit/trail.js';
import {
  isReal,
  matchmaker,
  matchmakerMatches,
  matchmakerNodes,
  type Patient,
  type StoredPatient,
  thisNode,
} from '../contract.js';
import { type PatientMatches, queueNotices, type WriteNotices } from '../mail/notices.js';
import type { Found, SearchRequest } from '../matches/search.js';
import { purposeOf } from '../patient/extensions.js';
import { presented } from '../patient/present.js';
import type { Resources } from '../resources/resources.js';
import { noteSightings, type Sightings } from '../triage/sightings.js';
import type { Search } from './exchange.js';
import { outgoing } from './outgoing.js';

export interface WithinOptions extends Pick<PluginContext<unknown>, 'now'> {
  /** `others`: it is compared with the patients of other clients; `all`: of its own client, too. */
  within: 'others' | 'all';
  search(query: Patient, request: SearchRequest): Promise<Found>;
  trail: Pick<Trail, 'transaction'>;
  resources(): Resources;
  notices: WriteNotices;
  /** Undefined if people do not work with matches on this server. */
  sightings: Sightings | undefined;
}

type Matches = Found['matches'];

export class Within {
  readonly #options: WithinOptions;

  constructor(options: WithinOptions) {
    this.#options = options;
  }

  /**
   * Searches once, and records what was found once for each version of the patient, however often and on how many servers it
   * is called. Demo and test patients are neither compared nor found.
   */
  async search(stored: StoredPatient, { name, signal, giveWay }: Omit<Search, 'onDemand'>): Promise<void> {
    const { within, search } = this.#options;
    const { owner, patient } = stored;
    if (!isReal(stored)) return;
    const isWanted = (one: string | undefined) => one !== undefined && (within === 'all' || one !== owner);
    const { matches } = await search(patient, { asker: owner, signal, isWanted });
    step('matchmaker.within.found');
    await giveWay?.();
    for (let left = matches; left.length > 0; ) left = await this.#record(stored, left, name);
    step('matchmaker.within.over');
  }

  /** Returns the matches that are to be recorded instead, if one of these was deleted meanwhile; else none. */
  async #record(stored: StoredPatient, matches: Matches, name: string): Promise<Matches> {
    const { trail, now, notices: write, resources, sightings } = this.#options;
    const { number, version, owner, patient } = stored;
    const { genes } = resources();
    const notices = await write(findingsOf(patient, matches), name);
    const seen = sightings?.here({ patient, own: stored, asker: owner, matches }) ?? [];
    const patients = matches.map((found) => ({ patient: outgoing(found.patient, genes), score: found.score }));
    return trail.transaction(async (scope) => {
      // In the order in which patients are saved, so that the two cannot deadlock. None is deleted before the end.
      const held = new Map<number, StoredPatient>();
      for (const one of [stored, ...matches].sort((a, b) => (a.patient.id < b.patient.id ? -1 : 1))) {
        const current = await scope.repository(matchmaker).held(one.number);
        if (current && isReal(current)) held.set(one.number, current);
      }
      // Deleted, or changed: the new version has a search of its own.
      if (held.get(number)?.version !== version) return [];
      const left = matches.filter((found) => held.has(found.number));
      if (left.length < matches.length) return left;
      if (!(await scope.repository(matchmakerNodes).answered(thisNode.id, stored))) return [];
      await scope.repository(matchmakerMatches).add({
        id: randomUUID(),
        created: now(),
        type: 'internal',
        direction: 'incoming',
        asker: owner,
        number,
        patient: presented(patient, genes),
        results: [{ node: thisNode, patients }],
        errors: [],
        matchedGenes: [],
        // It is not a request of a client: it is not counted, and no query to compare later patients with.
        key: `within:${number}.${version}`,
      });
      const ids = matches.map((found) => found.patient.id);
      const query = { id: patient.id, isStored: true };
      const by = { owner, because: 'saved patient' };
      await scope.trace([{ by, action: 'match', patients: ids, query, purpose: purposeOf(patient) }]);
      await queueNotices(scope, notices);
      await noteSightings(scope, seen);
      step('matchmaker.within.recorded');
      return [];
    });
  }
}

/** For the submitters of both sides. */
function findingsOf(patient: Patient, matches: Matches): PatientMatches[] {
  const others = matches.map(({ patient: found, score }) => {
    return { patient: found, matches: [{ node: thisNode, found: { patient, score } }] };
  });
  return [{ patient, matches: matches.map((found) => ({ node: thisNode, found })) }, ...others];
}
