/**
 * An OpenID Connect provider for tests, made of jose and Koa: signs people in by authorization code with PKCE, answers
 * userinfo and token exchange, and signs access tokens, visas and passports (GA4GH AAI profile 1.2). Every part of a token
 * can be wrong on request. Visa issuers are brokers too: only their keys are used.
 */
import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parse } from 'node:querystring';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import Koa, { type Context } from 'koa';

export interface BrokerKey {
  kid: string;
  alg: string;
  privateKey: CryptoKey;
  publicKey: CryptoKey;
}

export interface Client {
  id: string;
  secret: string;
  /** Where people return after they have signed in, and after they have signed out. */
  redirectUris: readonly string[];
}

/** Someone who can sign in. */
export interface Person {
  sub: string;
  /** Claims of ID tokens, access tokens and userinfo: `name`, `groups`. */
  claims?: Record<string, unknown>;
  /** Visas, signed. */
  visas?: readonly string[];
}

export interface Signing {
  /** Added to the header; undefined removes a member. */
  header?: Record<string, unknown>;
  /** The current key if omitted. */
  key?: BrokerKey;
}

export interface VisaOptions extends Signing {
  sub: string;
  /** Members of `ga4gh_visa_v1`, over those of a grant of a data access committee. */
  visa?: Record<string, unknown>;
  /** Claims beside `ga4gh_visa_v1`; undefined removes one. */
  claims?: Record<string, unknown>;
}

/** What the broker does wrong, for tests of clients. */
export interface Faults {
  /** Instead of the userinfo of the person. */
  userinfo?(context: Context): void | Promise<void>;
  /** Instead of the key set. */
  jwks?(context: Context): void | Promise<void>;
  /** Instead of the token exchange. */
  exchange?(context: Context): void | Promise<void>;
  /** Changes the discovery document. */
  discovery?(document: Record<string, unknown>): Record<string, unknown>;
  /** Changes the ID token's claims. */
  idToken?(claims: Record<string, unknown>): Record<string, unknown>;
  /** Changes the parameters of the redirect back to the client. */
  redirect?(parameters: URLSearchParams): void;
}

interface Code {
  client: Client;
  person: Person;
  redirectUri: string;
  challenge: string;
  nonce: string | undefined;
  scope: string;
  used: boolean;
}

/** The type of tokens that an exchange asks for (AAI profile 1.2). */
const passportType = 'urn:ga4gh:params:oauth:token-type:passport';
const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token';
const exchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange';

export class Broker {
  readonly issuer: string;
  readonly audience = 'trefoil-tests';
  readonly client: Client;
  faults: Faults = {};
  /** Who is signed in at the provider, and answers every authorisation request; undefined denies them. */
  visitor: Person | undefined;
  readonly #server: Server;
  readonly #people = new Map<string, Person>();
  readonly #codes = new Map<string, Code>();
  readonly #tokens = new Map<string, Person>();
  readonly #requests = new Map<string, number>();
  #keys: BrokerKey[] = [];

  private constructor(server: Server, path: string) {
    this.#server = server;
    this.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
    this.client = { id: 'trefoil', secret: randomUUID(), redirectUris: [] };
  }

