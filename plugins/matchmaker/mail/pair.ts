/** Pairs of patients, of which each submitter is told once. */
import type { Patient } from '../contract.js';
import type { GeneTable } from '../genes/gene-table.js';
import { contactHref } from '../patient/contact.js';
import { contentOf } from '../patient/content.js';
import { digest } from '../patient/facts.js';
import { addressesOf } from './addresses.js';

/**
 * A digest that stands for what the submitter of `told` hears of `other`, by the content and contacts of both: ids and
 * labels may change. If one person submitted both, the two directions are one.
 */
export function pairOf(told: Patient, other: Patient, genes: GeneTable): string {
  const sides = [sideOf(told, genes), sideOf(other, genes)];
  if (sameReaders(told, other)) sides.sort();
  return digest(sides.join(' '));
}

/** With the contact: two laboratories may well have patients with the same gene and nothing else. */
function sideOf(patient: Patient, genes: GeneTable): string {
  const { href } = patient.contact;
  return digest(`${(contactHref(href) ?? href).toLowerCase()} ${contentOf(patient, genes)}`);
}

function sameReaders(one: Patient, other: Patient): boolean {
  const readers = ({ contact }: Patient) =>
    addressesOf(contact)
      .map((address) => address.toLowerCase())
      .sort()
      .join();
  return readers(one) === readers(other);
}
