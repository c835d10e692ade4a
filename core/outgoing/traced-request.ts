/** A span for a request to another server: its method and host, not its path, which may name a patient or a file. */
import { traced } from '../tracing/traced.js';

export function tracedRequest<Result>(
  method: string,
  { hostname, port }: URL,
  work: () => Promise<Result>,
): Promise<Result> {
  const attributes = {
    'http.request.method': method,
    'server.address': hostname,
    ...(port === '' ? {} : { 'server.port': Number(port) }),
  };
  return traced(method, { kind: 'client', attributes }, work);
}
