/** Indirect matches against brute force, through random histories of queries, patients, deletions and restarts. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  type MatchRecord,
  matchmaker,
  matchmakerMatches,
  matchmakerNodes,
  type NewMatch,
  type Patient,
  type StoredPatient,
  thisNode,
} from '../../../../plugins/matchmaker/contract.js';
import { Indirect } from '../../../../plugins/matchmaker/exchange/indirect.js';
import { recordPages } from '../../../../plugins/matchmaker/matches/contract.js';
import { Profiler } from '../../../../plugins/matchmaker/matching/profile.js';
import { compareProfiles, genePlaces, haveCommonGene } from '../../../../plugins/matchmaker/matching/score.js';
import { contentOfPatient, factsOfPatient } from '../../../../plugins/matchmaker/patients/patient.js';
import type { Resources } from '../../../../plugins/matchmaker/resources/resources.js';
import type { MatchmakerSettings } from '../../../../plugins/matchmaker/settings.js';
import { dealt } from '../../../support/dealt.js';
import { type OpenedStorage, storages } from '../../../support/storages.js';
import { featuresOf, patientOf, smallWorld } from '../matching/support/toy.js';

const weights = { genotype: 0.75, phenotype: 0.25 };
const [owners, askers] = [['lab', 'clinic'] as const, ['lab', 'partner', 'node'] as const];
const ids = ['a', 'b', 'c', 'd', 'e', 'f'];

function contentWith(term: number, genes: readonly string[]): Partial<Patient> {
  return { features: featuresOf(210 + term, 220 + 4 * term), genomicFeatures: genes.map((id) => ({ gene: { id } })) };
}

/** Few terms and genes, so that contents come back and scores tie; a gene of a long list weighs less than terms. */
const longList = ['GENA', ...Array.from({ length: 11 }, (_, i) => `OTHER${i}`)];
const geneLists = [[], ['GENA'], ['OLDA'], ['GENB'], longList];
const content = fc
  .tuple(fc.integer({ min: 0, max: 3 }), fc.constantFrom(...geneLists))
  .map(([term, genes]) => contentWith(term, genes));
const id = fc.constantFrom(...ids);

type Step =
  /** A search of a client, which finds the stored patients of these ids. */
  | { does: 'query'; asker: string; id: string; content: Partial<Patient>; finds: string[]; test: boolean }
  | { does: 'save'; id: string; content: Partial<Patient>; label: string }
  | { does: 'remove'; id: string; asker: string | undefined }
  | { does: 'scrub'; id: string }
  | { does: 'expire'; share: number }
  | { does: 'connect' | 'restart' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      does: fc.constant('query' as const),
      asker: fc.constantFrom(...askers),
      id,
      content,
      finds: fc.subarray(ids),
      test: fc.constantFrom(false, false, false, true),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({ does: fc.constant('save' as const), id, content, label: fc.constantFrom('x', 'y') }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('remove' as const),
      id,
      asker: fc.constantFrom(undefined, ...askers),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('scrub' as const), id }) },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant('expire' as const), share: fc.double({ min: 0, max: 0.5, noNaN: true }) }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constantFrom('connect' as const, 'restart' as const) }) },
);

const asked = (id: string, content: Partial<Patient>): Step => {
  return { does: 'query', asker: 'partner', id, content, finds: [], test: false };
};
/** Of three results one is a place: it goes to the query with a gene, which three with the same terms are ahead of. */
const placing: Step[] = [
  ...['a', 'b', 'c'].map((id) => asked(id, contentWith(0, []))),
  asked('d', contentWith(1, longList)),
  { does: 'save', id: 'e', content: contentWith(0, ['GENA']), label: 'x' },
];

for (const engine of dealt(storages, 'sqlite')) {
  describe(`matchmaker: recorded queries on ${engine.name}`, function () {
    this.timeout(300_000); // many histories
    let resources: Resources;
    before(async () => {
      resources = await smallWorld();
    });

    it('every save records what comparing all of them would find, in any history', async () => {
      const settings = fc.record({
        maxResults: fc.integer({ min: 1, max: 5 }),
        includeQuery: fc.boolean(),
        scoreThreshold: fc.constantFrom(0, 0.2),
        geneShare: fc.constantFrom(0, 0.4, 1),
      });
      let [recorded, placed] = [0, 0];
      await fc.assert(
        fc.asyncProperty(settings, fc.array(step, { minLength: 10, maxLength: 40 }), async (some, steps) => {
          const opened = await engine.open([matchmaker, matchmakerMatches, matchmakerNodes]);
          try {
            const history = new History(opened, resources, { ...weightSettings, ...some });
            for (const one of steps) await history.take(one);
            recorded += history.recorded;
            placed += history.placed;
          } finally {
            await opened.close();
          }
        }),
        {
          numRuns: 12,
          examples: [[{ maxResults: 3, includeQuery: false, scoreThreshold: 0, geneShare: 0.4 }, placing]],
        },
      );
      // The example alone brings as many, whatever is drawn.
      expect(recorded, 'matches that were compared').to.be.at.least(3);
      expect(placed, 'matches that only a place brings').to.be.at.least(1);
    });
  });
}

