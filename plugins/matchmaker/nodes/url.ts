/** Addresses of nodes. */
import { Fault } from '../../../core/plugin.js';

/**
 * The endpoint `/match` of a node whose base address or whole address was given (a node appends `/match` to the partner's
 * base URL: mme-apis, join-protocol.md). Throws `invalid` where it is none, or is not encrypted and has to be.
 */
export function matchUrl(text: string, allowHttp: boolean): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.hash !== '') {
    throw new Fault('invalid', 'The address of a node is an https URL');
  }
  if (url.username !== '' || url.password !== '') throw new Fault('invalid', 'The address of a node holds no password');
  refuseHttp(url, allowHttp);
  if (!/\/match\/?$/.test(url.pathname)) url.pathname = `${url.pathname.replace(/\/+$/, '')}/match`;
  return url.href;
}

export function refuseHttp(url: URL, allowHttp: boolean): void {
  if (url.protocol === 'https:' || allowHttp) return;
  throw new Fault('invalid', 'its address is not encrypted (http), which exchange.allowHttp would have to allow');
}
