/**
 * The mail of a week: when it is due, what it says, to whom, once, and again after a failure; over a mail server on loopback. And the
 * run of a night.
 */
import { expect } from 'chai';
import { jobs } from '../../../core/jobs/contract.js';
import { serveForTest, type TestServer } from '../../../core/testing.js';
import { reviews } from '../../../plugins/reviews/contract.js';
import { digestJob, lastTurn } from '../../../plugins/reviews/run/digest.js';
import { runJob } from '../../../plugins/reviews/run/schedule.js';
import type { Subject } from '../../conformance/core.js';
import { storages } from '../../support/storages.js';
import { useEach } from '../../support/use.js';
import { until } from '../matchmaker/exchange/support/lab.js';
import { read, serveSink } from '../matchmaker/exchange/support/sink.js';
import { baseline, finding, statement } from './support/worklist.js';

const at = (text: string) => new Date(`${text}Z`);
const [north, south] = ['north', 'south'].map((name) => ({ panels: [name], clients: [] }));

describe('the day of the mail of a week', () => {
  // 2026-11-23 is a Monday.
  for (const [now, turn] of [
    ['2026-11-23T06:00:00', '2026-11-23T06:00:00'],
    ['2026-11-23T05:59:59', '2026-11-16T06:00:00'],
    ['2026-11-29T23:00:00', '2026-11-23T06:00:00'],
    ['2027-01-02T00:00:00', '2026-12-28T06:00:00'],
  ] as const)
    it(`before ${now} was ${turn}`, () => {
      expect(lastTurn(at(now), { weekday: 'monday', hour: 6 })).to.deep.equal(at(turn));
    });
});

