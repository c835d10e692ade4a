/** Imports tokens of another system, so that its clients can keep using them. Only their hash is stored. */
import { isTokenText, isWeakToken } from '../auth/tokens.js';
import type { CommandContext, CommandOption, TokenRequest } from '../commands.js';
import { isFault } from '../fault.js';

/** For commands that import a token: the clients of a migrated system cannot always be changed at once. */
export const weakTokenOption: CommandOption = {
  flags: '--allow-weak-token',
  description: 'accept a --token of less than 16 characters, with a warning',
};

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
