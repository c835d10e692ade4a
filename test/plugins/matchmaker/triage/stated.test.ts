/** What rows say of scores and of the other patient: readings, variants, inheritance and purpose. */
import { expect } from 'chai';
import { matchmaker, matchmakerAudit, matchmakerMail } from '../../../../plugins/matchmaker/contract.js';
import { dealt } from '../../../support/dealt.js';
import { storages } from '../../../support/storages.js';
import { useOnce } from '../../../support/use.js';
import { found } from '../exchange/support/peer.js';
import { type Json, patient, vendor } from '../support/serve.js';
import { serveTriage, type TriageServer } from './support/served.js';

const variant = {
  ...{ assembly: 'GRCh38.p13', referenceName: '2', start: 165_991_234, end: 165_991_235 },
  ...{ referenceBases: 'g', alternateBases: 'A' },
};
const stated = {
  _purpose: 'research',
  genomicFeatures: [
    { gene: { id: 'KMT2D' }, zygosity: 2 },
    {
      gene: { id: 'SCN1A' },
      zygosity: 1,
      _inheritance: 'HP:0000006',
      variant: { ...variant, _inheritance: 'de novo' },
    },
  ],
};

for (const storage of dealt(storages, 'sqlite')) {
  describe(`matchmaker: what rows say of the other patient on ${storage.name}`, function () {
    this.timeout(60_000);
    const lab = useOnce(() => serveTriage(storage));
    before(async () => {
      await lab.add(lab.scout, patient('P-1', { contact: { name: 'Own', href: 'mailto:own@lab.example.org' } }));
    });

    const numberOf = async (id: string) => (await lab.server.repository(matchmaker).patient(id))?.number ?? 0;
    const page = async (path: string, language: string) => {
      const headers = { accept: 'text/html', 'accept-language': language };
      return (await lab.ask('GET', path, { token: lab.scout, headers })).text;
    };

    it('is its variants, inheritance and purpose, in the row, on the page, in the mail and in the trail', async () => {
      await lab.match(lab.seqr, patient('Q-1', stated));
      const number = await numberOf('P-1');
      const row = await lab.rowOf(lab.scout, number, 'Q-1');
      expect(row.purpose).to.equal('research');
      expect(row.stated).to.deep.equal([
        {
          gene: 'SCN1A',
          variant: {
            ...{ assembly: 'GRCh38.p13', chromosome: '2', start: 165_991_234, end: 165_991_235 },
            ...{ reference: 'G', alternate: 'A' },
          },
          zygosity: 1,
          mode: 'HP:0000006',
          origin: 'de novo',
        },
        { gene: 'KMT2D', zygosity: 2 },
      ]);
      const path = `/matchmaker/submissions/${number}/rows/${row.id}`;
      expect(await page(path, 'en'))
        .to.include('GRCh38.p13 2:165991235 G&gt;A')
        .and.include('Autosomal dominant inheritance (HP:0000006), de novo')
        .and.include('<dd>research</dd>');
      expect(await page(path, 'sv'))
        .to.include('heterozygot eller hemizygot')
        .and.include('<dd>forskning</dd>');
      const [notice] = await lab.server.repository(matchmakerMail).due(new Date(), 10);
      expect(notice?.matches[0]).to.deep.include({
        inheritance: ['SCN1A: Autosomal dominant inheritance (HP:0000006), de novo'],
        purpose: 'research',
      });
      const trail = await lab.server.repository(matchmakerAudit).entries({ patient: 'P-1', limit: 10 });
      expect(trail.map(({ action, purpose }) => [action, purpose])).to.deep.include(['match', 'research']);
    });

    it('leaves out what another node sends in other types', async () => {
      const odd = [
        { gene: { id: 'SCN1A' }, variant: 'all of it', zygosity: -1, _inheritance: 'AD' },
        { gene: { id: 'SCN1A' }, variant: { assembly: 38, referenceName: '2', start: 1 } },
        { gene: { id: 'SCN1A' }, variant: { ...variant, start: '165991234' } },
        { gene: { id: 'SCN1A' }, variant: { ...variant, end: 3, referenceBases: 'G', alternateBases: '<DEL>' } },
        ...Array.from({ length: 30 }, () => ({ gene: { id: 'KMT2D' } })),
      ];
      lab.peer.behave(found(patient('F-1', { genomicFeatures: odd, _purpose: { why: 'not' } })));
      await lab.matchFar(lab.scout, 'P-1');
      const row = await lab.rowOf(lab.scout, await numberOf('P-1'), 'F-1');
      expect(row.purpose).to.equal(undefined);
      expect(row.stated).to.have.length(20);
      expect(row.stated.slice(0, 5)).to.deep.equal([
        { gene: 'SCN1A' },
        { gene: 'SCN1A' },
        { gene: 'SCN1A' },
        { gene: 'SCN1A', variant: { assembly: 'GRCh38.p13', chromosome: '2', start: 165_991_234 } },
        { gene: 'KMT2D' },
      ]);
    });
  });
}

