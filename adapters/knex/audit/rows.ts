/**
 * Rows of audit@1. Damaged ones are not set aside: in a chain a missing entry is a finding, and the verification reports it
 * with its place.
 */
import type { AuditChain, ChainedEntry, SealedLink } from '../../../core/storage.js';
import type { Engine } from '../binding.js';

export interface ChainRow {
  id: string;
  started: unknown;
  ordinal: unknown;
  previous_chain: string | null;
  previous_sequence: unknown;
  previous_hash: string | null;
  base_sequence: unknown;
  base_hash: string;
  base_seal: string;
  head_sequence: unknown;
  head_hash: string;
  head_seal: string;
}

export interface EntryRow {
  chain: string;
  sequence: unknown;
  at: unknown;
  actor: string;
  about: unknown;
  body: string;
  hash: string;
}

/** The columns of one end of a chain. */
export function linkOf(end: 'base' | 'head', { sequence, hash, seal }: SealedLink): Record<string, string | number> {
  return { [`${end}_sequence`]: sequence, [`${end}_hash`]: hash, [`${end}_seal`]: seal };
}

export function columnsOf(values: Engine['values'], { id, started, number, previous, base, head }: AuditChain): object {
  return {
    id,
    started: values.time(started),
    ordinal: number ?? null,
    previous_chain: previous?.chain ?? null,
    previous_sequence: previous?.sequence ?? null,
    previous_hash: previous?.hash ?? null,
    ...linkOf('base', base),
    ...linkOf('head', head),
  };
}

export const chainRows = {
  columns: [
    ...['id', 'started', 'ordinal', 'previous_chain', 'previous_sequence', 'previous_hash'],
    ...['base_sequence', 'base_hash', 'base_seal', 'head_sequence', 'head_hash', 'head_seal'],
  ],
  read: (values: Engine['values'], row: ChainRow): AuditChain => ({
    id: row.id,
    started: values.parseTime(row.started),
    ...(row.ordinal !== null && { number: values.parseBig(row.ordinal) }),
    ...(row.previous_chain !== null &&
      row.previous_hash !== null && {
        previous: {
          chain: row.previous_chain,
          sequence: values.parseBig(row.previous_sequence),
          hash: row.previous_hash,
        },
      }),
    base: { sequence: values.parseBig(row.base_sequence), hash: row.base_hash, seal: row.base_seal },
    head: { sequence: values.parseBig(row.head_sequence), hash: row.head_hash, seal: row.head_seal },
  }),
};

export const entryRows = {
  columns: ['chain', 'sequence', 'at', 'actor', 'about', 'body', 'hash'],
  read: (values: Engine['values'], row: EntryRow): ChainedEntry => ({
    chain: row.chain,
    sequence: values.parseBig(row.sequence),
    at: timed(values, row.at),
    actor: row.actor,
    about: listed(values, row.about),
    body: row.body,
    hash: row.hash,
  }),
};

/** A time that was changed by hand into none is invalid. */
export function timed(values: Engine['values'], stored: unknown): Date {
  try {
    return values.parseTime(stored);
  } catch {
    return new Date(Number.NaN);
  }
}

/** A list that was changed by hand counts as empty: it is then not what the body of the entry says. */
function listed(values: Engine['values'], stored: unknown): string[] {
  try {
    const list = values.parseJson(stored);
    return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
}
