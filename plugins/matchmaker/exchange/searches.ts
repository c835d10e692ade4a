/**
 * Searches among the patients stored here, with the limits of the settings, and what is recorded of a search in one
 * transaction: matches, traces, mails, and the counterparts that submissions saw.
 */
import { randomUUID } from 'node:crypto';
import { gather, joinedJson } from '../../../core/plugin.js';
import type { ActingParty, Trace, TracedScope, Trail } from '../audit/trail.js';
import {
  type MatchedPatient,
  matchmakerMatches,
  matchmakerTriage,
  type NewMatch,
  type NewNotice,
  type NodeName,
  type Patient,
  type Reachable,
  type Sighting,
  type StoredPatient,
  type TriageScore,
  thisNode,
} from '../contract.js';
import { commonFindings, type LocalSearch, nodeOfAsker, queueNotices } from '../mail/notices.js';
import type { Outbox } from '../mail/outbox.js';
import { pairSide } from '../mail/readers.js';
import type { ScoreReading } from '../matching/calibration.js';
import type { Explanation } from '../matching/explanation.js';
import type { Profiler } from '../matching/profile.js';
import { genePlaces, type MatchScore } from '../matching/score.js';
import type { IndexSearchOptions } from '../matching/search.js';
import type { MatchService, ScoredMatch, ScoredMatches, StoredSharer } from '../matching/service.js';
import { stepsOfComparing, Work } from '../matching/work.js';
import { purposeOfPatient } from '../patients/patient.js';
import { presentedPatient, statedFeatures } from '../patients/presentation.js';
import type { GeneTable } from '../resources/genes.js';
import type { MatchmakerSettings } from '../settings.js';

/** The result of a search. */
export interface SearchRun extends Pick<ScoredMatches, 'alsoSharing' | 'leftOut'> {
  /** Stored patients, best first. */
  matches: (MatchedPatient & Pick<StoredPatient, 'number' | 'owner'>)[];
  /** Ids of the matching genes. */
  genes: readonly string[];
}

export interface SearchRequest extends Pick<IndexSearchOptions, 'isWanted' | 'isNamed'> {
  /** The client's id. */
  asker: string;
  /** Aborting ends the search. */
  signal: AbortSignal;
}

export interface Searches {
  /** The stored patient of this id, changes committed before the call included. */
  stored(id: string, signal: AbortSignal): Promise<StoredPatient | undefined>;
  /** Searches the stored patients, changes committed before the call included. */
  search(query: Patient, request: SearchRequest): Promise<SearchRun>;
  /** The named patients that a search left out, as they are stored, for mails to their submitters. */
  leftOut(query: Patient, found: SearchRun, request: Pick<SearchRequest, 'signal'>): Promise<StoredSharer[]>;
}

export function searchesOfNode(
  service: Pick<MatchService, 'match' | 'stillSharing' | 'stored'>,
  settings: MatchmakerSettings,
): Searches {
  const { maxResults: limit, scoreThreshold: threshold, includeQuery } = settings;
  const weights = { genotype: settings.maxGenotypeScore, phenotype: settings.maxPhenotypeScore };
  const places = genePlaces(limit, settings.geneShare);
  return {
    stored: (id, signal) => service.stored(id, signal),
    async search(query, { asker, ...request }) {
      const isIncluded = includeQuery && request.isWanted === undefined;
      const exclude = isIncluded ? undefined : { id: query.id, owner: asker };
      const options = { weights, threshold, limit, places, ...request, ...(exclude && { exclude }) };
      const { matches: found, ...sharing } = await service.match(query, options);
      const genes = found.flatMap(({ explanation }) => (explanation._matchedGenes ?? []).map(({ id }) => id));
      return {
        matches: found.map(({ stored, score, raised, explanation, reading }) => ({
          number: stored.number,
          owner: stored.owner,
          patient: stored.patient,
          score: joinedJson(scoreAnswer(score, { raised, reading }, explanation)),
        })),
        genes: [...new Set(genes)],
        ...sharing,
      };
    },
    leftOut: (query, found, { signal }) => service.stillSharing(query, found.leftOut, { weights, threshold, signal }),
  };
}

