/**
 * The forms of Scout's three buttons, as in its template (scout/server/blueprints/cases/templates/cases/
 * chanjo2_form.html): lists are Python's, and with OpenID Connect the user's ID token is sent as `id_token`.
 * Its server sends the same token in `Authorization` to the endpoints under /coverage/d4.
 */
import { expect } from 'chai';
import { adviceOn } from '../../../../plugins/coverage/advice.js';
import { demoSamples } from '../../../../plugins/coverage/demo/demo.js';
import { coverageSettings } from '../../../../plugins/coverage/settings.js';
import { encoded } from '../../../support/http.js';
import { IdentityProvider } from '../../../support/identity-provider.js';
import { useOnce } from '../../../support/use.js';
import { type Coverage, serveCoverage } from '../support/serve.js';
import { type Fields, post } from './support/post.js';

const buttons = ['report', 'overview', 'mane_overview'] as const;

function scoutForm(changes: Fields = {}): Fields {
  const samples = demoSamples.map(
    ({ name, coverageFile }) =>
      `{'name': '${name}', 'coverage_file_path': '${coverageFile}', 'case_name': '643594', 'analysis_date': '2026-04-23T10:20:30.400Z'}`,
  );
  return {
    build: 'GRCh38',
    default_level: '20',
    interval_type: 'transcripts',
    panel_name: 'OMIM-AUTO',
    case_display_name: '643594',
    hgnc_gene_ids: '[7436, 2861]',
    samples: `[${samples.join(', ')}]`,
    ...changes,
  };
}

function multipart(fields: Fields, file?: { name: string; bytes: Uint8Array; first?: boolean }): FormData {
  const form = new FormData();
  const add = () => file !== undefined && form.set('file', new Blob([file.bytes]), file.name);
  if (file?.first) add();
  for (const [name, values] of Object.entries(fields)) for (const one of [values].flat()) form.append(name, one);
  if (!file?.first) add();
  return form;
}

