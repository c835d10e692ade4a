/** Pages of plugins for operators are open, require a token, or are off. */
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { command } from '../../support/command.js';
import { useFolder } from '../../support/folder.js';
import { started } from '../../support/started.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

describe('pages of plugins for operators', function () {
  this.timeout(120_000);
  const folder = useFolder();

  const cases = {
    open: { anonymous: 200, operator: 200 },
    token: { anonymous: 401, operator: 200 },
    off: { anonymous: 404, operator: 404 },
  };
  for (const [exposure, expected] of Object.entries(cases)) {
    it(`are ${exposure} if configured so`, async () => {
      const file = await folder.write(
        'lab.yaml',
        `demo: true\nplugins:\n  coverage: { demoPages: ${exposure} }\n  matchmaker: { page: ${exposure} }\n`,
      );
      const env = { TREFOIL_SQLITE_FILE: `${folder.path()}/lab.sqlite` };
      const words = ['token', 'add', '--owner', 'ops', '--scope', 'server:read', '--json', '--config', file];
      const { stdout } = await command(words, { cwd: folder.path(), env });
      const { token } = JSON.parse(stdout) as { token: string };
      const { url, stop } = await started(file, env);
      const status = async (path: string, headers: Record<string, string> = {}) => {
        const response = await fetch(`${url}${path}`, { headers });
        await response.text();
        return response.status;
      };
      const password = `Basic ${Buffer.from(`ops:${token}`).toString('base64')}`;
      for (const path of [
        '/matchmaker',
        '/report/demo',
        '/overview/demo',
        '/gene_overview/demo',
        '/mane_overview/demo',
      ]) {
        const found = { anonymous: await status(path), operator: await status(path, { Authorization: password }) };
        expect(found, path).to.deep.equal(expected);
      }
      // The endpoints for clients are unchanged.
      expect([await status('/metrics'), await status('/coverage')]).to.deep.equal([200, 200]);
      await stop();
    });
  }

  for (const docs of ['token', 'off']) {
    it(`link to the documentation only if it is enabled: ${docs}`, async () => {
      const file = await folder.write(
        'lab.yaml',
        `demo: true\nhttp: { docs: ${docs}, baseUrl: https://lab.example.org/genomics }\n` +
          'plugins: { coverage: {}, matchmaker: {}, beacon: {} }\n',
      );
      const { url, stop } = await started(file, { TREFOIL_SQLITE_FILE: `${folder.path()}/lab.sqlite` });
      const headers = { Accept: 'text/html' };
      for (const path of ['/', '/coverage', '/report/demo', '/report', '/apiv1.0/query_form']) {
        const method = path === '/report' ? 'POST' : 'GET';
        const page = await (await fetch(`${url}${path}`, { method, headers })).text();
        expect(page, path).to.include('</html>');
        expect(page.includes('href="/genomics/docs"'), path).to.equal(docs === 'token');
        expect(/href="[^"]*\/docs"/.test(page), path).to.equal(docs === 'token');
      }
      await stop();
    });
  }

  it('are closed by the configuration for production', async () => {
    const { stdout } = await command(['check', '--json', '--config', `${root}config/production.yaml`], {
      cwd: folder.path(),
      env: { TREFOIL_STORAGE: 'sqlite', TREFOIL_SQLITE_FILE: 'lab.sqlite' },
    });
    const { configuration } = JSON.parse(stdout);
    expect(configuration.http).to.include({ docs: 'token', openapi: 'token' });
    expect(configuration.http.metrics.port).to.equal(9464);
    expect(configuration.demo).to.equal(false);
    expect(configuration.plugins.matchmaker.page).to.equal('token');
  });
});
