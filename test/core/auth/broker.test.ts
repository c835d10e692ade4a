/** The broker of the tests keeps the rules that its clients are tested against. */
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { Broker } from '../../support/broker.js';

const callback = 'https://trefoil.test/-/sign-in/callback';
const verifier = 'a-verifier-of-more-than-forty-three-characters-0123456789';
const challenge = createHash('sha256').update(verifier).digest('base64url');

describe('the broker of the tests', () => {
  let broker: Broker;
  before(async () => {
    broker = await Broker.start();
    broker.allowRedirects(callback);
    broker.add({ sub: 'ada', claims: { name: 'Ada', groups: ['/lab/doctors'] }, visas: ['a-visa'] });
  });
  after(() => broker.close());

  const authorize = (changes: Record<string, string> = {}) => {
    const asked = {
      client_id: broker.client.id,
      redirect_uri: callback,
      response_type: 'code',
      scope: 'openid',
      state: 'the-state',
      nonce: 'the-nonce',
      code_challenge: challenge,
      code_challenge_method: 'S256',
    };
    const url = `${broker.endpoint('authorize')}?${new URLSearchParams({ ...asked, ...changes })}`;
    return fetch(url, { redirect: 'manual' });
  };
  const token = (fields: Record<string, string>, secret = broker.client.secret) =>
    fetch(broker.endpoint('token'), {
      method: 'POST',
      body: new URLSearchParams({ client_id: broker.client.id, client_secret: secret, ...fields }),
    });
  const backFrom = (response: Response) => new URL(response.headers.get('location') ?? '').searchParams;
  const redeem = (code: string, changes: Record<string, string> = {}) =>
    token({
      grant_type: 'authorization_code',
      code,
      redirect_uri: callback,
      code_verifier: verifier,
      ...changes,
    });

  it('signs people in by a code that is valid once, with its verifier and for its redirect address', async () => {
    broker.visitor = { sub: 'ada', claims: { name: 'Ada' } };
    const back = backFrom(await authorize());
    expect([back.get('state'), back.get('iss')]).to.deep.equal(['the-state', broker.issuer]);
    const response = await redeem(back.get('code') ?? '');
    const { id_token } = (await response.json()) as { id_token: string };
    const jwks = (await (await fetch(broker.jwksUrl)).json()) as JSONWebKeySet;
    const { payload } = await jwtVerify(id_token, createLocalJWKSet(jwks), {
      issuer: broker.issuer,
      audience: broker.client.id,
    });
    expect([payload.sub, payload.nonce, payload.name]).to.deep.equal(['ada', 'the-nonce', 'Ada']);
    expect((await redeem(back.get('code') ?? '')).status).to.equal(400);
    const wrong: Record<string, string>[] = [
      { code_verifier: 'another' },
      { redirect_uri: 'https://evil.test/' },
      { client_secret: 'guessed' },
    ];
    for (const changes of wrong) {
      const { status } = await redeem(backFrom(await authorize()).get('code') ?? '', changes);
      expect(status, JSON.stringify(changes)).to.be.oneOf([400, 401]);
    }
  });

  it('sends nobody to an address that it does not know', async () => {
    const response = await authorize({ redirect_uri: 'https://evil.test/' });
    expect([response.status, response.headers.get('location')]).to.deep.equal([400, null]);
    expect(backFrom(await authorize({ code_challenge: '' })).get('error')).to.equal('invalid_request');
    broker.visitor = undefined;
    expect(backFrom(await authorize()).get('error')).to.equal('access_denied');
  });

  it('gives the visas of a person by userinfo and by token exchange, for a token of its own', async () => {
    const accessToken = await broker.accessToken('ada');
    const userinfo = (bearer: string) =>
      fetch(broker.endpoint('userinfo'), { headers: { Authorization: `Bearer ${bearer}` } });
    expect(await (await userinfo(accessToken)).json()).to.deep.equal({
      name: 'Ada',
      groups: ['/lab/doctors'],
      sub: 'ada',
      ga4gh_passport_v1: ['a-visa'],
    });
    expect((await userinfo('another')).status).to.equal(401);
    const exchange = (subject_token: string) =>
      token({
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        requested_token_type: 'urn:ga4gh:params:oauth:token-type:passport',
        subject_token,
        subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      });
    const { access_token } = (await (await exchange(accessToken)).json()) as { access_token: string };
    const payload = JSON.parse(Buffer.from(access_token.split('.')[1] ?? '', 'base64url').toString());
    expect([payload.sub, payload.ga4gh_passport_v1]).to.deep.equal(['ada', ['a-visa']]);
    expect((await exchange('another')).status).to.equal(400);
  });
});
