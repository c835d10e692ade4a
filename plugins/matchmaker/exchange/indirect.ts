/**
 * Indirect matches: a new patient is compared with earlier queries of clients. Clients that are connected nodes are left
 * out: they are queried themselves, and would be matched twice.
 */
import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { PluginContext } from '../../../core/plugin.js';
import type { Trail } from '../audit/trail.js';
import {
  type KeptQuery,
  type MatchedPatient,
  type MatchmakerRepository,
  type MatchRepository,
  matchmaker,
  matchmakerMatches,
  type NodeRepository,
  type NodeResult,
  type Patient,
  type StoredPatient,
  thisNode,
} from '../contract.js';
import { queueNotices, type WriteNotices } from '../mail/notices.js';
import { recordPages } from '../matches/pages.js';
import { byRank } from '../matching/best.js';
import { explain } from '../matching/explanation.js';
import type { Profile, Profiler } from '../matching/profile.js';
import { compare } from '../matching/score.js';
import type { MatchService } from '../matching/service.js';
import { stepsOfComparing, Work } from '../matching/work.js';
import { contentOf } from '../patient/content.js';
import { purposeOf } from '../patient/extensions.js';
import { presented } from '../patient/present.js';
import type { Resources } from '../resources/resources.js';
import type { MatchmakerSettings } from '../settings.js';
import { noteSightings, type Sightings } from '../triage/sightings.js';

export interface IndirectOptions extends Pick<PluginContext<unknown>, 'now'>, Pick<MatchService, 'reading'> {
  trail: Pick<Trail, 'transaction'>;
  settings: MatchmakerSettings;
  patients: MatchmakerRepository;
  matches: MatchRepository;
  nodes: NodeRepository;
  resources(): Resources;
  profiler(): Profiler;
  notices: WriteNotices;
  /** Undefined if people do not work with matches on this server. */
  sightings: Sightings | undefined;
}

/** Queries read before other work gets a turn. */
const batch = 200;

interface Known extends Pick<KeptQuery, 'asker' | 'stored'> {
  id: string;
  profile: Profile;
  /** A test is never matched later. */
  test: boolean;
}

type Hit = MatchedPatient & { asker: string; record: number };

export class Indirect {
  readonly #options: IndirectOptions;
  /** Profiles by record, made with the resources of `#profiler`. */
  #known = new Map<number, Known>();
  #profiler: Profiler | undefined;

  constructor(options: IndirectOptions) {
    this.#options = options;
  }

  /**
   * Compares the patient with earlier queries, and records matches once for each version of the patient. The name is that
   * of the whole search, which includes other nodes.
   */
  async search(stored: StoredPatient, name: string): Promise<void> {
    const hits = await this.#hits(stored);
    if (hits.length > 0) await this.#record(stored, hits, name);
  }

  async #hits(stored: StoredPatient): Promise<Hit[]> {
    const { settings, matches } = this.#options;
    const profiler = this.#usable();
    await this.#refresh(profiler);
    const direct = await this.#askedThemselves();
    const weights = { genotype: settings.maxGenotypeScore, phenotype: settings.maxPhenotypeScore };
    const own = profiler.profile(stored.patient);
    const best: { number: number; id: string; score: ReturnType<typeof compare> }[] = [];
    const work = new Work();
    for (const [number, known] of [...this.#known]) {
      work.spend(stepsOfComparing);
      await work.turn();
      const { asker, id, profile, test } = known;
      if (test || direct.has(asker) || (!settings.includeQuery && isAbout(known, stored))) continue;
      const score = compare(profile, own, profiler.information, weights, work);
      if (score.total <= 0 || score.total < settings.scoreThreshold) continue;
      best.push({ number, id, score });
    }
    best.sort(byRank);
    const kept = best.slice(0, settings.maxResults);
    const queries = new Map<number, KeptQuery>();
    for (const query of await matches.queries(kept.map(({ number }) => number))) {
      if (!(await this.#alreadyFound(stored, query))) queries.set(query.number, query);
    }
    const hits: Hit[] = [];
    for (const { number, score } of kept) {
      const query = queries.get(number);
      if (!query) continue;
      await work.turn();
      const other = { patient: query.patient, profile: profiler.profile(query.patient) };
      const explanation = explain(other, { patient: stored.patient, profile: own }, profiler, { score, work });
      const { total, genotype, phenotype } = score;
      const reading = this.#options.reading(total);
      hits.push({
        asker: query.asker,
        record: number,
        patient: query.patient,
        score: {
          patient: total,
          _genotype: genotype,
          _phenotype: phenotype,
          ...(reading && { _reading: reading }),
          ...explanation,
        },
      });
    }
    return hits;
  }

  /** Whether a record shows that the query found the patient in its present form, apart from label and contact. */
  async #alreadyFound({ patient: own }: StoredPatient, { asker, patient: query }: KeptQuery): Promise<boolean> {
    const { matches, resources } = this.#options;
    const { id } = own;
    const content = (patient: Patient) => contentOf(patient, resources().genes);
    const [asked, wanted] = [content(query), content(own)];
    const isOwn = ({ node, patients }: NodeResult) =>
      node.id === thisNode.id && patients.some(({ patient }) => patient.id === id && content(patient) === wanted);
    for await (const records of recordPages(matches, { patient: id, asker, limit: batch })) {
      const found = records.some(
        ({ type, patient, results }) =>
          type === 'internal' && patient.id === query.id && results.some(isOwn) && content(patient) === asked,
      );
      if (found) return true;
    }
    return false;
  }

  #usable(): Profiler {
    const profiler = this.#options.profiler();
    if (this.#profiler !== profiler) {
      this.#profiler = profiler;
      this.#known = new Map();
    }
    return profiler;
  }

