/** With an audit configured, it has what the matchmaker's own trail would have, before an answer leaves, and the trail nothing. */
import { expect } from 'chai';
import { AuditKeys } from '../../../core/audit/chain.js';
import { type AuditRepository, audit } from '../../../core/audit/contract.js';
import { type ReadEntry, readEntries } from '../../../core/audit/read.js';
import { verifyAudit } from '../../../core/audit/verify.js';
import type { Plugin } from '../../../core/plugin.js';
import type { Storage } from '../../../core/storage.js';
import { serveForTest, storageSubject } from '../../../core/testing.js';
import { matchmakerAudit } from '../../../plugins/matchmaker/contract.js';
import plugin from '../../../plugins/matchmaker/plugin.js';
import { dealt } from '../../support/dealt.js';
import { engines } from '../../support/engines.js';
import { request } from '../../support/http.js';
import { useOnce } from '../../support/use.js';
import { connectPeer, makeNode, key as peerKey, until } from './exchange/support/lab.js';
import { found, servePeer } from './exchange/support/peer.js';
import { serveSink } from './exchange/support/sink.js';
import { patient, vendor } from './support/serve.js';

const key = 'a key of the audit, for tests only';

async function entriesOf(repository: AuditRepository): Promise<ReadEntry[]> {
  const all: ReadEntry[] = [];
  for await (const page of readEntries({ repository, keys: new AuditKeys(key) }, {})) all.push(...page);
  return all;
}

describe('matchmaker: the audit', function () {
  this.timeout(60_000);
  const peer = useOnce(() => servePeer());
  const sink = useOnce(() => serveSink());
  const server = useOnce(async () => {
    const base = await storageSubject('sqlite', { plugins: [plugin] as Plugin[] });
    return serveForTest({
      plugins: {
        matchmaker: {
          exchange: { key: peerKey, allowHttp: true, indirect: false, within: 'off' },
          mail: { server: '127.0.0.1', port: sink.port, useTls: false, sender: 'node@example.org' },
        },
      },
      settings: { audit: { key } },
      storage: {
        name: 'SQLite',
        async open(contracts) {
          const opened = await base.open(contracts);
          storage = opened.storage;
          return opened;
        },
      },
    });
  });
  let storage: Storage;
  let token: string;

  before(async () => {
    token = await server.token('matchmaker:query', 'matchmaker:submit');
  });

  const send = async (method: string, path: string, json?: object) =>
    (await request(server.url + path, { method, token, json, ...(json && { headers: { 'content-type': vendor } }) }))
      .status;

  /** Its contact has no address for mails. */
  const quiet = (id: string, more: object = {}) =>
    patient(id, { ...more, contact: { name: 'A Doctor', href: 'https://lab.example.org' } });

  const all = () => entriesOf(server.repository(audit));
  /** The entries that the work adds. */
  async function recorded(work: () => Promise<unknown>): Promise<string[]> {
    const before = (await all()).length;
    await work();
    return (await all()).slice(before).map(lineOf);
  }
  const lineOf = ({ actor, action, about, because, detail }: ReadEntry) =>
    [actor, action, [...about].sort().join(' '), because, detail?.patients].join(' | ');

  it('has additions, changes, readings, matches and deletions, of stored patients by their ids', async () => {
    expect(await recorded(() => send('POST', '/patient/add', { patient: quiet('P1') }))).to.deep.equal([
      'token:test | matchmaker.add | patient:P1 | API token | 1',
    ]);
    expect(await recorded(() => send('POST', '/patient/add', { patient: quiet('P1') }))).to.deep.equal([]);
    expect(
      await recorded(() => send('POST', '/patient/import', [quiet('P1', { label: 'new' }), quiet('P2')])),
    ).to.deep.equal(['token:test | matchmaker.add | patient:P1 patient:P2 | API token | 2']);
    expect(await recorded(() => send('POST', '/match', { patient: patient('unknown') }))).to.deep.equal([
      'token:test | matchmaker.match | patient:P1 patient:P2 | API token | 2',
    ]);
    expect(await recorded(() => send('GET', '/patient/P1'))).to.deep.equal([
      'token:test | matchmaker.read | patient:P1 | API token | 1',
    ]);
    expect(await recorded(() => send('GET', '/patients'))).to.deep.equal([
      'token:test | matchmaker.read | patient:P1 patient:P2 | API token | 2',
    ]);
    // Whom the record of the search names.
    expect(await recorded(() => send('GET', '/matches/P1'))).to.deep.equal([
      'token:test | matchmaker.read | patient:P1 patient:P2 | API token | 2',
    ]);
    expect(await recorded(() => send('DELETE', '/patient/delete/P2'))).to.deep.equal([
      'token:test | matchmaker.delete | patient:P2 | API token | 1',
    ]);
    for (const absent of ['/patient/none', '/matches/none']) {
      expect(await recorded(() => send('GET', absent)), absent).to.deep.equal([]);
    }
  });

  it('has searches of other nodes, without the ids of their patients, and mails before they are sent', async () => {
    await send('POST', '/patient/add', { patient: patient('P3') });
    await connectPeer(storage, peer.url);
    peer.behave(found(patient('P1', { contact: { name: 'B', href: 'mailto:b@example.org' }, label: 'of the peer' })));
    const lines = await recorded(async () => {
      expect(await send('POST', '/match/external/P3')).to.equal(200);
      await until(() => sink.mails.length > 0);
    });
    expect(lines).to.deep.equal([
      'token:test | matchmaker.search | node:peer patient:P3 | API token | ',
      'node:peer | matchmaker.send | patient:P3 | connected node | 1',
      'node:peer | matchmaker.receive | patient:P3 | connected node | 1',
      'reader:doctor@example.org | matchmaker.mail | patient:P3 | contact of the patient | ',
    ]);
  });

  it('is the only record, verifies, and has no names', async () => {
    expect(await storage.repository(matchmakerAudit).entries({ limit: 10 })).to.deep.equal([]);
    const repository = server.repository(audit);
    expect(await repository.pending(10)).to.deep.equal([]);
    expect((await verifyAudit({ repository, keys: new AuditKeys(key) })).findings).to.deep.equal([]);
    const bodies = (await repository.entries({ limit: 1000 })).map(({ body }) => body).join();
    expect(bodies).to.not.match(/P1|P2|P3|doctor|HP:|SCN1A/);
  });
});

