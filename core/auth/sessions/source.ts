/** Sessions as a source of callers: a cookie, and for all but reading a proof that the request comes from our own page. */
import { Fault } from '../../fault.js';
import { type Subject, subjectWith } from '../../policy/caller.js';
import type { CallerSource, CredentialHead } from '../identify.js';
import type { Cookie } from './cookies.js';
import type { Keeper, SignedIn } from './keeper.js';
import { sameText } from './secret.js';

/** The header, and the field of posted forms, that carries the CSRF token. */
const csrfHeader = 'x-csrf-token';
export const csrfField = 'csrfToken';

export interface SessionSource {
  caller: CallerSource;
  /** Whether the caller is known only once a posted form was read, since its CSRF token is a field. */
  waitsForForm(head: CredentialHead): boolean;
}

const safe = new Set(['GET', 'HEAD', 'OPTIONS']);
const formTypes = ['application/x-www-form-urlencoded', 'multipart/form-data'];

/** `origin` is that of the public address. */
export function sessionSource(keeper: Keeper, { cookie, origin }: { cookie: Cookie; origin: string }): SessionSource {
  return {
    async caller(head) {
      const signedIn = await keeper.current(head);
      if (signedIn === undefined) return undefined;
      if (!safe.has(head.method)) mustComeFromUs(head, signedIn, origin);
      return subjectOf(signedIn);
    },

    waitsForForm: (head) =>
      !safe.has(head.method) &&
      head.headers.authorization === undefined &&
      head.headers['x-auth-token'] === undefined &&
      head.headers[csrfHeader] === undefined &&
      head.csrf === undefined &&
      cookie.read(head) !== undefined &&
      formTypes.includes((head.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''),
  };
}

export function subjectOf({ session, rights: { tenants, grants, researcher } }: SignedIn): Subject {
  const { subject: owner, issuer, name } = session;
  const shown = name === undefined ? {} : { name };
  return subjectWith({ owner, issuer, tenants, ...shown, ...(researcher && { researcher }) }, grants);
}

/**
 * Browsers send cookies with requests of other sites' pages too. So such a request needs the session's token, which only our
 * pages know, and must not say that it comes from elsewhere.
 */
function mustComeFromUs(head: CredentialHead, { csrfToken }: SignedIn, origin: string): void {
  const { 'sec-fetch-site': site, origin: from } = head.headers;
  const isForeign = site === undefined ? from !== undefined && from !== origin : site !== 'same-origin';
  if (isForeign) throw new Fault('forbidden', 'This request comes from a page of another site');
  const sent = head.headers[csrfHeader] ?? head.csrf;
  if (typeof sent !== 'string' || !sameText(sent, csrfToken)) {
    throw new Fault(
      'forbidden',
      `With a session, a request that is not GET needs the CSRF token of /-/me in the header X-CSRF-Token or in the form field ${csrfField}; reload the page and try again`,
    );
  }
}
