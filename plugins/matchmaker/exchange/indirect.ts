/**
 * Indirect matches: a new patient is compared with earlier queries of clients, which are kept in an index like that of the
 * stored patients. Clients that are connected nodes are left out: they are queried themselves, and would be matched twice.
 */
import type { PluginContext } from '../../../core/plugin.js';
import type { Trail } from '../audit/trail.js';
import {
  type KeptQuery,
  type MatchedPatient,
  type MatchmakerRepository,
  type MatchRepository,
  matchmaker,
  type NodeName,
  type NodeRepository,
  type Patient,
  type StoredPatient,
} from '../contract.js';
import { nodeOfAsker, type WriteNotices } from '../mail/notices.js';
import { explain } from '../matching/explanation.js';
import { type FollowedChanges, Follower } from '../matching/follower.js';
import type { Profile, Profiler } from '../matching/profile.js';
import { geneFirst, genePlaces, type SharedGenePlaces } from '../matching/score.js';
import type { IndexSearchOptions, PatientHit } from '../matching/search.js';
import type { MatchService } from '../matching/service.js';
import { Work } from '../matching/work.js';
import { contentOfPatient, purposeOfPatient } from '../patients/patient.js';
import { presentedPatient } from '../patients/presentation.js';
import type { Resources } from '../resources/resources.js';
import type { MatchmakerSettings } from '../settings.js';
import { internalMatch, record, type Sightings, scoreAnswer } from './searches.js';

interface IndirectOptions extends Pick<PluginContext<unknown>, 'now'>, Pick<MatchService, 'reading'> {
  trail: Pick<Trail, 'transaction'>;
  settings: MatchmakerSettings;
  patients: MatchmakerRepository;
  matches: MatchRepository;
  nodes: NodeRepository;
  resources(): Resources;
  notices: WriteNotices;
  /** Undefined if people do not work with matches on this server. */
  sightings: Sightings | undefined;
}

/** Hits that are looked up, and records that are compared, at a time. */
const comparedAtOnce = 20;

interface IndirectHit extends MatchedPatient {
  asker: string;
  record: number;
  /** How notices and rows name where the query patient is. */
  node: NodeName;
}

export class Indirect {
  readonly #options: IndirectOptions;
  readonly #closing = new AbortController();
  #queries: { resources: Resources; recorded: RecordedQueries } | undefined;

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

