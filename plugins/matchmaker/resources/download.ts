/** Downloads the files of a release. Only `update resources --download` uses it. */
import { basename } from 'node:path';
import { decodeText, gathered, largestFile, type TextFile } from '../../../core/files.js';
import { ForbiddenHost, fetchNamed } from '../../../core/outgoing.js';
import { Fault } from '../../../core/plugin.js';

export interface Download {
  /** Seconds for the whole file. */
  timeout: number;
  /** Aborting throws the signal's reason. */
  signal: AbortSignal;
}

/** The file at an address, decompressed. Throws an `unavailable` fault if it cannot be downloaded completely. */
export async function download(address: string, { timeout, signal }: Download): Promise<TextFile> {
  const { host, pathname } = new URL(address);
  const name = `${basename(pathname)} (${host})`;
  const patience = AbortSignal.timeout(timeout * 1000);
  try {
    const response = await fetchNamed(address, { signal: AbortSignal.any([signal, patience]) });
    if (!response.ok || !response.body) {
      await response.body?.cancel();
      throw new Fault('unavailable', `${name}: the server responded with status ${response.status}`);
    }
    const large = new Fault('unavailable', `${name}: the server sent more than ${largestFile} bytes`);
    return await decodeText(name, await gathered(response.body as AsyncIterable<Uint8Array>, large));
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    if (cause instanceof Fault) throw cause;
    if (cause instanceof ForbiddenHost) throw new Fault('unavailable', `${name}: ${cause.message}`);
    const reason = patience.aborted
      ? `was not downloaded within ${timeout} s`
      : 'cannot be reached, or the connection was lost';
    throw new Fault('unavailable', `${name} ${reason}`, { cause });
  }
}
