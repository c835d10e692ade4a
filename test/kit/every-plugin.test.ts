/** All plugins on the plainest storage: tables in memory carry every contract. */
import { expect } from 'chai';
import { serveForTest, type TestServer } from '../../core/testing.js';
import { memorySubject } from './memory.js';

describe('all plugins above tables in memory', function () {
  this.timeout(60_000);
  let server: TestServer;
  before(async () => {
    server = await serveForTest({
      plugins: { beacon: {}, coverage: {}, matchmaker: { triage: {} }, panels: {}, reviews: {} },
      settings: { demo: true },
      storage: memorySubject,
    });
  });
  after(() => server?.close());

  async function asked(path: string, scope?: string, body?: unknown): Promise<{ status: number; text: string }> {
    const response = await fetch(server.url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        ...(scope && { 'X-Auth-Token': await server.token(scope) }),
        ...(body !== undefined && { 'Content-Type': 'application/vnd.ga4gh.matchmaker.v1.0+json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  }

  // Questions and answers are those of README.md.
  it('know an allele of the demo', async () => {
    const known = 'assemblyId=GRCh37&referenceName=1&start=156146085&referenceBases=C';
    const exists = async (alternate: string) =>
      JSON.parse((await asked(`/apiv1.0/query?${known}&alternateBases=${alternate}`)).text).exists;
    expect([await exists('A'), await exists('T')]).to.deep.equal([true, false]);
  });

  it('report the demo trio, also by a panel', async () => {
    const { text } = await asked('/report/demo?format=csv');
    expect(text.split(/\r?\n/)).to.include('demo_child,47.12,95.63,77.92,71.77,41.13,1.19,coding+8');
    expect((await asked('/report/demo?panel=demo-folate&format=json')).status).to.equal(200);
  });

  it('find the patient who resembles another', async () => {
    const patient = {
      id: 'case-1',
      contact: { name: 'A. Clinician', href: 'mailto:a.clinician@example.org' },
      features: [{ id: 'HP:0002373' }, { id: 'HP:0001251' }],
      genomicFeatures: [{ gene: { id: 'SCN1A' } }],
    };
    const { status, text } = await asked('/match', 'matchmaker:query', { patient });
    expect(status, text).to.equal(200);
    const found = JSON.parse(text).results.map(({ patient: { id } }: { patient: { id: string } }) => id);
    expect(found.slice(0, 2)).to.deep.equal(['trefoil-demo-01', 'trefoil-demo-02']);
  });

  it('show the versions of a panel', async () => {
    const { status, text } = await asked('/panels/versions', 'panels:*');
    expect(status, text).to.equal(200);
    for (const version of ['1.9', '1.10', '2.0']) expect(text).to.include(`"${version}"`);
  });
});
