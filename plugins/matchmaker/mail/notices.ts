/** Who is to be told of what. */
import { randomUUID } from 'node:crypto';
import type { StorageScope } from '../../../core/plugin.js';
import { type Contact, type MatchedPatient, matchmakerMail, type NodeName, type Patient } from '../contract.js';
import { sharedGenes } from '../exchange/genes.js';
import type { GeneTable } from '../resources/contract.js';
import type { MailSettings } from './settings.js';

/** A patient that is stored here, and what was found for it. */
export interface Finding {
  patient: Patient;
  matches: { node: NodeName; found: MatchedPatient }[];
}

/** Puts what is new into the outbox, in the transaction that records it. */
export type Notify = (scope: StorageScope, finding: Finding) => Promise<void>;

export interface NotifyOptions {
  settings: MailSettings;
  now(): Date;
  genes(): GeneTable;
}

/** Nobody is told where no mail server is configured, where there is no e-mail address, and of tests. */
export function notifier({ settings, now, genes }: NotifyOptions): Notify {
  return async (scope, { patient, matches }) => {
    const to = addressesOf(patient.contact);
    const real = matches.filter(({ found }) => found.patient.test !== true);
    if (settings.server === undefined || patient.test === true || to.length === 0 || real.length === 0) return;
    const created = now();
    await scope.repository(matchmakerMail).add({
      id: randomUUID(),
      created,
      due: settings.digest ? nextHour(created, settings.digestHour) : created,
      to,
      patient: { id: patient.id, ...(patient.label === undefined ? {} : { label: patient.label }) },
      matches: real.map(({ node, found }) => ({
        node: { id: node.id, label: node.label },
        patient: { id: found.patient.id, contact: reachable(found.patient.contact) },
        genes: sharedGenes(patient, found.patient, genes()),
        ...(settings.complete ? { complete: { patient: found.patient, score: found.score.patient } } : {}),
      })),
    });
  };
}

const address = /^[^\s@,<>"';:?()]+@[^\s@,<>"';:?()]+\.[^\s@,<>"';:?()]+$/;

/** E-mail addresses of a contact: those it names as such, else those of its `mailto:`; a web page has none. */
export function addressesOf({ email, href }: Contact): string[] {
  const named = typeof email === 'string' ? email.split(',') : (email ?? []);
  const usable = named.map((text) => text.trim()).filter((text) => address.test(text));
  if (usable.length > 0) return [...new Set(usable)];
  if (!/^mailto:/i.test(href)) return [];
  const [to = ''] = href.slice('mailto:'.length).split('?', 1);
  const listed = to.split(',').map((text) => text.trim());
  return [...new Set(listed.filter((text) => address.test(text)))];
}

/** What one needs to write to them. */
function reachable({ name, href, institution, email }: Contact): Contact {
  return {
    name,
    href,
    ...(institution === undefined ? {} : { institution }),
    ...(email === undefined ? {} : { email }),
  };
}

/** The next time that it is this hour, UTC. */
export function nextHour(now: Date, hour: number): Date {
  const next = new Date(now);
  next.setUTCHours(hour, 0, 0, 0);
  if (next <= now) next.setUTCDate(next.getUTCDate() + 1);
  return next;
}
