/** Saved patients are compared with the patients of other clients of their node, and both submitters hear of it once. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { issueToken } from '../../../../core/auth/access.js';
import { tokens } from '../../../../core/auth/contract.js';
import { jobs } from '../../../../core/jobs/contract.js';
import type { Storage } from '../../../../core/storage.js';
import {
  isReal,
  type MatchRecord,
  matchmaker,
  matchmakerAudit,
  matchmakerMail,
  matchmakerMatches,
  type StoredPatient,
  thisNode,
} from '../../../../plugins/matchmaker/contract.js';
import { erasePatient } from '../../../../plugins/matchmaker/erasure.js';
import { searchesOfNode } from '../../../../plugins/matchmaker/exchange/searches.js';
import { Within } from '../../../../plugins/matchmaker/exchange/within.js';
import { recordPages } from '../../../../plugins/matchmaker/matches/contract.js';
import { MatchService } from '../../../../plugins/matchmaker/matching/service.js';
import { factsOfPatient } from '../../../../plugins/matchmaker/patients/patient.js';
import { searchKind } from '../../../../plugins/matchmaker/patients/saving.js';
import { assemble, type Resources } from '../../../../plugins/matchmaker/resources/resources.js';
import { matchmakerSettings } from '../../../../plugins/matchmaker/settings.js';
import { dealt } from '../../../support/dealt.js';
import { engines } from '../../../support/engines.js';
import { steps, thorough } from '../../../support/steps.js';
import { type OpenedStorage, quiet, storages } from '../../../support/storages.js';
import { useEach } from '../../../support/use.js';
import { contracts, type Json, type Matchmaker, patient, serveMatchmaker, serveOn } from '../support/serve.js';
import { serveTriage } from '../triage/support/served.js';
import { makeNode, until } from './support/lab.js';
import { read, serveSink } from './support/sink.js';

const contact = (name: string) => ({ contact: { name, href: `mailto:${name}@example.org` } });

/** Resolves once no job waits or runs. */
const idle = (storage: Pick<Storage, 'repository'>) =>
  until(async () => {
    const { queued, running } = await storage.repository(jobs).count();
    return queued + running === 0;
  });

const writers = ['scout', 'seqr', 'admin', 'demo'] as const;
const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];

/** Few terms and genes, so that many patients match, and scores tie. */
const content = fc
  .record({
    features: fc
      .subarray(['HP:0001250', 'HP:0001251', 'HP:0000252', 'HP:0002133'])
      .map((terms) => terms.map((id) => ({ id }))),
    genomicFeatures: fc.subarray(['SCN1A', 'GPX4']).map((genes) => genes.map((id) => ({ gene: { id } }))),
    test: fc.constantFrom(undefined, undefined, undefined, true),
  })
  .filter(({ features, genomicFeatures }) => features.length + genomicFeatures.length > 0);

