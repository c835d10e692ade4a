/** The body that a route needs. */
import { Fault } from '../../../core/plugin.js';

/** Throws `invalid` where there was none: nothing is no JSON. */
export function sentBody(body: unknown): unknown {
  if (body === undefined) throw new Fault('invalid', 'The body is empty');
  return body;
}
