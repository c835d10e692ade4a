/**
 * Sign-in of people, put together, and what it adds to every request: a way to sign in instead of a refusal, and on pages the
 * name of the person. Loaded only if the configuration has `auth.signIn`.
 */
import type { GrantsFromClaims } from '../../auth/claims.js';
import type { SessionRepository } from '../../auth/contract.js';
import type { Holdings } from '../../auth/passport/holdings.js';
import {
  cookieNamed,
  createKeeper,
  createPending,
  csrfField,
  isOwnPath,
  type Keeper,
  type SessionSource,
  type SignedIn,
  sessionSource,
} from '../../auth/sessions/keeper.js';
import { createSignInProvider } from '../../auth/sessions/provider.js';
import type { SignInSettings } from '../../auth/settings.js';
import { type Fault, isFault } from '../../fault.js';
import type { StorageLog } from '../../storage.js';
import { mediaType } from '../answer.js';
import type { HttpContext, HttpMiddleware } from '../exchange.js';
import type { ErrorShape, RouteDeclaration } from '../route.js';
import { accountBar, csrfInput, signInTexts } from './pages.js';
import { callbackPath, signInFailures, signInRoutes } from './routes.js';

export interface SignIn {
  source: SessionSource;
  layer: HttpMiddleware;
  routes: readonly RouteDeclaration[];
  /** By prefix of paths. */
  shapes: Readonly<Record<string, ErrorShape>>;
  csrfField: string;
  /** Removes what is left of sessions that ended by themselves. */
  sweep(): Promise<void>;
}

export interface SignInOptions {
  settings: SignInSettings;
  repository: SessionRepository;
  grantsFromClaims: GrantsFromClaims;
  /** What visas give; they do not count if omitted. */
  holdings?: Pick<Holdings, 'ofPassport'>;
  /** The public address, without a slash at its end. */
  baseUrl: string;
  log: StorageLog;
  now(): Date;
}

export function createSignIn(options: SignInOptions): SignIn {
  const { settings, repository, grantsFromClaims, holdings, baseUrl, log, now } = options;
  const { origin, pathname, protocol } = new URL(baseUrl);
  const base = pathname.replace(/\/+$/, '');
  const tls = protocol === 'https:';
  const cookie = cookieNamed('trefoil-session', { tls });
  const keeper = createKeeper({
    repository,
    settings,
    cookie,
    grantsFromClaims,
    ...(holdings && { holdings }),
    log,
    now,
  });
  const source = sessionSource(keeper, { cookie, origin });
  const { clientSecret, idleMinutes } = settings;
  const pending = createPending({ clientSecret, cookie: cookieNamed('trefoil-sign-in', { tls }), now });
  const provider = createSignInProvider({ settings, redirectUri: `${baseUrl}${callbackPath}`, log });
  const failures = signInFailures(base);
  return {
    source,
    layer: signInLayer({ keeper, base }),
    routes: signInRoutes({ keeper, source, pending, provider, idleMinutes, baseUrl, base }),
    shapes: { '/-/sign-in': failures, '/-/sign-out': failures },
    csrfField,
    sweep: () => keeper.sweep(),
  };
}

// What sign-in adds to every request.

interface LayerOptions {
  keeper: Pick<Keeper, 'current'>;
  /** Path of the public address, before every link. */
  base: string;
}

function signInLayer({ keeper, base }: LayerOptions): HttpMiddleware {
  /** Undefined also if the session ended. */
  async function current(ctx: HttpContext): Promise<SignedIn | undefined> {
    try {
      return await keeper.current(ctx.state.exchange.head);
    } catch (error) {
      if (isRefusal(error)) return undefined;
      throw error;
    }
  }

  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      // Not for someone who is signed in: another sign-in would not help, and the page would ask for it for ever.
      if (!isRefusal(error) || !asksForPage(ctx) || (await current(ctx)) !== undefined) throw error;
      if (ctx.state.exchange.isCut) return;
      sendToSignIn(ctx, error, base);
      return;
    }
    if (ctx.state.exchange.isCut || typeof ctx.body !== 'string' || mediaType(ctx.type) !== 'text/html') return;
    const signedIn = await current(ctx);
    if (signedIn === undefined || ctx.state.exchange.isCut) return;
    ctx.set('Cache-Control', 'no-store');
    ctx.vary('Cookie');
    ctx.body = personal(ctx.body, signedIn, { base, nonce: ctx.state.exchange.nonce });
  };
}

function isRefusal(error: unknown): error is Fault {
  return isFault(error) && error.code === 'unauthenticated';
}

/** Whether a person opens a page in a browser, as opposed to a program that asks for data. */
function asksForPage(ctx: HttpContext): boolean {
  const { exchange } = ctx.state;
  if (ctx.method !== 'GET' || exchange.head.headers.authorization !== undefined) return false;
  const { 'sec-fetch-mode': mode, accept = '' } = exchange.head.headers;
  const navigates = mode === undefined ? accept.includes('text/html') : mode === 'navigate';
  const answers = Object.values(exchange.route?.declaration.answers ?? {});
  return navigates && answers.some(({ content }) => content?.['text/html'] !== undefined);
}

function sendToSignIn(ctx: HttpContext, refusal: Fault, base: string): void {
  const to = isOwnPath(ctx.url) ? `?to=${encodeURIComponent(ctx.url)}` : '';
  const { 'Set-Cookie': cookie } = refusal.headers;
  if (cookie !== undefined) ctx.set('Set-Cookie', cookie);
  ctx.set('Location', `${base}/-/sign-in${to}`);
  ctx.vary('Cookie');
  ctx.status = 303;
  ctx.body = '';
  ctx.remove('Content-Type');
}

/**
 * The page with the account at its top, and the CSRF token in each of its forms that post: their policy allows no form to post
 * to another server. Values in pages are escaped, so that a tag is a tag of the page.
 */
function personal(markup: string, signedIn: SignedIn, around: { base: string; nonce: string }): string {
  const texts = signInTexts(/<html[^>]* lang="(\w+)/.exec(markup)?.[1] ?? 'en');
  const bar = accountBar(signedIn, { ...around, texts }).toString();
  const input = csrfInput(signedIn.csrfToken).toString();
  return (
    markup
      .replace(/<form\b[^>]*\bmethod="post"[^>]*>/gi, (tag) => tag + input)
      // After the link that skips to the content: it stays the first.
      .replace(/<body\b[^>]*>(\s*<a class="skip"[^>]*>[^<]*<\/a>)?/i, (tag) => tag + bar)
  );
}
