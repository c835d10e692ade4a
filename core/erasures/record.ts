/** A line of the list of erasures. Ids are encrypted in it: the list must not tell copies of it who was erased. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { seal, unseal } from '../seal.js';
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
  sealed: z.string(),
  names: z.enum(['sample', 'patient']).optional(),
  holder: z.union([z.enum(['own', 'any']), z.strictObject({ name: z.string() })]),
  scope: z.enum(['all', 'sharing']),
  sum: z.string(),
});

const purpose = 'trefoil erasures';

/** Without the end of the line. */
export function writeRecord({ receipt, at, does, erasure }: ErasureRecord, secret: string): string {
  const { id, names, holder, scope } = erasure;
  const sealed = seal(id, { secret, purpose, about: receipt });
  const content = { receipt, at: at.toISOString(), does, sealed, ...(names && { names }), holder, scope };
  return JSON.stringify({ ...content, sum: sumOf(content) });
}

/** Undefined if the line is damaged. Throws an error of the library if its id was encrypted with another key. */
export function readRecord(text: string, secret: string): ErasureRecord | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { data } = line.safeParse(parsed);
  if (data === undefined) return undefined;
  const { receipt, at, does, sealed, names, holder, scope } = data;
  if (sumOf({ receipt, at, does, sealed, ...(names && { names }), holder, scope }) !== data.sum) return undefined;
  const id = unseal(sealed, { secret, purpose, about: receipt });
  return { receipt, at: new Date(at), does, erasure: { id, ...(names && { names }), holder, scope } };
}

/** Finds damage, not forgery. */
function sumOf(content: object): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 16);
}