const weightSettings = { maxGenotypeScore: weights.genotype, maxPhenotypeScore: weights.phenotype };
type Settings = Pick<
  MatchmakerSettings,
  'maxResults' | 'includeQuery' | 'scoreThreshold' | 'geneShare' | keyof typeof weightSettings
>;

/** The same history of the storage and of a list of records. */
class History {
  recorded = 0;
  placed = 0;
  readonly #opened: OpenedStorage;
  readonly #resources: Resources;
  readonly #settings: Settings;
  readonly #profiler: Profiler;
  #indirect: Indirect;
  #records: NewMatch[] = [];
  #isConnected = false;
  #clock = 0;

  constructor(opened: OpenedStorage, resources: Resources, settings: Settings) {
    this.#opened = opened;
    this.#resources = resources;
    this.#settings = settings;
    this.#profiler = new Profiler(resources);
    this.#indirect = this.#start();
  }

  get #matches() {
    return this.#opened.storage.repository(matchmakerMatches);
  }

  get #patients() {
    return this.#opened.storage.repository(matchmaker);
  }

  #start(): Indirect {
    const { storage } = this.#opened;
    return new Indirect({
      trail: {
        transaction: (work) =>
          storage.transaction((scope) =>
            work({ repository: (contract) => scope.repository(contract), trace: async () => {}, matched() {} }),
          ),
      },
      settings: this.#settings as MatchmakerSettings,
      patients: this.#patients,
      matches: this.#matches,
      nodes: {
        ...storage.repository(matchmakerNodes),
        nodes: async () => [{ id: 'node', label: 'n', url: 'https://node.example.org', enabled: this.#isConnected }],
      } as never,
      resources: () => this.#resources,
      notices: async () => [],
      sightings: undefined,
      now: () => this.#now(),
      reading: () => undefined,
    });
  }

  #now(): Date {
    return new Date(++this.#clock * 1000);
  }

  async take(one: Step): Promise<void> {
    switch (one.does) {
      case 'query':
        return this.#query(one);
      case 'save':
        return this.#save(one);
      case 'remove': {
        const { id, asker } = one;
        await this.#matches.removeQueries(id, ...(asker === undefined ? [] : [{ asker }]));
        this.#records = this.#records.filter(
          (record) => record.patient.id !== id || (asker ?? record.asker) !== record.asker,
        );
        return;
      }
      case 'scrub':
        await this.#matches.scrub(one.id);
        this.#records = this.#records
          .map((record) => ({ ...record, results: without(record, one.id) }))
          .filter(({ results }) => results.length > 0);
        return;
      case 'expire': {
        const before = new Date(this.#clock * 1000 * one.share);
        await this.#matches.expire(before);
        this.#records = this.#records.filter(({ created }) => created >= before);
        return;
      }
      case 'connect':
        this.#isConnected = !this.#isConnected;
        return;
      case 'restart':
        await this.#indirect.close();
        this.#indirect = this.#start();
    }
  }

  async #query({ asker, id, content, finds, test }: Extract<Step, { does: 'query' }>): Promise<void> {
    const found: StoredPatient[] = [];
    for (const one of finds) {
      const stored = await this.#patients.patient(one);
      if (stored) found.push(stored);
    }
    // Only searches that found a patient are recorded: this one is of another query.
    const patients = [...found.map(({ patient }) => patient), patientOf('always', {})].map((patient) => {
      return { patient, score: { patient: 0.5 } };
    });
    const own = await this.#patients.patient(id);
    const record: NewMatch = {
      id: randomUUID(),
      created: this.#now(),
      type: 'internal',
      direction: 'incoming',
      asker,
      ...(own?.owner === asker && { number: own.number }),
      patient: patientOf(id, { ...content, ...(test && { test }) }),
      results: [{ node: thisNode, patients }],
      errors: [],
      matchedGenes: [],
    };
    await this.#matches.add(record);
    this.#records.push(record);
  }

  async #save({ id, content, label }: Extract<Step, { does: 'save' }>): Promise<void> {
    const patient = patientOf(id, { ...content, label });
    const writer = { owner: owners[ids.indexOf(id) % 2] as string, all: false };
    const facts = factsOfPatient(patient, this.#resources.genes);
    await this.#patients.savePatients([{ patient, facts, writer, at: this.#now() }]);
    const stored = await this.#patients.patient(id);
    if (!stored) throw new Error('The patient was not stored');
    const expected = this.#expected(stored);
    const before = new Set((await this.#all()).map((record) => record.id));
    await this.#indirect.search(stored, 'search');
    const added = (await this.#all()).filter((record) => !before.has(record.id));
    const seen = ({ asker, patient, results }: Pick<MatchRecord, 'asker' | 'patient' | 'results'>) =>
      JSON.stringify([
        asker,
        patient,
        results.flatMap(({ patients }) => patients.map((one) => [one.patient.id, one.score.patient])),
      ]);
    expect(added.map(seen).sort()).to.deep.equal(
      expected.map(({ query, score }) => JSON.stringify([query.asker, query.patient, [[id, score]]])).sort(),
    );
    this.recorded += added.length;
    const byQuery = (record: MatchRecord) =>
      expected.findIndex(({ query }) => query.asker === record.asker && query.patient.id === record.patient.id);
    for (const record of added.sort((one, other) => byQuery(one) - byQuery(other))) {
      this.#records.push({ ...record, matchedGenes: [], key: record.id });
    }
  }

  async #all(): Promise<MatchRecord[]> {
    const all = new Map<string, MatchRecord>();
    for (const patient of ids) {
      for await (const records of recordPages(this.#matches, { patient, limit: 100 })) {
        for (const record of records) all.set(record.id, record);
      }
    }
    return [...all.values()];
  }

  /** By comparing every record. */
  #expected(stored: StoredPatient): { query: NewMatch; score: number }[] {
    const { maxResults, includeQuery, scoreThreshold, geneShare } = this.#settings;
    const latest = new Map<string, NewMatch>();
    for (const record of this.#records) {
      if (record.key !== undefined) continue;
      const name = JSON.stringify([record.asker, record.patient.id]);
      latest.delete(name);
      latest.set(name, record);
    }
    const { patient, number, owner } = stored;
    const own = this.#profiler.profile(patient);
    const isAbout = (one: NewMatch) => one.number === number || (one.asker === owner && one.patient.id === patient.id);
    const ranked = [...latest.values()]
      .filter((one) => one.patient.test !== true && !(this.#isConnected && one.asker === 'node'))
      .filter((one) => includeQuery || !isAbout(one))
      .map((query) => {
        const profile = this.#profiler.profile(query.patient);
        const score = compareProfiles(profile, own, this.#profiler.information, weights).total;
        return { query, score, shares: haveCommonGene(profile, own) };
      })
      .filter(({ score }) => score > 0 && score >= scoreThreshold)
      .sort(
        (one, other) =>
          other.score - one.score ||
          (one.query.patient.id < other.query.patient.id ? -1 : Number(one.query.patient.id > other.query.patient.id)),
      );
    // 0, 0.4 or 1 of them: the best that share a gene; then the best of the others.
    const first = ranked.filter(({ shares }) => shares).slice(0, genePlaces(maxResults, geneShare));
    const answer = [...first, ...ranked.filter((one) => !first.includes(one))].slice(0, maxResults);
    const expected = answer.filter(({ query }) => !this.#isKnown(query, patient));
    this.placed += expected.filter((one) => !ranked.slice(0, maxResults).includes(one)).length;
    return expected;
  }

  #isKnown({ asker, patient: query }: NewMatch, own: Patient): boolean {
    const same = (one: Patient, other: Patient) =>
      one.id === other.id &&
      contentOfPatient(one, this.#resources.genes) === contentOfPatient(other, this.#resources.genes);
    return this.#records.some(
      (record) =>
        record.asker === asker &&
        same(record.patient, query) &&
        record.results.some(({ patients }) => patients.some(({ patient }) => same(patient, own))),
    );
  }
}

function without({ results }: Pick<MatchRecord, 'results'>, id: string): MatchRecord['results'] {
  return results
    .map(({ node, patients }) => ({ node, patients: patients.filter(({ patient }) => patient.id !== id) }))
    .filter(({ patients }) => patients.length > 0);
}
