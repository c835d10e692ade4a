/**
 * The error of this library and its codes, and the limits on the memory and work that a file may cause. Real files stay far
 * below all of them.
 */

/** What went wrong, by cause. */
export type D4ErrorCode =
  | 'not-found' // the file or URL does not exist
  | 'not-d4' // the bytes do not begin as a D4 file does
  | 'broken' // the file breaks the format: links, sizes, tables, records
  | 'truncated' // the file ends before something that it should contain
  | 'changed' // the file was replaced while it was being read
  | 'unreachable' // the disk or the server did not deliver the bytes
  | 'failed' // this process could not do the work: a worker thread ended
  | 'unknown-chromosome' // the caller named a chromosome that the file does not have
  | 'invalid'; // the caller's argument or input text is invalid

const brand = Symbol.for('trefoil.d4.error');

/**
 * The only error this library throws by itself (a cancelled call rejects with its signal's reason).
 * The message is one readable sentence that ends with the place, which is also a property of its own.
 */
export class D4Error extends Error {
  readonly [brand] = true;
  readonly code: D4ErrorCode;
  /** The sentence without the place. */
  readonly reason: string;
  /** Where: the file, and inside it the table, frame, line or byte. */
  readonly place: string;

  constructor(code: D4ErrorCode, message: string, place: string, options?: { cause?: unknown }) {
    super(`${message} (${place})`, options);
    this.name = 'D4Error';
    this.code = code;
    this.reason = message;
    this.place = place;
  }
}

/** Recognises the error by its brand, so that two copies of this library agree. */
export function isD4Error(value: unknown): value is D4Error {
  return typeof value === 'object' && value !== null && (value as { [brand]?: unknown })[brand] === true;
}

// What callers pass, where the library gets it: in plain JavaScript nothing else checks it.

/** Characters of a value that an error shows, and members of a list or an object. */
const longest = 100;
const mostMembers = 4;

/** A value as an error shows it: text in quotes. */
export function shown(value: unknown): string {
  const text = describe(value, true);
  return text.length > longest ? `${text.slice(0, longest)} …` : text;
}

function describe(value: unknown, withMembers: boolean): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object' || value === null) return String(value);
  const kind = (Object.getPrototypeOf(value) as object | null)?.constructor?.name ?? 'Object';
  if (!withMembers || (kind !== 'Object' && kind !== 'Array')) return kind;
  const isList = Array.isArray(value);
  const members = Object.entries(value).slice(0, mostMembers);
  const texts = members.map(([name, member]) => (isList ? '' : `${name}: `) + describe(member, false)).join(', ');
  if (isList) return `[${texts}]`;
  return texts === '' ? '{}' : `{ ${texts} }`;
}

/** Throws D4Error `invalid`. */
export function refuse(argument: string, mustBe: string, value: unknown): never {
  throw new D4Error('invalid', `${argument} must be ${mustBe}`, shown(value));
}

// Limits on the memory and work that a file may cause. Real files stay far below all of them.

/** Bytes of one JSON header or one directory: a reference with 100,000 contigs needs about 6 MB. */
export const maxHeaderBytes = 16 * 2 ** 20;

/** Directories inside directories; files of d4tools have three levels. */
export const maxDirectoryDepth = 8;

/** Tracks in one file. */
export const maxTracks = 10_000;

/** Inflated bytes of one deflate frame; the reference implementation writes 64 KiB. */
export const maxInflatedBytes = 16 * 2 ** 20;

/** Deflate compresses at most about 1032:1, so a frame that claims more is broken. */
export const maxInflateRatio = 1032;

/** Bits per code. */
export const maxWidth = 16;

/** Longest chromosome: positions are unsigned 32-bit integers, and records use 0 as padding. */
export const maxChromosomeSize = 2 ** 32 - 2;

/** Bases of all chromosomes together. The largest genome known, a fern's, has 160 billion. */
export const maxGenomeBases = 2 ** 38;

/** Frames that are followed when a file is opened, about two seconds of small reads. */
export const maxFollowedFrames = 2 ** 20;
