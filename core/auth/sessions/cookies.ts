/** The cookies of sign-in: none of them can be read by a script, and other sites cannot send a request that changes data with one. */
import type { CredentialHead } from '../identify.js';

export interface Cookie {
  name: string;
  /** The value in a request; undefined if there is none, or if there are several and one must be forged. */
  read(head: Pick<CredentialHead, 'headers'>): string | undefined;
  /** A `Set-Cookie` header. It lasts until the browser is closed, or for that many seconds. */
  set(value: string, seconds?: number): string;
  /** The header that removes it. */
  clear(): string;
}

/**
 * A cookie with this name. With TLS the prefix `__Host-` makes browsers refuse one from another host of the domain or from
 * an unprotected connection, so that nobody can plant a session of theirs.
 */
export function cookieNamed(plain: string, { tls }: { tls: boolean }): Cookie {
  const name = tls ? `__Host-${plain}` : plain;
  const attributes = `Path=/; HttpOnly; SameSite=Lax${tls ? '; Secure' : ''}`;
  return {
    name,
    read({ headers }) {
      const found = (headers.cookie ?? '').split(';').flatMap((pair) => {
        const [key = '', ...value] = pair.split('=');
        return key.trim() === name ? [value.join('=').trim()] : [];
      });
      return found.length === 1 ? found[0] : undefined;
    },
    set: (value, seconds) => `${name}=${value}; ${attributes}${seconds === undefined ? '' : `; Max-Age=${seconds}`}`,
    clear: () => `${name}=; ${attributes}; Max-Age=0`,
  };
}
