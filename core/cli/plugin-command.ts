/** Runs a plugin's command with its settings and its own repositories. The storage is opened at its first use. */
import { appendFileSync } from 'node:fs';
import { tokenOffice } from '../auth/access.js';
import { tenantsIn } from '../auth/claims.js';
import { tokens } from '../auth/contract.js';
import type { Command, CommandContext, CommandInput, CommandServer, Terminal, TokenEntry } from '../commands.js';
import type { Configuration, ConfigureOptions, EnabledPlugin } from '../config.js';
import { erasureListOf } from '../erasures/configured.js';
import { erasures } from '../erasures/contract.js';
import { eraseListed } from '../erasures/erase.js';
import { Fault } from '../fault.js';
import { isS3 } from '../outgoing/s3/settings.js';
import { version } from '../package.js';
import { contractsOfPlugin } from '../plugin-context.js';
import { checkScope } from '../policy/policy.js';
import { checkOwnKey, mayListen } from '../start/between-plugins.js';
import { s3Of } from '../start/storage.js';
import type { Contract } from '../storage.js';
import { type AssembledPlugins, assembled, withAll } from './assembled.js';
import { type CoreContext, configure } from './core-command.js';
import { listenOn, serveUntilSignal } from './serve.js';
import { commandAuditOf, createSession } from './session.js';

/** Returns the exit code. */
export async function runPluginCommand(
  command: Command,
  input: CommandInput,
  enabled: EnabledPlugin,
  configuration: Configuration,
  core: CoreContext,
): Promise<number> {
  const { plugin, settings } = enabled;
  const log = core.log().child({ plugin: plugin.name });
  const session = createSession(configuration, log);
  const own = new Set(contractsOfPlugin(enabled).map(({ id }) => id));
  const tokenRepository = async () => (await session.storage()).repository(tokens);
  const listTokens = async (owner?: string): Promise<TokenEntry[]> =>
    (await (await tokenRepository()).list(owner))
      .filter(({ scopes }) => scopes.length > 0 && scopes.every((scope) => scope.startsWith(`${plugin.name}:`)))
      .map(({ hash: _, ...token }) => token);
  const audit = await commandAuditOf(session, configuration, core.now);
  const transaction: CommandContext['transaction'] = async (work) => (await session.storage()).transaction(work);
  const office = tokenOffice({ transaction, audit }, core.now);
  let served = 0;
  const s3 = await s3Of(configuration.core.s3, log);
  // What it refuses is the command's own sentence, so that it is not logged too.
  const named = await s3Of(configuration.core.s3);
  let others: Promise<AssembledPlugins> | undefined;
  let configured: Promise<Configuration> | undefined;
  /** The command knows the configuration of its own plugin only. */
  const enabledPlugins = async () => {
    configured ??= configure(core.configuration);
    return (await configured).plugins.map((one) => one.plugin);
  };
  const context: CommandContext = {
    settings,
    repository: async <Repository>(contract: Contract<Repository>) => {
      if (own.has(contract.id)) return (await session.storage()).repository(contract);
      throw new Fault(
        'internal',
        `The plugin "${plugin.name}" asks for ${contract.id}, which is not among its contracts`,
      );
    },
    transaction,
    purge: () => session.purge(),
    issueToken: async (request) => {
      const foreign = request.scopes.find((scope) => !scope.startsWith(`${plugin.name}:`));
      if (foreign !== undefined) {
        throw new Fault('internal', `The plugin "${plugin.name}" issues a token for ${foreign}, which is not its own`);
      }
      for (const scope of request.scopes) checkScope(scope, plugin.rights ?? []);
      const { id, token } = await office.issue(request);
      return { id, token };
    },
    listTokens,
    revokeToken: async (id) => {
      const known = (await listTokens()).some((token) => token.id === id);
      return known && office.revoke(id);
    },
    find: async <Service extends object>(key: string) => {
      const owner = key.split('/')[0];
      if (!(await enabledPlugins()).some(({ name }) => name === owner)) return undefined;
      others ??= assembled(core);
      return (await others).services.find(key) as Service | undefined;
    },
    announce: async (key, event) => {
      checkOwnKey('event', plugin.name, key);
      if (!(await enabledPlugins()).some((one) => mayListen(one, key))) return;
      others ??= assembled(core);
      await (await others).events.announce(plugin.name, key, event);
    },
    announceErasure: (erasure) =>
      withAll(core, async ({ erasing }) => {
        await eraseListed(erasing, [erasure], { except: plugin.name });
      }),
    s3,
    openSource: async (path) => {
      if (!isS3(path)) return (await import('../files/source.js')).openSource(path);
      if (named !== undefined) return named.open(path);
      throw new Fault('unprocessable', 'The configuration has no section s3, which says how buckets are reached');
    },
    tenants: tenantsIn(configuration.core.auth),
    erasures: erasureListOf(
      configuration,
      async () => (await session.storage()).repository(erasures),
      async () => (await (await session.storage()).unclaimed?.())?.includes(erasures.id) === true,
    ),
    damaged: async () => (await (await session.storage()).damaged?.()) ?? [],
    audit,
    terminal: core.terminal,
    log,
    now: core.now,
    version,
    signal: core.interruption.signal,
    serve: async (options) => {
      const chosen: ConfigureOptions = { ...core.configuration, only: plugin.name, overrides: listenOn(options) };
      served = await serveUntilSignal(chosen, core.interruption);
    },
    startServer: ({ log, ...chosen }) => startServer({ ...chosen, only: plugin.name }, log, core),
  };
  try {
    return (await command.run(context, input)) ?? served;
  } finally {
    // If they could not be registered, the command has already reported that.
    await (await others?.catch(() => undefined))?.close();
    s3?.close();
    named?.close();
    await session.close();
  }
}

async function startServer(options: ConfigureOptions, log: string, core: CoreContext): Promise<CommandServer> {
  const [{ start }, { logTo }] = await Promise.all([import('../start.js'), import('../log.js')]);
  const write = (line: string) => appendFileSync(log, line, { mode: 0o600 });
  const { url, stop } = await start({ ...options, log: logTo({ write }, { level: 'info' }), now: core.now });
  return {
    url,
    async run(command, given = {}) {
      const configuration = await configure(options);
      const [enabled] = configuration.plugins;
      if (enabled === undefined) throw new Fault('internal', 'A server of a plugin has that plugin');
      let data: unknown;
      const terminal: Terminal = {
        json: true,
        print() {},
        data: (value) => {
          data = JSON.parse(JSON.stringify(value));
        },
        note() {},
        progress: () => ({ update() {}, stop() {} }),
        confirm: async () => false,
      };
      const input = { options: given, arguments: [] };
      const own = { ...core, configuration: options, terminal };
      const code = await runPluginCommand(command as Command, input, enabled, configuration, own);
      if (code !== 0) throw new Fault('unavailable', `The command "${command.name}" ended with ${code}`);
      return data;
    },
    stop,
  };
}
