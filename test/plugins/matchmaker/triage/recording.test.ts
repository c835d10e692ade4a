/** Which rows searches make, and what removes them. */
import { expect } from 'chai';
import { serveForTest } from '../../../../core/testing.js';
import { matchmaker, matchmakerTriage } from '../../../../plugins/matchmaker/contract.js';
import { dealt } from '../../../support/dealt.js';
import { storages } from '../../../support/storages.js';
import { useEach } from '../../../support/use.js';
import { found } from '../exchange/support/peer.js';
import { patient } from '../support/serve.js';
import { serveTriage } from './support/served.js';

const contact = (name: string) => ({ contact: { name, href: `mailto:${name}@example.org` } });

for (const storage of dealt(storages, 'sqlite')) {
  describe(`matchmaker: rows of matches on ${storage.name}`, function () {
    this.timeout(60_000);
    const lab = useEach(async () => {
      now = new Date('2026-11-01T08:00:00Z');
      return serveTriage(storage, { now: () => now });
    });
    let now = new Date('2026-11-01T08:00:00Z');

    const later = (minutes: number) => {
      now = new Date(now.getTime() + minutes * 60_000);
    };
    const numberOf = async (id: string) => (await lab.server.repository(matchmaker).patient(id))?.number ?? 0;
    /** Node, id and direction of each row. */
    const rowsOf = async (id: string) =>
      (await lab.rows.rows(await numberOf(id)))
        .map(({ node, patient: other, found: we, asked: they, genes }) =>
          [node, other, we ? 'found' : '', they ? 'asked' : '', ...genes].join(' ').replace(/ +/g, ' ').trim(),
        )
        .sort();

    it('come from both sides of a search here, and stay one when it is repeated', async () => {
      await lab.add(lab.scout, patient('P-1', contact('one')));
      await lab.add(lab.seqr, patient('P-2', contact('two')));
      await lab.match(lab.seqr, patient('unstored', contact('three')));
      expect(await rowsOf('P-1')).to.deep.equal(['seqr unstored asked SCN1A']);
      expect(await rowsOf('P-2')).to.deep.equal(['seqr unstored asked SCN1A']);
      later(10);
      await lab.match(lab.scout, patient('P-1', contact('one')));
      expect(await rowsOf('P-1')).to.deep.equal(['seqr unstored asked SCN1A', 'trefoil P-2 found SCN1A']);
      expect(await rowsOf('P-2')).to.deep.equal(['seqr unstored asked SCN1A', 'trefoil P-1 asked SCN1A']);
      later(10);
      await lab.match(lab.seqr, patient('P-2', contact('two')));
      expect(await rowsOf('P-1')).to.deep.equal(['seqr unstored asked SCN1A', 'trefoil P-2 found asked SCN1A']);
      const [row] = await lab.rows.rows(await numberOf('P-1'));
      expect([row?.patient, row?.firstSeen, row?.lastSeen, row?.scores.length]).to.deep.equal([
        ...['P-2', new Date('2026-11-01T08:10:00Z'), new Date('2026-11-01T08:20:00Z'), 1],
      ]);
    });

    it('know a patient of another node by its content under a new id, and keep what people noted', async () => {
      await lab.add(lab.scout, patient('P-1', contact('one')));
      const other = {
        ...contact('far'),
        features: [{ id: 'HP:0000252' }],
        genomicFeatures: [{ gene: { id: 'SCN1A' } }],
      };
      lab.peer.behave(found({ id: 'A', ...other }));
      await lab.matchFar(lab.scout, 'P-1');
      const number = await numberOf('P-1');
      const [before] = await lab.rows.rows(number);
      await lab.rows.change(before?.id ?? '', 1, { status: 'follow-up', history: [] });
      later(60);
      lab.peer.behave(found({ id: 'B', ...other, genomicFeatures: [{ gene: { id: 'ENSG00000144285' } }] }));
      await lab.matchFar(lab.scout, 'P-1');
      const [after, ...more] = await lab.rows.rows(number);
      expect(more).to.deep.equal([]);
      expect([after?.id, after?.patient, after?.formerIds, after?.work.status, after?.genes]).to.deep.equal([
        ...[before?.id, 'B', ['A'], 'follow-up', ['SCN1A']],
      ]);
      later(60);
      // One laboratory may have two patients with the same gene and nothing else.
      lab.peer.behave(found({ id: 'A', ...other }, { id: 'B', ...other }));
      await lab.matchFar(lab.scout, 'P-1');
      expect(await rowsOf('P-1')).to.deep.equal(['far A found SCN1A', 'far B found SCN1A']);
    });

    it('are not made of tests, unless the submission is a test as well', async () => {
      await lab.add(lab.scout, patient('P-1'), patient('T-1', { test: true }));
      await lab.match(lab.seqr, patient('query', { test: true }));
      await lab.match(lab.seqr, patient('real'));
      expect(await rowsOf('P-1')).to.deep.equal(['seqr real asked SCN1A']);
      expect(await rowsOf('T-1')).to.deep.equal(['seqr query asked SCN1A']);
    });

    it('go with the submission, and with the counterpart', async () => {
      await lab.add(lab.scout, patient('P-1'));
      await lab.add(lab.seqr, patient('P-2'));
      await lab.match(lab.scout, patient('P-1'));
      await lab.match(lab.seqr, patient('gone'));
      const number = await numberOf('P-1');
      expect((await lab.rows.rows(number)).length).to.equal(2);
      // The client deletes what it asked about; then its stored patient, which is the counterpart of another.
      await lab.ask('DELETE', '/patient/delete/gone', { token: lab.scout });
      expect(await rowsOf('P-1'), 'another client may not').to.include('seqr gone asked SCN1A');
      await lab.ask('DELETE', '/patient/delete/gone', { token: lab.seqr });
      expect(await rowsOf('P-1')).to.deep.equal(['trefoil P-2 found SCN1A']);
      await lab.ask('DELETE', '/patient/delete/P-2', { token: lab.seqr });
      expect(await rowsOf('P-1')).to.deep.equal([]);
      await lab.match(lab.seqr, patient('again'));
      await lab.ask('DELETE', '/patient/delete/P-1', { token: lab.scout });
      expect(await lab.rows.rows(number)).to.deep.equal([]);
      expect(await lab.rows.rowsAbout('again')).to.deep.equal([]);
    });
  });
}

describe('matchmaker: without the setting triage', () => {
  it('there is no table, no page and no cost', async () => {
    const [engine] = storages;
    if (!engine) throw new Error('there is an engine');
    const server = await serveForTest({ plugins: { matchmaker: {} }, storage: engine, jobs: false });
    try {
      expect(() => server.repository(matchmakerTriage)).to.throw('matchmaker-triage@1');
      expect((await fetch(`${server.url}/matchmaker/submissions`)).status).to.equal(404);
    } finally {
      await server.close();
    }
  });
});
