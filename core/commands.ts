/**
 * Door `trefoil/commands`: commands as data. The command line is built from them, for `trefoil <plugin> …` and for a
 * plugin's own program.
 */
import type { CommandAudit } from './audit/audit.js';
import type { Announcing } from './erasures/erasure.js';
import type { Erasures } from './erasures/list.js';
import type { Bed } from './files/bed.js';
import type { Source } from './files/source.js';
import type { S3 } from './outgoing/s3/s3.js';
import type { Tenant } from './policy/tenants.js';
import type { Contract, Damage, StorageLog, StorageScope } from './storage.js';

export { type NamedThings, recordShown } from './audit/audit.js';
export {
  type Columns,
  type Confirmation,
  confirmed,
  counted,
  dayOf,
  firstLines,
  linesOfSheet,
  Mistakes,
  printTable,
  type SheetRow,
  sheetRows,
  table,
  withProgress,
} from './command-text.js';
export { Fault } from './fault.js';

export interface CommandOption {
  /** `--ds <id>`, `--json`; a value in `<>` is required if the option is given. */
  flags: string;
  description: string;
  /** Older spellings that are still accepted, such as `-ds-id`; the help does not show them. */
  aliases?: readonly string[];
  /** The command refuses to run without it (exit 2). */
  required?: boolean;
  /** May be given several times; the value is an array. */
  repeatable?: boolean;
  default?: string | number | boolean;
  /** Accepted values; case is ignored if `ignoreCase` is set. */
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
export interface CommandInput<Values = Readonly<Record<string, unknown>>> {
  options: Values;
  arguments: readonly string[];
}

type CamelCase<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name;

type LongFlag<Flags extends string> = Flags extends `${string}--${infer Rest}`
  ? Rest extends `${infer Name} ${string}`
    ? Name
    : Rest
  : never;

type WithoutNo<Name extends string> = Name extends `no-${infer Rest}` ? Rest : Name;

/** `dryRun` of `--dry-run`; `pass` of `--no-pass`. */
type OptionName<Option extends CommandOption> = CamelCase<WithoutNo<LongFlag<Option['flags']>>>;

type OneValue<Option extends CommandOption> = Option extends { choices: readonly (infer Choice)[] }
  ? Choice
  : Option extends { default: number }
    ? number
    : Option['flags'] extends `${string}<${string}`
      ? string
      : boolean;

type OptionValue<Option extends CommandOption> = Option extends { repeatable: true }
  ? readonly OneValue<Option>[]
  : OneValue<Option>;

type AlwaysGiven = { required: true } | { default: string | number | boolean };

/** The values of options that are declared as constants: `{ ds: string; yes?: boolean }`. */
export type OptionValues<Options extends readonly CommandOption[]> = {
  readonly [Option in Options[number] as Option extends AlwaysGiven ? OptionName<Option> : never]: OptionValue<Option>;
} & {
  readonly [Option in Options[number] as Option extends AlwaysGiven ? never : OptionName<Option>]?: OptionValue<Option>;
};

/** A running progress bar; writes nothing if stderr is not a terminal. */
export interface Progress {
  /** 0 to 1, with an optional note (`123 456 alleles`). */
  update(fraction: number, note?: string): void;
  stop(): void;
}

/** The output of a command. Results go to stdout, everything else to stderr. */
export interface Terminal {
  /** True if `--json` was given: print one JSON document and nothing else on stdout. */
  json: boolean;
  /** A line of the result, for people; dropped if `json`. */
  print(line: string): void;
  /** The result for scripts; dropped unless `json`. */
  data(value: unknown): void;
  /** A remark on stderr. */
  note(line: string): void;
  progress(label: string): Progress;
  /** Asks yes or no; returns false if stdin is not a terminal. */
  confirm(question: string): Promise<boolean>;
}

export interface TokenRequest {
  /** The holder: 1 to 200 characters. */
  owner: string;
  /** `plugin:right`, for example `beacon:write`, or for one thing only `plugin:right:id`. */
  scopes: readonly string[];
  expires?: Date | undefined;
  /** A token that the holder has already, of 16 to 512 printable ASCII characters; a new one if omitted. */
  token?: string | undefined;
  /** Whether `token` may have fewer than 16 characters; the command then warns. */
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
  /**
   * The service of that key, or undefined if no enabled plugin offers it. The first use registers all enabled plugins, on the
   * storage opened again; they are closed when the command ends.
   */
  find<Service extends object>(key: string): Promise<Service | undefined>;
  /** Like `Storage.purge`; returns false if the storage has no files of its own. A fault says that the command is to be repeated. */
  purge(): Promise<boolean>;
  /** Objects in the configured buckets of S3; undefined if the configuration has none. */
  s3: S3 | undefined;
  /** Opens a file, standard input for `-`, or an object of a configured bucket (`s3://bucket/key`). */
  openSource(path: string): Promise<Source>;
  /** What belongs to which tenant; empty if the configuration has none. */
  tenants: readonly Tenant[];
  /** Issues an API token with scopes of this plugin. It can be shown now and never again: only its hash is stored. */
  issueToken(request: TokenRequest): Promise<{ id: string; token: string }>;
  /** Returns the API tokens with scopes of this plugin and no others, oldest first; only those of `owner` if given. */
  listTokens(owner?: string): Promise<TokenEntry[]>;
  /** Revokes one of those tokens; returns false if the id is not among them. */
  revokeToken(id: string): Promise<boolean>;
  /** Returns the unreadable rows of the storage, of any plugin. Reads everything; empty if the adapter cannot check. */
  damaged(): Promise<Damage[]>;
  /** Records what the operator does, if the configuration has the section `audit`. */
  audit: CommandAudit;
  /** The people who may not be stored again, or not be shared. */
  erasures: Erasures;
  terminal: Terminal;
  log: StorageLog;
  now(): Date;
  /** The version of the software. */
  version: string;
  /** Aborted at the first SIGINT or SIGTERM. */
  signal: AbortSignal;
  /** Serves only this plugin until a signal arrives, as `beacon run` does. */
  serve(options: { host?: string; port?: number }): Promise<void>;
  /**
   * Starts another server in this process, of this plugin only, with the configuration in `file` and no other variables than
   * those given. It logs to the file `log`, and the command stops it. The first is to be started before a command prints.
   */
  startServer(options: {
    file: string;
    environment: Readonly<Record<string, string>>;
    log: string;
  }): Promise<CommandServer>;
}

/** A server that a command started, with a storage of its own. */
export interface CommandServer {
  /** `http://127.0.0.1:41233`, with the actual port. */
  url: string;
  /** Runs a command of this plugin on its storage; returns what that prints with `--json`. Throws the fault that ends it. */
  run(command: Command<never>, options?: CommandInput['options']): Promise<unknown>;
  /** Returns whether everything closed cleanly. May be called twice. */
  stop(): Promise<boolean>;
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
  /** Returns the exit code (0 if undefined). A thrown Fault ends the command: a sentence on stderr, exit code 1. */
  run(context: CommandContext<Settings>, input: CommandInput): Promise<number | undefined>;
}

/** A command whose `run` gets the values of its options with their types. */
export function command<
  Context,
  Outcome extends number | undefined,
  const Options extends readonly CommandOption[] = [],
>(
  declared: Omit<Command, 'run' | 'options'> & {
    options?: Options;
    run(context: Context, input: CommandInput<OptionValues<Options>>): Promise<Outcome>;
  },
): Omit<Command, 'run'> & { run(context: Context, input: CommandInput): Promise<Outcome> } {
  // The parser returns what the options declare.
  return declared as ReturnType<typeof command<Context, Outcome, Options>>;
}

/** Options by the fields of a record that they state. */
export type OptionsByField = Readonly<Record<string, CommandOption>>;

/** What options say of a record: the value of each field; fields of options that were not given are left out. */
export type FieldValues<Declared extends OptionsByField> = { [Field in keyof Declared]?: OptionValue<Declared[Field]> };

/** The fields of a record that the options of a command line state. */
export function statedFields<Declared extends OptionsByField>(
  declared: Declared,
  options: object,
): FieldValues<Declared> {
  const values = options as Readonly<Record<string, unknown>>;
  const stated = Object.entries(declared).map(([field, { flags }]) => [field, values[optionName(flags)]] as const);
  return Object.fromEntries(stated.filter(([, value]) => value !== undefined)) as FieldValues<Declared>;
}

/** `dryRun` of `--dry-run`, `accepted_content` of `-a, --accepted_content <type>`. */
function optionName(flags: string): string {
  const [, name = ''] = /--(?:no-)?([^ ]+)/.exec(flags) ?? [];
  return name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * Commands of a plugin under another word than its name, for scripts that call another program: `trefoil <word> …` if the
 * plugin is enabled. The default export of `plugins/<plugin>/groups/<word>.ts`.
 */
export interface CommandGroup<Settings = unknown> {
  /** One line for `--help`. */
  readonly summary: string;
  /** What `--version` prints. */
  readonly version?: string;
  readonly commands: readonly Command<Settings>[];
}

/**
 * A group of commands that needs neither configuration nor storage: `trefoil <word> …`, available even if no plugin is
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
  /** Reads a BED file, or standard input for `-`. Throws a fault that names file and line if it is not one. */
  readBed(path: string): Promise<Bed>;
  /** Reads names and sizes of chromosomes (`chrom.sizes`, `.fai`). Throws a fault that names file and line. */
  readGenome(path: string): Promise<{ name: string; size: number }[]>;
}
