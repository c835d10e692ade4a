/** The identity provider of sign-in, by `openid-client`: authorization code flow with PKCE, and sign-out. */
import { Fault, isFault } from '../../fault.js';
import { type Address, discoveredAddress, ForbiddenHost, namedAddress } from '../../outgoing/reach.js';
import { fetchOnce } from '../../outgoing/request.js';
import type { StorageLog } from '../../storage.js';
import type { Claims } from '../claims.js';
import type { SignInSettings } from '../settings.js';

/** What a sign-in under way must remember: none of it is known to other browsers, or to the provider before its end. */
export interface Challenge {
  nonce: string;
  /** The code verifier of PKCE (RFC 7636). */
  verifier: string;
}

/** A person whom the provider signed in. */
export interface ProvidedPerson {
  issuer: string;
  subject: string;
  /** Of the ID token, and of userinfo if the provider has it; the ID token, which is signed, comes first. */
  claims: Claims;
}

export interface SignInProvider {
  challenge(): Promise<Challenge>;
  /** The address to which the browser is sent. Throws an `unavailable` fault if the provider cannot be reached. */
  authorizationUrl(challenge: Challenge, state: string): Promise<string>;
  /**
   * Exchanges the code in the address to which the browser returned, and checks the ID token: signature, issuer, audience,
   * times and nonce, and that `iss` and `state` of the address are those of this sign-in. Throws faults: `forbidden` if the
   * provider does not let the person in, `invalid` if anything does not fit, `unavailable` if it cannot be reached.
   */
  personFor(returned: URLSearchParams, challenge: Challenge, state: string): Promise<ProvidedPerson>;
  /** Where the browser signs out at the provider and then returns to `backTo`; undefined if it does not offer that. */
  signOutUrl(backTo: string): Promise<string | undefined>;
}

export interface SignInProviderOptions {
  settings: Pick<SignInSettings, 'issuer' | 'clientId' | 'clientSecret' | 'scopes'>;
  /** Where the provider sends people back to, exactly as it is registered there. */
  redirectUri: string;
  log: StorageLog;
}

type Library = typeof import('openid-client');

interface ReadyProvider {
  library: Library;
  configuration: import('openid-client').Configuration;
}

/** Seconds that one request to the provider may take. */
const patience = 10;
/** Milliseconds for which the provider's description is used. */
const keep = 60 * 60 * 1000;
/** Bytes of a response at most. */
const largest = 1024 * 1024;
/** Members of the provider's description whose addresses this server asks, rather than the browser. */
const askedEndpoints = ['token_endpoint', 'userinfo_endpoint', 'jwks_uri'] as const;

export function createSignInProvider({ settings, redirectUri, log }: SignInProviderOptions): SignInProvider {
  const home = namedAddress(settings.issuer);
  let known: { at: number; ready: Promise<ReadyProvider> } | undefined;

  async function discover(): Promise<ReadyProvider> {
    // Loaded with the first sign-in.
    const library = await import('openid-client');
    const { issuer, clientId, clientSecret } = settings;
    const insecure = new URL(issuer).protocol === 'http:' ? [library.allowInsecureRequests] : [];
    const basic = library.ClientSecretBasic(clientSecret);
    const post = library.ClientSecretPost(clientSecret);
    // By HTTP Basic if the provider says nothing else, as the specification has it.
    const authenticate: import('openid-client').ClientAuth = (server, ...rest) =>
      (server.token_endpoint_auth_methods_supported?.includes('client_secret_basic') !== false ? basic : post)(
        server,
        ...rest,
      );
    const configuration = await library.discovery(new URL(issuer), clientId, undefined, authenticate, {
      timeout: patience,
      [library.customFetch]: (url, options) => limitedFetch(url, options as RequestInit, home),
      // The signature is checked too, not only the connection from which the ID token comes.
      execute: [...insecure, library.enableNonRepudiationChecks],
    });
    // The library compares addresses; names of issuers are compared as text.
    const description = configuration.serverMetadata();
    const itself = description.issuer;
    if (itself !== issuer) throw new Fault('unavailable', `the provider names itself ${JSON.stringify(itself)}`);
    const barred = askedEndpoints.find(
      (name) => description[name] !== undefined && !discoveredAddress(description[name], home),
    );
    if (barred) throw new Fault('unavailable', `the ${barred} of the provider is an address that may not be asked`);
    return { library, configuration };
  }

  function ready(): Promise<ReadyProvider> {
    if (known === undefined || performance.now() - known.at > keep) {
      const attempt = { at: performance.now(), ready: discover() };
      known = attempt;
      attempt.ready.catch(() => {
        if (known === attempt) known = undefined;
      });
    }
    return known.ready;
  }

  /** Runs a step of the flow; its failures become faults that name neither tokens nor what the provider wrote. */
  async function step<Result>(what: string, work: (ready: ReadyProvider) => Promise<Result>): Promise<Result> {
    const known = await ready().catch((error: unknown) => {
      log.warn({ issuer: settings.issuer, reason: reasonOf(error) }, 'the identity provider could not be discovered');
      throw outage(error);
    });
    try {
      return await work(known);
    } catch (error) {
      log.warn({ step: what, reason: reasonOf(error) }, 'sign-in failed');
      throw faultFor(error);
    }
  }

  return {
    async challenge() {
      const { randomNonce, randomPKCECodeVerifier } = await import('openid-client');
      return { nonce: randomNonce(), verifier: randomPKCECodeVerifier() };
    },

    authorizationUrl: ({ nonce, verifier }, state) =>
      step('begin', async ({ library, configuration }) => {
        const url = library.buildAuthorizationUrl(configuration, {
          redirect_uri: redirectUri,
          scope: settings.scopes.join(' '),
          code_challenge: await library.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
          nonce,
          state,
        });
        return url.href;
      }),

    personFor: (returned, { nonce, verifier }, state) =>
      step('return', async ({ library, configuration }) => {
        const url = new URL(redirectUri);
        url.search = returned.toString();
        const tokens = await library.authorizationCodeGrant(configuration, url, {
          pkceCodeVerifier: verifier,
          expectedNonce: nonce,
          expectedState: state,
          idTokenExpected: true,
        });
        const told = tokens.claims();
        if (told === undefined) throw new Fault('invalid', 'The provider returned no ID token');
        const { userinfo_endpoint: endpoint } = configuration.serverMetadata();
        // The library refuses the userinfo of another person.
        const more =
          endpoint === undefined ? {} : await library.fetchUserInfo(configuration, tokens.access_token, told.sub);
        return { issuer: told.iss, subject: told.sub, claims: { ...more, ...told } };
      }),

    signOutUrl: (backTo) =>
      step('sign out', async ({ library, configuration }) => {
        if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined;
        // Without `id_token_hint`: a token does not belong in an address. The provider may ask the person to confirm.
        return library.buildEndSessionUrl(configuration, { post_logout_redirect_uri: backTo }).href;
      }),
  };
}

