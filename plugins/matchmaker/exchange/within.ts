/** Compares a patient that was saved with the patients stored here, as if its owner had searched with it. */
import { type PluginContext, step } from '../../../core/plugin.js';
import type { Trail } from '../audit/trail.js';
import { isReal, matchmaker, matchmakerNodes, type StoredPatient, thisNode } from '../contract.js';
import { searchFindings, type WriteNotices } from '../mail/notices.js';
import type { StoredSharer } from '../matching/service.js';
import { outgoingPatient } from '../patients/presentation.js';
import type { Resources } from '../resources/resources.js';
import type { PatientSearch } from './exchange.js';
import { record, recordingOfSearch, type Searches, type SearchRun, type Sightings } from './searches.js';

export interface WithinOptions extends Pick<PluginContext<unknown>, 'now'>, Pick<Searches, 'search' | 'leftOut'> {
  /** `others`: it is compared with the patients of other clients; `all`: of its own client, too. */
  within: 'others' | 'all';
  /** Whether mails are sent to the submitters of those that share a gene and were left out by the limit. */
  tells: boolean;
  trail: Pick<Trail, 'transaction'>;
  resources(): Resources;
  notices: WriteNotices;
  /** Undefined if people do not work with matches on this server. */
  sightings: Sightings | undefined;
}

interface PendingRecord extends Pick<SearchRun, 'matches' | 'alsoSharing'> {
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
  async search(stored: StoredPatient, { name, signal, giveWay }: Omit<PatientSearch, 'onDemand'>): Promise<void> {
    const { within, tells, search, leftOut } = this.#options;
    const { owner, patient } = stored;
    if (!isReal(stored)) return;
    const isWanted = (one: string | undefined) => one !== undefined && (within === 'all' || one !== owner);
    const request = { asker: owner, signal, isWanted, ...(tells && { isNamed: isWanted }) };
    const found = await search(patient, request);
    const named = await leftOut(patient, found, request);
    const further = named.filter((sharer) => isReal(sharer.stored));
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
    const search = { patient, own: stored, asker: owner, matches, alsoSharing };
    const notices = await write(searchFindings(search, further), name);
    const seen = sightings?.here(search) ?? [];
    const patients = matches.map((found) => ({ patient: outgoingPatient(found.patient, genes), score: found.score }));
    return trail.transaction(async (scope) => {
      // In the order in which patients are saved, so that the two cannot deadlock. None is deleted before the end.
      const held = new Map<number, StoredPatient>();
      const all = [stored, ...matches, ...further.map((sharer) => sharer.stored)];
      for (const one of all.sort((a, b) => a.number - b.number)) {
        const current = await scope.repository(matchmaker).held(one.number);
        if (current && isReal(current)) held.set(one.number, current);
      }
      // Deleted, or changed: the new version has a search of its own.
      if (held.get(number)?.version !== version) return nothingToRecord;
      if (held.size < all.length) {
        return {
          matches: matches.filter((found) => held.has(found.number)),
          further: further.filter((sharer) => held.has(sharer.stored.number)),
          alsoSharing,
        };
      }
      if (!(await scope.repository(matchmakerNodes).answered(thisNode.id, stored))) return nothingToRecord;
      // It is not a request of a client: it is not counted, and no query to compare later patients with.
      const key = `within:${number}.${version}`;
      const by = { owner, because: 'saved patient' };
      const recording = recordingOfSearch(search, patients, { by, genes, created: now(), key });
      await record(scope, { ...recording, notices, sightings: seen });
      step('matchmaker.within.recorded');
      return nothingToRecord;
    });
  }
}

const nothingToRecord: PendingRecord = { matches: [], further: [], alsoSharing: 0 };