/** A score as it is answered and recorded. */
export function scoreAnswer(
  { total, genotype, phenotype }: MatchScore,
  { raised, reading }: Partial<Pick<ScoredMatch, 'raised' | 'reading'>>,
  explanation: Explanation,
) {
  return {
    patient: raised ?? total,
    ...{ _genotype: genotype, _phenotype: phenotype },
    ...(raised !== undefined && { _geneFirst: true }),
    ...(reading && { _reading: reading }),
    ...explanation,
  };
}

// Records searches of this node, with what was seen and the mails about it.

interface SearchRecording {
  matches: readonly NewMatch[];
  /** Who received which patients. */
  traces: readonly Trace[];
  notices: readonly NewNotice[];
  sightings: readonly Sighting[];
}

/** A record of patients stored here that were found, as the client receives them. */
export function internalMatch(
  about: Pick<NewMatch, 'created' | 'asker' | 'patient'> & Partial<NewMatch>,
  patients: MatchedPatient[],
): NewMatch {
  const results = patients.length === 0 ? [] : [{ node: thisNode, patients }];
  const own = { id: randomUUID(), type: 'internal', direction: 'incoming', results } as const;
  return { ...own, errors: [], matchedGenes: [], ...about };
}

/** What is recorded of a search among the patients stored here, apart from mails and rows. */
export function recordingOfSearch(
  { patient, own, asker, alsoSharing }: LocalSearch & Pick<SearchRun, 'alsoSharing'>,
  patients: MatchedPatient[],
  { by, genes, ...more }: { by: ActingParty; genes: GeneTable; created: Date } & Partial<NewMatch>,
): Pick<SearchRecording, 'matches' | 'traces'> {
  const shown = { asker, number: own?.number, patient: presentedPatient(patient, genes) };
  const match = internalMatch({ ...shown, ...(alsoSharing > 0 && { alsoSharing }), ...more }, patients);
  const ids = patients.map((found) => found.patient.id);
  const query = { id: patient.id, isStored: own !== undefined };
  const traces: Trace[] = [{ by, action: 'match', patients: ids, query, purpose: purposeOfPatient(patient) }];
  return { matches: [match], traces: ids.length === 0 ? [] : traces };
}

/** Records in a transaction, which it must end; returns whether there are mails to send. */
export async function record(scope: TracedScope, ...recordings: readonly SearchRecording[]): Promise<boolean> {
  await scope.repository(matchmakerMatches).add(...recordings.flatMap(({ matches }) => matches));
  await scope.trace(recordings.flatMap(({ traces }) => traces));
  const notices = recordings.flatMap((one) => one.notices);
  const isTold = await queueNotices(scope, notices);
  const sightings = recordings.flatMap((one) => one.sightings);
  await noteSightings(scope, sightings);
  return isTold;
}

/** Recorded in one transaction, which is then still short. */
const recordedAtOnce = 100;

/**
 * Returns a function that records a search, or one that is under way, and resolves once it is committed. Searches at the same
 * time share a transaction: what it does is in the order in which they end, and all of it is done or nothing.
 */
export function recorder(
  trail: Pick<Trail, 'transaction'>,
  mail: Pick<Outbox, 'wake'>,
): (search: Promise<SearchRecording>) => Promise<undefined> {
  return gather<SearchRecording, undefined>({
    async together(recordings) {
      if (await trail.transaction((scope) => record(scope, ...recordings))) mail.wake();
      return recordings.map(() => undefined);
    },
    most: recordedAtOnce,
    // A second transaction would only wait for the first: all write to the same tables, on one disk.
    groups: 1,
  });
}

// Notes the counterparts of submissions that searches saw.

type SightedSubmission = Pick<StoredPatient, 'number' | 'owner' | 'patient'>;

/**
 * Compares patients, so it must not be called inside a transaction. There are no sightings of tests, except by other tests. Each function returns
 * what `noteSightings` takes within the transaction that records the search.
 */
export interface Sightings {
  /** Of a search on this node: the found patients, and the query as the counterpart of each. */
  here(search: LocalSearch): Sighting[];
  /** Of the answer of another node. */
  of(submission: SightedSubmission, node: NodeName, found: readonly MatchedPatient[]): Promise<Sighting[]>;
  /** Of a new patient that an earlier query would have found. */
  later(submission: SightedSubmission, node: NodeName, query: MatchedPatient): Sighting[];
}

