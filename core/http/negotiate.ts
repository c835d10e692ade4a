/** Content negotiation (RFC 9110 section 12.5.1). */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import accepts from 'accepts';
import { Fault } from '../fault.js';

/**
 * The offered media type that the client prefers, the first one where it has no preference; undefined where it accepts
 * none of them. An answer chosen so should carry `Vary: Accept`.
 */
export function preferred<Type extends string>(
  headers: IncomingHttpHeaders,
  offered: readonly [Type, ...Type[]],
): Type | undefined {
  // accepts reads nothing of a request but its headers.
  const type = accepts({ headers } as IncomingMessage).type([...offered]);
  return offered.find((one) => one === type);
}

/** As preferred, but a client that accepts none of the types gets a `not-acceptable` fault that names them. */
export function negotiated<Type extends string>(
  headers: IncomingHttpHeaders,
  offered: readonly [Type, ...Type[]],
): Type {
  const type = preferred(headers, offered);
  if (type === undefined) throw new Fault('not-acceptable', `The answer comes as ${offered.join(' or ')} only`);
  return type;
}
