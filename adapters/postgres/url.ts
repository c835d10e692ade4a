/** What is wrong with a database URL, in words that repeat no part of it, since it may contain a password. */

const expected = 'expected postgres://user:password@host:port/database, with special characters as %XX';
const sslModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];

/** The end of a sentence that begins with the setting's name; undefined if the URL is valid. */
export function urlMistake(text: string): string | undefined {
  if (text !== text.trim()) return 'begins or ends with a blank';
  if (!URL.canParse(text)) return `${expected} (a / is %2F, an @ is %40, a # is %23)`;
  const { protocol, hash, username, hostname, pathname, searchParams } = new URL(text);
  if (protocol !== 'postgres:' && protocol !== 'postgresql:') return expected;
  // A `#` in a password would cut the address short.
  if (hash !== '' || text.endsWith('#')) return `${expected}: a # cuts the address short; write it as %23`;
  for (const [part, value] of Object.entries({ user: username, host: hostname, database: pathname })) {
    if (decoded(value) === undefined) return `its ${part} holds a % that begins no escape; write it as %25`;
  }
  const port = searchParams.get('port');
  if (port !== null && !(/^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535)) {
    return 'its port must be a whole number from 1 to 65535';
  }
  const mode = searchParams.get('sslmode');
  if (mode !== null && !sslModes.includes(mode)) return `its sslmode must be one of ${sslModes.join(', ')}`;
  return undefined;
}

/** The text with escapes decoded; undefined if one of them is invalid. */
export function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
