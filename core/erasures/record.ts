/** A line of the list of erasures. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Erasure } from './erasure.js';

/** Of one id. Several of one command have the same receipt. */
export interface ErasureRecord {
  readonly receipt: string;
  readonly at: Date;
  /** `erase`, or `permit`: the person agrees to sharing again. */
  readonly does: 'erase' | 'permit';
  readonly erasure: Omit<Erasure, 'before'>;
}

const line = z.strictObject({
  receipt: z.string(),
  at: z.iso.datetime(),
  does: z.enum(['erase', 'permit']),
  id: z.string(),
  names: z.enum(['sample', 'patient']).optional(),
  holder: z.union([z.enum(['own', 'any']), z.strictObject({ name: z.string() })]),
  scope: z.enum(['all', 'sharing']),
  sum: z.string(),
});

/** Without the end of the line. */
export function writeRecord({ receipt, at, does, erasure }: ErasureRecord): string {
  const { id, names, holder, scope } = erasure;
  const content = { receipt, at: at.toISOString(), does, id, ...(names && { names }), holder, scope };
  return JSON.stringify({ ...content, sum: sumOf(content) });
}

/** Undefined if the line is damaged. */
export function readRecord(text: string): ErasureRecord | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { data } = line.safeParse(parsed);
  if (data === undefined) return undefined;
  const { sum, ...content } = data;
  const { receipt, at, does, id, names, holder, scope } = content;
  const known = { receipt, at, does, id, ...(names && { names }), holder, scope };
  if (sumOf(known) !== sum) return undefined;
  return { receipt, at: new Date(at), does, erasure: { id, ...(names && { names }), holder, scope } };
}

/** Finds damage, not forgery. */
function sumOf(content: object): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 16);
}