  /** Updates the known queries to those that are stored. */
  async #refresh(profiler: Profiler): Promise<void> {
    const { matches } = this.#options;
    const latest = await matches.latestQueries();
    const live = new Set(latest);
    for (const number of this.#known.keys()) if (!live.has(number)) this.#known.delete(number);
    const unseen = latest.filter((number) => !this.#known.has(number));
    for (let i = 0; i < unseen.length; i += batch) {
      for (const { number, patient, ...query } of await matches.queries(unseen.slice(i, i + batch))) {
        const test = patient.test === true;
        this.#known.set(number, { ...query, id: patient.id, profile: profiler.profile(patient), test });
      }
      await setImmediate();
    }
  }

  /** Clients that are connected nodes, by their id or by the address in both entries. */
  async #askedThemselves(): Promise<Set<string>> {
    const { nodes, patients } = this.#options;
    const peers = (await nodes.nodes()).filter(({ enabled }) => enabled);
    if (peers.length === 0) return new Set();
    const origins = new Set(peers.map(({ url }) => new URL(url).origin));
    const clients = await patients.clients();
    const byAddress = clients.filter(({ url }) => url && URL.canParse(url) && origins.has(new URL(url).origin));
    return new Set([...peers, ...byAddress].map(({ id }) => id));
  }

  /** Records each match as if the client had queried again, and notifies the owner of the patient. */
  async #record(stored: StoredPatient, hits: readonly Hit[], name: string): Promise<void> {
    const { number, version, patient } = stored;
    const { trail, now, notices: write, resources } = this.#options;
    const shown = presented(patient, resources().genes);
    const matches = hits.map(({ asker, patient, score }) => ({
      node: { id: asker, label: asker },
      found: { patient, score },
    }));
    const notices = await write([{ patient, matches }], name);
    const seen = hits.flatMap((hit) => this.#options.sightings?.later(stored, hit.asker, hit) ?? []);
    await trail.transaction(async (scope) => {
      if ((await scope.repository(matchmaker).held(number))?.version !== version) return;
      for (const { asker, record, patient: query, score } of hits) {
        await scope.repository(matchmakerMatches).add({
          id: randomUUID(),
          created: now(),
          type: 'internal',
          direction: 'incoming',
          asker,
          patient: query,
          results: [{ node: thisNode, patients: [{ patient: shown, score }] }],
          errors: [],
          matchedGenes: [],
          key: `later:${record}:${number}.${version}`,
        });
      }
      await scope.trace(
        hits.map(({ asker, patient: query }) => ({
          by: { owner: asker, because: 'earlier query' },
          action: 'match',
          patients: [patient.id],
          query: { id: query.id, isStored: false },
          purpose: purposeOf(query),
        })),
      );
      await queueNotices(scope, notices);
      await noteSightings(scope, seen);
    });
  }
}

/** Whether a query was made with the stored patient itself. Another client's patient with the same id is a different one. */
function isAbout({ asker, id, stored: number }: Known, stored: StoredPatient): boolean {
  return number === stored.number || (asker === stored.owner && id === stored.patient.id);
}
