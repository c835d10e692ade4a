/** Erasing a person removes all data of it, and leaves an audit entry that identifies no person. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { dealt } from '../../../support/dealt.js';
import { engines } from '../../../support/engines.js';
import { useEach } from '../../../support/use.js';
import { type Json, patient } from '../support/serve.js';
import { type LabNode, makeNode, until } from './support/lab.js';
import { found, type Peer, servePeer } from './support/peer.js';
import { type Sink, serveSink } from './support/sink.js';

const isErasure = ({ action }: Json) => action === 'erase';
const [id, label, mail] = ['Zq7-erased-id', 'Zq7-erased-label', 'zq7-erased-contact'];

for (const engine of dealt(engines, 'sqlite')) {
  describe(`matchmaker: erasure on ${engine.name}`, function () {
    this.timeout(300_000); // several servers
    const node = useEach(
      async () => {
        peer = await servePeer();
        sink = await serveSink();
        // Mail is due tomorrow, so that it waits in the outbox.
        const settings = { server: '127.0.0.1', port: sink.port, useTls: false, sender: 'a@example.org', digest: true };
        return makeNode(engine, { matchmaker: { mail: settings, exchange: { within: 'off' } } });
      },
      (node) => node.discard(),
    );
    let peer: Peer;
    let sink: Sink;
    afterEach(async () => {
      await peer.close();
      await sink.close();
    });

    it('finds nothing of an erased person in the database and in the logs', async () => {
      await node.start();
      const token = await node.client('scout');
      const other = await node.client('seqr');
      peer.behave(found(patient('G', { contact: { name: 'G', href: 'mailto:g@example.org' } })));
      await node.connect('peer', peer.url);
      const person = patient(id, { label, contact: { name: mail, href: `mailto:${mail}@example.org` } });
      await node.add(other, patient('other', { contact: { name: 'O', href: 'mailto:o@example.org' } }));
      // As patient, as query, as result of queries by others and by other nodes, updated, imported, and in queued mail.
      await node.add(token, person);
      await node.add(token, { ...person, sex: 'FEMALE' });
      await node.request('POST', '/patient/import', token, [{ ...person, sex: 'MALE' }]);
      await node.request('POST', '/match', token, { patient: person });
      await node.request('POST', '/match', other, { patient: patient('other') });
      await node.request('POST', '/match', other, { patient: { ...person, id: `${id}` } });
      peer.behave(found(person));
      await node.add(other, patient('another', { contact: { name: 'O', href: 'mailto:o@example.org' } }));
      await until(async () => (await node.matches(other, 'another')).some((one) => one.match_type === 'external'));
      await node.request('GET', `/patient/${id}`, token);
      expect(await node.matches(token, id)).to.have.length.above(2);
      // A job that has begun still adds entries.
      await node.idle();

      const seen = (await node.done('list', 'audit', '--patient', id)) as Json[];
      expect(new Set(seen.map(({ action }) => action))).to.deep.equal(
        new Set(['add', 'send', 'match', 'receive', 'read']),
      );
      expect(seen.find(({ action }) => action === 'match')).to.include({ actor: 'scout' });

      const refused = await node.run('erase', '--patient', id);
      expect(refused.code, 'nobody was asked').to.equal(1);
      // The other node and the other client refer to the same person.
      const erased = await node.done('erase', '--patient', id, '--everywhere', '--yes');
      expect(erased).to.include({ patient: true });
      expect(await node.matches(token, id)).to.deep.equal([]);
      expect(JSON.stringify(await node.matches(other, 'another'))).to.not.match(new RegExp(`${id}|${label}|${mail}`));
      // Events remain countable, under a name that cannot be traced to the id, even by the erasure's own entry.
      expect(erased).to.have.all.keys('patient', 'records', 'rows', 'entries', 'left');
      expect(await node.done('list', 'audit', '--patient', id)).to.deep.equal([]);
      const [entry, ...more] = (await node.done('list', 'audit', '--actor', 'cli')).filter(isErasure);
      expect(more).to.deep.equal([]);
      expect(entry).to.have.all.keys('at', 'actor', 'action', 'patient');
      expect(entry.patient).to.match(/^erased-[0-9a-f-]{36}$/);
      const audit = await node.done('list', 'audit', '--patient', entry.patient);
      expect(audit).to.have.length(seen.length + 1);
      const again = await node.run('erase', '--patient', id, '--yes');
      expect(again.code).to.equal(1);
      expect(again.stderr).to.match(/^trefoil: There is no patient with this id/);
      expect((await node.done('list', 'audit')).filter(isErasure), 'nothing was erased').to.have.length(1);

      // While the server runs, its log is a separate file.
      const kept = await everything(node, engine.name);
      expect(kept.includes('other'), 'it looks where data are').to.equal(true);
      for (const trace of [id, label, mail]) expect(kept.includes(trace), trace).to.equal(false);
      expect(node.log()).to.not.match(new RegExp(`${id}|${label}|${mail}`));
    });

    it('a deletion keeps the matches that others found', async () => {
      await node.start();
      const [token, other] = [await node.client('scout'), await node.client('seqr')];
      await node.add(token, patient('P'));
      await node.request('POST', '/match', token, { patient: patient('P', { label: 'asked' }) });
      await node.request('POST', '/match', other, { patient: patient('Q') });
      const gone = await node.request('DELETE', '/patient/delete/P', token);
      expect(gone.body.message).to.equal('Patient and its matches were successfully deleted from database');
      const [record] = await node.matches(other, 'Q');
      expect(record.results[0].patients[0].patient.id).to.equal('P');
    });
  });
}

/** All bytes of the files, or all rows of all tables after a vacuum. */
async function everything({ folder, storage }: LabNode, engine: string): Promise<string> {
  if (engine === 'sqlite') {
    const files = (await readdir(folder)).filter((name) => name.startsWith('trefoil.sqlite'));
    expect(files, 'the server has it open').to.include('trefoil.sqlite-wal');
    const texts = await Promise.all(files.map((name) => readFile(join(folder, name), 'latin1')));
    return texts.join('\n');
  }
  const client = new pg.Client({ connectionString: storage.env.DATABASE_URL });
  await client.connect();
  try {
    await client.query('vacuum full');
    const { rows: tables } = await client.query(
      "select quote_ident(schemaname) || '.' || quote_ident(tablename) as name from pg_tables where schemaname = 'public'",
    );
    const texts: string[] = [];
    for (const { name } of tables) {
      const { rows } = await client.query(`select t::text as line from ${name} t`);
      texts.push(...rows.map(({ line }) => line));
    }
    return texts.join('\n');
  } finally {
    await client.end();
  }
}
