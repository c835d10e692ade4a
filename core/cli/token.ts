/** `trefoil token …`: API tokens, shown once and stored hashed. */
import { isWeakToken, tokenOffice, weakTokenWarning } from '../auth/access.js';
import { type ApiToken, type TokenRepository, tokens } from '../auth/contract.js';
import { type Columns, midnightOfDay, printTable } from '../command-text.js';
import { command } from '../commands.js';
import type { Configuration } from '../config.js';
import { Fault } from '../fault.js';
import { weakTokenOption } from '../migration.js';
import { checkScope } from '../policy/policy.js';
import { rightsIn } from '../rights.js';
import { type CoreCommand, type CoreContext, configure, configureCore } from './core-command.js';
import { commandAuditOf, withSession } from './session.js';

const add: CoreCommand = command({
  name: 'token add',
  summary: 'issue an API token and show it once',
  description: 'Issues an API token for the header X-Auth-Token. It is shown once; only its hash is stored.',
  options: [
    { flags: '--owner <name>', description: 'the holder', required: true },
    {
      flags: '--scope <scope>',
      description: 'what it allows, such as beacon:read:DATASET, beacon:write or beacon:*; /docs lists the scopes',
      required: true,
      repeatable: true,
    },
    { flags: '--expires <time>', description: 'a duration such as 90d or 12h, or a date such as 2030-01-31' },
    { flags: '--token <token>', description: 'a token that the holder already has, instead of a new one' },
    weakTokenOption,
  ],
  examples: [
    'token add --owner "Lab A" --scope beacon:write --expires 90d',
    'token add --owner "Clinic B" --scope beacon:read:cardio',
  ],
  async run(context, { options }) {
    const request = {
      owner: options.owner,
      scopes: options.scope,
      expires: options.expires === undefined ? undefined : expiry(options.expires, context.now()),
      token: options.token,
      allowWeak: options.allowWeakToken === true,
    };
    const configuration = await configure(context.configuration);
    for (const scope of request.scopes) checkScope(scope, rightsIn(configuration));
    const { id, token, owner, scopes, expires } = await withTokens(context, configuration, (_, office) =>
      office.issue(request),
    );
    context.terminal.data({ id, token, owner, scopes, expires: expires ?? null });
    context.terminal.print(token);
    if (isWeakToken(token)) context.terminal.note(weakTokenWarning);
    context.terminal.note(`Token ${id} for ${owner}. It cannot be shown again.`);
    return 0;
  },
});

const listTokens: CoreCommand = command({
  name: 'token list',
  summary: 'list the API tokens, without the tokens themselves',
  options: [{ flags: '--owner <name>', description: 'only those of this owner' }],
  async run(context, { options }) {
    const found = await withTokens(context, await configureCore(context.configuration), (repository) =>
      repository.list(options.owner),
    );
    const now = context.now();
    const shown = found.map(({ hash: _, ...token }) => ({ ...token, state: state(token, now) }));
    context.terminal.data(shown);
    printTable(context.terminal, shown, columns, 'There are no tokens.');
    return 0;
  },
});

const columns: Columns<Omit<ApiToken, 'hash'> & { state: string }> = {
  ID: 'id',
  OWNER: 'owner',
  SCOPES: ({ scopes }) => scopes.join(' '),
  STATE: 'state',
  CREATED: 'created',
  EXPIRES: 'expires',
  'LAST USE': 'lastUsed',
};

const revoke: CoreCommand = {
  name: 'token revoke',
  summary: 'revoke an API token at once',
  arguments: [{ name: 'id', description: 'the id that `token list` shows', required: true }],
  examples: ['token revoke 0f3a9c1d22ab'],
  async run(context, { arguments: [id = ''] }) {
    const known = await withTokens(context, await configureCore(context.configuration), (_, office) =>
      office.revoke(id),
    );
    if (!known) throw new Fault('not-found', `There is no token "${id}"; \`token list\` shows the ids`);
    context.terminal.data({ id, revoked: true });
    context.terminal.print(`Token ${id} is revoked.`);
    return 0;
  },
};

export const tokenCommands: readonly CoreCommand[] = [add, listTokens, revoke];

async function withTokens<Result>(
  context: CoreContext,
  configuration: Configuration,
  work: (repository: TokenRepository, office: ReturnType<typeof tokenOffice>) => Promise<Result>,
): Promise<Result> {
  return withSession(context, configuration, async (session) => {
    const audit = await commandAuditOf(session, configuration, context.now);
    const storage = await session.storage();
    const office = tokenOffice({ transaction: (inside) => storage.transaction(inside), audit }, context.now);
    return work(storage.repository(tokens), office);
  });
}

/** Parses a duration from now, a date (its end in UTC) or a time. Throws an `invalid` fault. */
export function expiry(text: string, now: Date): Date {
  const [, count, unit] = /^(\d{1,6})([hdwy])$/.exec(text) ?? [];
  const hours = { h: 1, d: 24, w: 168, y: 8766 }[unit ?? ''];
  // The last moment of the day, so that lists show the given day.
  const dated = /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T23:59:59.999Z` : text;
  const time = hours === undefined ? expiryIn(dated) : new Date(now.getTime() + Number(count) * hours * 3_600_000);
  if (time === undefined || Number.isNaN(time.getTime()) || time.getUTCFullYear() > 9999) {
    throw new Fault(
      'invalid',
      `An expiry is a span such as 90d (h, d, w, y) or a date such as 2030-01-31; got "${text}"`,
    );
  }
  if (time <= now) throw new Fault('invalid', `The expiry ${time.toISOString()} is not in the future`);
  return time;
}

function expiryIn(text: string): Date | undefined {
  const [, day = ''] = /^(\d{4}-\d{2}-\d{2})T[\d:.]+(Z|[+-]\d{2}:\d{2})$/.exec(text) ?? [];
  return midnightOfDay(day) === undefined ? undefined : new Date(text);
}

function state(token: Pick<ApiToken, 'revoked' | 'expires'>, now: Date): string {
  if (token.revoked) return 'revoked';
  return token.expires && token.expires <= now ? 'expired' : 'valid';
}