for (const engine of dealt(engines, 'postgres')) {
  describe(`matchmaker: the audit after kill -9 on ${engine.name}`, function () {
    this.timeout(120_000);

    it('has each patient that was stored once, and no other', async () => {
      const node = await makeNode(engine, { core: { audit: { key } } });
      try {
        const token = await node.client('scout');
        const stored: string[] = [];
        // What a server leaves is chained at the start of the next, which must not die of it.
        for (const step of ['audit.record.committed', 'audit.record.chained', 'audit.within.committed']) {
          const { ended } = await node.startKilled(step);
          const id = `P ${step}`;
          await node.add(token, patient(id)).then(
            () => expect.fail('The server was expected to die'),
            (error: unknown) => expect(error).to.be.instanceOf(TypeError),
          );
          expect((await ended).signal).to.equal('SIGKILL');
          stored.push(`matchmaker.add patient:${id}`);
        }
        const listed = await node.run('list', 'audit');
        expect(listed.stdout).to.equal('There are no entries\n');
        expect(listed.stderr).to.include('trefoil audit list --action matchmaker');
        // Any command of the audit completes it.
        const list = await node.trefoil('audit', 'list', '--action', 'matchmaker', '--json');
        expect(list.code, list.stderr).to.equal(0);
        const entries = JSON.parse(list.stdout).map(
          ({ action, about }: { action: string; about: string[] }) => `${action} ${about.join(' ')}`,
        );
        expect(entries).to.deep.equal(stored);
        const verified = await node.trefoil('audit', 'verify');
        expect(verified.code, verified.stdout).to.equal(0);
      } finally {
        await node.discard();
      }
    });
  });
}
