/** Commands as data, apart from any parser of command lines. */
import type { Writable } from 'node:stream';
import type { Chromosome } from '../metadata.js';
import type { HttpOptions } from '../source/http.js';

/** The regions of a BED file in columns, zero-based half-open. */
export interface BedRegions {
  readonly chromosomes: readonly string[];
  /** Of each region, the place of its chromosome in `chromosomes`. */
  readonly ordinals: Uint32Array;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  /**
   * Throws, naming the line, for a region that ends beyond its chromosome, of which `sizeOf` returns the bases, and for one whose size
   * is undefined, with the reason of `unknown`.
   */
  within(sizeOf: (chromosome: string) => number | undefined, unknown: (chromosome: string) => string): void;
}

/** Where a command writes, and how it reads. */
export interface CommandIo {
  out: Writable;
  err: Writable;
  isTTY: boolean;
  /** Reads a BED file. Throws, naming file and line, if it is not one. */
  readBed(path: string): Promise<BedRegions>;
  /** Reads names and sizes of chromosomes. Throws, naming file and line, if the file has none. */
  readGenome(path: string): Promise<Chromosome[]>;
  /** How to reach http(s) URLs. */
  http?: HttpOptions | undefined;
  /** How to reach s3:// names; they cannot be read if omitted. */
  s3?: HttpOptions | undefined;
  /** Shows the progress of long work, 0 to 1. */
  progress?: ((fraction: number, label: string) => void) | undefined;
}

export interface CommandArgument {
  name: string;
  description: string;
  /** Whether the command needs it. */
  required?: boolean;
  /** Whether it takes all following arguments. */
  variadic?: boolean;
}

export interface CommandOption {
  /** As shown in help: `-s, --stat <kind>`; with `<…>` it takes a value, else it is a switch. */
  flags: string;
  description: string;
}

/** The arguments of a command line, in order, and its options by their long name in camel case. */
export interface CommandInput {
  arguments: readonly string[];
  options: Readonly<Record<string, unknown>>;
  signal?: AbortSignal | undefined;
}

/** A command as data; the caller parses the command line. */
export interface D4Command {
  name: string;
  /** Other names of the same command. */
  aliases?: readonly string[];
  summary: string;
  description?: string;
  arguments: readonly CommandArgument[];
  options: readonly CommandOption[];
  /** Returns the exit status. Throws D4Error for problems that the user can solve. */
  run(input: CommandInput, io: CommandIo): Promise<number>;
}
