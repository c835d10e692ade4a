/** The receipt of an erasure: what was erased, how much, when and by whom. It has no genotypes. */
import { createHash } from 'node:crypto';
import { version } from '../package.js';
import type { ErasedAll } from './erase.js';
import type { Erasure } from './erasure.js';

export interface Receipt {
  receipt: string;
  at: string;
  /** The account of the operating system that ran the command. */
  by: string;
  version: string;
  scope: Erasure['scope'];
  /** The ids that were erased. */
  ids: { id: string; names: 'sample' | 'patient' | 'person' }[];
  erased: { plugin: string; what: string; count: number }[];
  stays: { plugin: string; what: string; count: number; why: string }[];
  /** Whether the files of the storage were rewritten without the erased data. */
  purged: boolean;
  /** The list of erasures that has it. */
  list: string;
  /** SHA-256 of the JSON of all members above, in this order, without blanks. */
  hash: string;
}

interface About extends Pick<Receipt, 'by' | 'scope' | 'purged' | 'list'> {
  erasures: readonly Erasure[];
}

export function receiptOf({ receipt, at, found }: ErasedAll, { by, erasures, scope, purged, list }: About): Receipt {
  const content = {
    receipt,
    at: at.toISOString(),
    by,
    version,
    scope,
    ids: erasures.map(({ id, names }) => ({ id, names: names ?? ('person' as const) })),
    erased: found.flatMap(({ plugin, what, count, stays }) => (stays === undefined ? [{ plugin, what, count }] : [])),
    stays: found.flatMap(({ plugin, what, count, stays }) =>
      stays === undefined ? [] : [{ plugin, what, count, why: stays }],
    ),
    purged,
    list,
  };
  const hash = createHash('sha256').update(JSON.stringify(content)).digest('hex');
  return { ...content, hash: `sha256:${hash}` };
}