for (const storage of storages)
  describe(`the mail of a week, and the run of a night, on ${storage.name}`, function () {
    this.timeout(120_000);
    const sink = useEach(() => serveSink());
    const servers: TestServer[] = [];
    let opened: ReturnType<typeof storage.open> | undefined;
    /** One storage under all servers of a test, which stays open until its end. */
    const shared: Subject = {
      ...storage,
      async open(contracts) {
        opened ??= storage.open(contracts);
        const { storage: one } = await opened;
        return {
          storage: new Proxy(one, { get: (whole, name) => (name === 'close' ? async () => {} : own(whole, name)) }),
        };
      },
    };
    const own = (whole: object, name: string | symbol) => {
      const value = Reflect.get(whole, name, whole) as unknown;
      return typeof value === 'function' ? value.bind(whole) : value;
    };
    afterEach(async () => {
      await Promise.all(servers.splice(0).map((server) => server.close()));
      const { storage: one, discard } = (await opened) ?? {};
      await one?.close();
      await discard?.();
      opened = undefined;
    });

    async function serve(now: string, more: Record<string, unknown> = {}): Promise<TestServer> {
      const digest = {
        mail: { server: '127.0.0.1', port: sink.port, useTls: false, sender: 'trefoil@lab.example' },
        to: ['genetics@lab.example', 'other@lab.example'],
        ...more,
      };
      const began = Date.now();
      const server = await serveForTest({
        plugins: { reviews: { digest } },
        settings: { http: { baseUrl: 'https://lab.example/genomes' }, auth: { tenants: { north, south } } },
        storage: shared,
        now: () => new Date(at(now).getTime() + Date.now() - began),
      });
      servers.push(server);
      return server;
    }

    /** Two cases of the north and one of no tenant, with findings of these days. */
    async function addFindings(server: TestServer): Promise<void> {
      const repository = server.repository(reviews);
      for (const [name, owner, found, reason] of [
        ['N1', 'north', '2026-11-16T06:00:00', 'raised'],
        ['N2', 'north', '2026-11-23T05:59:59', 'raised'],
        ['O1', undefined, '2026-11-20T00:00:00', 'panel'],
        ['O2', undefined, '2026-11-16T05:59:59', 'panel'],
        ['O3', undefined, '2026-11-23T06:00:00', 'match'],
      ] as const) {
        const key = { case: name, ...(owner !== undefined && { owner }) };
        await repository.put(statement(name, key), at('2026-02-03T10:00:00'));
        await repository.takeBaseline(key, 1, baseline());
        const computed = {
          ...key,
          revision: 1,
          gathered: at(found),
          reasons: [reason],
          findings: [finding(name, reason)],
        };
        await repository.replaceFindings([computed], at(found));
      }
    }
    const queued = async (server: TestServer, kind: string) =>
      (await server.repository(jobs).list({ limit: 50 })).filter((job) => job.kind === kind);
    const taken = (count: number) => until(() => sink.mails.length >= count && sink.mails);

    it('counts what is new by reason, names no case, and is one for several servers', async () => {
      await addFindings(await serve('2026-11-22T10:00:00'));
      await Promise.all([serve('2026-11-23T06:10:00'), serve('2026-11-23T06:10:00')]);
      await taken(1);
      // A server that starts later that day finds the mail of the week queued.
      await serve('2026-11-23T20:00:00');
      const done = async () => (await servers[0]?.repository(jobs).list({ limit: 50 })) ?? [];
      await until(async () => (await done()).every(({ state }) => state === 'done'));
      expect(sink.mails).to.have.length(1);
      const [mail] = sink.mails;
      expect(mail?.to).to.deep.equal(['genetics@lab.example', 'other@lab.example']);
      const text = read(mail ?? { text: '' });
      expect(text).to.match(/^From: Trefoil <trefoil@lab\.example>\r$/m);
      expect(text).to.match(/^Subject: Cases to look at again: 3 new findings\r$/m);
      expect(text.slice(text.indexOf('\r\n\r\n')).trim().split('\r\n')).to.deep.equal([
        '3 case findings came onto the list since 2026-11-16',
        '- 1 panel changed',
        '- 2 class raised',
        'Open: 2 panel changed, 2 class raised, 1 match',
        '',
        'https://lab.example/genomes/reviews',
      ]);
    });

    it('is of the cases of a tenant for its people', async () => {
      await addFindings(await serve('2026-11-22T10:00:00'));
      await serve('2026-11-23T06:10:00', {
        to: [],
        tenants: { north: ['north@lab.example'], south: ['s@lab.example'] },
        language: 'sv',
      });
      const [mail] = await taken(1);
      expect(mail?.to).to.deep.equal(['north@lab.example']);
      const text = read(mail ?? { text: '' });
      expect(text).to.include('2 fynd har kommit på listan sedan 2026-11-16').and.include('- 2 klassen höjd');
      expect(text).to.include('Öppna: 2 klassen höjd').and.not.include('N1');
    });

    it('is sent again after a failure, with the same id, and not on other days', async () => {
      await addFindings(await serve('2026-11-22T10:00:00'));
      const late = await serve('2026-11-25T06:10:00');
      expect(await queued(late, digestJob)).to.deep.equal([]);
      const { port } = sink;
      await sink.close();
      const server = await serve('2026-11-23T06:10:00');
      await until(async () => {
        const [job] = await queued(server, digestJob);
        return job?.error?.includes('The mail server could not be used');
      });
      const again = await serveSink(port);
      try {
        await until(() => again.mails.length === 1);
        const [job] = await queued(server, digestJob);
        expect(again.mails[0]?.text).to.include(`Message-ID: <${job?.id}@lab.example>`);
      } finally {
        await again.close();
      }
    });

    it('asks all statements again once for each night, also if no server ran at that hour', async () => {
      // The hour is 1 by default.
      for (const [now, nights] of [
        ['2026-11-22T10:00:00', 1],
        ['2026-11-23T00:50:00', 1],
        ['2026-11-23T09:00:00', 2],
        ['2026-11-24T01:05:00', 3],
        ['2026-11-24T23:00:00', 3],
      ] as const) {
        const server = await serve(now);
        await until(async () => {
          const asked = await queued(server, runJob);
          return asked.length >= nights && asked.every(({ state }) => state === 'done');
        });
        // Closing waits for what the server queues.
        await server.close();
        expect(await queued(server, runJob), now).to.have.length(nights);
      }
    });
  });

it('the settings of the mail of a week need a mail server, a sender and tenants that exist', async () => {
  const mail = { server: 'mail.lab.example', sender: 'trefoil@lab.example' };
  for (const [digest, expected] of [
    [{}, 'plugins.reviews.digest.mail'],
    [{ mail: { sender: mail.sender } }, 'must have a server, or a file in its place'],
    [{ mail: { ...mail, file: 'mails' } }, 'must have a server, or a file in its place'],
    [{ mail: { server: mail.server, username: 'trefoil' } }, 'the user name is no e-mail address'],
    [{ mail, to: ['nobody'] }, 'must be an e-mail address'],
    [{ mail, weekday: 'someday' }, 'plugins.reviews.digest.weekday'],
    [{ mail, tenants: { west: ['a@lab.example'] } }, '"west" is no tenant of this server'],
  ] as const) {
    const started = serveForTest({ plugins: { reviews: { digest } } });
    const said = await started.then((server) => server.close().then(() => 'started'), String);
    expect(said).to.include(expected);
  }
});
