import { expect } from 'chai';
import binding from '../../../adapters/knex/beacon/binding.js';
import { QueryLimit } from '../../../adapters/knex/beacon/search.js';
import type { Database, Scalar } from '../../../adapters/knex/binding.js';
import { isFault } from '../../../core/storage.js';
import { beacon } from '../../../plugins/beacon/contract.js';
import type { Subject } from '../../conformance/core.js';
import { dealt } from '../../support/dealt.js';
import { encoded } from '../../support/http.js';
import { type StorageEngine, storages } from '../../support/storages.js';
import { useOnce } from '../../support/use.js';
import { addRecords, ask, dataset, type Reply, serveBeacon } from './support/serve.js';
import { until } from './support/write.js';

describe('beacon: limit of large reads', () => {
  it('runs and queues limited numbers, in order, and refuses others until there is room', async () => {
    const limit = new QueryLimit(2, 3);
    const begun: number[] = [];
    const ends: (() => void)[] = [];
    const work = (number: number) =>
      limit.run(async () => {
        begun.push(number);
        await new Promise<void>((resolve) => ends.push(resolve));
        return number;
      });
    const taken = [1, 2, 3, 4, 5].map(work);
    expect(begun).to.deep.equal([1, 2]);
    const refusal = await work(6).catch((error: unknown) => error);
    expect(isFault(refusal) && [refusal.code, refusal.message, refusal.headers]).to.deep.equal([
      'too-many-requests',
      'Too many wide queries are waiting. Please try again later',
      { 'Retry-After': '5' },
    ]);
    ends[1]?.();
    expect(await taken[1]).to.equal(2);
    expect(begun).to.deep.equal([1, 2, 3]);
    taken.push(work(7));
    while (ends.length > 0) {
      ends.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await Promise.all(taken)).to.deep.equal([1, 2, 3, 4, 5, 7]);
    expect(begun).to.deep.equal([1, 2, 3, 4, 5, 7]);
  });

  it('drops callers that give up waiting', async () => {
    const limit = new QueryLimit(1, 1);
    let end: () => void = () => undefined;
    const first = limit.run(() => new Promise<void>((resolve) => (end = resolve)));
    const reason = new Error('given up');
    const stop = new AbortController();
    const second = limit.run(async () => 'second', stop.signal).catch((error: unknown) => error);
    stop.abort(reason);
    expect(await second).to.equal(reason);
    // Its place in the queue is free again.
    const third = limit.run(async () => 'third', new AbortController().signal);
    end();
    await first;
    expect(await third).to.equal('third');
    expect(await limit.run(async () => 'never', stop.signal).catch((error: unknown) => error)).to.equal(reason);
    expect(await limit.run(async () => 'fourth')).to.equal('fourth');
  });

  it('frees its slot if work fails', async () => {
    const limit = new QueryLimit(1, 0);
    const failure = await limit.run(() => Promise.reject(new Error('broken'))).catch((error: Error) => error.message);
    expect(failure).to.equal('broken');
    expect(await limit.run(async () => 'next')).to.equal('next');
  });
});

/** The storage, with statements that bind certain values run differently. */
function altered(
  engine: StorageEngine,
  query: (database: Database, sql: string, bindings: readonly Scalar[]) => Promise<unknown[]>,
): Subject {
  const behind = (database: Database): Database => ({
    read: database.read,
    write: database.write,
    engine: database.engine,
    log: database.log,
    query: <Row>(sql: string, bindings: readonly Scalar[]) => query(database, sql, bindings) as Promise<Row[]>,
    queryLatest: (sql, bindings) => database.queryLatest(sql, bindings),
    later: (sql, bindings) => database.later(sql, bindings),
    onCommit: (done) => database.onCommit(done),
    until: (signal) => behind(database.until(signal)),
    snapshot: (work) => database.snapshot((snapshot) => work(behind(snapshot))),
    transaction: (work) => database.transaction(work),
    run: (work) => database.run(work),
  });
  const bindings = new Map([
    [beacon.id, async () => ({ ...binding, repository: (of: Database) => binding.repository(behind(of)) })],
  ]);
  return { ...engine, open: (contracts) => engine.open(contracts, { bindings }) };
}

/** Reads of all starts wait at a gate; otherwise they are unchanged. */
function gated(engine: StorageEngine): { subject: Subject; open(): void } {
  let open: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const subject = altered(engine, async (database, sql, bindings) => {
    if (bindings.includes(2 ** 31 - 1)) await gate;
    return database.query(sql, bindings);
  });
  return { subject, open: () => open() };
}