  /** `path` ends the issuer's name: `/oidc/` for one with a slash at its end, as LS-AAI has. */
  static async start({ path = '/oidc/', alg = 'ES256' }: { path?: string; alg?: string } = {}): Promise<Broker> {
    const koa = new Koa();
    koa.on('error', () => undefined);
    koa.use((context) => broker.#serve(context));
    const server = createServer(koa.callback());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const broker = new Broker(server, path);
    await broker.rotate(alg);
    return broker;
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  /** The address of an endpoint: `jwks`, `userinfo`, `token`, `authorize`, `logout`. */
  endpoint(name: string): string {
    return `${this.issuer.replace(/\/$/, '')}/${name}`;
  }

  get jwksUrl(): string {
    return this.endpoint('jwks');
  }

  /** How often an endpoint was asked. */
  requests(name: string): number {
    return this.#requests.get(name) ?? 0;
  }

  /** Where a client may send people back to. */
  allowRedirects(...uris: readonly string[]): void {
    (this.client.redirectUris as string[]).push(...uris);
  }

  add(person: Person): Person {
    this.#people.set(person.sub, person);
    return person;
  }

  /** Signs with a new key from now on; the previous ones stay published if `keep` is set. */
  async rotate(alg = 'ES256', { keep = false } = {}): Promise<BrokerKey> {
    const key = await newKey(alg);
    this.#keys = [...(keep ? this.#keys : []), key];
    return key;
  }

  get key(): BrokerKey {
    return this.#keys.at(-1) as BrokerKey;
  }

  /** Signs any claims as they are. */
  sign(claims: Record<string, unknown>, { key = this.key, header = {} }: Signing = {}): Promise<string> {
    const all = { alg: key.alg, kid: key.kid, ...header };
    return new SignJWT(defined(claims)).setProtectedHeader(defined(all) as { alg: string }).sign(key.privateKey);
  }

  /** An access token for the person, valid unless the options say otherwise; userinfo and token exchange accept it. */
  async accessToken(sub: string, claims: Record<string, unknown> = {}, signing: Signing = {}): Promise<string> {
    const person = this.#people.get(sub) ?? { sub };
    const scope = 'openid ga4gh_passport_v1';
    const own = {
      ...person.claims,
      ...this.#times(),
      iss: this.issuer,
      sub,
      aud: this.audience,
      scope,
      jti: randomUUID(),
    };
    const token = await this.sign({ ...own, ...claims }, { ...signing, header: { typ: 'at+jwt', ...signing.header } });
    this.#tokens.set(token, person);
    return token;
  }

  /** A visa: a grant of a data access committee for the dataset `https://data.test/1` unless the options say otherwise. */
  visa({ sub, visa, claims, header, key = this.key }: VisaOptions): Promise<string> {
    const object = {
      type: 'ControlledAccessGrants',
      asserted: now() - 3600,
      value: 'https://data.test/1',
      source: 'https://dac.test',
      by: 'dac',
      ...visa,
    };
    return this.sign(
      { ...this.#times(), iss: this.issuer, sub, jti: randomUUID(), ga4gh_visa_v1: defined(object), ...claims },
      { key, header: { typ: 'vnd.ga4gh.visa+jwt', jku: this.jwksUrl, ...header } },
    );
  }

  passport(sub: string, visas: readonly unknown[], claims: Record<string, unknown> = {}, signing: Signing = {}) {
    return this.sign(
      { ...this.#times(), iss: this.issuer, sub, jti: randomUUID(), ga4gh_passport_v1: visas, ...claims },
      { ...signing, header: { typ: 'vnd.ga4gh.passport+jwt', ...signing.header } },
    );
  }

  #times(): { iat: number; exp: number } {
    return { iat: now() - 10, exp: now() + 600 };
  }

  async #serve(context: Context): Promise<void> {
    const base = new URL(this.issuer).pathname.replace(/\/$/, '');
    const name = context.path.startsWith(`${base}/`) ? context.path.slice(base.length + 1) : '';
    this.#requests.set(name, this.requests(name) + 1);
    if (name === '.well-known/openid-configuration') context.body = this.#discovery();
    else if (name === 'jwks') await (this.faults.jwks ?? (() => this.#jwks(context)))(context);
    else if (name === 'authorize') this.#authorize(context);
    else if (name === 'token') await this.#token(context);
    else if (name === 'userinfo') await (this.faults.userinfo ?? (() => this.#userinfo(context)))(context);
    else if (name === 'logout') this.#logout(context);
    else context.status = 404;
  }

  #discovery(): Record<string, unknown> {
    const document = {
      issuer: this.issuer,
      jwks_uri: this.jwksUrl,
      authorization_endpoint: this.endpoint('authorize'),
      token_endpoint: this.endpoint('token'),
      userinfo_endpoint: this.endpoint('userinfo'),
      end_session_endpoint: this.endpoint('logout'),
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      grant_types_supported: ['authorization_code', exchangeGrant],
      id_token_signing_alg_values_supported: ['ES256', 'RS256'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      scopes_supported: ['openid', 'ga4gh_passport_v1'],
    };
    return this.faults.discovery?.(document) ?? document;
  }

  async #jwks(context: Context): Promise<void> {
    context.body = { keys: await Promise.all(this.#keys.map(jwkOf)) };
  }

  #authorize(context: Context): void {
    const sent = new URLSearchParams(context.querystring);
    const redirectUri = sent.get('redirect_uri') ?? '';
    if (sent.get('client_id') !== this.client.id || !this.client.redirectUris.includes(redirectUri)) {
      // Never redirected: the address may be an attacker's.
      context.status = 400;
      context.body = 'The client or its redirect address is unknown';
      return;
    }
    const back = new URLSearchParams({ iss: this.issuer });
    const state = sent.get('state');
    if (state !== null) back.set('state', state);
    const scope = sent.get('scope') ?? '';
    const challenge = sent.get('code_challenge') ?? '';
    const wellFormed =
      sent.get('response_type') === 'code' &&
      scope.split(' ').includes('openid') &&
      challenge !== '' &&
      sent.get('code_challenge_method') === 'S256';
    const { visitor: person } = this;
    if (!wellFormed) back.set('error', 'invalid_request');
    else if (person === undefined) back.set('error', 'access_denied');
    else {
      const code = randomUUID();
      const nonce = sent.get('nonce') ?? undefined;
      this.#codes.set(code, { client: this.client, person, redirectUri, challenge, nonce, scope, used: false });
      back.set('code', code);
    }
    this.faults.redirect?.(back);
    context.redirect(`${redirectUri}?${back}`);
  }

  async #token(context: Context): Promise<void> {
    const sent = parse(await bodyOf(context));
    context.set('Cache-Control', 'no-store');
    if (!this.#isClient(context, sent)) return refuse(context, 401, 'invalid_client');
    if (sent.grant_type === 'authorization_code') return this.#redeem(context, sent);
    if (sent.grant_type === exchangeGrant) {
      this.#requests.set('exchange', this.requests('exchange') + 1);
      if (this.faults.exchange) return this.faults.exchange(context);
      return this.#exchange(context, sent);
    }
    return refuse(context, 400, 'unsupported_grant_type');
  }

  /** By HTTP Basic or by form fields (RFC 6749, section 2.3.1). */
  #isClient(context: Context, sent: Record<string, unknown>): boolean {
    const [, basic] = /^Basic (.+)$/.exec(context.get('Authorization')) ?? [];
    const [id, secret] =
      basic === undefined
        ? [sent.client_id, sent.client_secret]
        : Buffer.from(basic, 'base64').toString().split(':').map(decodeURIComponent);
    return id === this.client.id && typeof secret === 'string' && same(secret, this.client.secret);
  }

  async #redeem(context: Context, sent: Record<string, unknown>): Promise<void> {
    const code = this.#codes.get(String(sent.code));
    const verifier = typeof sent.code_verifier === 'string' ? sent.code_verifier : '';
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const valid = code && !code.used && code.redirectUri === sent.redirect_uri && code.challenge === challenge;
    if (code) code.used = true;
    if (!valid) return refuse(context, 400, 'invalid_grant');
    const { person, nonce, scope } = code;
    const accessToken = await this.accessToken(person.sub, { scope });
    const claims = {
      ...person.claims,
      ...this.#times(),
      iss: this.issuer,
      sub: person.sub,
      aud: this.client.id,
      nonce,
    };
    const idToken = await this.sign(this.faults.idToken?.(claims) ?? claims);
    this.#tokens.set(accessToken, person);
    context.body = { access_token: accessToken, token_type: 'Bearer', expires_in: 600, scope, id_token: idToken };
  }

  async #exchange(context: Context, sent: Record<string, unknown>): Promise<void> {
    const person = this.#tokens.get(String(sent.subject_token));
    const wanted = sent.requested_token_type === passportType && sent.subject_token_type === accessTokenType;
    if (!wanted) return refuse(context, 400, 'invalid_request');
    if (person === undefined) return refuse(context, 400, 'invalid_grant');
    context.body = {
      access_token: await this.passport(person.sub, this.#visasOf(person)),
      issued_token_type: passportType,
      token_type: 'N_A',
      expires_in: 600,
    };
  }

  #userinfo(context: Context): void {
    const [, token = ''] = /^Bearer (.+)$/.exec(context.get('Authorization')) ?? [];
    const person = this.#tokens.get(token);
    if (person === undefined) {
      context.set('WWW-Authenticate', 'Bearer error="invalid_token"');
      refuse(context, 401, 'invalid_token');
      return;
    }
    context.body = { ...person.claims, sub: person.sub, ga4gh_passport_v1: this.#visasOf(person) };
  }

  /** The visas that the person has now, which may have changed since the token was issued. */
  #visasOf({ sub, visas = [] }: Person): readonly string[] {
    return this.#people.get(sub)?.visas ?? visas;
  }

  #logout(context: Context): void {
    const to = context.query.post_logout_redirect_uri;
    this.visitor = undefined;
    if (typeof to !== 'string') context.body = 'You are signed out';
    else if (!this.client.redirectUris.includes(to)) context.status = 400;
    else {
      const state = context.query.state;
      context.redirect(typeof state === 'string' ? `${to}?${new URLSearchParams({ state })}` : to);
    }
  }
}

let made = 0;

/** A key that no broker publishes unless it is added by `rotate`. */
export async function newKey(alg = 'ES256', modulusLength = 2048): Promise<BrokerKey> {
  made += 1;
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true, modulusLength });
  return { kid: `key-${made}`, alg, privateKey, publicKey };
}

export async function jwkOf({ kid, alg, publicKey }: BrokerKey): Promise<JWK> {
  return { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' };
}

/** Seconds since 1970, as in tokens. */
export function now(): number {
  return Math.floor(Date.now() / 1000);
}

function refuse(context: Context, status: number, error: string): void {
  context.status = status;
  context.body = { error };
}

function same(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}

function defined(object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}

async function bodyOf(context: Context): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of context.req as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
