/** An identity provider with a real key server: signs tokens, publishes its keys, and rotates them on request. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, exportSPKI, generateKeyPair, type JWK, SignJWT } from 'jose';

type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>;

interface OwnKey {
  kid: string;
  alg: string;
  pair: KeyPair;
}

/** Making a pair takes a fifth of a second: those of closed providers, by algorithm, serve again. */
const pairs = new Map<string, KeyPair[]>();
/** Those of strangers, which no provider publishes. */
const strange = new Map<string, Promise<KeyPair>>();

async function pairOf(alg: string): Promise<KeyPair> {
  return pairs.get(alg)?.pop() ?? (await generateKeyPair(alg, { extractable: true }));
}

export interface TokenOptions {
  audience?: string | string[] | undefined;
  /** Seconds from now; undefined omits the claim. */
  expires?: number | undefined;
  notBefore?: number;
  /** Signs with this key instead of the current one. */
  key?: OwnKey;
  /** The `kid` that the token names, whatever signs it; null omits it. */
  kid?: string | null;
  /** The `typ` of the header. */
  typ?: string;
  /** Further claims, instead of the default scope. */
  claims?: Record<string, unknown>;
}

export class IdentityProvider {
  readonly audience = 'trefoil-tests';
  /** Requests for the keys so far. */
  fetches = 0;
  /** How the key server fails. */
  trouble: 'down' | 'hangs' | 'garbage' | undefined;
  readonly #server: Server;
  #published: OwnKey[] = [];
  readonly #made: OwnKey[] = [];
  #next = 1;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(alg = 'RS256'): Promise<IdentityProvider> {
    const server = createServer((_request, response) => {
      provider.fetches += 1;
      if (provider.trouble === 'hangs') return;
      if (provider.trouble === 'down') response.writeHead(500).end();
      else if (provider.trouble === 'garbage') response.end('<html>');
      else void provider.#jwks().then((keys) => response.end(JSON.stringify({ keys })));
    });
    const provider = new IdentityProvider(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    await provider.rotate(alg);
    return provider;
  }

  get jwksUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/certs`;
  }

  get current(): OwnKey {
    return this.#published.at(-1) as OwnKey;
  }

  /** A key that is not published. */
  async stranger(alg = 'RS256'): Promise<OwnKey> {
    const pair = strange.get(alg) ?? generateKeyPair(alg, { extractable: true });
    strange.set(alg, pair);
    return { kid: `stranger-${this.#next++}`, alg, pair: await pair };
  }

  /** Signs with a new key from now on; the previous one stays published if `keep` is set. */
  async rotate(alg = 'RS256', { keep = false } = {}): Promise<OwnKey> {
    const key = { kid: `key-${this.#next++}`, alg, pair: await pairOf(alg) };
    this.#made.push(key);
    this.#published = [...(keep ? this.#published : []), key];
    return key;
  }

  /** A good token unless the options say otherwise. */
  token(options: TokenOptions = {}): Promise<string> {
    const { key = this.current, notBefore } = options;
    const kid = options.kid === undefined ? key.kid : options.kid;
    const audience = 'audience' in options ? options.audience : this.audience;
    const expires = 'expires' in options ? options.expires : 300;
    const now = Math.floor(Date.now() / 1000);
    const { typ, claims = { scope: 'openid' } } = options;
    const token = new SignJWT(claims)
      .setProtectedHeader({ alg: key.alg, ...(kid === null ? {} : { kid }), ...(typ === undefined ? {} : { typ }) })
      .setSubject('somebody')
      .setIssuedAt(now - 10);
    if (audience !== undefined) token.setAudience(audience);
    if (expires !== undefined) token.setExpirationTime(now + expires);
    if (notBefore !== undefined) token.setNotBefore(now + notBefore);
    return token.sign(key.pair.privateKey);
  }

  /** Claims of a valid token, unsigned. */
  unsigned(): string {
    return `${encoded({ alg: 'none', kid: this.current.kid })}.${encoded(this.#claims())}.`;
  }

  /** Signed by HMAC with the published key as the secret, as text and as JSON: the classical confusion of algorithms. */
  async confused(): Promise<string[]> {
    const { pair, kid } = this.current;
    const secrets = [await exportSPKI(pair.publicKey), JSON.stringify(await exportJWK(pair.publicKey))];
    return Promise.all(
      secrets.map((secret) =>
        new SignJWT(this.#claims()).setProtectedHeader({ alg: 'HS256', kid }).sign(new TextEncoder().encode(secret)),
      ),
    );
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
    for (const { alg, pair } of this.#made.splice(0)) pairs.set(alg, [...(pairs.get(alg) ?? []), pair]);
  }

  #claims() {
    const now = Math.floor(Date.now() / 1000);
    return { aud: this.audience, exp: now + 300, sub: 'somebody' };
  }

  #jwks(): Promise<JWK[]> {
    return Promise.all(
      this.#published.map(async ({ kid, alg, pair }) => ({
        ...(await exportJWK(pair.publicKey)),
        kid,
        alg,
        use: 'sig',
      })),
    );
  }
}

function encoded(part: unknown): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
