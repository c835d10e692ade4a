/** Where a contact reads mail. */
import type { Contact } from '../patient/patient.js';

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
