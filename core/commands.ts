/**
 * Door `trefoil/commands`: commands as data. The command line is made from them, for `trefoil <plugin> …` and for a
 * plugin's own program.
 */
import type { Announcing } from './plugin/announcing.js';
import type { Contract, Damage, StorageLog, StorageScope } from './storage.js';

export { table } from './table.js';

export interface CommandOption {
  /** `--ds <id>`, `--json`; a value in `<>` is required when the option is given. */
  flags: string;
  description: string;
  /** Older spellings that are still understood, such as `-ds-id`; the help does not show them. */
  aliases?: readonly string[];
  /** The command refuses to run without it (exit 2). */
  required?: boolean;
  /** May be given several times; the value is an array. */
  repeatable?: boolean;
  default?: string | number | boolean;
  /** Accepted values, compared without case where `ignoreCase`. */
  choices?: readonly string[];
  ignoreCase?: boolean;
}

export interface CommandArgument {
  name: string;
  description: string;
  required?: boolean;
  variadic?: boolean;
}

/** What was typed: option values by camelCase name, arguments in order. */
export interface CommandInput {
  options: Readonly<Record<string, unknown>>;
  arguments: readonly string[];
}

/** A running progress bar; writes nothing where stderr is no terminal. */
export interface Progress {
  /** 0 to 1, with an optional note (`123 456 alleles`). */
  update(fraction: number, note?: string): void;
  stop(): void;
}

/** Where a command speaks. Results go to stdout, everything else to stderr. */
export interface Terminal {
  /** True where `--json` was given: print one JSON document and nothing else on stdout. */
  json: boolean;
  /** A line of the result, for people; dropped where json. */
  print(line: string): void;
  /** The result for scripts; dropped unless json. */
  data(value: unknown): void;
  /** A remark on stderr. */
  note(line: string): void;
  progress(label: string): Progress;
  /** Asks yes or no; false where stdin is no terminal. */
  confirm(question: string): Promise<boolean>;
}

export interface TokenRequest {
  /** Who holds it: 1 to 200 characters. */
  owner: string;
  /** `plugin:right`, for example `beacon:write`, or for one thing alone `plugin:right:id`. */
  scopes: readonly string[];
  expires?: Date | undefined;
  /** A token that the holder has already, of 16 to 512 printable ASCII characters; else one is made. */
  token?: string | undefined;
  /** Whether a token that is brought along may have fewer than 16 characters; the command then warns. */
  allowWeak?: boolean | undefined;
}

/** An API token without its secret. */
export interface TokenEntry {
  id: string;
  owner: string;
  scopes: readonly string[];
  created: Date;
  expires?: Date;
  lastUsed?: Date;
  revoked?: Date;
}

/** What a command may use. The storage is opened, and its pending migrations checked, at the first use. */
export interface CommandContext<Settings = unknown> extends Announcing {
  settings: Settings;
  repository<Repository>(contract: Contract<Repository>): Promise<Repository>;
  transaction<Result>(work: (scope: StorageScope) => Promise<Result>): Promise<Result>;
  /** As `Storage.purge`; false if the storage has no files of its own. */
  purge(): Promise<boolean>;
  /** Issues an API token with scopes of this plugin. It can be shown now and never again: only its hash is stored. */
  issueToken(request: TokenRequest): Promise<{ id: string; token: string }>;
  /** The API tokens with scopes of this plugin and no others, oldest first; of one owner where named. */
  listTokens(owner?: string): Promise<TokenEntry[]>;
  /** Revokes one of those tokens; false where it is none of them. */
  revokeToken(id: string): Promise<boolean>;
  /** Rows of the storage that cannot be read, whosever they are. Reads everything; empty if the adapter does not know. */
  damaged(): Promise<Damage[]>;
  terminal: Terminal;
  log: StorageLog;
  now(): Date;
  /** Aborted at the first SIGINT or SIGTERM. */
  signal: AbortSignal;
  /** Serves this plugin alone until a signal comes: what `beacon run` does. */
  serve(options: { host?: string; port?: number }): Promise<void>;
}

export interface Command<Settings = unknown> {
  /** Words separated by blanks: `add dataset`. */
  name: string;
  summary: string;
  description?: string;
  /** Command lines shown under `--help`, without the program's name. */
  examples?: readonly string[];
  arguments?: readonly CommandArgument[];
  options?: readonly CommandOption[];
  /** A Fault thrown here ends the command with one sentence on stderr and exit code 1; the answer is the exit code, else 0. */
  run(context: CommandContext<Settings>, input: CommandInput): Promise<number | undefined>;
}

/**
 * A group of commands that needs neither configuration nor storage: `trefoil <word> …`, at hand without any plugin being
 * enabled. The default export of `plugins/<plugin>/tools/<word>.ts`.
 */
export interface Tool {
  /** One line for `--help`. */
  readonly summary: string;
  readonly commands: readonly ToolCommand[];
}

export interface ToolCommand extends Omit<Command, 'run'> {
  run(context: ToolContext, input: CommandInput): Promise<number | undefined>;
}

export interface ToolContext {
  terminal: Terminal;
  /** Aborted at the first SIGINT or SIGTERM. */
  signal: AbortSignal;
}
