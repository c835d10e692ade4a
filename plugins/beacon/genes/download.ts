/** The genes of Ensembl, from its BioMart. */

import { Readable } from 'node:stream';
import { type Source, sourceOf } from '../../../core/files.js';
import { ForbiddenHost, fetchNamed } from '../../../core/outgoing.js';
import { Fault } from '../../../core/plugin.js';
import { contigs } from '../contract.js';
import { biomartAttributes } from './rows.js';

export interface Download {
  /** Address of the service, such as `https://ensembl.org/biomart/martservice`. */
  url: string;
  /** For the whole answer, in seconds. */
  timeout: number;
  /** Largest answer in bytes. */
  limit: number;
  /** Aborting throws the signal's reason. */
  signal: AbortSignal;
}

/** The query: all genes of the 25 chromosomes, without a header, ended by a stamp. */
const query = [
  '<?xml version="1.0" encoding="UTF-8"?>',
  '<!DOCTYPE Query>',
  '<Query virtualSchemaName="default" formatter="TSV" header="0" uniqueRows="0" count="" completionStamp="1">',
  '<Dataset name="hsapiens_gene_ensembl" interface="default">',
  `<Filter name="chromosome_name" value="${contigs.join(',')}"/>`,
  ...biomartAttributes.map((name) => `<Attribute name="${name}"/>`),
  '</Dataset>',
  '</Query>',
].join('');

/** Begins the download. Throws an `unavailable` fault, now or during reading, if the service does not deliver. */
export async function downloadGenes({ url, timeout, limit, signal }: Download): Promise<Source> {
  const name = `Ensembl BioMart (${new URL(url).host})`;
  const patience = AbortSignal.timeout(timeout * 1000);
  const failed = (cause: unknown): unknown => {
    if (signal.aborted) return signal.reason;
    if (cause instanceof Fault) return cause;
    if (cause instanceof ForbiddenHost) return new Fault('unavailable', `${name}: ${cause.message}`);
    const reason = patience.aborted
      ? `did not answer completely within ${timeout} s`
      : 'cannot be reached, or closed the connection';
    return new Fault('unavailable', `${name} ${reason}; the genes stay as they were`, { cause });
  };
  const address = new URL(url);
  address.searchParams.set('query', query);
  let response: Response;
  try {
    response = await fetchNamed(address, { signal: AbortSignal.any([signal, patience]) });
  } catch (cause) {
    throw failed(cause);
  }
  const { body } = response;
  if (!response.ok || !body) {
    await body?.cancel();
    throw new Fault('unavailable', `${name} answered with status ${response.status}; the genes stay as they were`);
  }
  async function* bounded(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let read = 0;
    try {
      for await (const chunk of chunks) {
        read += chunk.length;
        if (read > limit)
          throw new Fault('unavailable', `${name} sends more than ${limit} bytes, too much for a list of genes`);
        yield chunk;
      }
    } catch (cause) {
      throw failed(cause);
    }
  }
  return sourceOf(name, 0, () => Readable.from(bounded(body), { objectMode: false }));
}
