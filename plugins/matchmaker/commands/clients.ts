/** `add client`, `remove client`, `list clients`: the systems that may call this node. */
import {
  type Columns,
  type Command,
  type CommandContext,
  command,
  counted,
  dayOf,
  printTable,
} from '../../../core/commands.js';
import { isWeakToken, weakTokenOption, weakTokenWarning } from '../../../core/migration.js';
import { Fault } from '../../../core/plugin.js';
import { type Client, matchmaker } from '../contract.js';
import { checkedClientId } from '../exchange/node.js';

const rights = ['query', 'submit', 'admin'] as const;

export const addClient: Command<unknown> = command({
  name: 'add client',
  summary: 'Register a client and issue its token',
  description:
    'Issues an API token for the header X-Auth-Token and shows it once; only its hash is stored. The client owns the ' +
    'patients that it submits. `trefoil token add --owner <id>` issues further tokens.',
  examples: ['add client --id scout --url https://scout.example.org', 'add client --id partner --scope query'],
  options: [
    { flags: '-i, --id <id>', description: 'id of the client', required: true },
    {
      flags: '-t, --token <token>',
      description: 'an existing token of the client (16 to 512 printable characters); if omitted, a new one is issued',
    },
    weakTokenOption,
    { flags: '-u, --url <url>', description: 'address of the client' },
    { flags: '-c, --contact <contact>', description: 'who is responsible for it' },
    {
      flags: '--scope <right>',
      description:
        'query: search; submit: manage its own patients; admin: both, for the patients of all owners; if omitted, query and submit',
      choices: rights,
      repeatable: true,
    },
    { flags: '--expires <date>', description: 'day on which the token expires, such as 2030-01-31' },
  ],
  async run(context, { options }) {
    const { id, token: own, allowWeakToken: allowWeak, url, contact, scope, expires } = options;
    checkedClientId(id);
    const until = expires === undefined ? undefined : dayOf(expires);
    if (until !== undefined && until <= context.now()) {
      throw new Fault('invalid', `--expires must be a day after today (UTC); got ${expires}`);
    }
    const chosen = new Set(scope ?? (['query', 'submit'] as const));
    // The right admin opens no route by itself; it extends the other two to the patients of all owners.
    const scopes = [...(chosen.has('admin') ? rights : chosen)].map((right) => `matchmaker:${right}`);
    const repository = await context.repository(matchmaker);
    await repository.addClient({ id, url, contact, created: context.now() });
    const issued = await context
      .issueToken({ owner: id, scopes, token: own, allowWeak, expires: until })
      .catch(async (error: unknown) => {
        await repository.removeClient(id);
        throw error;
      });
    const { terminal } = context;
    terminal.print(`Inserted client with ID "${id}" into database collection clients`);
    if (own === undefined) terminal.print(`Token: ${issued.token}`);
    if (isWeakToken(issued.token)) terminal.note(weakTokenWarning);
    terminal.note(own === undefined ? 'The token cannot be shown again.' : `The given token has the id ${issued.id}.`);
    terminal.data({ id, scopes, tokenId: issued.id, token: own === undefined ? issued.token : undefined });
    return 0;
  },
});

export const removeClient: Command<unknown> = command({
  name: 'remove client',
  summary: 'Remove a client and revoke its tokens; its patients stay',
  options: [{ flags: '-i, --id <id>', description: 'id of the client', required: true }],
  async run(context, { options: { id } }) {
    // Tokens first, so that a failure in between leaves no valid token of a client that is no longer listed.
    const valid = (await context.listTokens(id)).filter(({ revoked }) => revoked === undefined);
    for (const token of valid) await context.revokeToken(token.id);
    const removed = await (await context.repository(matchmaker)).removeClient(id);
    context.terminal.data({ id, removed: Number(removed), tokensRevoked: valid.length });
    if (!removed && valid.length === 0) throw new Fault('not-found', `There is no client "${id}"`);
    context.terminal.print(`Number of clients removed: ${Number(removed)} (${counted(valid.length, 'token')} revoked)`);
    return 0;
  },
});

export const listClients: Command<unknown> = {
  name: 'list clients',
  summary: 'List the clients of this node',
  async run(context) {
    const clients = await (await context.repository(matchmaker)).clients();
    const scopes = await validScopes(context);
    const shown = clients.map((client) => ({ ...client, scopes: scopes.get(client.id) ?? [] }));
    printTable(context.terminal, shown, columns, 'There are no clients', '');
    context.terminal.data(shown);
    return 0;
  },
};

const columns: Columns<Client & { scopes: readonly string[] }> = {
  ID: 'id',
  URL: 'url',
  CONTACT: 'contact',
  SCOPES: ({ scopes }) => scopes.join(' ') || 'no valid token',
  CREATED: 'created',
};

/** The scopes of the valid tokens of each client. */
async function validScopes({ listTokens, now }: Pick<CommandContext, 'listTokens' | 'now'>) {
  const scopes = new Map<string, Set<string>>();
  for (const token of await listTokens()) {
    if (token.revoked !== undefined || (token.expires !== undefined && token.expires <= now())) continue;
    const known = scopes.get(token.owner);
    if (known === undefined) scopes.set(token.owner, new Set(token.scopes));
    else for (const scope of token.scopes) known.add(scope);
  }
  return new Map([...scopes].map(([owner, own]) => [owner, [...own].sort()]));
}
