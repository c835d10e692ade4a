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
import { leftOutFindings, type PatientMatches, queueNotices, type WriteNotices } from '../mail/notices.js';
import type { Found, SearchRequest } from '../matches/search.js';
import type { StoredSharer } from '../matching/service.js';
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
  /** Who share a gene and were left out by the limit; undefined if no mails are sent to them. */
  leftOut: ((query: Patient, found: Found, request: SearchRequest) => Promise<StoredSharer[]>) | undefined;
  trail: Pick<Trail, 'transaction'>;
  resources(): Resources;
  notices: WriteNotices;
  /** Undefined if people do not work with matches on this server. */
  sightings: Sightings | undefined;
}

interface PendingRecord extends Pick<Found, 'matches' | 'alsoSharing'> {
  /** Of those that share a gene and were left out. */
  further: readonly StoredSharer[];
}

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
    const { within, search, leftOut } = this.#options;
    const { owner, patient } = stored;
    if (!isReal(stored)) return;
    const isWanted = (one: string | undefined) => one !== undefined && (within === 'all' || one !== owner);
    const request = { asker: owner, signal, isWanted, ...(leftOut && { isNamed: isWanted }) };
    const found = await search(patient, request);
    const further = ((await leftOut?.(patient, found, request)) ?? []).filter((sharer) => isReal(sharer.stored));
    step('matchmaker.within.found');
    await giveWay?.();
    for (let left: PendingRecord = { ...found, further }; left.matches.length > 0; ) {
      left = await this.#record(stored, left, name);
    }
    step('matchmaker.within.over');
  }

  /** Returns what is to be recorded instead, if one of the patients was deleted meanwhile; else nothing. */
  async #record(stored: StoredPatient, compared: PendingRecord, name: string): Promise<PendingRecord> {
    const { matches, further, alsoSharing } = compared;
    const { trail, now, notices: write, resources, sightings } = this.#options;
    const { number, version, owner, patient } = stored;
    const { genes } = resources();
    const findings = [...findingsOf(patient, matches), ...leftOutFindings(patient, thisNode, further)];
    const notices = await write(findings, name);
    const seen = sightings?.here({ patient, own: stored, asker: owner, matches }) ?? [];
    const patients = matches.map((found) => ({ patient: outgoing(found.patient, genes), score: found.score }));
    return trail.transaction(async (scope) => {
      // In the order in which patients are saved, so that the two cannot deadlock. None is deleted before the end.
      const held = new Map<number, StoredPatient>();
      const all = [stored, ...matches, ...further.map((sharer) => sharer.stored)];
      for (const one of all.sort((a, b) => (a.patient.id < b.patient.id ? -1 : 1))) {
        const current = await scope.repository(matchmaker).held(one.number);
        if (current && isReal(current)) held.set(one.number, current);
      }
      // Deleted, or changed: the new version has a search of its own.
      if (held.get(number)?.version !== version) return nothing;
      if (held.size < all.length) {
        return {
          matches: matches.filter((found) => held.has(found.number)),
          further: further.filter((sharer) => held.has(sharer.stored.number)),
          alsoSharing,
        };
      }
      if (!(await scope.repository(matchmakerNodes).answered(thisNode.id, stored))) return nothing;
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
        ...(alsoSharing > 0 && { alsoSharing }),
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
      return nothing;
    });
  }
}

const nothing: PendingRecord = { matches: [], further: [], alsoSharing: 0 };

/** For the submitters of both sides. */
function findingsOf(patient: Patient, matches: Found['matches']): PatientMatches[] {
  const others = matches.map(({ patient: found, score }) => {
    return { patient: found, matches: [{ node: thisNode, found: { patient, score } }] };
  });
  return [{ patient, matches: matches.map((found) => ({ node: thisNode, found })) }, ...others];
}
