/** Access to reports by a ticket, for clients that bring no other credential: in a form, then in a cookie. */
import { type Access, Fault, isFault, type Principal, type RequestHead } from '../../../core/plugin.js';
import type { Tickets } from './tickets.js';

/** The field of forms, never of a URL, which is logged by proxies and sent on as Referer. */
const ticketField = 'ticket';
export const ticketCookie = 'coverage_ticket';

/**
 * The same access, or by a ticket. A ticket in a form is decisive, since the program that made it sends the form; one in a
 * cookie, for the buttons of the page, counts if there is nothing else.
 */
export function withTickets(access: Access, tickets: Tickets): Access {
  /** By the ticket in the cookie if nothing else admits the client. */
  async function orByCookie(
    head: RequestHead,
    work: () => Promise<Principal | undefined>,
  ): Promise<Principal | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!isFault(error) || error.code !== 'unauthenticated') throw error;
      const held = ticketIn(head);
      const holder = held === undefined ? undefined : tickets.holderOf(held);
      if (holder === undefined) throw error;
      return holder;
    }
  }

  const isForm = ({ method, headers }: RequestHead) =>
    access.checkBody !== undefined &&
    method === 'POST' &&
    /^(application\/x-www-form-urlencoded|multipart\/form-data)\b/i.test(headers['content-type'] ?? '');

  return {
    ...access,
    async check(head) {
      const brings = head.headers.authorization !== undefined || head.headers['x-auth-token'] !== undefined;
      if (brings) return access.check(head);
      return isForm(head) ? undefined : orByCookie(head, () => access.check(head));
    },
    ...(access.checkBody && {
      async checkBody(head: RequestHead, body: unknown): Promise<Principal> {
        const sent = ticketOf(body);
        if (sent !== undefined) {
          const holder = tickets.holderOf(sent);
          if (holder === undefined) throw nobody('The ticket is not valid, or has expired');
          return holder;
        }
        const found = await orByCookie(head, async () => (await access.check(head)) ?? access.checkBody?.(head, body));
        if (found === undefined) throw nobody('This needs an access token or a ticket');
        return found;
      },
    }),
  };
}

/** The ticket of a form; a repeated field is not a ticket. */
export function ticketOf(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, ticketField)) return undefined;
  const { [ticketField]: sent } = body as Record<string, unknown>;
  if (sent === '') return undefined;
  return typeof sent === 'string' ? sent : ' ';
}

function ticketIn({ headers }: RequestHead): string | undefined {
  return new RegExp(`(?:^|;) *${ticketCookie}=([\\w-]+)`).exec(headers.cookie ?? '')?.[1];
}

function nobody(message: string): Fault {
  return new Fault('unauthenticated', message, { headers: { 'WWW-Authenticate': 'Bearer realm="trefoil"' } });
}