const by = fc.constantFrom(...writers, 'scout' as const, 'seqr' as const);
const step = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({ does: fc.constant('save' as const), by, id: fc.constantFrom(...ids), content }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('remove' as const), by, id: fc.constantFrom(...ids) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('restart' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

/** Four alike patients, in turns of two clients: the saves record 0, 1, 1 and 2 matches. */
const alike: Step[] = ids.slice(0, 4).map((id, i) => {
  const content = { features: [{ id: 'HP:0001250' }], genomicFeatures: [{ gene: { id: 'SCN1A' } }], test: undefined };
  return { does: 'save', by: i % 2 === 0 ? 'scout' : 'seqr', id, content };
});
const plain = { maxResults: 4, scoreThreshold: 0, includeQuery: false, exchange: { within: 'others' } } as const;

const chosen = fc.record({
  maxResults: fc.integer({ min: 1, max: 4 }),
  scoreThreshold: fc.constantFrom(0, 0.2),
  includeQuery: fc.boolean(),
  exchange: fc.record({
    within: fc.constantFrom('others' as const, 'others' as const, 'all' as const, 'off' as const),
  }),
});

for (const engine of dealt(storages, 'postgres')) {
  describe(`matchmaker: patients of one node on ${engine.name}`, function () {
    this.timeout(300_000); // many histories
    let resources: Resources;
    before(async () => {
      resources = await assemble(0, []);
    });

    it('every save records what a search of a node with the others alone returns, in any history', async () => {
      let recorded = 0;
      await fc.assert(
        fc.asyncProperty(chosen, fc.array(step, { minLength: 20, maxLength: 35 }), async (settings, all) => {
          const opened = await engine.open(contracts);
          const history = new History(opened, resources, settings);
          try {
            for (const one of all) await history.take(one);
            recorded += history.recorded;
          } finally {
            await history.close();
            await opened.close();
          }
        }),
        { numRuns: 6, examples: [[plain, alike]] },
      );
      expect(recorded, 'matches that were compared').to.be.at.least(4);
    });

    describe('and its jobs', () => {
      let server: Matchmaker;
      afterEach(() => server?.close());
      const add = (token: string, one: Json) => server.post('/patient/add', { patient: one }, { token });
      const queued = async () => (await server.storage.repository(jobs).list({ limit: 100 })).length;

      it('are one for a save, and none for demo and test patients, or if it is off', async () => {
        server = await serveMatchmaker(engine);
        const owner = { owner: 'demo', scopes: ['matchmaker:query', 'matchmaker:submit'] };
        const { token } = await issueToken(server.storage.repository(tokens), owner, new Date());
        await add(token, patient('demo'));
        await add(server.token, patient('tested', { test: true }));
        expect(await queued()).to.equal(0);
        await add(server.token, patient('P'));
        await add(server.token, patient('P'));
        expect(await queued(), 'the second changed nothing').to.equal(1);
        await server.close();
        server = await serveMatchmaker(engine, { settings: { exchange: { within: 'off' } } });
        await add(server.token, patient('P'));
        expect(await queued()).to.equal(0);
      });

      it('record once, however often and on however many servers they run', async () => {
        server = await serveMatchmaker(engine, { jobs: true });
        const second = await serveOn(server.storage, { jobs: true });
        try {
          const { storage } = server;
          await add(server.other, patient('theirs'));
          await idle(storage);
          await add(server.token, patient('ours'));
          await idle(storage);
          const [{ number, version }] = (await storage.repository(matchmaker).patientsById(['ours'])) as [
            StoredPatient,
          ];
          const [before] = await recordsOf(storage, ['ours']);
          expect(before?.results).to.have.length(1);
          const now = new Date();
          const payload = { patients: [{ number, version }] };
          const again = () => ({
            id: randomUUID(),
            kind: searchKind,
            payload,
            owner: 'scout',
            created: now,
            runAfter: now,
          });
          await Promise.all(Array.from({ length: 6 }, () => storage.repository(jobs).enqueue(again())));
          await idle(storage);
          expect(await recordsOf(storage, ['ours'])).to.deep.equal([before]);
          const trail = await storage.repository(matchmakerAudit).entries({ patient: 'theirs', limit: 10 });
          expect(
            trail.filter(({ action }) => action === 'match').map(({ actor, query }) => [actor, query]),
          ).to.deep.equal([['scout', 'ours']]);
        } finally {
          await second.close();
        }
      });

      it('leave nothing of a person who is erased, whichever of the two was saved later', async () => {
        server = await serveMatchmaker(engine, { jobs: true });
        const { storage } = server;
        await add(server.other, patient('first'));
        await idle(storage);
        await add(server.token, patient('person'));
        await idle(storage);
        await add(server.other, patient('last'));
        await idle(storage);
        const found = (await recordsOf(storage, ['person'])).map((one) => one.patient.id);
        expect(found.sort()).to.deep.equal(['last', 'person']);
        const transaction = storage.transaction.bind(storage);
        await erasePatient({ transaction, now: () => new Date() }, 'person', 'here');
        expect(await recordsOf(storage, ['person', 'first', 'last'])).to.deep.equal([]);
      });

      for (const [how, way] of [
        ['by a server', { server: '127.0.0.1', port: 9 }],
        ['in a file', { file: 'mails.mbox' }],
      ] as const)
        it(`tell the submitters of those that share a gene and were left out by the limit, but of tests, ${how}`, async () => {
          const mail = { ...way, sender: 'mme@example.org', digest: true };
          server = await serveMatchmaker(engine, { jobs: true, settings: { maxResults: 1, geneShare: 0, mail } });
          const { storage } = server;
          const bare = { features: [], genomicFeatures: [{ gene: { id: 'KCNT2' } }] };
          // Five of 502 list the gene, ours included: no more than 1 %.
          const sharing = ['one', 'two', 'three'].map((id) => patient(id, { ...bare, ...contact(id) }));
          const others = Array.from({ length: 497 }, (_, i) => patient(`o${i}`, { genomicFeatures: [] }));
          const saved = [...others, ...sharing, patient('tested', { ...bare, test: true })].map((patient) => {
            const facts = factsOfPatient(patient, resources.genes);
            return { patient, facts, writer: { owner: 'seqr', all: false }, at: new Date(0) };
          });
          await storage.repository(matchmaker).savePatients(saved);
          await add(server.token, patient('ours', { genomicFeatures: [{ gene: { id: 'KCNT2' } }], ...contact('own') }));
          await idle(storage);
          const [record] = await recordsOf(storage, ['ours']);
          expect(record?.alsoSharing).to.equal(3);
          const later = new Date(Date.now() + 2 * 24 * 60 * 60 * 1000);
          const notices = await storage.repository(matchmakerMail).due(later, 100);
          const told = notices.flatMap(({ patient, matches }) => matches.map(({ leftOut }) => [patient.id, leftOut]));
          expect(told.filter(([, leftOut]) => leftOut !== undefined).sort()).to.deep.equal(
            ['one', 'three', 'two'].map((id) => [id, { patients: 3, yours: [id] }]),
          );
        });

      it('record nothing of a patient that is deleted between the search and the record', async () => {
        server = await serveMatchmaker(engine);
        const { storage } = server;
        for (const id of ['gone', 'left']) await add(server.other, patient(id));
        await add(server.token, patient('ours'));
        const stored = await storage.repository(matchmaker).patientsById(['gone', 'left', 'ours']);
        const ours = stored.find((one) => one.patient.id === 'ours') as StoredPatient;
        const within = new Within({
          within: 'others',
          search: async () => {
            await server.send('DELETE', '/patient/delete/gone', { token: server.other });
            const matches = stored.filter((one) => one !== ours).map((one) => ({ ...one, score: { patient: 0.5 } }));
            return { matches, genes: [], alsoSharing: 0, leftOut: [] };
          },
          leftOut: async () => [],
          tells: false,
          trail: {
            transaction: (work) =>
              storage.transaction((scope) =>
                work({ repository: (contract) => scope.repository(contract), trace: async () => {}, matched() {} }),
              ),
          },
          resources: () => resources,
          notices: async (findings) =>
            findings.map(({ patient: { id }, matches }) => ({
              ...{ id: randomUUID(), created: new Date(), due: new Date(), search: 's', to: ['x@example.org'] },
              patient: { id },
              matches: matches.map(({ node, found }) => ({
                ...{ node, patient: found.patient, genes: [], terms: [], pair: randomUUID() },
              })),
            })),
          sightings: undefined,
          now: () => new Date(),
        });
        await within.search(ours, { name: 's', signal: new AbortController().signal });
        const [record, ...more] = await recordsOf(storage, ['ours']);
        expect(more).to.deep.equal([]);
        expect(record?.results[0]?.patients.map((one) => one.patient.id)).to.deep.equal(['left']);
        const notices = await storage.repository(matchmakerMail).due(new Date(Date.now() + 1000), 10);
        expect(
          notices.map((one) => [one.patient.id, ...one.matches.map((match) => match.patient.id)]).sort(),
        ).to.deep.equal([
          ['left', 'ours'],
          ['ours', 'left'],
        ]);
        // The same for the saved patient itself.
        await server.send('DELETE', '/patient/delete/ours', {});
        await within.search({ ...ours, version: 2 }, { name: 's', signal: new AbortController().signal });
        expect(await recordsOf(storage, ['ours', 'left'])).to.deep.equal([]);
      });
    });
  });
}

for (const engine of dealt(storages, 'sqlite')) {
  describe(`matchmaker: two clients of one node on ${engine.name}`, function () {
    this.timeout(120_000);
    const lab = useEach(() => serveTriage(engine, { jobs: true, matchmaker: { exchange: { allowHttp: true } } }));
    beforeEach(async () => {
      await lab.add(lab.scout, patient('ours', contact('scout')));
      await quietly();
      await lab.add(lab.seqr, patient('theirs', { ...contact('seqr'), features: [] }));
      await quietly();
    });

    /** Resolves once all that a save set off is over: searches and mails. */
    async function quietly(): Promise<void> {
      await idle(lab.server);
      await until(async () => (await lab.server.repository(matchmakerMail).waiting()).waiting === 0);
      await idle(lab.server);
    }
    const numberOf = async (id: string) => (await lab.server.repository(matchmaker).patient(id))?.number ?? 0;
    const matches = async (token: string, id: string): Promise<Json[]> =>
      (await lab.ask('GET', `/matches/${id}`, { token })).body.matches ?? [];
    const rows = async (token: string, id: string): Promise<Json[]> =>
      (await lab.ask('GET', `/matchmaker/submissions/${await numberOf(id)}`, { token })).body.rows;
    const told = () => lab.sink.mails.map((mail) => [mail.to.join(), /^ {2}Patient: (.*)\r$/m.exec(read(mail))?.[1]]);
    const bothTold = [
      ['scout@example.org', 'theirs'],
      ['seqr@example.org', 'ours'],
    ];

    it('meet when the second submits: in records, mails and rows of both', async () => {
      const [one, ...more] = await matches(lab.seqr, 'theirs');
      expect(more).to.deep.equal([]);
      expect([one.match_type, one.direction, one.data.patient.id]).to.deep.equal(['internal', 'incoming', 'theirs']);
      expect(one.results.map(({ node }: Json) => node.id)).to.deep.equal([thisNode.id]);
      expect(one.results[0].patients.map((each: Json) => each.patient.id)).to.deep.equal(['ours']);
      // One gene of one each, and no phenotype on one side: what /match says of the pair.
      const asked = await lab.ask('POST', '/match', {
        token: await lab.token('third', 'query'),
        body: { patient: patient('Q', { ...contact('third'), features: [] }) },
      });
      const direct = asked.body.results.find((each: Json) => each.patient.id === 'ours');
      expect(one.results[0].patients[0].score.patient).to.equal(direct.score.patient);
      expect((await matches(lab.scout, 'ours')).map((record) => record.data.patient.id)).to.deep.equal(['Q', 'theirs']);
      const { metrics } = (await lab.ask('GET', '/metrics', { token: lab.scout })).body;
      expect(metrics.numberOfRequestsReceived, 'of clients').to.equal(1);
      const mails = told().filter(([, id]) => id !== 'Q');
      expect(mails.sort()).to.deep.equal(bothTold);
      const row = (rows: Json[]) =>
        rows
          .filter(({ patient }) => patient !== 'Q')
          .map(({ node, patient, found, asked }) => [node.id, patient, found, asked]);
      expect(row(await rows(lab.seqr, 'theirs'))).to.deep.equal([[thisNode.id, 'ours', true, false]]);
      expect(row(await rows(lab.scout, 'ours'))).to.deep.equal([[thisNode.id, 'theirs', false, true]]);
    });

    it('hear of their pair once, whatever is searched, changed or submitted again', async () => {
      expect(told().sort()).to.deep.equal(bothTold);
      const ours = patient('ours', contact('scout'));
      await lab.add(lab.scout, { ...ours, label: 'renamed' });
      await quietly();
      await lab.add(lab.scout, { ...ours, features: [{ id: 'HP:0001251' }] });
      await quietly();
      await lab.add(lab.seqr, patient('theirs', { ...contact('seqr'), features: [{ id: 'HP:0000252' }] }));
      await quietly();
      await lab.match(lab.scout, { ...ours, features: [{ id: 'HP:0001251' }] });
      await lab.match(lab.seqr, patient('theirs', { ...contact('seqr'), features: [] }));
      await lab.add(lab.seqr, patient('theirs', { ...contact('seqr'), features: [] }));
      await quietly();
      // Queries of their own are found by the other's next version, as the same patient.
      await lab.add(lab.scout, { ...ours, features: [{ id: 'HP:0000365' }] });
      await quietly();
      expect(told().sort()).to.deep.equal(bothTold);
      for (const [token, id, other] of [
        [lab.scout, 'ours', 'theirs'],
        [lab.seqr, 'theirs', 'ours'],
      ] as const) {
        const all = await rows(token, id);
        expect(
          all.map(({ node, patient }) => [node.id, patient]),
          id,
        ).to.deep.equal([[thisNode.id, other]]);
      }
      // A patient that was deleted and comes back with its content is known.
      await lab.ask('DELETE', '/patient/delete/theirs', { token: lab.seqr });
      await lab.add(lab.scout, ours);
      await lab.add(lab.seqr, patient('again', { ...contact('seqr'), features: [] }));
      await quietly();
      expect(told().sort()).to.deep.equal(bothTold);
      expect((await rows(lab.scout, 'ours')).map(({ patient }) => patient)).to.deep.equal(['again']);
    });

    it('lose the record with the patient that was saved, and the row with either', async () => {
      await lab.add(lab.scout, patient('ours', { ...contact('scout'), sex: 'FEMALE' }));
      await quietly();
      expect((await matches(lab.scout, 'ours')).map((one) => one.data.patient.id)).to.deep.equal(['ours', 'theirs']);
      await lab.ask('DELETE', '/patient/delete/theirs', { token: lab.seqr });
      expect(
        (await matches(lab.scout, 'ours')).map((one) => one.data.patient.id),
        'found, it stays',
      ).to.deep.equal(['ours']);
      expect(await rows(lab.scout, 'ours')).to.deep.equal([]);
      await lab.add(lab.seqr, patient('theirs', { ...contact('seqr'), features: [] }));
      await quietly();
      expect(await matches(lab.seqr, 'theirs'), 'those of the deleted one were of another').to.have.length(1);
      await lab.ask('DELETE', '/patient/delete/ours', { token: lab.scout });
      expect(await rows(lab.seqr, 'theirs')).to.deep.equal([]);
    });
  });
}

for (const engine of dealt(engines, 'postgres')) {
  describe(`matchmaker: saves of killed servers and of commands on ${engine.name}`, function () {
    this.timeout(300_000); // several processes
    const sink = useEach(() => serveSink());
    const node = useEach(
      async () => {
        const server = {
          server: '127.0.0.1',
          port: sink.port,
          useTls: false,
          sender: 'mme@example.org',
          retrySeconds: 0.5,
        };
        return makeNode(engine, { matchmaker: { mail: server } });
      },
      (node) => node.discard(),
    );
    let [scout, seqr] = ['', ''];
    beforeEach(async () => {
      scout = await node.client('scout');
      seqr = await node.client('seqr');
      await node.start();
      await node.add(seqr, patient('theirs', contact('seqr')));
      await node.idle({ mails: true });
      await node.stop();
    });

    async function expectOnce(): Promise<void> {
      await until(() => sink.mails.length >= 2);
      await node.idle({ mails: true });
      expect(sink.mails.map(({ to }) => to.join()).sort()).to.deep.equal(['scout@example.org', 'seqr@example.org']);
      const found = (records: Json[]) =>
        records.map((one) => [one.data.patient.id, ...one.results[0].patients.map((each: Json) => each.patient.id)]);
      expect(found(await node.matches(scout, 'ours'))).to.deep.equal([['ours', 'theirs']]);
      expect(found(await node.matches(seqr, 'theirs'))).to.deep.equal([['ours', 'theirs']]);
      const seen: Json[] = await node.done('list', 'audit', '--patient', 'theirs');
      expect(seen.filter(({ action }) => action === 'match').map(({ actor }) => actor)).to.deep.equal(['scout']);
    }

    for (const step of thorough ? steps.here : ['matchmaker.within.recorded']) {
      it(`are compared once if a server is killed at ${step}`, async () => {
        const { ended } = await node.startKilled(step);
        await node.add(scout, patient('ours', contact('scout')));
        expect((await ended).signal).to.equal('SIGKILL');
        await node.start();
        await expectOnce();
      });
    }

    it('are compared by the next server if a command made them', async () => {
      const { writeFile } = await import('node:fs/promises');
      const test = patient('tested', { ...contact('scout'), test: true });
      await writeFile(`${node.folder}/ours.json`, JSON.stringify([patient('ours', contact('scout')), test]));
      await node.done('import', '--file', `${node.folder}/ours.json`, '--owner', 'scout');
      await node.start();
      await expectOnce();
      expect(await node.matches(scout, 'tested')).to.deep.equal([]);
    });
  });
}

async function recordsOf(storage: Pick<Storage, 'repository'>, of: readonly string[]): Promise<MatchRecord[]> {
  const found = new Map<string, MatchRecord>();
  for (const patient of of) {
    for await (const records of recordPages(storage.repository(matchmakerMatches), { patient, limit: 100 })) {
      for (const record of records) found.set(record.id, record);
    }
  }
  return [...found.values()];
}

type Settings = typeof chosen extends fc.Arbitrary<infer One> ? One : never;

/** A server, and for each save a search of a node that has the patients to compare with and no others. */
class History {
  recorded = 0;
  readonly #storage: Storage;
  readonly #resources: Resources;
  readonly #settings: Settings;
  #server: Promise<Matchmaker>;

  constructor({ storage }: OpenedStorage, resources: Resources, settings: Settings) {
    this.#storage = storage;
    this.#resources = resources;
    this.#settings = settings;
    this.#server = this.#start();
  }

  #start(): Promise<Matchmaker> {
    return serveOn(this.#storage, { settings: this.#settings, jobs: true });
  }

  async close(): Promise<void> {
    await (await this.#server).close();
  }

  async take(one: Step): Promise<void> {
    const server = await this.#server;
    if (one.does === 'restart') {
      await server.close();
      this.#server = this.#start();
      await this.#server;
      return;
    }
    const token = await this.#tokenOf(server, one.by);
    if (one.does === 'remove') {
      await server.send('DELETE', `/patient/delete/${one.id}`, { token });
      return;
    }
    const before = new Set((await recordsOf(this.#storage, ids)).map(({ id }) => id));
    const { status, body } = await server.post('/patient/add', { patient: patient(one.id, one.content) }, { token });
    const isChanged = status === 200 && /inserted|updated/.test(body.message);
    await idle(this.#storage);
    const added = (await recordsOf(this.#storage, ids)).filter(({ id }) => !before.has(id));
    const own = await this.#storage.repository(matchmaker).patient(one.id);
    const expected = isChanged && own ? await this.#expected(own) : [];
    const shape = { type: 'internal', direction: 'incoming', asker: own?.owner, number: own?.number, query: one.id };
    expect(added.map(shapeOf)).to.deep.equal(expected.length === 0 ? [] : [{ ...shape, found: expected }]);
    this.recorded += expected.length;
  }

  async #tokenOf(server: Matchmaker, by: (typeof writers)[number]): Promise<string> {
    if (by === 'scout') return server.token;
    if (by === 'seqr') return server.other;
    if (by === 'admin') return server.admin;
    const owner = { owner: 'demo', scopes: ['matchmaker:submit'] };
    return (await issueToken(this.#storage.repository(tokens), owner, new Date())).token;
  }

  async #expected(own: StoredPatient): Promise<[string, string, number][]> {
    const { within } = this.#settings.exchange;
    if (within === 'off' || !isReal(own)) return [];
    const stored = await this.#storage.repository(matchmaker).patientsById(ids);
    const others = stored.filter(
      (one) =>
        one.owner !== 'demo' &&
        one.patient.test !== true &&
        one.number !== own.number &&
        (within === 'all' || one.owner !== own.owner),
    );
    const service = new MatchService({
      patients: {
        async *changesSince(revision) {
          if (revision === 0) yield { revision: 1, saved: others, removed: [] };
        },
        patientsByNumber: async (numbers) => others.filter(({ number }) => numbers.includes(number)),
      },
      resources: () => this.#resources,
      log: quiet,
    });
    const settings = matchmakerSettings.parse(this.#settings);
    const { signal } = new AbortController();
    const { matches } = await searchesOfNode(service, settings).search(own.patient, { asker: own.owner, signal });
    await service.close();
    return matches.map(({ patient, score }) => [thisNode.id, patient.id, score.patient]);
  }
}

function shapeOf({ type, direction, asker, number, patient, results }: MatchRecord) {
  const found = results.flatMap(({ node, patients }) =>
    patients.map((one) => [node.id, one.patient.id, one.score.patient]),
  );
  return { type, direction, asker, number, query: patient.id, found };
}
