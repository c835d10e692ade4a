/** Content negotiation (RFC 9110 sections 12.5.1 and 12.5.4). */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import accepts from 'accepts';
import { Fault } from '../fault.js';

/**
 * Returns the offered media type that the client prefers, or the first if it has no preference; undefined if it accepts
 * none of them. The response should then carry `Vary: Accept`.
 */
export function preferred<Type extends string>(
  headers: IncomingHttpHeaders,
  offered: readonly [Type, ...Type[]],
): Type | undefined {
  // accepts reads only the headers of a request.
  const type = accepts({ headers } as IncomingMessage).type([...offered]);
  return offered.find((one) => one === type);
}

/** Like `preferred`, but throws a `not-acceptable` fault that names the types if the client accepts none of them. */
export function negotiated<Type extends string>(
  headers: IncomingHttpHeaders,
  offered: readonly [Type, ...Type[]],
): Type {
  const type = preferred(headers, offered);
  if (type === undefined) throw new Fault('not-acceptable', `The answer comes as ${offered.join(' or ')} only`);
  return type;
}

/** The offered language that the client prefers by its Accept-Language, or the first if it accepts none of them. */
export function preferredLanguage<Language extends string>(
  headers: IncomingHttpHeaders,
  offered: readonly [Language, ...Language[]],
): Language {
  if (headers['accept-language'] === undefined) return offered[0];
  const language = accepts({ headers } as IncomingMessage).language([...offered]);
  return offered.find((one) => one === language) ?? offered[0];
}