describe('coverage pages: requests of Scout', () => {
  const provider = useOnce(() => IdentityProvider.start());
  const servers: Coverage[] = [];
  const serve = async (settings: Record<string, unknown>) => {
    const server = await serveCoverage({ demo: true, settings });
    servers.push(server);
    return server;
  };
  /** As Keycloak signs it for a client: it identifies the user. */
  const idToken = (expires = 300) => provider.token({ expires, claims: { typ: 'ID', at_hash: 'x', nonce: 'n' } });
  const oidc = () => ({ jwksUrl: provider.jwksUrl, audience: provider.audience, cooldown: 1 });
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
  });

  it('are accepted without OIDC, with any token', async () => {
    const server = await serve({});
    for (const button of buttons) {
      for (const token of [undefined, 'None', await provider.token()]) {
        const form = scoutForm(token === undefined ? {} : { id_token: token });
        const { status, text, headers } = await post(`${server.url}/${button}`, form);
        expect(status, button).to.equal(200);
        expect(text).to.include('demo_child').and.include('OMIM-AUTO');
        expect(headers.get('set-cookie')).to.equal(null);
      }
    }
  });

  it('are accepted with OIDC if tokenFields names id_token, and the page’s buttons work', async () => {
    const server = await serve({ oidc: oidc(), tokenFields: ['id_token'] });
    for (const button of buttons) {
      const token = await idToken();
      const { status, text, headers } = await post(`${server.url}/${button}`, scoutForm({ id_token: token }));
      expect(status, button).to.equal(200);
      expect(text).not.to.include(token);
      const cookie = headers.get('set-cookie') ?? '';
      expect(cookie).to.match(/^id_token=[\w.-]+; HttpOnly; SameSite=Strict; Path=\/; Secure$/);
      const again = await post(`${server.url}/overview`, scoutForm(), { cookie: cookie.split(';', 1)[0] ?? '' });
      expect(again.status).to.equal(200);
      for (const bad of ['None', '', 'a.b.c', await idToken(-60)]) {
        const refused = await post(`${server.url}/${button}`, scoutForm({ id_token: bad }));
        expect(refused.status, bad.slice(0, 10)).to.equal(401);
        expect(refused.headers.get('set-cookie')).to.equal(null);
      }
      // An ID token is accepted only in the field configured for it.
      expect((await post(`${server.url}/${button}`, scoutForm({ access_token: token }))).status).to.equal(401);
      const elsewhere = { cookie: `access_token=${token}` };
      expect((await post(`${server.url}/${button}`, scoutForm(), elsewhere)).status).to.equal(401);
      expect(server.log()).not.to.include(token);
    }
  });

  it('are refused with OIDC if tokenFields does not name id_token', async () => {
    const server = await serve({ oidc: oidc() });
    const token = await provider.token();
    for (const button of buttons) {
      expect((await post(`${server.url}/${button}`, scoutForm({ id_token: token }))).status).to.equal(401);
      expect((await post(`${server.url}/${button}`, scoutForm(), { cookie: `id_token=${token}` })).status).to.equal(
        401,
      );
    }
  });

  /** What Scout's server asks for its mitochondrial report and for the badge of a gene, with the user's token in the header. */
  async function inHeader(server: Coverage, token: string): Promise<number[]> {
    const { coverageFile } = demoSamples[0] as (typeof demoSamples)[number];
    const asked: Record<string, unknown> = {
      'interval/': { coverage_file_path: coverageFile, chromosome: '1', start: 11785722, end: 11785822 },
      'genes/summary': {
        build: 'GRCh38',
        samples: [{ name: 'child', coverage_file_path: coverageFile }],
        hgnc_gene_ids: [7436],
        coverage_threshold: 20,
        interval_type: 'genes',
      },
    };
    const statuses = [];
    for (const [path, body] of Object.entries(asked)) {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const answer = await fetch(`${server.url}/coverage/d4/${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      });
      const text = await answer.text();
      if (answer.status === 401) expect(answer.headers.get('www-authenticate')).to.include('error="invalid_token"');
      else expect(text).to.match(/"mean_coverage":\s*[1-9]/);
      statuses.push(answer.status);
    }
    return statuses;
  }

  it('are refused with an ID token in the header unless acceptIdTokens is on', async () => {
    for (const settings of [{}, { tokenFields: ['id_token'] }, { acceptIdTokens: false }]) {
      const server = await serve({ oidc: oidc(), ...settings });
      expect(await inHeader(server, await idToken()), JSON.stringify(settings)).to.deep.equal([401, 401]);
      expect(await inHeader(server, await provider.token())).to.deep.equal([200, 200]);
    }
  });

  it('are accepted with acceptIdTokens in the header and in forms, if the token is valid and for this audience', async () => {
    const issuer = 'https://login.test';
    const server = await serve({
      oidc: { ...oidc(), issuer },
      tokenFields: ['id_token'],
      acceptIdTokens: true,
    });
    const posted = async (fields: Fields, headers = {}) =>
      (await post(`${server.url}/report`, scoutForm(fields), headers)).status;
    const signed = (claims: Record<string, unknown>, options = {}) =>
      provider.token({ ...options, claims: { iss: issuer, ...claims } });
    const asId = { typ: 'ID', at_hash: 'x', nonce: 'n' };
    const good = {
      'an ID token of Keycloak': await signed(asId),
      'an ID token that only its nonce shows': await signed({ nonce: 'n' }),
      'an access token': await signed({ scope: 'openid' }),
      'an access token by its header': await signed({}, { typ: 'at+jwt' }),
    };
    for (const [kind, token] of Object.entries(good)) {
      expect(await inHeader(server, token), kind).to.deep.equal([200, 200]);
      expect(await posted({ access_token: token }), kind).to.equal(200);
      expect(await posted({ id_token: token }), kind).to.equal(200);
      expect(await posted({}, { cookie: `access_token=${token}` }), kind).to.equal(200);
    }
    const bad = {
      'for another client': await signed(asId, { audience: 'another' }),
      'without an audience': await signed(asId, { audience: undefined }),
      expired: await signed(asId, { expires: -60 }),
      'without expiry': await signed(asId, { expires: undefined }),
      'not valid yet': await signed(asId, { notBefore: 60 }),
      'of another issuer': await signed({ ...asId, iss: 'https://other.test' }),
      'with a key that is not published': await signed(asId, { key: await provider.stranger() }),
      unsigned: provider.unsigned(),
      'a refresh token': await signed({ typ: 'Refresh', nonce: 'n' }),
      'a logout token': await signed({ events: { 'http://schemas.openid.net/event/backchannel-logout': {} } }),
      'a logout token by its header': await signed({ nonce: 'n' }, { typ: 'logout+jwt' }),
    };
    for (const [kind, token] of Object.entries(bad)) {
      expect(await inHeader(server, token), kind).to.deep.equal([401, 401]);
      expect(await posted({ access_token: token }), kind).to.equal(401);
      expect(await posted({ id_token: token }), kind).to.equal(401);
      expect(await posted({}, { cookie: `access_token=${token}` }), kind).to.equal(401);
    }
    for (const token of [...Object.values(good), ...Object.values(bad)]) expect(server.log()).not.to.include(token);
  });

  it('need a token to be checked for acceptIdTokens to say anything, which the advice tells', async () => {
    const about = { demo: false, people: false, tenants: [], s3: { covers: () => false } };
    const advised = async (settings: unknown) =>
      (await adviceOn(coverageSettings.parse(settings), about)).filter((line) => line.startsWith('acceptIdTokens'));
    expect(await advised({ acceptIdTokens: true })).to.have.length(1);
    expect(await advised({ acceptIdTokens: true, oidc: oidc() })).to.deep.equal([]);
    expect(await advised({})).to.deep.equal([]);
    expect(coverageSettings.safeParse({ acceptIdTokens: 'header' }).success).to.equal(false);
  });

  it('prefer access_token, which the contract names', async () => {
    const server = await serve({ oidc: oidc(), tokenFields: ['id_token'] });
    const [good, expired] = [await provider.token(), await provider.token({ expires: -60 })];
    const statusOf = async (fields: Fields) => (await post(`${server.url}/report`, scoutForm(fields))).status;
    expect(await statusOf({ access_token: good, id_token: expired })).to.equal(200);
    expect(await statusOf({ access_token: expired, id_token: good })).to.equal(401);
    // An empty field counts as absent.
    expect(await statusOf({ access_token: '', id_token: good })).to.equal(200);
    expect(await statusOf({ id_token: [good, good] })).to.equal(401);
    for (const tokenFields of [['access_token'], ['id token'], ['=']]) {
      expect(coverageSettings.safeParse({ tokenFields }).success, tokenFields[0]).to.equal(false);
    }
  });

  it('may be multipart forms with a token', async () => {
    const server = await serve({ oidc: oidc(), tokenFields: ['id_token'] });
    const send = (body: FormData) => fetch(`${server.url}/report`, { method: 'POST', body });
    const [token, expired] = [await provider.token(), await provider.token({ expires: -60 })];
    for (const name of ['access_token', 'id_token']) {
      expect((await send(multipart(scoutForm({ [name]: token })))).status, name).to.equal(200);
      expect((await send(multipart(scoutForm({ [name]: expired })))).status, name).to.equal(401);
    }
    expect((await send(multipart(scoutForm()))).status).to.equal(401);
    expect((await send(multipart(scoutForm({ access_token: [token, token] })))).status).to.equal(401);
    const custom = { interval_type: 'custom_intervals', format: 'json' };
    const bed = { name: 'a.bed', bytes: Buffer.from('1\t11785722\t11785822\n') };
    for (const first of [true, false]) {
      const answer = await send(multipart(scoutForm({ ...custom, access_token: token }), { ...bed, first }));
      expect(answer.status, `file first: ${first}`).to.equal(200);
    }
    // Without a token before it, a large file is not read to the end.
    const large = { name: 'a.bed', bytes: Buffer.concat([bed.bytes, Buffer.alloc(6 * 2 ** 20, '#\n')]) };
    const known = await send(multipart(scoutForm({ ...custom, access_token: token }), large));
    expect(known.status, await known.text()).to.equal(200);
    for (const first of [true, false]) {
      expect((await send(multipart(scoutForm(custom), { ...large, first }))).status).to.equal(401);
    }
  });

  it('may name a very long panel', async () => {
    const server = await serve({});
    const name = 'Panel-of-all-panels, '.repeat(500);
    for (const button of buttons) {
      const { status, text } = await post(`${server.url}/${button}`, scoutForm({ panel_name: name }));
      expect(status, button).to.equal(200);
      expect(text)
        .to.include(`${name.slice(0, 199)}…`)
        .and.not.to.include(name.slice(0, 201));
    }
  });

  it('may have no genes: the page says so, with its samples', async () => {
    const server = await serve({});
    for (const button of buttons) {
      for (const hgnc_gene_ids of ['[]', '']) {
        const form = scoutForm({ hgnc_gene_ids });
        const { status, text } = await post(`${server.url}/${button}`, form);
        expect(status, button).to.equal(200);
        expect(text)
          .to.include('No genes were requested: nothing was measured.')
          .and.not.to.include('No warnings about files');
        for (const { name } of demoSamples) expect(text).to.match(new RegExp(`<th scope="row"[^>]*>(?:<bdi>)?${name}`));
        expect(text).not.to.match(/<td[^>]*>[^<]*%|NaN/);
        const json = await post(`${server.url}/${button}`, { ...form, format: 'json' });
        const { intervals, warnings } = JSON.parse(json.text) as { intervals: []; warnings: { code: string }[] };
        expect(intervals).to.deep.equal([]);
        expect(warnings.map(({ code }) => code)).to.deep.equal(['no-genes']);
        for (const format of ['csv', 'tsv', 'bed', 'pdf']) {
          const answer = await fetch(`${server.url}/${button}`, { method: 'POST', body: encoded({ ...form, format }) });
          expect(answer.status, format).to.equal(200);
          await answer.arrayBuffer();
        }
      }
      const { text } = await post(`${server.url}/${button}`, scoutForm({ hgnc_gene_ids: '[]' }), {
        'accept-language': 'sv',
      });
      expect(text).to.include('Inga gener har angetts: inget har mätts.');
    }
  });

  it('name the invalid sample, not its index in the list', async () => {
    const server = await serve({});
    const samples = "[{'name': 'ADM1', 'coverage_file_path': 'a.d4', 'sex': 'many'}, {'name': 'ADM2'}, {}]";
    const { status, text } = await post(`${server.url}/report`, scoutForm({ samples }));
    expect(status).to.equal(422);
    expect(text)
      .to.include('ADM1, sex: must be female, male or unknown')
      .and.include('ADM2, coverage_file_path:')
      .and.include('sample 3, name:')
      .and.not.include('samples.');
  });
});
