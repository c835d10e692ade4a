/** Content negotiation (RFC 9110 sections 12.5.1 and 12.5.4). */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import type accepts from 'accepts';
import { Fault } from '../fault.js';

let parse: typeof accepts | undefined;

/** Loads the package, and its list of all media types, with the first request: commands have none. It is CommonJS. */
function accepted(headers: IncomingHttpHeaders): accepts.Accepts {
  parse ??= createRequire(import.meta.url)('accepts') as typeof accepts;
  // It reads only the headers of a request.
  return parse({ headers } as IncomingMessage);
}

/**
 * Returns the offered media type that the client prefers, or the first if it has no preference; undefined if it accepts
 * none of them. The response should then carry `Vary: Accept`.
 */
export function preferred<Type extends string>(
  headers: IncomingHttpHeaders,
  offered: readonly [Type, ...Type[]],
): Type | undefined {
  const type = accepted(headers).type([...offered]);
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
  const language = accepted(headers).language([...offered]);
  return offered.find((one) => one === language) ?? offered[0];
}
