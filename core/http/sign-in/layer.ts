/** What sign-in adds to every request: a way to sign in instead of a refusal, and on pages the name of the person. */
import { isOwnPath } from '../../auth/sessions/destination.js';
import type { Keeper, SignedIn } from '../../auth/sessions/keeper.js';
import { type Fault, isFault } from '../../fault.js';
import { mediaType } from '../answer.js';
import type { HttpContext, HttpMiddleware } from '../exchange.js';
import { accountBar, csrfInput } from './pages.js';
import { textsOf } from './texts.js';

export interface LayerOptions {
  keeper: Pick<Keeper, 'current'>;
  /** Path of the public address, before every link. */
  base: string;
}

export function signInLayer({ keeper, base }: LayerOptions): HttpMiddleware {
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
export function personal(markup: string, signedIn: SignedIn, around: { base: string; nonce: string }): string {
  const texts = textsOf(/<html[^>]* lang="(\w+)/.exec(markup)?.[1] ?? 'en');
  const bar = accountBar(signedIn, { ...around, texts }).toString();
  const input = csrfInput(signedIn.csrfToken).toString();
  return (
    markup
      .replace(/<form\b[^>]*\bmethod="post"[^>]*>/gi, (tag) => tag + input)
      // After the link that skips to the content: it stays the first.
      .replace(/<body\b[^>]*>(\s*<a class="skip"[^>]*>[^<]*<\/a>)?/i, (tag) => tag + bar)
  );
}