/** Last in a transaction, so that no two wait for each other. */
export async function noteSightings(scope: TracedScope, sightings: readonly Sighting[]): Promise<void> {
  if (sightings.length === 0) return;
  await scope.repository(matchmakerTriage).seen(sightings);
  scope.matched(sightings.flatMap(({ own: [id] }) => id ?? []));
}

export function sightingsBy({ profiler, now }: { profiler(): Profiler; now(): Date }): Sightings {
  function sighting(
    { number, owner, patient: own }: SightedSubmission,
    node: NodeName,
    { patient, score }: MatchedPatient,
    direction: Sighting['direction'],
    { genes: shared, terms, reading }: SightingFindings,
  ): Sighting[] {
    if ((own.test === true) !== (patient.test === true)) return [];
    const { genes } = profiler().resources;
    const purpose = purposeOfPatient(patient);
    return [
      {
        ...{ id: randomUUID(), at: now(), submission: number, owner, direction, genes: shared, terms },
        own: own.label === undefined ? [own.id] : [own.id, own.label],
        node: { id: node.id, label: node.label },
        patient: patient.id,
        contact: reachableContact(patient.contact),
        score: { ...triageScore(score), ...(reading && { reading }) },
        stated: statedFeatures(patient, genes, shared),
        ...(purpose !== undefined && { purpose }),
        content: pairSide(patient, genes),
      },
    ];
  }

  return {
    here({ patient, own, asker, matches }) {
      const asking = nodeOfAsker(own !== undefined, asker);
      return matches.flatMap((found) => {
        if (found.number === own?.number) return [];
        const common = findingsOfScore(found.score);
        const asked = sighting(found, asking, { patient, score: found.score }, 'asked', common);
        return own ? [...sighting(own, thisNode, found, 'found', common), ...asked] : asked;
      });
    },

    async of(submission, node, found) {
      const work = new Work();
      const all: Sighting[] = [];
      for (const one of found) {
        work.spend(stepsOfComparing);
        await work.turn();
        const { genes, terms } = commonFindings(profiler(), submission.patient, one.patient);
        all.push(...sighting(submission, node, one, 'found', { genes, terms }));
      }
      return all;
    },

    later: (submission, node, query) => sighting(submission, node, query, 'asked', findingsOfScore(query.score)),
  };
}

/** Terms that a row names. */
const mostTerms = 10;

interface SightingFindings extends Pick<Sighting, 'genes' | 'terms'> {
  /** Of a score of this node: that of another one compares with the patients of that node. */
  reading?: ScoreReading | undefined;
}

/** What the explanation names, for a score of this node. */
function findingsOfScore(score: MatchedPatient['score']): SightingFindings {
  const explanation: Explanation & { _reading?: ScoreReading } = score as object;
  const { _matchedGenes: genes = [], _matchedFeatures: features = [], _reading: reading } = explanation;
  const terms = features.map(({ shared: { id, label } }) => `${id} ${label}`);
  return {
    genes: genes.map(({ id, _geneName }) => _geneName ?? id),
    terms: [...new Set(terms)].slice(0, mostTerms),
    reading,
  };
}

/** Other nodes may send members of any type beside the score. */
function triageScore({ patient, _genotype, _phenotype }: MatchedPatient['score']): TriageScore {
  return {
    patient,
    ...(typeof _genotype === 'number' && { genotype: _genotype }),
    ...(typeof _phenotype === 'number' && { phenotype: _phenotype }),
  };
}

/** As one line each, of limited length. */
function reachableContact({ name, href, institution, email }: Patient['contact']): Reachable {
  const addresses: unknown[] = [email].flat();
  const emails = addresses.filter((address) => typeof address === 'string').map(sightingLine);
  return {
    ...{ name: sightingLine(name), href: sightingLine(href) },
    ...(typeof institution === 'string' && { institution: sightingLine(institution) }),
    ...(emails.length > 0 && { email: emails.slice(0, 10) }),
  };
}

function sightingLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').slice(0, 2048);
}
