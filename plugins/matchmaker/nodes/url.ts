/** Addresses of nodes. */
import { Fault } from '../../../core/plugin.js';

/**
 * The endpoint `/match` of a node, from its base URL or whole URL (a node appends `/match` to the base URL of its partner:
 * mme-apis, join-protocol.md). Throws `invalid` if the text is not such a URL, or not https although that is required.
 */
export function matchUrl(text: string, allowHttp: boolean): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.hash !== '') {
    throw new Fault('invalid', 'The address of a node must be an https URL');
  }
  if (url.username !== '' || url.password !== '')
    throw new Fault('invalid', 'The address of a node must not contain a user name or password');
  refuseHttp(url, allowHttp);
  if (!/\/match\/?$/.test(url.pathname)) url.pathname = `${url.pathname.replace(/\/+$/, '')}/match`;
  return url.href;
}

export function refuseHttp(url: URL, allowHttp: boolean): void {
  if (url.protocol === 'https:' || allowHttp) return;
  throw new Fault(
    'invalid',
    'its address is http, without encryption, which the setting exchange.allowHttp does not allow',
  );
}
