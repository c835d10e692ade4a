/** Reads panels from a server of PanelApp. */
import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import { gathered } from '../../../core/files.js';
import { ForbiddenHost, fetchNamed, responseText } from '../../../core/outgoing.js';
import { Fault, isFault } from '../../../core/plugin.js';

export interface PanelAppServer {
  /** Ends with a slash: `https://panelapp.genomicsengland.co.uk/api/v1/`. */
  url: string;
  /** Seconds for one answer. */
  timeout: number;
  /** Aborting throws the signal's reason. */
  signal: AbortSignal;
}

/** An answer, and what a version keeps of where it came from. */
export interface PanelAppAnswer {
  value: unknown;
  /** Host and path. */
  name: string;
  /** SHA-256 of its bytes, lower-case hex. */
  sha256: string;
}

/** One panel has some hundred kB; the longest have a few MB. */
const largest = 50_000_000;
/** A server that asks for patience is asked again this often. */
const attempts = 6;
/** Seconds to wait at most, whatever the server says. */
const longestWait = 120;

const page = z.looseObject({
  next: z.string().nullish(),
  results: z.array(
    z.looseObject({ id: z.union([z.number(), z.string()]), version: z.union([z.string(), z.number()]) }),
  ),
});

/** The ids of all panels, or of those that are signed off, with their versions and the day of that, in the server's order. */
export async function* panelsOfServer(
  server: PanelAppServer,
  { signedOff }: { signedOff: boolean },
): AsyncGenerator<{ id: string; version: string; signedOff?: string }> {
  const seen = new Set<string>();
  let next: string | undefined = new URL(signedOff ? 'panels/signedoff/' : 'panels/', server.url).href;
  while (next !== undefined) {
    if (seen.has(next))
      throw new Fault('unavailable', `${nameOfAddress(next)}: the list of panels leads back to itself`);
    seen.add(next);
    const { value, name } = await get(server, next);
    const { data, error } = page.safeParse(value);
    if (data === undefined)
      throw new Fault('unavailable', `${name}: not a list of panels: ${error.issues[0]?.path.join('.')}`);
    for (const { id, version, signed_off: day } of data.results)
      yield {
        id: String(id),
        version: String(version),
        ...(typeof day === 'string' && day !== '' && { signedOff: day }),
      };
    next = data.next ? new URL(data.next, next).href : undefined;
    if (next !== undefined && new URL(next).origin !== new URL(server.url).origin) {
      throw new Fault('unavailable', `${name}: the list of panels goes on at another server`);
    }
  }
}

/** One panel with its genes: the requested version, or the latest (of those signed off, if requested). */
export function panelOfServer(
  server: PanelAppServer,
  { id, version, signedOff }: { id: string; version?: string | undefined; signedOff: boolean },
): Promise<PanelAppAnswer> {
  const folder = signedOff && version === undefined ? 'panels/signedoff' : 'panels';
  const url = new URL(`${folder}/${encodeURIComponent(id)}/`, server.url);
  if (version !== undefined) url.searchParams.set('version', version);
  return get(server, url.href);
}

async function get({ timeout, signal }: PanelAppServer, address: string): Promise<PanelAppAnswer> {
  const name = nameOfAddress(address);
  for (let attempt = 1; ; attempt++) {
    const patience = AbortSignal.timeout(timeout * 1000);
    let wait: number | undefined;
    try {
      const response = await fetchNamed(address, {
        headers: { Accept: 'application/json' },
        signal: AbortSignal.any([signal, patience]),
      });
      if (response.ok && response.body) {
        const large = new Fault('unavailable', `${name}: the server sent more than ${largest} bytes`);
        const bytes = await gathered(response.body as AsyncIterable<Uint8Array>, large, largest);
        return {
          name,
          value: parsedAnswer(bytes, response.headers.get('content-type') ?? undefined, name),
          sha256: createHash('sha256').update(bytes).digest('hex'),
        };
      }
      await response.body?.cancel();
      const busy = response.status === 429 || response.status === 503;
      if (!busy || attempt === attempts) {
        throw new Fault('unavailable', `${name}: the server responded with status ${response.status}`);
      }
      wait = waitOf(response.headers.get('retry-after'), attempt);
    } catch (cause) {
      if (signal.aborted) throw signal.reason;
      if (cause instanceof Fault) throw cause;
      if (cause instanceof ForbiddenHost) throw new Fault('unavailable', `${name}: ${cause.message}`);
      const reason = patience.aborted
        ? `did not respond within ${timeout} s`
        : 'cannot be reached, or the connection was lost';
      throw new Fault('unavailable', `${name}: ${reason}`, { cause });
    }
    await setTimeout(wait * 1000, undefined, { signal });
  }
}

function parsedAnswer(bytes: Uint8Array, mediaType: string | undefined, name: string): unknown {
  try {
    return JSON.parse(responseText(bytes, mediaType));
  } catch (cause) {
    if (isFault(cause)) throw new Fault(cause.code, `${name}: the server ${cause.message}`, { cause });
    throw new Fault('unavailable', `${name}: the server did not send JSON`, { cause });
  }
}

/** Seconds: as the server says, in seconds or as a date, or else longer each time. */
function waitOf(header: string | null, attempt: number): number {
  if (header !== null && /^\d{1,6}$/.test(header)) return Math.min(Number(header), longestWait);
  const until = header === null ? Number.NaN : (Date.parse(header) - Date.now()) / 1000;
  return Math.min(Math.max(Number.isNaN(until) ? 2 ** attempt : until, 0), longestWait);
}

function nameOfAddress(address: string): string {
  const { host, pathname } = new URL(address);
  return `${host}${pathname}`;
}
