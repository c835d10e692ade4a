/**
 * The stored form of a resource: named columns of bytes and 32-bit numbers in one block of memory, so that reading it needs
 * views only and no copies. Numbers are in the byte order of the machine; the mark shows another order.
 */
import { Fault } from '../../../core/storage.js';

export type PackedColumn = Uint8Array | Uint32Array;
export type PackedColumns = ReadonlyMap<string, PackedColumn>;

/** To be raised with every change of what is packed, or how. */
const layout = 1;
const mark = 0x54524652;

interface PackedHeader {
  layout: number;
  kind: string;
  /** Name, bytes per element, elements. */
  columns: [name: string, width: 1 | 4, length: number][];
}

export function pack(kind: string, columns: Readonly<Record<string, PackedColumn>>): Uint8Array<ArrayBuffer> {
  const entries = Object.entries(columns);
  const header: PackedHeader = {
    layout,
    kind,
    columns: entries.map(([name, column]) => [name, column.BYTES_PER_ELEMENT as 1 | 4, column.length]),
  };
  const head = new TextEncoder().encode(JSON.stringify(header));
  const size = entries.reduce((sum, [, column]) => sum + aligned(column.byteLength), 8 + aligned(head.length));
  const packed = new Uint8Array(size);
  new Uint32Array(packed.buffer, 0, 2).set([mark, head.length]);
  packed.set(head, 8);
  let at = 8 + aligned(head.length);
  for (const [, column] of entries) {
    packed.set(new Uint8Array(column.buffer, column.byteOffset, column.byteLength), at);
    at += aligned(column.byteLength);
  }
  return packed;
}

/** Views of packed columns. Throws an `unprocessable` fault if they are damaged, or of another kind, layout or byte order. */
export function unpack(kind: string, bytes: Uint8Array): PackedColumns {
  // The Buffer of a driver may start at any offset; views of numbers may not.
  const packed = bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes);
  const { buffer, byteOffset, length } = packed;
  if (length < 8) throw unreadable(kind);
  const [found, headLength] = new Uint32Array(buffer, byteOffset, 2) as unknown as [number, number];
  if (found !== mark || headLength > length - 8) throw unreadable(kind);
  const header = headerOf(packed.subarray(8, 8 + headLength));
  if (header?.layout !== layout || header.kind !== kind) throw unreadable(kind);
  const columns = new Map<string, PackedColumn>();
  let at = 8 + aligned(headLength);
  for (const [name, width, count] of header.columns) {
    if (at + width * count > length) throw unreadable(kind);
    const start = byteOffset + at;
    columns.set(name, width === 4 ? new Uint32Array(buffer, start, count) : new Uint8Array(buffer, start, count));
    at += aligned(width * count);
  }
  return columns;
}

/** A column of numbers. Throws a plain Error if there is none of the name. */
export function numbers(columns: PackedColumns, name: string): Uint32Array {
  const column = columns.get(name);
  if (!(column instanceof Uint32Array)) throw new Error(`There is no column of numbers "${name}"`);
  return column;
}

/** A column of bytes. Throws a plain Error if there is none of the name. */
export function bytes(columns: PackedColumns, name: string): Uint8Array {
  const column = columns.get(name);
  if (!(column instanceof Uint8Array)) throw new Error(`There is no column of bytes "${name}"`);
  return column;
}

/** Bytes of all columns. */
export function bytesOfColumns(columns: PackedColumns): number {
  let sum = 0;
  for (const column of columns.values()) sum += column.byteLength;
  return sum;
}

function headerOf(bytes: Uint8Array): PackedHeader | undefined {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined; // damaged: the caller throws
  }
}

function unreadable(kind: string): Fault {
  return new Fault(
    'unprocessable',
    `This version of Trefoil cannot read the stored ${kind}: load them again with "update resources"`,
    { public: 'The resources for matching must be loaded again' },
  );
}

function aligned(length: number): number {
  return Math.ceil(length / 8) * 8;
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();

export function textColumns(name: string, texts: readonly string[]): Record<string, PackedColumn> {
  const offsets = new Uint32Array(texts.length + 1);
  const parts = texts.map((text) => encoder.encode(text));
  parts.forEach((part, i) => {
    offsets[i + 1] = (offsets[i] as number) + part.length;
  });
  const joined = new Uint8Array(offsets[texts.length] as number);
  parts.forEach((part, i) => {
    joined.set(part, offsets[i]);
  });
  return { [`${name}.bytes`]: joined, [`${name}.offsets`]: offsets };
}

/** Texts by number, decoded on access. */
export class PackedTexts {
  readonly #bytes: Uint8Array;
  readonly #offsets: Uint32Array;

  constructor(columns: PackedColumns, name: string) {
    this.#bytes = bytes(columns, `${name}.bytes`);
    this.#offsets = numbers(columns, `${name}.offsets`);
  }

  get length(): number {
    return this.#offsets.length - 1;
  }

  at(index: number): string {
    return decoder.decode(this.#part(index));
  }

  /** First and last + 1 index of a text in texts that are sorted by `byBytes`; equal if it is not among them. */
  range(text: string): [from: number, to: number] {
    const wanted = encoder.encode(text);
    const from = firstIndex(this.length, (i) => Buffer.compare(this.#part(i), wanted) >= 0);
    let to = from;
    while (to < this.length && Buffer.compare(this.#part(to), wanted) === 0) to++;
    return [from, to];
  }

  #part(index: number): Uint8Array {
    return this.#bytes.subarray(this.#offsets[index], this.#offsets[index + 1]);
  }
}

/** The order that `range` requires. */
export function byBytes(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}

/** First and last + 1 index of a number in ascending numbers; equal if it is not among them. */
export function rangeOfValue(ascending: Uint32Array, wanted: number): [from: number, to: number] {
  const from = firstIndex(ascending.length, (i) => (ascending[i] as number) >= wanted);
  let to = from;
  while (to < ascending.length && ascending[to] === wanted) to++;
  return [from, to];
}

/** The first index below `length` for which `holds` returns true, as it must for all that follow; else `length`. */
export function firstIndex(length: number, holds: (index: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
