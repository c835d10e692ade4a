/** Issuing and revoking API tokens, for `trefoil token` and for the commands of plugins. */
import { randomBytes } from 'node:crypto';
import type { CommandAudit, RunTransaction } from '../audit/audit.js';
import type { TokenRequest } from '../commands.js';
import { Fault } from '../fault.js';
import { type ApiToken, type TokenRepository, tokens } from './contract.js';
import { makeToken } from './tokens.js';

/** A token that was just issued, with the secret that is shown once. */
export type IssuedToken = Omit<ApiToken, 'hash'> & { token: string };

/** `*`, `plugin:*`, `plugin:right`, or for one thing `plugin:right:id` with an id of printable ASCII characters. */
const scopePattern = /^(\*|[a-z][a-z0-9-]*:([a-z][a-z0-9-]*(:[\x21-\x7e]{1,200})?|\*))$/;

/** Throws an `invalid` fault that explains what is wrong with the request, or a `conflict` fault if the token is known. */
export async function issueToken(
  repository: TokenRepository,
  request: TokenRequest,
  created: Date,
): Promise<IssuedToken> {
  const owner = request.owner.trim();
  if (owner === '' || owner.length > 200) throw new Fault('invalid', 'The owner must have 1 to 200 characters');
  const scopes = [...new Set(request.scopes)];
  const wrong = scopes.find((scope) => !scopePattern.test(scope));
  if (wrong !== undefined) {
    throw new Fault(
      'invalid',
      `A scope must read plugin:right or plugin:right:id, such as beacon:write or beacon:write:cardio; got "${wrong}"`,
    );
  }
  const { token, hash } = makeToken(request.token, { allowWeak: request.allowWeak ?? false });
  const { expires } = request;
  const issued = { id: randomBytes(6).toString('hex'), owner, scopes, created, ...(expires ? { expires } : {}) };
  await repository.add({ ...issued, hash });
  return { ...issued, token };
}

interface TokenOffice {
  /** Throws as `issueToken` does. */
  issue(request: TokenRequest): Promise<IssuedToken>;
  /** Returns false if there is no such token. */
  revoke(id: string): Promise<boolean>;
}

/** Issues and revokes on behalf of an operator, each recorded in the audit together with the change. */
export function tokenOffice(
  { transaction, audit }: { transaction: RunTransaction; audit: Pick<CommandAudit, 'within'> },
  now: () => Date,
): TokenOffice {
  const about = ({ id, owner }: Pick<ApiToken, 'id' | 'owner'>) => [`credential:${id}`, `token:${owner}`];
  const because = 'command line';
  return {
    issue: (request) =>
      audit.within(transaction, async (scope, record) => {
        const issued = await issueToken(scope.repository(tokens), request, now());
        const expires = issued.expires?.toISOString() ?? 'never';
        const detail = { scopes: issued.scopes.join(' '), expires };
        await record(undefined, { action: 'token.issue', about: about(issued), because, outcome: 'issued', detail });
        return issued;
      }),
    revoke: (id) =>
      audit.within(transaction, async (scope, record) => {
        const repository = scope.repository(tokens);
        const token = (await repository.list()).find((one) => one.id === id);
        if (token === undefined || !(await repository.revoke(id, now()))) return false;
        await record(undefined, { action: 'token.revoke', about: about(token), because, outcome: 'revoked' });
        return true;
      }),
  };
}
