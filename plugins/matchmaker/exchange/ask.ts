/** Queries one node with one patient. */
import { postJson } from '../../../core/outgoing.js';
import { Fault } from '../../../core/plugin.js';
import type { Patient, PeerNode } from '../contract.js';
import { vendorType } from '../http/media.js';
import { unseal } from '../nodes/seal.js';
import { refuseHttp } from '../nodes/url.js';
import { type ReadAnswer, readAnswer } from './answer.js';
import type { ExchangeSettings } from './settings.js';

export interface AskOptions {
  settings: ExchangeSettings;
  /** Sent with the query if the node understands version 1.1. */
  statements: { disclaimer?: string; terms?: string };
  signal: AbortSignal;
}

/**
 * Returns the response. Throws `unavailable` if the query may succeed later, `unprocessable` if it never will; each message
 * continues a sentence that begins with the name of the node.
 */
export async function ask(node: PeerNode, patient: Patient, options: AskOptions): Promise<ReadAnswer> {
  const { settings, statements, signal } = options;
  const url = new URL(node.url);
  try {
    refuseHttp(url, settings.allowHttp);
  } catch (cause) {
    throw new Fault('unavailable', 'was not queried: its address is not https', { cause });
  }
  const token = await unseal(node.token, node.id, settings.key);
  const { status, body } = await postJson({
    url,
    headers: {
      'Content-Type': node.contentType,
      Accept: vendorType('1.0'),
      'Content-Language': 'en-US',
      'X-Auth-Token': token,
    },
    body: JSON.stringify({ patient, ...(node.contentType === vendorType('1.1') ? statements : {}) }),
    timeoutMs: settings.timeoutSeconds * 1000,
    maxBytes: settings.maxBytes,
    signal,
  });
  if (status === 200) return readAnswer(body, settings.maxResults);
  if (status >= 300 && status < 400) {
    throw new Fault('unavailable', `responded with a redirect (${status}), which is not followed`);
  }
  if (status === 401 || status === 403) throw new Fault('unavailable', `did not accept our token (${status})`);
  // Sending the same patient again would not change that.
  if ([400, 413, 422].includes(status)) throw new Fault('unprocessable', `did not accept the patient (${status})`);
  throw new Fault('unavailable', `responded with status ${status}`);
}
