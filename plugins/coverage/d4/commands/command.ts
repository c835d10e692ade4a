/** Commands as data, apart from any parser of command lines. */
import type { Writable } from 'node:stream';

/** Where a command's text goes. */
export interface CommandIo {
  out: Writable;
  err: Writable;
  isTTY: boolean;
  /** Shows how far long work has come, from 0 to 1. */
  progress?: ((fraction: number, label: string) => void) | undefined;
}

export interface CommandArgument {
  name: string;
  description: string;
  /** The command refuses to run without it. */
  required?: boolean;
  /** Takes all that follow. */
  variadic?: boolean;
}

export interface CommandOption {
  /** As shown in help: `-s, --stat <kind>`; with `<…>` it takes a value, else it is a switch. */
  flags: string;
  description: string;
}

/** What was given on the command line: arguments in order, options by their long name in camel case. */
export interface CommandInput {
  arguments: readonly string[];
  options: Readonly<Record<string, unknown>>;
  signal?: AbortSignal | undefined;
}

/** A command as data: something else turns command lines into inputs. */
export interface D4Command {
  name: string;
  /** Other names of the same command. */
  aliases?: readonly string[];
  summary: string;
  description?: string;
  arguments: readonly CommandArgument[];
  options: readonly CommandOption[];
  /** Returns the exit status. Throws D4Error for what the user can mend. */
  run(input: CommandInput, io: CommandIo): Promise<number>;
}
