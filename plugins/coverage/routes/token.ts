/** Access tokens in a form or a cookie. */
import { type Answer, type FaultCode, isFault, type RequestHead } from '../../../core/plugin.js';
import type { Sent } from '../form/fields.js';
import { type CoverageServices, tokenField } from '../services.js';
import { ticketCookie, ticketOf } from '../tickets/access.js';

/**
 * Adds a cookie that keeps a valid token of the form for the page's own buttons. It is out of reach of scripts and other
 * sites, and not in the page, which may be saved and forwarded.
 */
export async function withTokenCookie(
  answer: Answer,
  sent: Sent,
  head: RequestHead,
  services: Pick<CoverageServices, 'access' | 'settings' | 'baseUrl' | 'tickets' | 'now'>,
): Promise<Answer> {
  const cookie = ticketCookieFor(sent, services) ?? (await tokenCookie(sent, head, services));
  return cookie === undefined ? answer : { ...answer, headers: { ...answer.headers, 'Set-Cookie': cookie } };
}

/**
 * The services that a request to a page that is open to every client may see; undefined if it brings no valid token, or if the
 * keys of the identity provider cannot be fetched: the page itself needs no token. `sent` is its form.
 */
export async function reachedBy(
  { access: { form: access }, forReports }: Pick<CoverageServices, 'access' | 'forReports'>,
  head: RequestHead,
  sent?: Sent,
): Promise<CoverageServices | undefined> {
  try {
    const principal = (await access?.check(head)) ?? (await access?.checkBody?.(head, sent));
    if (access !== undefined && principal === undefined) return undefined;
    return await forReports(principal);
  } catch (error) {
    if (isFault(error) && silent.includes(error.code)) return undefined;
    throw error;
  }
}

const silent: readonly FaultCode[] = ['unauthenticated', 'forbidden', 'unavailable'];

/** A valid ticket of the form, for as long as it is valid. */
function ticketCookieFor(
  sent: Sent,
  { tickets, baseUrl, now }: Pick<CoverageServices, 'tickets' | 'baseUrl' | 'now'>,
): string | undefined {
  const ticket = ticketOf(sent);
  const holder = ticket === undefined ? undefined : tickets?.holderOf(ticket);
  const admission = holder && tickets?.admissionOf(holder);
  if (admission === undefined) return undefined;
  const seconds = Math.ceil((admission.expires - now().getTime()) / 1000);
  const secure = baseUrl?.startsWith('http:') ? '' : '; Secure';
  return `${ticketCookie}=${ticket}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${seconds}${secure}`;
}

async function tokenCookie(
  sent: Sent,
  head: RequestHead,
  { access, settings, baseUrl }: Pick<CoverageServices, 'access' | 'settings' | 'baseUrl'>,
): Promise<string | undefined> {
  const name = [tokenField, ...settings.tokenFields].find((one) => Object.hasOwn(sent, one) && sent[one] !== '');
  const token = name === undefined ? undefined : sent[name];
  if (name === undefined || typeof token !== 'string' || !/^[\w.-]+$/.test(token)) return undefined;
  if (access.form?.checkBody === undefined) return undefined;
  try {
    // If a cookie was accepted, the form's token has not been checked yet.
    await access.form.checkBody(head, { [name]: token });
  } catch (error) {
    if (isFault(error) && ['unauthenticated', 'forbidden'].includes(error.code)) return undefined;
    throw error;
  }
  const secure = baseUrl?.startsWith('http:') ? '' : '; Secure';
  return `${name}=${token}; HttpOnly; SameSite=Strict; Path=/${secure}`;
}
