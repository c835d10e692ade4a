/** How the keys of an identity provider are fetched: rarely, bounded, and kept over an outage. */
import type { StorageLog } from '../storage.js';

export interface KeyFetchOptions {
  /** Milliseconds between two attempts at least. */
  cooldown: number;
  log: Pick<StorageLog, 'warn'>;
}

/** A key set has a few kilobytes. */
const largest = 1024 * 1024;
/** Milliseconds for which keys serve on while the provider does not answer. Its tokens seldom live longer. */
const keep = 60 * 60 * 1000;

export interface KeyFetch {
  fetch(url: string, init: RequestInit): Promise<Response>;
  /** Whether the last attempt failed: what was answered then may be behind what is published. */
  failing(): boolean;
}

/**
 * A `fetch` for key sets. After a failure the keys of the last success are answered, for an hour at most; where there
 * are none it fails, and the provider is not asked again before the cooldown is over.
 */
export function keyFetch({ cooldown, log }: KeyFetchOptions): KeyFetch {
  let last: { text: string; at: number } | undefined;
  let failed: { error: unknown; at: number } | undefined;

  const lastKnown = (error: unknown): Response => {
    if (last === undefined || performance.now() - last.at > keep) throw error;
    return answer(last.text);
  };

  const attempt: KeyFetch['fetch'] = async (url, init) => {
    if (failed !== undefined && performance.now() - failed.at < cooldown) return lastKnown(failed.error);
    try {
      const text = await textOf(await fetch(url, init));
      JSON.parse(text);
      last = { text, at: performance.now() };
      failed = undefined;
      return answer(text);
    } catch (error) {
      failed = { error, at: performance.now() };
      log.warn({ kept: last !== undefined }, 'the keys of the identity provider could not be fetched');
      return lastKnown(error);
    }
  };
  return { fetch: attempt, failing: () => failed !== undefined };
}

function answer(text: string): Response {
  return new Response(text, { status: 200, headers: { 'Content-Type': 'application/json' } });
}

async function textOf(response: Response): Promise<string> {
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`the identity provider answers ${response.status}`);
  }
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.length;
    if (size > largest) throw new Error('the key set is too large');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
