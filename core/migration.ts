/**
 * Door `trefoil/migration`: moving here from another system, with its clients' tokens and its MongoDB dumps. Problems of the
 * imported data are counted by reason.
 */
import { isTokenText, isWeakToken } from './auth/access.js';
import type { CommandContext, CommandOption, TokenRequest } from './commands.js';
import { isFault } from './fault.js';

// Imports tokens of another system, so that its clients can keep using them. Only their hash is stored.

/** For commands that import a token: the clients of a migrated system cannot always be changed at once. */
export const weakTokenOption = {
  flags: '--allow-weak-token',
  description: 'accept a --token of less than 16 characters, with a warning',
} as const satisfies CommandOption;

/** Issued now, imported earlier (`unchanged`), or why the client needs another token. */
export type CarriedToken = 'issued' | 'unchanged' | { reason: string };

export interface CarriedRequest extends Omit<TokenRequest, 'token'> {
  /** As the other system stored it; it may have any type. */
  token: unknown;
  /** Issues nothing, and assumes that an owner with a valid token has this one. */
  dryRun: boolean;
}

export async function carryToken(
  context: Pick<CommandContext, 'issueToken' | 'listTokens' | 'now'>,
  { token, dryRun, ...request }: CarriedRequest,
): Promise<CarriedToken> {
  if (token === undefined || token === null || token === '') return { reason: 'has no token: issue one' };
  if (typeof token !== 'string' || !isTokenText(token)) {
    return { reason: 'has a token that is not 1 to 512 printable characters: issue a new one' };
  }
  if (dryRun) return (await hasToken(context, request.owner)) ? 'unchanged' : 'issued';
  try {
    await context.issueToken({ ...request, token, allowWeak: true });
    return 'issued';
  } catch (error) {
    if (!isFault(error) || error.code !== 'conflict') throw error;
    if (await hasToken(context, request.owner)) return 'unchanged';
    return { reason: 'has a token that was revoked here, or is that of another client: issue a new one' };
  }
}

/** Returns the remark for reports if an imported token is too weak to keep; otherwise undefined. */
export function weakTokenRemark(carried: CarriedToken, token: unknown): string | undefined {
  const isKept = typeof carried === 'string' && typeof token === 'string';
  if (!isKept || !isWeakToken(token)) return undefined;
  return 'has a token of less than 16 characters, which can be found by trying: issue a new one';
}

async function hasToken({ listTokens, now }: Pick<CommandContext, 'listTokens' | 'now'>, owner: string) {
  const tokens = await listTokens(owner);
  return tokens.some(({ revoked, expires }) => revoked === undefined && (expires === undefined || expires > now()));
}

// Problems that a migration from another system found: counted by reason, the first few with their ids.

export interface Finding {
  /** A sentence without its subject: `its chromosome is none of the assembly`. */
  reason: string;
  count: number;
  /** Ids of the first few. */
  examples: string[];
}

const mostExamples = 5;
const longestExample = 80;

/** Reasons must be few and contain no data: whatever differs between records belongs in the example. */
export class Findings {
  readonly #found = new Map<string, Finding>();

  /** `example` is the id of a record, and no other data of it. */
  note(reason: string, example: string): void {
    const finding = this.#found.get(reason) ?? { reason, count: 0, examples: [] };
    this.#found.set(reason, finding);
    finding.count++;
    if (finding.examples.length < mostExamples) finding.examples.push(example.slice(0, longestExample));
  }

  /** The number of findings, over all reasons. */
  get count(): number {
    return this.list().reduce((sum, { count }) => sum + count, 0);
  }

  /** In order of appearance. */
  list(): Finding[] {
    return [...this.#found.values()];
  }
}

/** Returns the findings under a heading, for people; empty if there are none. */
export function findingLines(heading: string, findings: readonly Finding[]): string[] {
  if (findings.length === 0) return [];
  return [
    heading,
    ...findings.map(({ reason, count, examples }) => {
      const more = count > examples.length ? ', …' : '';
      return `  ${count}: ${reason} (${examples.join(', ')}${more})`;
    }),
  ];
}

export { isWeakToken, weakTokenWarning } from './auth/access.js';

// Parses the output of `mongoexport`: one JSON object per line, in MongoDB's Extended JSON (relaxed or canonical).

export type MongoDocument = Record<string, unknown>;

/** Returns the document, or undefined if the line is not one. Object ids become hexadecimal text, dates Dates. */
export function parseDocument(line: string): MongoDocument | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line, (_, member) => plainValue(member));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
  return isDocument(value) ? value : undefined;
}

export function isDocument(value: unknown): value is MongoDocument {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** Unwraps values such as `{"$oid": "…"}`; returns any other value unchanged. */
function plainValue(value: unknown): unknown {
  if (!isDocument(value)) return value;
  const [[key, inner] = [], ...others] = Object.entries(value);
  if (key === undefined || !key.startsWith('$') || others.length > 0) return value;
  switch (key) {
    case '$oid':
      return inner;
    case '$numberInt':
    case '$numberLong':
    case '$numberDouble':
    case '$numberDecimal':
      return typeof inner === 'string' ? Number(inner) : value;
    case '$date': {
      // The canonical form has milliseconds as {"$numberLong": "…"}, which is already converted to a number.
      const date = typeof inner === 'string' || typeof inner === 'number' ? new Date(inner) : undefined;
      return date === undefined || Number.isNaN(date.getTime()) ? value : date;
    }
    default:
      return value;
  }
}
