/** People sign in at a server as it is configured, and an operator sees and ends their sessions. */
import { expect } from 'chai';
import { ConfigurationFaults } from '../../../core/config/layer.js';
import { logTo } from '../../../core/log.js';
import { start } from '../../../core/start.js';
import { Broker } from '../../support/broker.js';
import { command } from '../../support/command.js';
import { configured, shown } from '../../support/configured.js';
import { dealt } from '../../support/dealt.js';
import { engines } from '../../support/engines.js';
import { useFolder } from '../../support/folder.js';
import { freePort } from '../../support/port.js';

/** Opens an address as a browser does, with these cookies, and keeps new ones. */
async function open(url: string, cookies: Map<string, string>): Promise<Response> {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const response = await fetch(url, { redirect: 'manual', headers: { Cookie: cookie } });
  for (const line of response.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    cookies.set(name, value);
  }
  const location = response.headers.get('location');
  if (location === null) return response;
  await response.body?.cancel();
  return open(new URL(location, url).href, cookies);
}

for (const engine of dealt(engines, 'sqlite')) {
  describe(`sessions of people on ${engine.name}`, function () {
    this.timeout(60_000);
    const folder = useFolder();

    it('begin at the provider, are listed without secrets, and end at the operator’s word', async () => {
      const broker = await Broker.start();
      const { env, drop } = await engine.lead();
      const port = await freePort();
      const url = `http://127.0.0.1:${port}`;
      broker.allowRedirects(`${url}/-/sign-in/callback`);
      const signIn = { issuer: broker.issuer, clientId: broker.client.id, clientSecret: broker.client.secret };
      const configuration = {
        http: { baseUrl: url, port },
        migrate: 'auto',
        demo: false,
        auth: { signIn, roles: [{ claim: 'groups', value: '/lab', role: 'read' }] },
        plugins: { beacon: {} },
      };
      const file = await folder.write('lab.yaml', JSON.stringify(configuration));
      const options = { cwd: folder.path(), env: { ...env, TREFOIL_CONFIG: 'lab.yaml' } };
      const run = (...words: string[]) => command(['session', ...words], options);
      const sqlite = env.TREFOIL_SQLITE_FILE;
      const environment = sqlite === undefined ? env : { TREFOIL_SQLITE_FILE: `${folder.path()}/${sqlite}` };
      let logged = '';
      const log = logTo(
        {
          write(line: string) {
            logged += line;
          },
        },
        { level: 'info' },
      );
      const server = await start({ file, environment, log });
      try {
        const me = async (cookies: Map<string, string>) =>
          (await (await open(`${url}/-/me`, cookies)).json()) as Record<string, unknown>;
        const signedIn = async (sub: string, name: string) => {
          broker.visitor = broker.add({ sub, claims: { name, groups: ['/lab'] } });
          const cookies = new Map<string, string>();
          expect((await open(`${url}/-/sign-in`, cookies)).status).to.equal(200);
          return cookies;
        };
        const [erna, again, karl] = [
          await signedIn('e-1', 'Erna Ågren'),
          await signedIn('e-1', 'Erna Ågren'),
          await signedIn('k-1', 'Karl'),
        ];
        expect(await me(erna)).to.deep.include({ signedIn: true, name: 'Erna Ågren', roles: ['read'] });
        // Every right of the beacon that belongs to reading, and no other.
        const rights = (await me(karl)).rights as { scope: string }[];
        expect(rights.map(({ scope }) => scope))
          .to.include('beacon:read')
          .and.not.include('beacon:write');

        const listed = await run('list', '--json');
        const list = JSON.parse(listed.stdout) as Record<string, unknown>[];
        expect(list.map(({ name, subject, issuer }) => [name, subject, issuer])).to.deep.equal([
          ['Erna Ågren', 'e-1', broker.issuer],
          ['Erna Ågren', 'e-1', broker.issuer],
          ['Karl', 'k-1', broker.issuer],
        ]);
        for (const text of [listed.stdout, logged]) {
          expect(text).to.not.match(/hash|sealed/);
          for (const secret of [erna.get('trefoil-session'), broker.client.secret]) expect(text).to.not.include(secret);
        }
        expect(logged).to.not.match(/Erna|\be-1\b/);
        expect((await run('list', '--person', 'Karl')).stdout)
          .to.match(/Karl +k-1/)
          .and.not.include('Erna');

        expect(await run('revoke', String(list[2]?.id))).to.include({ code: 0, stdout: 'One session is ended.\n' });
        expect(await me(karl)).to.include({ signedIn: false });
        const other = await run('revoke', '--person', 'e-1', '--issuer', 'https://other.test');
        expect(other).to.include({ code: 1 });
        expect(await me(erna)).to.include({ signedIn: true });
        expect(await run('revoke', '--person', 'e-1')).to.include({ code: 0, stdout: '2 sessions are ended.\n' });
        for (const cookies of [erna, again]) expect(await me(cookies)).to.include({ signedIn: false });

        expect(await run('list')).to.include({ code: 0, stdout: 'Nobody is signed in.\n' });
        for (const [words, sentence] of [
          [['revoke', 'none'], /There is no session "none"; `session list` shows them\n$/],
          [['revoke', '--person', 'e-1'], /"e-1" has no session; `session list` shows them\n$/],
          [['revoke'], /Give the id of a session, or --person with or without --issuer\n$/],
          [['revoke', 'a', '--person', 'b'], /Give the id of a session, or --person/],
          [['revoke', 'a', '--issuer', 'b'], /Give the id of a session, or --person/],
        ] as [string[], RegExp][]) {
          const { code, stderr } = await run(...words);
          expect(code, words.join(' ')).to.equal(1);
          expect(stderr).to.match(sentence);
        }
        const checked = await command(['check', '--json'], options);
        const effective = JSON.parse(checked.stdout) as { contracts: string[]; configuration: unknown };
        expect(effective.contracts).to.include('sessions@1');
        expect(checked.stdout).to.not.include(broker.client.secret);
      } finally {
        await server.stop();
        await broker.close();
        await drop();
      }
    });
  });
}

