/**
 * Tickets: short-lived proofs that a program with the right for them has admitted someone to reports on certain samples. They
 * are encrypted, so that they show no names, and kept nowhere.
 */
import { z } from 'zod';
import { type Principal, seal, unsealed } from '../../../core/plugin.js';

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

export type Admission = z.output<typeof admission>;

export interface Tickets {
  make(admission: Admission): string;
  /** The holder of the ticket; undefined if it was not made with this key, or has expired. */
  holderOf(ticket: string): Principal | undefined;
  /** To what a holder is admitted; undefined for every other caller. */
  admissionOf(caller: Principal): Admission | undefined;
}

const purpose = 'trefoil coverage ticket';

export function createTickets(key: string, now: () => Date): Tickets {
  const admitted = new WeakMap<Principal, Admission>();
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
