/** Where the bytes of a D4 file come from: the interface of all sources. */

/** A piece of a file, in bytes. `ahead` is the length that would be useful if a request is needed anyway. */
export interface Span {
  offset: number;
  length: number;
  ahead?: number;
}

/** Bytes that were fetched, and can be copied without waiting. */
export interface View {
  /** Fills the whole target with the bytes from offset on. Throws D4Error if they cannot be read. */
  copy(target: Uint8Array, offset: number): void;
}

/** A version of a local file. */
export interface LocalIdentity {
  path: string;
  device: number;
  inode: number;
  size: number;
  /** Milliseconds since 1970. */
  modified: number;
}

/** Where a file's bytes come from. */
export interface Source {
  /** Path or URL, used in error places. */
  readonly name: string;
  /** Set if workers can open the same file themselves. */
  readonly local?: LocalIdentity;
  /** Bytes in the file. */
  readonly size: number;
  /** Identifies the version of the bytes, besides their number; undefined for bytes in memory. */
  readonly version?: string | undefined;
  /** Whether each fetch may cost a network round trip. */
  readonly remote: boolean;
  /** Fetches all spans together. They must be inside the file. */
  fetch(spans: readonly Span[], signal?: AbortSignal): View | Promise<View>;
  close(): void;
}

/** Identifies a version of a file among all files and versions; undefined for bytes in memory. */
export function versionOf({ name, local, size, version }: Source): string | undefined {
  if (local) return JSON.stringify([local.device, local.inode, size, local.modified]);
  return version === undefined ? undefined : JSON.stringify([name, size, version]);
}
