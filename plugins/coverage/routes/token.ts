/** Access tokens in a form or a cookie. */
import { type Answer, isFault, type RequestHead } from '../../../core/plugin.js';
import type { Sent } from '../form/fields.js';
import { type CoverageServices, tokenField } from '../services.js';

/**
 * Adds a cookie that keeps a valid token of the form for the page's own buttons. It is out of reach of scripts and other
 * sites, and not in the page, which may be saved and forwarded.
 */
export async function withTokenCookie(
  answer: Answer,
  sent: Sent,
  head: RequestHead,
  services: Pick<CoverageServices, 'access' | 'settings' | 'baseUrl'>,
): Promise<Answer> {
  const cookie = await tokenCookie(sent, head, services);
  return cookie === undefined ? answer : { ...answer, headers: { ...answer.headers, 'Set-Cookie': cookie } };
}

/**
 * Whether a request to a page that is open to every client may also see what needs a valid token. `sent` is its form. If
 * the keys of the identity provider cannot be fetched, it may not: the page itself needs no token.
 */
export async function isAdmitted(
  { access: { form: access } }: Pick<CoverageServices, 'access'>,
  head: RequestHead,
  sent?: Sent,
): Promise<boolean> {
  if (access === undefined) return true;
  try {
    const principal = (await access.check(head)) ?? (await access.checkBody?.(head, sent));
    return principal !== undefined;
  } catch (error) {
    if (isFault(error) && (error.code === 'unauthenticated' || error.code === 'unavailable')) return false;
    throw error;
  }
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
    if (isFault(error) && error.code === 'unauthenticated') return undefined;
    throw error;
  }
  const secure = baseUrl?.startsWith('http:') ? '' : '; Secure';
  return `${name}=${token}; HttpOnly; SameSite=Strict; Path=/${secure}`;
}
