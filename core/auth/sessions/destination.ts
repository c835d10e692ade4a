/** Where a person goes after signing in: a path of this server, never an address of another. */

/** Characters at most: it travels in an address. */
const longest = 1000;

/** Whether browsers take a text for a path, with or without a query, of the server that sends it. */
export function isOwnPath(text: string): boolean {
  // Browsers read a backslash as a slash, and leave out tabs and line ends.
  if (text.length > longest || !/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(text)) return false;
  const base = 'https://own.invalid';
  return URL.canParse(text, base) && new URL(text, base).origin === base;
}
