/** Addresses of submitters. */

const address = String.raw`[^\s@,<>"';:?]+@[^\s@,<>"';:?]+\.[^\s@,<>"';:?.]+`;
/** Some clients join several addresses with commas. */
const addresses = new RegExp(`^${address}(?:, ?${address})*$`);

/** Bytes of an address, at most: databases index it. */
export const longestHref = 2048;

/**
 * A contact's address as it is stored: http(s) unchanged, e-mail addresses with `mailto:`. Undefined if the text is neither,
 * or too long.
 */
export function contactHref(text: string): string | undefined {
  if (Buffer.byteLength(text) > longestHref) return undefined;
  if (/^https?:\/\//i.test(text)) return isWebAddress(text) ? text : undefined;
  const mail = /^mailto:/i.test(text) ? text.slice('mailto:'.length) : text;
  const [to = ''] = mail.split('?', 1);
  return addresses.test(to) && !/[\s<>"]/.test(mail.slice(to.length)) ? `mailto:${mail}` : undefined;
}

function isWebAddress(text: string): boolean {
  return !/[\s<>"]/.test(text) && URL.canParse(text) && new URL(text).hostname !== '';
}
