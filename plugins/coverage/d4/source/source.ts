/** Where the bytes of a D4 file come from: the interface of all sources. */

/** A piece of a file, in bytes. `ahead` says how much more would be useful if a request has to be made anyway. */
export interface Span {
  offset: number;
  length: number;
  ahead?: number;
}

/** Bytes that are at hand: what was asked for can be copied without waiting. */
export interface View {
  /** Fills the whole target with the bytes from offset on. Throws D4Error when they cannot be had. */
  copy(target: Uint8Array, offset: number): void;
}

/** A local file, and what tells this version of it from another. */
export interface LocalIdentity {
  path: string;
  device: number;
  inode: number;
  size: number;
  /** Milliseconds. */
  modified: number;
}

/** Where a file's bytes come from. */
export interface Source {
  /** Path or URL, used in error places. */
  readonly name: string;
  /** Set when others can open the same bytes by themselves, as workers do. */
  readonly local?: LocalIdentity;
  /** Bytes in the file. */
  readonly size: number;
  /** What tells this version of the bytes from another, besides their number; nothing for bytes in memory. */
  readonly version?: string | undefined;
  /** Whether each fetch may cost a network round trip. */
  readonly remote: boolean;
  /** Makes the spans readable; all of them are asked for at once. They must lie inside the file. */
  fetch(spans: readonly Span[], signal?: AbortSignal): View | Promise<View>;
  close(): void;
}

/** What tells this version of a file from every other file and version; undefined for bytes that have no name of their own. */
export function versionOf({ name, local, size, version }: Source): string | undefined {
  if (local) return JSON.stringify([local.device, local.inode, size, local.modified]);
  return version === undefined ? undefined : JSON.stringify([name, size, version]);
}
