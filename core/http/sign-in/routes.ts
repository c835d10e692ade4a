/** `/-/sign-in`, `/-/sign-in/callback`, `/-/sign-out` and `/-/me`. */
import { z } from 'zod';
import {
  isOwnPath,
  type Keeper,
  type PendingSignIns,
  type SessionSource,
  type SignedIn,
} from '../../auth/sessions/keeper.js';
import type { SignInProvider } from '../../auth/sessions/provider.js';
import { Fault, isFault } from '../../fault.js';
import { problemBody, problemType } from '../answer.js';
import { preferred } from '../pages.js';
import { type Answer, type ErrorShape, type RouteDeclaration, type RouteRequest, route } from '../route.js';
import {
  failurePage,
  mePage,
  type PageSurroundings,
  rightsOfSession,
  rolesOfSession,
  type SignInTexts,
  signedOutPage,
  strangerPage,
  textsFor,
} from './pages.js';

export interface SignInRoutesOptions {
  keeper: Keeper;
  source: SessionSource;
  pending: PendingSignIns;
  provider: SignInProvider;
  idleMinutes: number;
  /** The public address without a slash at its end. */
  baseUrl: string;
  /** Its path, before every link. */
  base: string;
}

export const callbackPath = '/-/sign-in/callback';

const html = { 'text/html': z.string() };
const redirectAnswer = { description: 'Continues at the address in `Location`.' };

const me = z.union([
  z.strictObject({
    signedIn: z.literal(false),
    signIn: z.string().describe('Where to sign in.'),
  }),
  z.strictObject({
    signedIn: z.literal(true),
    name: z.string().nullable().describe('As the identity provider states it.'),
    issuer: z.string().describe('The identity provider.'),
    subject: z.string().describe('The id of the person at the provider.'),
    roles: z.array(z.string()).describe('Roles on the whole server: `read`, `work`, `admin`.'),
    tenants: z.array(z.string()).describe('Tenants to which the person belongs.'),
    rights: z.array(z.strictObject({ scope: z.string(), because: z.array(z.string()) })),
    expires: z.iso.datetime().describe('When the person must sign in again.'),
    csrfToken: z.string().describe('For the header `X-CSRF-Token` of requests other than GET.'),
  }),
]);

/** Query parameters, of which one that is repeated is refused: two readers could take different ones. */
const single = z.string({ error: 'It may be given once' }).max(8192);

