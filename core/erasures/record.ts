/**
 * A line of the list of erasures. Ids are encrypted in it: a copy of the list must not reveal who was erased. Each line has a
 * number and names the one before it, under a code that only the key of the list makes.
 */
import { createHash, createHmac, hkdfSync } from 'node:crypto';
import { z } from 'zod';
import { seal, unseal } from '../seal.js';
import type { Erasure } from './erasure.js';

/** Of one id. Several of one command have the same receipt. */
export interface ErasureRecord {
  readonly receipt: string;
  readonly at: Date;
  /** `erase`, or `permit`: the person agrees to sharing again. */
  readonly does: 'erase' | 'permit';
  readonly erasure: Omit<Erasure, 'before' | 'revisions'>;
  /** What was stored of the people of the receipt, if its clock was not behind that of the erasure: see `Eraser.revisions`. */
  readonly revisions?: readonly string[];
}

/** A place in the list: after the line of this number, which has this code. 0 is the beginning. */
export interface ListEnd {
  readonly number: number;
  readonly code: string;
}

/** A line that was read. */
export type ListLine =
  /** Of 0.2, without number. */
  | { readonly form: 'plain'; readonly record: ErasureRecord }
  | { readonly form: 'chained'; readonly end: ListEnd; readonly previous: string; readonly record: ErasureRecord }
  /** Everything before it was accepted as it is: bytes with this digest. */
  | { readonly form: 'accepted'; readonly end: ListEnd; readonly covers: string };

const plainMembers = {
  receipt: z.string(),
  at: z.iso.datetime(),
  does: z.enum(['erase', 'permit']),
  sealed: z.string(),
  names: z.enum(['sample', 'patient']).optional(),
  holder: z.union([z.enum(['own', 'any']), z.strictObject({ name: z.string() })]),
  scope: z.enum(['all', 'sharing']),
};
const numbered = { number: z.int().min(1), key: z.string() };

const line = z.union([
  z.strictObject({ ...plainMembers, sum: z.string() }),
  z.strictObject({ ...numbered, previous: z.string(), ...plainMembers, code: z.string() }),
  z.strictObject({
    ...numbered,
    does: z.literal('accept'),
    at: z.iso.datetime(),
    covers: z.string(),
    code: z.string(),
  }),
]);

const content = z.tuple([z.string()], z.string());

const purpose = 'trefoil erasures';

/** The lines of records, without their ends, and the end of the list with them. */
export function writeRecords(
  records: readonly ErasureRecord[],
  after: ListEnd,
  key: ListKey,
): { lines: string[]; end: ListEnd } {
  let end = after;
  const lines = records.map(({ receipt, at, does, erasure, revisions = [] }) => {
    const { id, names, holder, scope } = erasure;
    const sealed = seal(JSON.stringify([id, ...revisions]), { secret: key.secret, purpose, about: receipt });
    const place = { number: end.number + 1, key: key.name, previous: end.code };
    const own = { ...place, receipt, at: at.toISOString(), does, sealed, ...(names && { names }), holder, scope };
    end = { number: place.number, code: key.codeOf(own) };
    return JSON.stringify({ ...own, code: end.code });
  });
  return { lines, end };
}

/** The line that accepts what is before it. */
export function writeAcceptance(
  number: number,
  at: Date,
  before: Uint8Array,
  key: ListKey,
): { line: string; end: ListEnd } {
  const own = { number, key: key.name, does: 'accept', at: at.toISOString(), covers: digestOfBytes(before) };
  const code = key.codeOf(own);
  return { line: JSON.stringify({ ...own, code }), end: { number, code } };
}

/** Why a line cannot be read, if it cannot. */
export function readLine(text: string, key: ListKey): ListLine | 'damaged' | 'of another key' {
  const { data } = line.safeParse(jsonIn(text));
  if (data === undefined) return 'damaged';
  if ('sum' in data) return plainLine(data, key);
  const { code, ...own } = data;
  if (own.key !== key.name) return 'of another key';
  if (key.codeOf(own) !== code) return 'damaged';
  const end = { number: data.number, code };
  if (data.does === 'accept') return { form: 'accepted', end, covers: data.covers };
  const opened = content.parse(JSON.parse(unseal(data.sealed, { secret: key.secret, purpose, about: data.receipt })));
  const [id, ...revisions] = opened;
  const record = { ...recordOf(data, id), ...(revisions.length > 0 && { revisions }) };
  return { form: 'chained', end, previous: data.previous, record };
}

function plainLine(
  data: z.infer<z.ZodObject<typeof plainMembers>> & { sum: string },
  key: ListKey,
): ListLine | 'damaged' | 'of another key' {
  const { receipt, at, does, sealed, names, holder, scope } = data;
  const own = { receipt, at, does, sealed, ...(names && { names }), holder, scope };
  // Finds damage, not forgery.
  if (digestOfBytes(JSON.stringify(own)).slice(0, 16) !== data.sum) return 'damaged';
  try {
    const id = unseal(sealed, { secret: key.secret, purpose, about: receipt });
    return { form: 'plain', record: recordOf(data, id) };
  } catch {
    return 'of another key'; // the only way in which OpenSSL reports it
  }
}

function recordOf(
  { receipt, at, does, names, holder, scope }: z.infer<z.ZodObject<typeof plainMembers>>,
  id: string,
): ErasureRecord {
  return { receipt, at: new Date(at), does, erasure: { id, ...(names && { names }), holder, scope } };
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The key of the list. */
export class ListKey {
  readonly secret: string;
  /** Identifies a key without revealing it. */
  readonly name: string;
  readonly #codes: Buffer;

  constructor(secret: string) {
    this.secret = secret;
    this.#codes = Buffer.from(hkdfSync('sha256', secret, '', `${purpose} codes`, 32));
    this.name = Buffer.from(hkdfSync('sha256', secret, '', `${purpose} name`, 6)).toString('hex');
  }

  codeOf(own: object): string {
    return createHmac('sha256', this.#codes).update(JSON.stringify(own)).digest('hex').slice(0, 32);
  }
}

export function digestOfBytes(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}
