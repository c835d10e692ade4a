/** What `/matches` lists of a search is what `/match` answered, whatever becomes of the patients that it found. */
import { expect } from 'chai';
import { matchmakerAudit } from '../../../plugins/matchmaker/contract.js';
import { erasePatient } from '../../../plugins/matchmaker/erasure.js';
import { dealt } from '../../support/dealt.js';
import { storages } from '../../support/storages.js';
import { useEach } from '../../support/use.js';
import { type Json, patient, serveMatchmaker } from './support/serve.js';

for (const engine of dealt(storages, 'sqlite')) {
  describe(`matchmaker: recorded matches on ${engine.name}`, function () {
    this.timeout(60_000);
    const server = useEach(() => serveMatchmaker(engine, { settings: { maxResults: 10 } }));

    async function add(id: string, more: Json = {}): Promise<void> {
      const { status, body } = await server.post('/patient/add', { patient: patient(id, more) });
      expect(status, JSON.stringify(body)).to.equal(200);
    }
    async function match(id: string, token = server.other): Promise<Json> {
      const { status, body } = await server.post('/match', { patient: patient(id) }, { token });
      expect(status, JSON.stringify(body)).to.equal(200);
      return body.results;
    }
    /** What the records of a query found, newest first. */
    async function recorded(id: string, token = server.other): Promise<Json[]> {
      const { status, body } = await server.get(`/matches/${id}`, { token });
      expect(status, JSON.stringify(body)).to.equal(200);
      return (body.matches ?? []).map(({ results }: Json) => results.flatMap(({ patients }: Json) => patients));
    }
    const ids = (results: Json[]) => results.map((one) => one.patient.id).sort();

    it('stay as they were after changes and deletions of what they found', async () => {
      await add('P1', { label: 'first', features: [{ id: 'HP:0001250' }] });
      await add('P2');
      const before = await match('Q');
      expect(ids(before)).to.deep.equal(['P1', 'P2']);
      await add('P1', { label: 'second', features: [{ id: 'HP:0001250' }, { id: 'HP:0001263' }] });
      const after = await match('Q');
      expect(after.map((one: Json) => one.patient.label).sort()).to.deep.equal(['second', undefined]);
      expect(await recorded('Q')).to.deep.equal([after, before]);
      const { body } = await server.send('DELETE', '/patient/delete/P1');
      expect(body.message).to.match(/successfully deleted/);
      expect(ids(await match('R'))).to.deep.equal(['P2']);
      expect(await recorded('Q'), 'P1 is deleted').to.deep.equal([after, before]);
      await add('P1', { label: 'third' });
      expect(await recorded('Q'), 'another P1 is stored').to.deep.equal([after, before]);
    });

    it('lose a patient that is erased, and nothing else', async () => {
      await add('P1', { label: 'first' });
      await add('P2');
      const first = await match('Q');
      await add('P1', { label: 'second' });
      const second = await match('Q');
      const { transaction } = server.storage;
      const erased = await erasePatient(
        { transaction: transaction.bind(server.storage), now: () => new Date() },
        'P1',
        'here',
      );
      expect(erased).to.include({ patient: true, records: 2 });
      const others = (results: Json[]) => results.filter((one) => one.patient.id !== 'P1');
      expect(await recorded('Q')).to.deep.equal([others(second), others(first)]);
      expect(ids(await match('R'))).to.deep.equal(['P2']);
      // Stored again, in the form in which it was found before it was erased.
      await add('P1', { label: 'first' });
      expect(await match('S')).to.deep.equal((await recorded('S'))[0]);
      expect(ids((await recorded('S'))[0])).to.deep.equal(['P1', 'P2']);
    });

    it('are complete if many are asked for at once', async () => {
      for (let i = 0; i < 5; i++) await add(`P${i}`, { label: `form ${i}` });
      const names = Array.from({ length: 40 }, (_, i) => `Q${i}`);
      const answers = await Promise.all(names.map((name, i) => match(name, i % 2 ? server.other : server.asker)));
      for (const [i, name] of names.entries()) {
        expect(await recorded(name, i % 2 ? server.other : server.asker)).to.deep.equal([answers[i]]);
      }
      const counts = await server.matches.counts();
      expect(counts).to.deep.equal({ requests: 40, sent: 200, uniqueGenes: 1 });
      const entries = await server.storage.repository(matchmakerAudit).entries({ limit: 1000 });
      const seen = entries.filter(({ action }) => action === 'match');
      expect(new Set(seen.map(({ actor, patient, query }) => `${actor} ${patient} ${query}`)).size).to.equal(200);
    });
  });
}
