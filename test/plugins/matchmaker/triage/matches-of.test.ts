/** The matches of submissions, as other plugins find them with their reader's rights, and the event when they change. */
import { expect } from 'chai';
import { tokenHolder } from '../../../../core/policy/policy.js';
import { matchmaker, thisNode } from '../../../../plugins/matchmaker/contract.js';
import type { KnowledgeReader } from '../../../../plugins/services/services.js';
import { dealt } from '../../../support/dealt.js';
import { finder, heard, service } from '../../../support/finder.js';
import { storages } from '../../../support/storages.js';
import { useOnce } from '../../../support/use.js';
import { found } from '../exchange/support/peer.js';
import { type Json, patient } from '../support/serve.js';
import { serveTriage } from './support/served.js';

const far = { contact: { name: 'Dr. Far', href: 'mailto:far@clinic.example.org' } };

for (const storage of dealt(storages, 'postgres')) {
  describe(`matchmaker: matches for other plugins on ${storage.name}`, function () {
    this.timeout(60_000);
    const lab = useOnce(() =>
      serveTriage(storage, {
        plugins: { [finder]: { events: ['matchmaker/matched@1'] } },
        settings: { auth: { tenants: { cardio: { clients: ['scout'] }, neuro: { clients: ['seqr'] }, none: {} } } },
      }),
    );
    before(async () => {
      await lab.add(lab.scout, patient('P-1'), patient('P-3', { genomicFeatures: [{ gene: { id: 'KMT2D' } }] }));
      await lab.add(lab.seqr, patient('Q-1', { genomicFeatures: [{ gene: { id: 'PAX6' } }], features: [] }));
      heard.length = 0;
      lab.peer.behave(found(patient('F-1', far)));
      await lab.matchFar(lab.scout, 'P-1');
    });

    const matchesOf = (reader: KnowledgeReader, ...ids: string[]) =>
      service('matchmaker/matches@1').matchesOf(reader, ids);
    const held = (owner: string, ...scopes: string[]): KnowledgeReader => ({
      principal: tokenHolder(owner, scopes),
      id: 'r',
    });

    it('are the rows of triage, by the ids of submissions that the reader may see', async () => {
      const all = await matchesOf('operator', 'P-1', 'P-1', 'Q-1', 'F-1', 'none');
      expect([...all.keys()]).to.deep.equal(['P-1', 'Q-1']);
      expect(all.get('Q-1')).to.deep.equal([]);
      const number = (await lab.server.repository(matchmaker).patient('P-1'))?.number as number;
      const rows = await lab.rows.rows(number);
      expect(rows).to.have.length(1);
      expect(all.get('P-1')).to.deep.equal(
        rows.map(({ id, genes, label, firstSeen, lastSeen }) => ({
          ...{ id, genes, node: label, firstSeen, lastSeen, status: 'new' },
          path: `/matchmaker/submissions/${number}/rows/${id}`,
        })),
      );
      expect(all.get('P-1')?.[0]?.genes).to.deep.equal(['SCN1A']);
      const seen: [KnowledgeReader, string[]][] = [
        [{ tenant: 'cardio' }, ['P-1']],
        [{ tenant: 'neuro' }, ['Q-1']],
        [{ tenant: 'none' }, []],
        [{ tenant: 'unknown' }, []],
        [held('scout', 'matchmaker:query'), ['P-1']],
        [held('seqr', 'matchmaker:query'), ['Q-1']],
        [held('reader', 'matchmaker:read:scout'), ['P-1']],
        [held('reader', 'matchmaker:read'), ['P-1', 'Q-1']],
        [held('reader', 'beacon:read'), []],
      ];
      for (const [reader, ids] of seen) {
        expect([...(await matchesOf(reader, 'P-1', 'Q-1')).keys()], JSON.stringify(reader)).to.deep.equal(ids);
      }
    });

    it('are announced when they are found, and when people work on them', async () => {
      const event = (...patients: string[]) => ({ event: 'matchmaker/matched@1', patients });
      expect(heard.splice(0)).to.deep.equal([event('P-1')]);
      const number = (await lab.server.repository(matchmaker).patient('P-1'))?.number as number;
      const row = (await lab.rowOf(lab.scout, number, 'F-1')) as Json;
      const path = `/matchmaker/submissions/${number}/rows/${row.id}`;
      const body = { action: 'note', revision: row.revision, status: 'irrelevant' };
      const done = await lab.ask('POST', path, { token: lab.scout, body });
      expect(done.status, done.text).to.be.below(400);
      expect(heard.splice(0)).to.deep.equal([event('P-1')]);
      expect((await matchesOf('operator', 'P-1')).get('P-1')?.[0]?.status).to.equal('irrelevant');
      await lab.match(lab.seqr, patient('Q-9', { features: [], genomicFeatures: [{ gene: { id: 'KMT2D' } }] }));
      expect(heard.splice(0)).to.deep.equal([event('P-3')]);
      expect((await matchesOf('operator', 'P-3')).get('P-3')?.map(({ node }) => node)).not.to.include(thisNode.label);
    });
  });
}
