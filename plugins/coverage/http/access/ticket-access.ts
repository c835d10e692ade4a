/**
 * Tickets: short-lived proofs that a program with the right for them has admitted someone to reports on certain samples. They
 * are encrypted, so that they show no names, and kept nowhere. Clients send them in a form, then in a cookie.
 */
import { z } from 'zod';
import {
  type Access,
  Fault,
  isFault,
  type Principal,
  type RequestHead,
  seal,
  unsealed,
} from '../../../../core/plugin.js';
import type { PanelsService } from '../../../services/panels.js';

/** What a ticket admits to. */
const admission = z.strictObject({
  /** Paths and URLs of coverage files, as requests name them and as samples are registered. */
  files: z.array(z.string()),
  /** `kidney@1.10`, or `kidney` for all of its versions that are or were signed off; none if omitted. */
  panels: z.array(z.string()).optional(),
  /** Names of the tenants with whose samples reports compare; all samples of the server if omitted. */
  tenants: z.array(z.string()).optional(),
  /** The owner of the API token by which it was made. */
  by: z.string(),
  /** Milliseconds since 1970. */
  expires: z.number(),
});

type TicketAdmission = z.output<typeof admission>;

export interface Tickets {
  make(admission: TicketAdmission): string;
  /** The holder of the ticket; undefined if it was not made with this key, or has expired. */
  holderOf(ticket: string): Principal | undefined;
  /** To what a holder is admitted; undefined for every other caller. */
  admissionOf(caller: Principal): TicketAdmission | undefined;
}

const purpose = 'trefoil coverage ticket';

export function createTickets(key: string, now: () => Date): Tickets {
  const admitted = new WeakMap<Principal, TicketAdmission>();
  return {
    make: (granted) => seal(JSON.stringify(granted), { secret: key, purpose }),
    holderOf(ticket) {
      const text = unsealed(ticket, { secret: key, purpose });
      const read = text === undefined ? undefined : admission.safeParse(JSON.parse(text)).data;
      if (read === undefined || read.expires <= now().getTime()) return undefined;
      const holder: Principal = { kind: 'subject', owner: `ticket of ${read.by}` };
      admitted.set(holder, read);
      return holder;
    },
    admissionOf: (caller) => admitted.get(caller),
  };
}

// Access to reports by a ticket, for clients that bring no other credential: in a form, then in a cookie.

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
        const sent = ticketInBody(body);
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
export function ticketInBody(body: unknown): string | undefined {
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

// The gene panels of a ticket: those that the program that made it may use, and named.

/**
 * Whether the holder may use the panel that a request names. A version that is named in the ticket is as it was named; a panel
 * without a version stands for those that people signed, never for a draft.
 */
export async function admitsPanel(
  { panels = [] }: Pick<TicketAdmission, 'panels'>,
  reference: string,
  service: Pick<PanelsService, 'versionOf'> | undefined,
): Promise<boolean> {
  if (panels.includes(reference)) return true;
  if (!panels.includes(reference.split('@', 1)[0] ?? '')) return false;
  const version = await service?.versionOf(reference, 'operator');
  return version?.state === 'signed off' || version?.state === 'retired';
}
