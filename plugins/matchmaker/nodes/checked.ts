/** What operators give of nodes and clients: ids, labels, addresses and media types. Each function throws `invalid` if it is not sound. */
import { Fault } from '../../../core/plugin.js';
import { vendorType } from '../http/media.js';
import { thisNode } from '../matches/contract.js';

export function checkedNodeId(id: string): string {
  // Records tell by this name whose patient they hold.
  if (id === thisNode.id) throw new Fault('invalid', `"${id}" is the id of this node itself; choose another id`);
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(id)) return id;
  throw new Fault('invalid', 'The id of a node must have 1 to 100 letters, digits, dots, dashes and underscores');
}

export function isClientId(id: string): boolean {
  return /^[^\s\p{Cc}]{1,200}$/u.test(id);
}

export function checkedClientId(id: string): string {
  if (isClientId(id)) return id;
  throw new Fault('invalid', 'The id of a client must have 1 to 200 characters and no blanks');
}

export function checkedLabel(label: string): string {
  if (!/^[^\p{Cc}]{1,255}$/u.test(label))
    throw new Fault('invalid', 'The label of a node must have 1 to 255 characters');
  return label;
}

export function checkedType(type: string): string {
  if (!/^application\/([\w.-]+\+)?json$/.test(type)) {
    throw new Fault('invalid', `"${type}" is not a media type such as ${vendorType('1.0')} or application/json`);
  }
  return type;
}

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