export function signInRoutes(options: SignInRoutesOptions): RouteDeclaration[] {
  const { keeper, source, pending, provider, baseUrl, base, idleMinutes } = options;
  const around = (request: Pick<RouteRequest<unknown, unknown, unknown>, 'headers' | 'nonce'>): PageSurroundings => {
    return { texts: textsFor(request.headers), nonce: request.nonce, base };
  };
  const vary = { Vary: 'Accept, Accept-Language, Cookie' };

  const begin = route({
    method: 'GET',
    path: '/-/sign-in',
    operation: 'signIn',
    summary: 'Sign in at the identity provider',
    query: z.object({
      to: single
        .refine(isOwnPath, 'It must be a path of this server, such as /variants, of at most 1000 characters')
        .default('/')
        .describe('Where to go afterwards.'),
    }),
    answers: { 303: redirectAnswer },
    async handle(request) {
      const challenge = await provider.challenge();
      const { state, cookie } = pending.begin({ ...challenge, to: request.input.to }, request);
      const url = await provider.authorizationUrl(challenge, state);
      return { status: 303, headers: { Location: url, 'Set-Cookie': cookie } };
    },
  });

  const callback = route({
    method: 'GET',
    path: callbackPath,
    operation: 'signInCallback',
    summary: 'Where the identity provider sends people back to',
    // Others that the provider may add are passed on to the checks.
    query: z.looseObject({ state: single.optional(), code: single.optional(), error: single.optional() }),
    answers: { 303: redirectAnswer },
    async handle(request) {
      const returned = new URLSearchParams();
      for (const [name, value] of Object.entries(request.query)) {
        if (typeof value !== 'string') throw new Fault('invalid', 'The identity provider repeats a parameter');
        returned.append(name, value);
      }
      const state = request.input.state;
      const { to, ...challenge } = pending.resume(state, request);
      const person = await provider.personFor(returned, challenge, state ?? '');
      await keeper.sweep();
      const cookie = await keeper.begin(person, request);
      return { status: 303, headers: { Location: `${base}${to}`, 'Set-Cookie': cookie } };
    },
  });

  const end = route({
    method: 'POST',
    path: '/-/sign-out',
    operation: 'signOut',
    summary: 'End the session',
    description: 'Needs the CSRF token, so that no other site can sign a person out.',
    body: {
      types: ['application/x-www-form-urlencoded', 'application/json'],
      schema: z.unknown(),
      limit: 4096,
    },
    answers: { 200: { description: 'The session has ended.', content: html } },
    async handle(request): Promise<Answer> {
      const signedIn = await sessionOf(() => source.caller(request));
      const cookie = await keeper.end(request);
      // The session has ended here in any case: the page then does without the address of the provider.
      const url =
        signedIn === undefined
          ? undefined
          : await provider.signOutUrl(`${baseUrl}/-/me`).catch((error: unknown) => {
              if (isFault(error) && error.code === 'unavailable') return undefined;
              throw error;
            });
      return {
        type: 'text/html',
        headers: { ...vary, 'Set-Cookie': cookie },
        body: signedOutPage(url, around(request)),
      };
    },
  });

  const who = route({
    method: 'GET',
    path: '/-/me',
    operation: 'me',
    summary: 'Who is signed in, and what they may do',
    answers: {
      200: {
        description: 'The person, or that nobody is signed in.',
        content: { 'application/json': me, ...html },
      },
    },
    async handle(request) {
      const signedIn = await sessionOf(() => keeper.current(request));
      if (preferred(request.headers, ['application/json', 'text/html']) === 'text/html') {
        const body =
          signedIn === undefined ? strangerPage(around(request)) : mePage(signedIn, idleMinutes, around(request));
        return { type: 'text/html', headers: vary, body };
      }
      return { headers: vary, body: signedIn === undefined ? stranger(base) : meOf(signedIn) };
    },
  });

  return [begin, callback, end, who];
}

/** Undefined also if the session ended: these routes report that themselves. */
async function sessionOf<Result>(find: () => Promise<Result | undefined>): Promise<Result | undefined> {
  try {
    return await find();
  } catch (error) {
    if (isFault(error) && error.code === 'unauthenticated') return undefined;
    throw error;
  }
}

function stranger(base: string): z.input<typeof me> {
  return { signedIn: false, signIn: `${base}/-/sign-in` };
}

function meOf(signedIn: SignedIn): z.input<typeof me> {
  const { session, rights, csrfToken } = signedIn;
  return {
    signedIn: true,
    name: session.name ?? null,
    issuer: session.issuer,
    subject: session.subject,
    roles: rolesOfSession(signedIn),
    tenants: rights.tenants,
    rights: rightsOfSession(signedIn),
    expires: session.expires.toISOString(),
    csrfToken,
  };
}

/** What failed while signing in or out is explained on a page to people, and as usual to programs. */
export function signInFailures(base: string): ErrorShape {
  return (fault, status, request) => {
    if (preferred(request.headers, ['application/json', 'text/html']) !== 'text/html') {
      return { type: problemType, body: problemBody(fault, status, request.id) };
    }
    const texts = textsFor(request.headers);
    const body = failurePage(messageIn(texts, fault), { texts, nonce: request.nonceOf(), base });
    return { type: 'text/html; charset=utf-8', body };
  };
}

function messageIn({ language, failures }: SignInTexts, fault: Fault): string {
  const { message, fields, code } = fault;
  if (language !== 'en') return failures[code] ?? message;
  return fields.length === 0 ? message : fields.map((one) => `${one.path}: ${one.message}`).join('; ');
}
