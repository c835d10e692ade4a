/** The e-mail addresses of contacts. */
import type { Contact } from '../patient/patient.js';

const address = /^[^\s@,<>"';:?()]+@[^\s@,<>"';:?()]+\.[^\s@,<>"';:?()]+$/;

/** The addresses in `email`, or else in a `mailto:`; none if the contact is a web page. */
export function addressesOf({ email, href }: Pick<Contact, 'name' | 'email' | 'href'>): string[] {
  const named = typeof email === 'string' ? email.split(',') : (email ?? []);
  const usable = named.map((text) => text.trim()).filter((text) => address.test(text));
  if (usable.length > 0) return [...new Set(usable)];
  if (!/^mailto:/i.test(href)) return [];
  const [to = ''] = href.slice('mailto:'.length).split('?', 1);
  const listed = to.split(',').map((text) => text.trim());
  return [...new Set(listed.filter((text) => address.test(text)))];
}