describe('matchmaker: how scores read on rows', function () {
  this.timeout(120_000);
  let lab: TriageServer;
  const terms = ['HP:0001250', 'HP:0000252', 'HP:0001263', 'HP:0001999', 'HP:0000717'];
  before(async () => {
    const [engine] = storages;
    if (!engine) throw new Error('there is an engine');
    lab = await serveTriage(engine, {
      jobs: true,
      matchmaker: { exchange: { indirect: true, allowHttp: true, within: 'off' } },
    });
    // At least 50 patients; the few that share a gene with the query are above nearly all random pairs.
    const patients = Array.from({ length: 60 }, (_, i) =>
      patient(`P-${i}`, {
        features: [{ id: terms[i % terms.length] }],
        genomicFeatures: i === 0 ? [{ gene: { id: 'SCN1A' } }] : [],
      }),
    );
    await lab.add(lab.scout, ...patients);
  });
  after(() => lab?.close());

  /** Pairs are drawn in the background. */
  async function until<Value>(ask: () => Promise<Value | undefined>): Promise<Value> {
    for (;;) {
      const value = await ask();
      if (value !== undefined) return value;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async function match(token: string, query: Json): Promise<Json[]> {
    const headers = { 'content-type': vendor };
    const { body } = await lab.ask('POST', '/match', { token, headers, body: { patient: query } });
    return body.results;
  }

  it('is the reading of the search here, and none for a score of another node', async () => {
    const query = patient('Q', { features: [{ id: terms[0] }] });
    const best = await until(async () => {
      const [first] = await match(lab.seqr, query);
      return first.score._reading === undefined ? undefined : first;
    });
    expect(best.patient.id).to.equal('P-0');
    const { number = 0 } = (await lab.server.repository(matchmaker).patient('P-0')) ?? {};
    const { score, scores } = await lab.rowOf(lab.scout, number, 'Q');
    expect(score.reading).to.deep.equal(best.score._reading);
    expect(score.reading).to.deep.include({ patients: 60 });
    expect(score.reading.higherThan).to.be.within(90, 100);
    expect(scores, 'a first reading is not another score').to.have.length(1);
    const { text } = await lab.ask('GET', `/matchmaker/submissions/${number}`, {
      token: lab.scout,
      headers: { accept: 'text/html', 'accept-language': 'en' },
    });
    expect(text).to.include(`higher than ${score.reading.higherThan} % of random pairs`);

    const reading = { higherThan: 100, pairs: 50_000, patients: 1000 };
    lab.peer.behave((response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.end(
        JSON.stringify({ results: [{ score: { patient: 0.5, _reading: reading }, patient: patient('F') }] }),
      );
    });
    await lab.ask('POST', '/match/external/P-0?node=far', { token: lab.scout });
    expect((await lab.rowOf(lab.scout, number, 'F')).score).to.deep.equal({ patient: 0.5 });
  });

  it('is also that of an earlier query that a new patient would have met', async () => {
    await lab.add(lab.scout, patient('late'));
    const record = await until(async () => {
      const { body } = await lab.ask('GET', '/matches/late', { token: lab.scout });
      return body.matches?.find((one: Json) => one.match_type === 'internal');
    });
    const [{ score }] = record.results[0].patients;
    expect(score._reading).to.have.keys('higherThan', 'pairs', 'patients');
    const { number = 0 } = (await lab.server.repository(matchmaker).patient('late')) ?? {};
    expect((await lab.rowOf(lab.scout, number, 'Q')).score.reading).to.deep.equal(score._reading);
  });
});