/** Reads for these bases never end by themselves. */
const endlessBases = 'ACGTACGT';
const endless = 'with recursive n(i) as (select 1 union all select 1 from n) select count(*) as lists from n';

for (const engine of dealt(storages, 'sqlite')) {
  describe(`beacon: more wide queries than the limit (${engine.name})`, () => {
    const wide = { assemblyId: 'GRCh37', referenceName: '1', variantType: 'SNP', startMin: 0 };
    const gate = gated(engine);
    const server = useOnce(() => serveBeacon(gate.subject));
    before(() => addRecords(server.repository, 'ds', ['1 42 . A C . . . GT 0/1'], { samples: ['s'] }));
    after(() => gate.open());

    it('are refused with a request to retry, as errors of this interface; other queries run meanwhile', async () => {
      const asked = { ...wide, includeDatasetResponses: 'HIT' };
      const refused: Reply[] = [];
      const replies = Array.from({ length: 110 }, async () => {
        const reply = await ask(server.url, asked);
        if (reply.status === 429) refused.push(reply);
        return reply;
      });
      // Two run and a hundred wait.
      await until(() => refused.length === 8);
      const point = { assemblyId: 'GRCh37', referenceName: '1', referenceBases: 'A', alternateBases: 'C', start: 41 };
      expect((await ask(server.url, point)).body.exists).to.equal(true);
      gate.open();
      const answered = (await Promise.all(replies)).filter(({ status }) => status === 200);
      expect([answered.length, refused.length]).to.deep.equal([102, 8]);
      for (const { body } of answered) expect(body.exists).to.equal(true);
      for (const { headers, body } of refused) {
        expect(headers.get('retry-after')).to.equal('5');
        expect(body).to.deep.equal({
          allelRequest: { ...asked, startMin: '0', datasetIds: [] },
          apiVersion: '1.0.0',
          beaconId: 'trefoil-beacon',
          datasetAlleleResponses: [],
          error: { errorCode: 429, errorMessage: 'Too many wide queries are waiting. Please try again later' },
          exists: null,
        });
      }
      // Retries succeed.
      expect((await ask(server.url, wide)).body.exists).to.equal(true);
    });
  });
}

for (const engine of dealt(storages, 'sqlite')) {
  describe(`beacon: abandoned wide queries (${engine.name})`, () => {
    const wide = { assemblyId: 'GRCh37', referenceName: '1', referenceBases: 'A', startMin: 0 };
    let reading = 0;
    const server = useOnce(async () => {
      const subject = altered(engine, (database, sql, bindings) => {
        if (!bindings.includes(endlessBases)) return database.query(sql, bindings);
        reading += 1;
        return database.query(endless, []);
      });
      return serveBeacon(subject, { http: { requestTimeout: 2 } });
    });

    before(async () => {
      await server.repository.addDataset(dataset('ds'), new Date());
    });

    // Only two wide queries run at a time: these would wait for one that was not cancelled.
    async function isWell(): Promise<void> {
      for (let i = 0; i < 4; i++) {
        const { status, body } = await ask(server.url, { ...wide, alternateBases: 'C' });
        expect([status, body.exists]).to.deep.equal([200, false]);
      }
    }

    for (const includeDatasetResponses of ['NONE', 'ALL']) {
      const asked = { ...wide, alternateBases: endlessBases, includeDatasetResponses };

      it(`are cancelled if the client disconnects, and free their slot (${includeDatasetResponses})`, async () => {
        reading = 0;
        const gone = new AbortController();
        const query = encoded(asked);
        const left = Array.from({ length: 6 }, () =>
          fetch(`${server.url}/apiv1.0/query?${query}`, { signal: gone.signal }).catch(() => 'left'),
        );
        await until(() => reading === 2);
        gone.abort();
        expect(await Promise.all(left)).to.deep.equal(Array(6).fill('left'));
        await isWell();
      });

      it(`are cancelled at the time limit of a request, with an error that says so (${includeDatasetResponses})`, async () => {
        const replies = await Promise.all([asked, asked, asked].map((each) => ask(server.url, each)));
        for (const { status, body } of replies) {
          expect(status).to.equal(504);
          expect(body.error).to.deep.equal({ errorCode: 504, errorMessage: 'The answer took too long' });
        }
        await isWell();
        // Ids of requests, times and the process have any digits by chance.
        const log = server.log().replace(/"(requestId|time|pid)":("[^"]*"|\d+)/g, '');
        expect(log).to.not.include('SQLITE_INTERRUPT').and.to.not.include('57014');
      });
    }
  });
}