/** Errors that a provider returns with the person, about the person (RFC 6749, 4.1.2.1; OpenID Connect Core, 3.1.2.6). */
const denials = new Set(['access_denied', 'login_required', 'interaction_required', 'consent_required']);
/** The same about itself. */
const outages = new Set(['server_error', 'temporarily_unavailable']);
/** Codes of the library for what does not fit this sign-in: a forged or repeated return, or a token for someone else. */
const misfits = new Set([
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_AUTHORIZATION_RESPONSE_ERROR',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
  'OAUTH_KEY_SELECTION_FAILED',
]);

/** Whatever the person cannot mend by trying again is an outage: the log tells the operator the reason. */
function faultFor(error: unknown): Fault {
  if (isFault(error)) return error;
  const { code, error: told } = error as { code?: unknown; error?: unknown };
  if (typeof told === 'string') {
    if (denials.has(told)) return new Fault('forbidden', 'The identity provider did not sign you in', { cause: error });
    if (told === 'invalid_grant') return refusal(error);
    if (outages.has(told)) return outage(error);
  }
  return misfits.has(String(code)) ? refusal(error) : outage(error);
}

/** For the log: the kind of an error, never what a token or a response says. */
function reasonOf(error: unknown): string {
  if (isFault(error)) return error.message;
  const { name, code, error: told } = error as { name?: unknown; code?: unknown; error?: unknown };
  return [name, code, told].filter((part) => typeof part === 'string').join(' ');
}

function outage(cause: unknown): Fault {
  return new Fault('unavailable', 'The identity provider cannot be reached or used at the moment; try again later', {
    headers: { 'Retry-After': '30' },
    cause,
  });
}

function refusal(cause: unknown): Fault {
  return new Fault('invalid', 'The sign-in could not be completed; begin it again', { cause });
}

/** Reads a response completely, up to the limit; redirects are not followed. Asks nothing but what the provider may name. */
async function limitedFetch(text: string, options: RequestInit, home: Address): Promise<Response> {
  const address = discoveredAddress(text, home);
  if (address === undefined) throw new ForbiddenHost('the provider names an address that may not be asked');
  const { method, headers: sent, body, signal } = options;
  // The library sends forms.
  const bytes = body ? Buffer.from(String(body)) : undefined;
  const response = await fetchOnce(address.url, { method, headers: sent, body: bytes, signal }, address.reach);
  const whole = await limitedBody(response);
  const { status, headers } = response;
  return new Response([101, 204, 205, 304].includes(status) ? null : whole, { status, headers });
}

async function limitedBody(response: Response): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.length;
    if (size > largest) throw new Error('the response is too large');
    parts.push(part);
  }
  return Buffer.concat(parts);
}
