/** The 50 benchmark patients split over two nodes: an external search finds the same as a search on a single node. */
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { sqlite } from '../../../support/storages.js';
import { completeStored, describeWithShared, shared } from '../resources/support/shared.js';
import { type Json, type Matchmaker, serveMatchmaker } from '../support/serve.js';
import { connectPeer, key } from './support/lab.js';

describeWithShared('matchmaker: benchmark patients on two nodes', () => {
  let whole: Matchmaker;
  let halves: [Matchmaker, Matchmaker];
  let all: Json[];
  before(async function () {
    this.timeout(240_000); // reads the complete ontology for three servers
    all = JSON.parse(await readFile(shared('benchmark_patients.json'), 'utf8'));
    const resources = await completeStored();
    const settings = { maxResults: 50, exchange: { key, allowHttp: true } };
    const one = () => serveMatchmaker(sqlite, { resources, settings });
    whole = await one();
    halves = [await one(), await one()];
    for (const [i, patient] of all.entries()) {
      for (const server of [whole, halves[i % 2] as Matchmaker]) {
        const { status, body } = await server.post('/patient/add', { patient });
        expect(status, JSON.stringify(body)).to.equal(200);
      }
    }
    for (const [here, there] of [halves, [...halves].reverse()] as [Matchmaker, Matchmaker][]) {
      await connectPeer(here.storage, `${there.url}/match`, {
        id: 'other',
        label: 'The other half',
        contentType: 'application/vnd.ga4gh.matchmaker.v1.0+json',
        token: there.asker,
      });
    }
  });
  after(async () => {
    for (const server of [whole, ...(halves ?? [])]) await server?.close();
  });

  const listed = (results: Json[]) => results.map(({ patient, score }) => [patient.id, score.patient]);

  it('with equal scores, in the same order', async function () {
    this.timeout(120_000);
    // The exchange format cannot express variants without a start: they are not sent, and the query uses their gene.
    const startless = new Set(['P0001017', 'P0001018']);
    for (const [i, patient] of all.entries()) {
      const [own, other] = [halves[i % 2] as Matchmaker, (i + 1) % 2];
      const there = new Set(all.filter((_, j) => j % 2 === other).map(({ id }) => id));
      const { body: internal } = await whole.post('/match', { patient });
      const expected = listed(internal.results).filter(([id]) => there.has(id as string));
      const { body } = await own.post(`/match/external/${patient.id}`, '');
      expect(body.errors, patient.id).to.deep.equal([]);
      const found = listed(body.results[0].patients);
      if (startless.has(patient.id)) {
        expect(found.map(([id]) => id)).to.have.members(expected.map(([id]) => id));
      } else expect(found, patient.id).to.deep.equal(expected);
    }
  });

  it('both halves together equal the whole', async () => {
    const [first] = all;
    const inside = await (halves[0] as Matchmaker).post('/match', { patient: first });
    const outside = await (halves[0] as Matchmaker).post(`/match/external/${first.id}`, '');
    const both = [...listed(inside.body.results), ...listed(outside.body.results[0].patients)];
    const { body } = await whole.post('/match', { patient: first });
    expect(both).to.have.deep.members(listed(body.results));
  });
});
