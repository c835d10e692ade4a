/** Identifies pairs of patients, so that each submitter is notified once. */
import type { Patient } from '../contract.js';
import type { GeneTable } from '../genes/gene-table.js';
import { contactHref } from '../patient/contact.js';
import { contentOf } from '../patient/content.js';
import { digest } from '../patient/keys.js';
import { addressesOf } from './addresses.js';

/**
 * A digest of the notification about `other` to the submitter of `own`, from the content and contacts of both, since ids
 * and labels may change. If one person submitted both, the digest is the same in both directions.
 */
export function pairOf(own: Patient, other: Patient, genes: GeneTable): string {
  const sides = [sideOf(own, genes), sideOf(other, genes)];
  if (sameReaders(own, other)) sides.sort();
  return digest(sides.join(' '));
}

/** A digest of one patient. Includes the contact, as two laboratories may have patients with the same gene and nothing else. */
export function sideOf(patient: Patient, genes: GeneTable): string {
  const { href } = patient.contact;
  return digest(`${(contactHref(href) ?? href).toLowerCase()} ${contentOf(patient, genes)}`);
}

/** A digest of the notification about `query` to whoever reads about `own`, by whichever of its patients. */
export function readersPairOf(own: Patient, query: Patient, genes: GeneTable): string {
  return digest(`left out ${readersOf(own)} ${sideOf(query, genes)}`);
}

/** The addresses of a patient's contact, in one spelling and order. */
export function readersOf({ contact }: Patient): string {
  return addressesOf(contact)
    .map((address) => address.toLowerCase())
    .sort()
    .join();
}

function sameReaders(one: Patient, other: Patient): boolean {
  return readersOf(one) === readersOf(other);
}
