/** A server at which people sign in, and a browser of which tests see every step. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import memory from '../../../../adapters/memory/adapter.js';
import { grantsFromClaims } from '../../../../core/auth/claims.js';
import { type SessionRepository, sessions } from '../../../../core/auth/contract.js';
import { authSettings } from '../../../../core/auth/settings.js';
import type { RouteHost } from '../../../../core/http/app.js';
import { createSignIn } from '../../../../core/http/sign-in/sign-in.js';
import type { Right } from '../../../../core/policy/policy.js';
import { Broker } from '../../../support/broker.js';
import { quiet } from '../../../support/storages.js';
import { type Served, type ServeOptions, serve } from '../support.js';

/** Behind a proxy that takes `/trefoil` off. */
export const publicUrl = 'https://lab.test/trefoil';

export interface Lab {
  broker: Broker;
  repository: SessionRepository;
  server: Served;
  /** Milliseconds by which the clock of the server is ahead. */
  ahead: number;
  /** What the server logged of sign-ins. */
  logged: object[];
  browser(): Browser;
  close(): Promise<void>;
}

export interface LabOptions extends Omit<ServeOptions, 'signIn'> {
  rights: readonly Right[];
  /** Settings of `auth.signIn` besides those of the broker. */
  signIn?: Record<string, unknown>;
  roles?: readonly object[];
  tenants?: Record<string, unknown>;
}

export async function openLab(register: (host: RouteHost) => void, options: LabOptions): Promise<Lab> {
  const { signIn = {}, roles = [], tenants, rights, ...rest } = options;
  const broker = await Broker.start();
  broker.allowRedirects(`${publicUrl}/-/sign-in/callback`, `${publicUrl}/-/me`);
  const { client, issuer } = broker;
  const storage = await memory.open({ settings: {}, contracts: [sessions], bindings: new Map(), log: quiet });
  const repository = storage.repository(sessions);
  const auth = authSettings.parse({
    roles,
    tenants,
    signIn: { issuer, clientId: client.id, clientSecret: client.secret, ...signIn },
  });
  if (auth.signIn === undefined) throw new Error('sign-in is configured');
  const logged: object[] = [];
  const keep = (details: object) => void logged.push(details);
  const lab: Lab = { broker, repository, server: undefined as unknown as Served, ahead: 0, logged, browser, close };
  const now = () => new Date(Date.now() + lab.ahead);
  lab.server = await serve(register, {
    settings: { baseUrl: publicUrl },
    ...rest,
    rights,
    now,
    signIn: createSignIn({
      settings: auth.signIn,
      repository,
      grantsFromClaims: grantsFromClaims(auth, rights),
      baseUrl: publicUrl,
      log: { debug: keep, info: keep, warn: keep, error: keep },
      now,
    }),
  });

  function browser(): Browser {
    return new Browser(lab.server.url);
  }
  async function close(): Promise<void> {
    await lab.server.close();
    await broker.close();
    await storage.close();
  }
  return lab;
}

/** What a browser got in the end, and the addresses on the way. */
export interface Visited {
  response: Response;
  text: string;
  /** Every address that was asked, the last included. */
  trail: string[];
}

/** One request as it is: `fetch` would set `Sec-Fetch-Mode` itself, and follow redirects. */
async function exchange(asked: Request, headers: Record<string, string>): Promise<Response> {
  const body = Buffer.from(await asked.arrayBuffer());
  const type = asked.headers.get('content-type');
  const sending = request(asked.url, {
    method: asked.method,
    headers: {
      ...(type === null ? {} : { 'Content-Type': type }),
      ...(body.length === 0 ? {} : { 'Content-Length': body.length }),
      ...headers,
    },
  });
  sending.end(body);
  const [answer] = (await once(sending, 'response')) as [IncomingMessage];
  const parts: Buffer[] = [];
  for await (const part of answer) parts.push(part as Buffer);
  const got = new Headers();
  for (let i = 0; i < answer.rawHeaders.length; i += 2) {
    got.append(answer.rawHeaders[i] ?? '', answer.rawHeaders[i + 1] ?? '');
  }
  const status = answer.statusCode ?? 0;
  return new Response(parts.length === 0 ? null : Buffer.concat(parts), { status, headers: got });
}

export type Sent = Omit<RequestInit, 'headers'> & { headers?: Record<string, string> };

const navigation = { Accept: 'text/html,*/*;q=0.8', 'Sec-Fetch-Mode': 'navigate' };

/** Keeps the cookies of the lab's host; follows redirects as a person who opens an address does. */
export class Browser {
  readonly cookies = new Map<string, string>();
  /** The attributes with which each cookie was set last. */
  readonly attributes = new Map<string, string>();
  readonly #server: string;

  constructor(server: string) {
    this.#server = server;
  }

  /** Asks once. A path is one of the server. */
  async ask(address: string, { headers = {}, ...init }: Sent = {}): Promise<Response> {
    const url = new URL(address.startsWith('/') ? `${publicUrl}${address}` : address);
    const isOurs = url.href.startsWith(`${publicUrl}/`);
    const target = isOurs ? this.#server + url.href.slice(publicUrl.length) : url.href;
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const sent = { ...headers, ...(isOurs && cookie !== '' ? { Cookie: cookie } : {}) };
    const response = await exchange(new Request(target, init), sent);
    if (isOurs) for (const line of response.headers.getSetCookie()) this.#keep(line);
    return response;
  }

  #keep(line: string): void {
    const [, name = '', value = '', attributes = ''] = /^([^=]+)=([^;]*); (.*)$/.exec(line) ?? [];
    this.attributes.set(name, attributes);
    if (/Max-Age=0/.test(attributes)) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }

  /** Opens an address and follows redirects, up to the one that `until` accepts, which is not asked. */
  async open(address: string, until: (url: string) => boolean = () => false): Promise<Visited> {
    const trail: string[] = [];
    let next = new URL(address.startsWith('/') ? `${publicUrl}${address}` : address).href;
    for (let hops = 0; hops < 12; hops += 1) {
      trail.push(next);
      const response = await this.ask(next, { headers: navigation });
      const location = response.headers.get('location');
      if (location === null || response.status < 300 || response.status > 399)
        return { response, text: await response.text(), trail };
      await response.body?.cancel();
      const before = next;
      next = new URL(location, before).href;
      if (until(next)) return { response, text: '', trail: [...trail, next] };
    }
    throw new Error(`It is redirected for ever: ${trail.join('\n')}`);
  }

  /** What `/-/me` tells, as JSON. */
  async me(): Promise<Record<string, unknown>> {
    const response = await this.ask('/-/me', { headers: { Accept: 'application/json' } });
    return (await response.json()) as Record<string, unknown>;
  }

  async csrfToken(): Promise<string> {
    return String((await this.me()).csrfToken);
  }

  /** Up to the address at which the provider sends the browser back, which is not opened yet. */
  async upToCallback(to = '/'): Promise<string> {
    const isCallback = (url: string) => url.startsWith(`${publicUrl}/-/sign-in/callback`);
    const { trail } = await this.open(`/-/sign-in?to=${encodeURIComponent(to)}`, isCallback);
    return trail.at(-1) ?? '';
  }

  get session(): string | undefined {
    return this.cookies.get('__Host-trefoil-session');
  }
}
