/** Sign-in of people, put together. Loaded only if the configuration has `auth.signIn`. */
import type { GrantsFromClaims } from '../../auth/claims.js';
import type { Holdings } from '../../auth/passport/holdings.js';
import type { SessionRepository } from '../../auth/sessions/contract.js';
import { cookieNamed } from '../../auth/sessions/cookies.js';
import { createKeeper } from '../../auth/sessions/keeper.js';
import { createPending } from '../../auth/sessions/pending.js';
import { createProvider } from '../../auth/sessions/provider.js';
import type { SignInSettings } from '../../auth/sessions/settings.js';
import { csrfField, type SessionSource, sessionSource } from '../../auth/sessions/source.js';
import type { StorageLog } from '../../storage.js';
import type { ErrorShape } from '../error-shape.js';
import type { HttpMiddleware } from '../exchange.js';
import type { RouteDeclaration } from '../route.js';
import { signInLayer } from './layer.js';
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
  const provider = createProvider({ settings, redirectUri: `${baseUrl}${callbackPath}`, log });
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
