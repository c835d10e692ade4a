/** The address of this server in pages and documents. */

/** The configured public address, else the host that the client named; without a slash at its end. */
export function serverOf(baseUrl: string | undefined, host: string | undefined): string {
  if (baseUrl !== undefined) return baseUrl;
  return `http://${host !== undefined && /^[A-Za-z0-9._-]+(:\d+)?$|^\[[0-9A-Fa-f:.]+\](:\d+)?$/.test(host) ? host : 'localhost'}`;
}

/** The path of the public address, which precedes every link of a page; empty if the server is at the root. */
export function pathBefore(baseUrl: string | undefined): string {
  return baseUrl === undefined ? '' : new URL(baseUrl).pathname.replace(/\/+$/, '');
}
