/** The dashboard page. */
import { expect } from 'chai';
import { matchmakerNodes } from '../../../../plugins/matchmaker/contract.js';
import { sampled } from '../../../support/sample.js';
import { storages } from '../../../support/storages.js';
import { type Matchmaker, patient, serveMatchmaker } from '../support/serve.js';

for (const engine of sampled(storages, 2, 1)) {
  describe(`matchmaker: dashboard on ${engine.name}`, () => {
    let server: Matchmaker;
    afterEach(() => server.close());
    const page = async (path: string) => {
      const response = await fetch(server.url + path, { headers: { accept: 'text/html' } });
      return { status: response.status, html: await response.text(), headers: response.headers };
    };

    it('shows the counters, the nodes and the releases, and loads no other resource', async () => {
      server = await serveMatchmaker(engine, { settings: { disclaimer: 'Be <careful>', terms: 'Our terms' } });
      await server.post('/patient/add', { patient: patient('P-secret') });
      await server.post('/match', { patient: patient('Q') });
      const nodes = server.storage.repository(matchmakerNodes);
      const node = { contentType: 'application/json', token: { sealed: 'x' }, created: new Date() };
      const url = 'https://hidden.example.org/match';
      await nodes.add({ ...node, id: 'up', label: '<b>Up</b>', url, contact: 'admin@hidden.org', enabled: true });
      await nodes.add({ ...node, id: 'down', label: 'Down', url, enabled: true });
      await nodes.add({ ...node, id: 'off', label: 'Off', url, enabled: false });
      await nodes.noteSuccess('up', new Date('2026-01-02T03:04:05Z'));
      const retryAt = new Date('2099-01-02T03:04:05Z');
      await nodes.noteFailure('down', { reason: 'secret reason', at: new Date(), failures: 1, retryAt });

      const { status, html, headers } = await page('/matchmaker');
      expect(status).to.equal(200);
      expect(headers.get('content-security-policy')).to.include("default-src 'none'");
      const { metrics } = (await server.get('/metrics', { token: null })).body;
      for (const [title, value] of [
        ['Patients', metrics.numberOfCases],
        ['Requests received', metrics.numberOfRequestsReceived],
        ['Potential matches sent', metrics.numberOfPotentialMatchesSent],
      ]) {
        expect(value).to.equal(1);
        expect(html).to.include(`<th scope="row">${title}</th><td class="number">${value}</td>`);
      }
      expect(html).to.include('&lt;b&gt;Up&lt;/b&gt;').and.include('2026-01-02 03:04 UTC');
      expect(html).to.include('rests until 2099-01-02 03:04 UTC');
      expect(html).to.include('no response since').and.include('Be &lt;careful&gt;').and.include('Our terms');
      expect(html).to.include('https://hpo.jax.org');
      expect(html).to.not.match(/hidden|>off<|secret|example\.org/i);
      expect(html).to.not.match(/<(script|img|iframe)|<link[^>]+href="(?!data:)|@import|url\(/);
      expect((await page('/')).html).to.include('<a href="/matchmaker">Dashboard</a>');
    });

    it('does not exist if /metrics requires a token', async () => {
      server = await serveMatchmaker(engine, { settings: { protectMetrics: true } });
      expect((await page('/matchmaker')).status).to.equal(404);
      expect((await page('/')).html).to.not.include('/matchmaker');
    });
  });
}
