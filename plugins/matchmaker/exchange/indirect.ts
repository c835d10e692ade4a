/**
 * Indirect matches: a new patient is compared with earlier queries of clients. Clients that are connected nodes are left
 * out: they are queried themselves, and would be matched twice.
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
import { nodeOf, type WriteNotices } from '../mail/notices.js';
import { scoreAnswer } from '../matches/search.js';
import { explain } from '../matching/explanation.js';
import { placesOf } from '../matching/gene-first.js';
import type { MatchService } from '../matching/service.js';
import { Work } from '../matching/work.js';
import { purposeOf } from '../patient/extensions.js';
import { contentOf } from '../patient/keys.js';
import { presented } from '../patient/present.js';
import type { Resources } from '../resources/resources.js';
import type { MatchmakerSettings } from '../settings.js';
import type { Sightings } from '../triage/sightings.js';
import { type QueryOwner, RecordedQueries } from './recorded-queries.js';
import { internalMatch, record } from './recording.js';

export interface IndirectOptions extends Pick<PluginContext<unknown>, 'now'>, Pick<MatchService, 'reading'> {
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
const batch = 20;

interface Hit extends MatchedPatient {
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

  async #hits(stored: StoredPatient): Promise<Hit[]> {
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
        places: placesOf(settings.maxResults, settings.geneShare),
        threshold: settings.scoreThreshold,
      },
      (query) => !settings.includeQuery && isAbout(query, stored),
      work,
    );
    const hits: Hit[] = [];
    for (let i = 0; i < best.length; i += batch) {
      const some = best.slice(i, i + batch);
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
        hits.push({ asker, record: number, node: nodeOf(isStored, asker), patient, score: answered });
      }
    }
    return hits;
  }

  /** Whether a record shows that the query found the patient in its present form, apart from label and contact. */
  async #alreadyFound(own: Patient, { number, patient, findings = [] }: KeptQuery): Promise<boolean> {
    const { matches, resources } = this.#options;
    const { genes } = resources();
    const wanted = contentOf(own, genes);
    // Most records found it in one and the same form.
    const isSame = new Map<Patient, boolean>();
    for (const { patient: form } of findings) {
      if (!isSame.has(form)) isSame.set(form, contentOf(form, genes) === wanted);
    }
    const records = findings.filter(({ patient: form }) => isSame.get(form)).map(({ record }) => record);
    if (records.includes(number)) return true;
    const asked = contentOf(patient, genes);
    for (let i = 0; i < records.length; i += batch) {
      const others = await matches.queries(records.slice(i, i + batch));
      if (others.some((other) => contentOf(other.patient, genes) === asked)) return true;
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
  async #record(stored: StoredPatient, hits: readonly Hit[], name: string): Promise<void> {
    const { number, version, patient } = stored;
    const { trail, now, notices: write, resources } = this.#options;
    const shown = presented(patient, resources().genes);
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
          purpose: purposeOf(query),
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
