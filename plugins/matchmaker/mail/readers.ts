/** Who reads the notifications about a patient, and which pairs of patients they were notified of. */
import type { Patient } from '../contract.js';
import { type Contact, contactHref, contentOfPatient, digest } from '../patients/patient.js';
import type { GeneTable } from '../resources/genes.js';

/**
 * A digest of the notification about `other` to the submitter of `own`, from the content and contacts of both, since ids
 * and labels may change. If one person submitted both, the digest is the same in both directions.
 */
export function patientPair(own: Patient, other: Patient, genes: GeneTable): string {
  const sides = [pairSide(own, genes), pairSide(other, genes)];
  if (sameReaders(own, other)) sides.sort();
  return digest(sides.join(' '));
}

/** A digest of one patient. Includes the contact, as two laboratories may have patients with the same gene and nothing else. */
export function pairSide(patient: Patient, genes: GeneTable): string {
  const { href } = patient.contact;
  return digest(`${(contactHref(href) ?? href).toLowerCase()} ${contentOfPatient(patient, genes)}`);
}

/** A digest of the notification about `query` to the readers of `own`, by whichever of its patients. */
export function readersPairOf(own: Patient, query: Patient, genes: GeneTable): string {
  return digest(`left out ${readersOfPatient(own)} ${pairSide(query, genes)}`);
}

/** The addresses of a patient's contact, in one spelling and order. */
export function readersOfPatient({ contact }: Patient): string {
  return addressesOfContact(contact)
    .map((address) => address.toLowerCase())
    .sort()
    .join();
}

function sameReaders(one: Patient, other: Patient): boolean {
  return readersOfPatient(one) === readersOfPatient(other);
}

const address = /^[^\s@,<>"';:?()]+@[^\s@,<>"';:?()]+\.[^\s@,<>"';:?()]+$/;

/** The addresses in `email`, or else in a `mailto:`; none if the contact is a web page. */
export function addressesOfContact({ email, href }: Pick<Contact, 'name' | 'email' | 'href'>): string[] {
  const named = typeof email === 'string' ? email.split(',') : (email ?? []);
  const usable = named.map((text) => text.trim()).filter((text) => address.test(text));
  if (usable.length > 0) return [...new Set(usable)];
  if (!/^mailto:/i.test(href)) return [];
  const [to = ''] = href.slice('mailto:'.length).split('?', 1);
  const listed = to.split(',').map((text) => text.trim());
  return [...new Set(listed.filter((text) => address.test(text)))];
}