  /** Stops reading queries. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#queries?.recorded.settled();
  }

  async #hits(stored: StoredPatient): Promise<IndirectHit[]> {
    const { settings, matches, patients, reading } = this.#options;
    const recorded = this.#recorded();
    const { profiler } = recorded;
    const own = { patient: stored.patient, profile: profiler.profile(stored.patient) };
    const weights = { genotype: settings.maxGenotypeScore, phenotype: settings.maxPhenotypeScore };
    const work = new Work();
    const best = await recorded.best(
      own.profile,
      {
        weights,
        limit: settings.maxResults,
        places: genePlaces(settings.maxResults, settings.geneShare),
        threshold: settings.scoreThreshold,
      },
      (query) => !settings.includeQuery && isAbout(query, stored),
      work,
    );
    const hits: IndirectHit[] = [];
    for (let i = 0; i < best.length; i += comparedAtOnce) {
      const some = best.slice(i, i + comparedAtOnce);
      const numbers = some.map(({ number }) => number);
      const queries = new Map((await matches.queries(numbers, own.patient.id)).map((query) => [query.number, query]));
      const known = await patients.patientsById([...queries.values()].map((query) => query.patient.id));
      for (const { number, score } of some) {
        const query = queries.get(number);
        if (!query || (await this.#alreadyFound(own.patient, query))) continue;
        await work.turn();
        const { asker, patient } = query;
        // A stored patient has the same name however it is found: each pair is reported once.
        const isStored = known.some((one) => isAbout({ ...query, id: patient.id }, one));
        const explanation = explain({ patient, profile: profiler.profile(patient) }, own, profiler, { score, work });
        const answered = scoreAnswer(score, { reading: reading(score.total) }, explanation);
        hits.push({ asker, record: number, node: nodeOfAsker(isStored, asker), patient, score: answered });
      }
    }
    return hits;
  }

  /** Whether a record shows that the query found the patient in its present form, apart from label and contact. */
  async #alreadyFound(own: Patient, { number, patient, findings = [] }: KeptQuery): Promise<boolean> {
    const { matches, resources } = this.#options;
    const { genes } = resources();
    const wanted = contentOfPatient(own, genes);
    // Most records found it in one and the same form.
    const isSame = new Map<Patient, boolean>();
    for (const { patient: form } of findings) {
      if (!isSame.has(form)) isSame.set(form, contentOfPatient(form, genes) === wanted);
    }
    const records = findings.filter(({ patient: form }) => isSame.get(form)).map(({ record }) => record);
    if (records.includes(number)) return true;
    const asked = contentOfPatient(patient, genes);
    for (let i = 0; i < records.length; i += comparedAtOnce) {
      const others = await matches.queries(records.slice(i, i + comparedAtOnce));
      if (others.some((other) => contentOfPatient(other.patient, genes) === asked)) return true;
    }
    return false;
  }

  /** With the resources in use. */
  #recorded(): RecordedQueries {
    const { matches, resources: current } = this.#options;
    const resources = current();
    if (this.#queries?.resources !== resources || !this.#queries.recorded.usable) {
      const { signal } = this.#closing;
      const without = () => this.#askedThemselves();
      this.#queries = { resources, recorded: new RecordedQueries({ matches, without, resources, signal }) };
    }
    return this.#queries.recorded;
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
  async #record(stored: StoredPatient, hits: readonly IndirectHit[], name: string): Promise<void> {
    const { number, version, patient } = stored;
    const { trail, now, notices: write, resources } = this.#options;
    const shown = presentedPatient(patient, resources().genes);
    const matches = hits.map(({ node, patient, score }) => ({ node, found: { patient, score } }));
    const notices = await write([{ patient, matches }], name);
    const sightings = hits.flatMap((hit) => this.#options.sightings?.later(stored, hit.node, hit) ?? []);
    await trail.transaction(async (scope) => {
      if ((await scope.repository(matchmaker).held(number))?.version !== version) return;
      await record(scope, {
        matches: hits.map(({ asker, record: earlier, patient: query, score }) => {
          const key = `later:${earlier}:${number}.${version}`;
          return internalMatch({ created: now(), asker, patient: query, key }, [{ patient: shown, score }]);
        }),
        traces: hits.map(({ asker, patient: query }) => ({
          by: { owner: asker, because: 'earlier query' },
          action: 'match',
          patients: [patient.id],
          query: { id: query.id, isStored: false },
          purpose: purposeOfPatient(query),
        })),
        ...{ notices, sightings },
      });
    });
  }
}

/** Whether a query was made with the stored patient itself. Another client's patient with the same id is a different one. */
function isAbout({ asker, id, stored: number }: QueryOwner, stored: StoredPatient): boolean {
  return number === stored.number || (asker === stored.owner && id === stored.patient.id);
}

// The recorded queries of clients, in an index like that of the stored patients.

interface RecordedQueriesOptions {
  matches: Pick<MatchRepository, 'latestQueries' | 'queries'>;
  /** Askers whose queries are left out. */
  without(): Promise<ReadonlySet<string>>;
  resources: Resources;
  signal: AbortSignal;
}

/** Whose query a record has. */
interface QueryOwner extends Pick<KeptQuery, 'asker' | 'stored'> {
  /** The query patient's id. */
  id: string;
}

/** Queries read from the store at a time. */
const queriesReadAtOnce = 200;
/** Hits beyond the limit and the places of a search, in place of those that are left out. */
const spare = 8;

class RecordedQueries {
  readonly #options: Omit<RecordedQueriesOptions, 'resources' | 'signal'>;
  readonly #follower: Follower;
  /** By record; those that are not in the index, too. */
  readonly #known = new Map<number, QueryOwner>();
  /** As of the last update. */
  #latest: readonly number[] = [];
  #without: ReadonlySet<string> = new Set();
  /** What is not known, and may be in the index. */
  readonly #unknown = new Set<number>();