describe('settings of sign-in', () => {
  const folder = useFolder();
  const good = { issuer: 'https://login.test/', clientId: 'trefoil', clientSecret: 'a secret of 24 letters ..' };

  /** What is wrong with the settings, one fault a line; empty if nothing is. */
  async function faults(signIn: object, http: object = { baseUrl: 'https://lab.test' }): Promise<string> {
    const file = await folder.write('lab.yaml', JSON.stringify({ http, auth: { signIn }, plugins: {} }));
    try {
      await configured({ file });
    } catch (error) {
      if (error instanceof ConfigurationFaults) return error.list.map(shown).join('\n');
      throw error;
    }
    return '';
  }

  it('need a public address, a provider that is reached by TLS, a real secret and the scope openid', async () => {
    expect(await faults(good)).to.equal('');
    expect(await faults(good, {})).to.match(/^http\.baseUrl: is needed for auth\.signIn: the identity provider sends/);
    expect(await faults({ ...good, issuer: 'http://127.0.0.1:8080/realms/lab' })).to.equal('');
    for (const [change, sentence] of [
      [{ issuer: 'http://login.test/' }, /auth\.signIn\.issuer.*must begin with https:\/\//i],
      [{ issuer: 'login.test' }, /auth\.signIn\.issuer/],
      [{ clientSecret: 'short' }, /auth\.signIn\.clientSecret/],
      [{ clientSecret: undefined }, /auth\.signIn\.clientSecret/],
      [{ scopes: ['profile'] }, /auth\.signIn\.scopes.*must include openid/i],
      [{ scopes: ['openid profile'] }, /auth\.signIn\.scopes/],
      [{ sessionHours: 0 }, /auth\.signIn\.sessionHours/],
      [{ idleMinutes: 0.5 }, /auth\.signIn\.idleMinutes/],
      [{ realm: 'lab' }, /auth\.signIn/],
    ] as [object, RegExp][]) {
      expect(await faults({ ...good, ...change }), JSON.stringify(change)).to.match(sentence);
    }
  });

  it('are needed to list sessions', async () => {
    await folder.write('lab.yaml', JSON.stringify({ plugins: {} }));
    const options = { cwd: folder.path(), env: { TREFOIL_SQLITE_FILE: 'x.sqlite', TREFOIL_CONFIG: 'lab.yaml' } };
    const { code, stderr } = await command(['session', 'list'], options);
    expect({ code, stderr }).to.deep.equal({
      code: 1,
      stderr: 'trefoil: Nobody can sign in: the configuration has no auth.signIn\n',
    });
  });
});