  constructor({ resources, signal, ...options }: RecordedQueriesOptions) {
    this.#options = options;
    this.#follower = new Follower({ changesSince: (revision) => this.#changes(revision) }, resources, signal);
  }

  /** The one whose profiles are in the index. */
  get profiler(): Profiler {
    return this.#follower.profiler;
  }

  /** See `Follower.usable`. */
  get usable(): boolean {
    return this.#follower.usable;
  }

  /**
   * The queries that are most similar to a patient, of all that were recorded before the call and are the latest of their
   * asker and patient: best first, ties by the id of the query patient, then by record. Places go to those that share a gene
   * first (`matching/score.ts`), behind the others if they rank lower. Tests are left out.
   */
  async best(
    patient: Profile,
    { limit, places, ...options }: Omit<IndexSearchOptions, 'places'> & SharedGenePlaces,
    isLeftOut: (query: QueryOwner) => boolean,
    work: Work,
  ): Promise<PatientHit[]> {
    await this.#follower.catchUp();
    for (let more = spare; ; more *= 2) {
      const searched = { ...options, limit: limit + more, places: places + more };
      const { hits, first } = await this.#follower.search(patient, searched, work);
      const kept = hits.filter(({ number }) => {
        const query = this.#known.get(number);
        return query !== undefined && !isLeftOut(query);
      });
      if (hits.length - kept.length > more && hits.length >= searched.limit) continue;
      return geneFirst(kept, { limit, places }, ({ number }) => first.has(number)).map(({ item }) => item);
    }
  }

  /** Resolves once no update is under way. */
  settled(): Promise<void> {
    return this.#follower.settled();
  }

  /**
   * Records are added and deleted by every server, and not in the order of their numbers: what changed is the difference
   * between two lists of all of them. What is after a `yield` happens once the changes are in the index: after a failure the
   * others are changes again.
   */
  async *#changes(before: number): AsyncGenerator<FollowedChanges> {
    const without = await this.#options.without();
    const latest = await this.#options.matches.latestQueries();
    if (isEqual(latest, this.#latest) && isEqual([...without].sort(), [...this.#without].sort())) return;
    const live = new Set(latest);
    for (const [number, { asker }] of this.#known) {
      if (live.has(number) && without.has(asker) === this.#without.has(asker)) continue;
      // Searches that come before the index has changed then pass over it.
      this.#known.delete(number);
      this.#unknown.add(number);
    }
    this.#without = without;
    this.#latest = [];
    let revision = before;
    yield { revision: ++revision, saved: [], removed: [...this.#unknown] };
    this.#unknown.clear();
    const unseen = latest.filter((number) => !this.#known.has(number));
    for (let i = 0; i < unseen.length; i += queriesReadAtOnce) {
      const queries = await this.#options.matches.queries(unseen.slice(i, i + queriesReadAtOnce));
      const saved: FollowedChanges['saved'][number][] = [];
      for (const { number, patient, asker } of queries) {
        this.#unknown.add(number);
        if (patient.test === true || without.has(asker)) continue;
        saved.push({ number, patient: { ...patient, id: rankOf(patient.id, number) } });
      }
      yield { revision: ++revision, saved, removed: [] };
      for (const { number, patient, asker, stored } of queries) {
        this.#known.set(number, { asker, id: patient.id, ...(stored !== undefined && { stored }) });
        this.#unknown.delete(number);
      }
    }
    this.#latest = latest;
  }
}

/** Several askers may use one id, and ties are to have one order: no id has U+0000, which comes before all others. */
function rankOf(id: string, number: number): string {
  return `${id}\u0000${String(number).padStart(16, '0')}`;
}

function isEqual<Item>(one: readonly Item[], other: readonly Item[]): boolean {
  return one.length === other.length && one.every((item, i) => item === other[i]);
}
