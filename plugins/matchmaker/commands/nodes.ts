/** `add node`, `update node`, `remove node`, `list node`, `test node`: the nodes that this one queries. */
import { resolve } from 'node:path';
import {
  type Columns,
  type Command,
  type CommandContext,
  command,
  counted,
  printTable,
  table,
} from '../../../core/commands.js';
import { Fault, isFault } from '../../../core/plugin.js';
import { type KeptToken, type KnownNode, matchmakerNodes, type Patient, type PeerNode } from '../contract.js';
import {
  checkedLabel,
  checkedNodeId,
  checkedQuirks,
  checkedToken,
  checkedType,
  matchUrl,
  seal,
  unseal,
} from '../exchange/node.js';
import { statements, vendorType } from '../exchange/protocol.js';
import type { MatchmakerSettings } from '../settings.js';

const idOption = { flags: '-i, --id <id>', description: 'id of the node', required: true } as const;
const tokenOptions = [
  { flags: '-t, --token <token>', description: 'token to send to the node; it is stored encrypted' },
  { flags: '--token-file <file>', description: 'file with the token instead, read each time it is used' },
] as const;
const contactOption = { flags: '-c, --contact <contact>', description: 'person responsible for the node' } as const;
const quirksOption = {
  flags: '-q, --quirks <names>',
  description: 'kind of server, or quirks, separated by commas; `list quirk` names them',
} as const;
const typeOption = {
  flags: '-a, --accepted_content <type>',
  aliases: ['--accepted-content'],
  description: 'media type of the queries sent to the node',
} as const;
const urlOption = {
  flags: '-m, --matching_url <url>',
  aliases: ['--matching-url', '-u', '--url'],
  description: 'address of the node, with or without /match at its end',
} as const;

export const addNode: Command<MatchmakerSettings> = command({
  name: 'add node',
  summary: 'Connect another node, to be queried with our patients',
  description:
    'From now on the node is queried with each patient that is added or changed. Its token is encrypted with the key in ' +
    'the variable MATCHMAKER_KEY or the setting exchange.key.',
  examples: [
    'add node --id partner --label "The partner" --matching_url https://mme.example.org/match --token …',
    'add node --id partner --label "The partner" --matching_url https://mme.example.org --token-file /run/secrets/partner',
    'add node --id seqr --matching_url https://seqr.example.org/api/matchmaker/v1 --quirks seqr --token …',
  ],
  options: [
    idOption,
    { flags: '-l, --label <text>', description: 'name of the node; if omitted, its id' },
    ...tokenOptions,
    { ...urlOption, required: true },
    { ...typeOption, default: vendorType('1.0') },
    quirksOption,
    contactOption,
    { flags: '--disable', description: 'do not query the node yet' },
  ],
  async run(context, { options }) {
    const { id, label = id, contact, quirks, disable } = options;
    const { matching_url, accepted_content = vendorType('1.0') } = options;
    checkedNodeId(id);
    const token = await keptToken(context, options);
    if (!token) throw new Fault('invalid', 'The token to send to the node is required: --token or --token-file');
    await (await context.repository(matchmakerNodes)).add({
      id,
      label: checkedLabel(label),
      url: addressOf(context, matching_url),
      contentType: checkedType(accepted_content),
      contact,
      quirks: quirks === undefined ? undefined : checkedQuirks(quirks),
      token,
      enabled: disable !== true,
      created: context.now(),
    });
    context.terminal.print(`Inserted node with ID "${id}" into database collection nodes`);
    context.terminal.data({ id });
    return 0;
  },
});

export const updateNode: Command<MatchmakerSettings> = command({
  name: 'update node',
  summary: 'Change the data of a node, or whether it is queried',
  examples: ['update node --id partner --disable', 'update node --id partner --token …'],
  options: [
    idOption,
    { flags: '-l, --label <text>', description: 'name of the node' },
    ...tokenOptions,
    urlOption,
    typeOption,
    { ...quirksOption, description: 'kind of server, or quirks, in place of those before; `none` for none' },
    contactOption,
    { flags: '--enable', description: 'query the node from now on' },
    { flags: '--disable', description: 'stop querying the node' },
  ],
  async run(context, { options }) {
    const { label, matching_url, accepted_content, contact, quirks, enable, disable } = options;
    if (enable && disable) throw new Fault('invalid', 'Use either --enable or --disable, not both');
    const { state: _, ...old } = await knownNode(context, options.id);
    const token = await keptToken(context, options);
    const node: PeerNode = {
      ...old,
      label: label === undefined ? old.label : checkedLabel(label),
      url: matching_url === undefined ? old.url : addressOf(context, matching_url),
      contentType: accepted_content === undefined ? old.contentType : checkedType(accepted_content),
      contact: contact ?? old.contact,
      quirks: quirks === undefined ? old.quirks : checkedQuirks(quirks),
      token: token ?? old.token,
      enabled: enable === true || (old.enabled && disable !== true),
    };
    await (await context.repository(matchmakerNodes)).replace(node);
    context.terminal.print(`Node "${node.id}" was updated`);
    context.terminal.data({ id: node.id, enabled: node.enabled });
    return 0;
  },
});

export const removeNode: Command<unknown> = command({
  name: 'remove node',
  summary: 'Remove a node; records of its matches stay',
  options: [idOption],
  async run(context, { options: { id } }) {
    const removed = await (await context.repository(matchmakerNodes)).remove(id);
    if (!removed) throw new Fault('not-found', `There is no node "${id}"`);
    context.terminal.print('Number of nodes removed: 1');
    context.terminal.data({ id, removed: 1 });
    return 0;
  },
});

export const listNodes: Command<unknown> = {
  name: 'list node',
  summary: 'List connected nodes and their state',
  async run(context) {
    const nodes = await (await context.repository(matchmakerNodes)).nodes();
    printTable(context.terminal, nodes, columns, 'There are no nodes');
    context.terminal.data(
      nodes.map(({ token, created, state: { lastSuccess, lastFailure, retryAt, due: _, ...state }, ...node }) => ({
        ...node,
        token: 'file' in token ? token : 'encrypted',
        created,
        ...{ ...state, lastSuccess, lastFailure, retryAt },
      })),
    );
    return 0;
  },
};

const columns: Columns<KnownNode> = {
  ID: 'id',
  LABEL: 'label',
  URL: 'url',
  QUIRKS: ({ quirks }) => quirks?.join(', ') ?? 'none',
  STATE: ({ enabled, state }) => (enabled ? stateOfPeer(state) : 'disabled'),
  'LAST RESPONSE': ({ state }) => state.lastSuccess?.toISOString() ?? 'never',
  PENDING: ({ state }) => state.owed,
};

function stateOfPeer({ failures, failure, lastSuccess }: KnownNode['state']): string {
  if (failures > 0) return `${counted(failures, 'failure')}: ${failure ?? 'unknown'}`;
  return lastSuccess ? 'responding' : 'not queried yet';
}

/** Fictitious: seizures and a gene. */
const testPatient: Patient = {
  id: 'trefoil-connection-test',
  label: 'Connection test, not a patient',
  contact: { name: 'Connection test', href: 'mailto:nobody@example.org' },
  features: [{ id: 'HP:0001250', observed: 'yes' }],
  genomicFeatures: [{ gene: { id: 'ENSG00000144285', _geneName: 'SCN1A' } }],
  test: true,
};

export const testNode: Command<MatchmakerSettings> = command({
  name: 'test node',
  summary: 'Query a node with a fictitious patient, marked as a test',
  options: [idOption],
  async run(context, { options: { id } }) {
    const node = await knownNode(context, id);
    const [{ ask }, { dialectOfNode }, { resourcesInUse }] = await Promise.all([
      import('../exchange/ask.js'),
      import('../exchange/dialect.js'),
      import('./upkeep.js'),
    ]);
    const { settings, signal, terminal, now } = context;
    const resources = await resourcesInUse(context);
    try {
      const dialect = dialectOfNode(node);
      const query = dialect.body(testPatient, resources, statements(settings));
      const { patients, dropped } = await ask(node, query, { settings: settings.exchange, dialect, signal, now });
      const ids = patients.map(({ patient }) => patient.id);
      terminal.print(`The node "${id}" returned ${counted(ids.length, 'patient')}`);
      if (dropped !== undefined) terminal.note(`In its response, ${dropped}`);
      terminal.data({ id, patients: ids.length, dropped });
      return 0;
    } catch (error) {
      if (!isFault(error)) throw error;
      throw new Fault('unavailable', `The node "${id}" ${error.message}`, { cause: error });
    }
  },
});

export const listQuirks: Command<unknown> = {
  name: 'list quirk',
  summary: 'List the kinds of servers and the quirks that `add node --quirks` takes',
  async run(context) {
    const { kinds, quirks } = await import('../exchange/node.js');
    const named = Object.entries(kinds).map(([kind, names]) => [kind, names.join(', ')]);
    const does = Object.entries(quirks).map(([name, what]) => [name, what]);
    for (const line of table(['KIND OF SERVER', 'QUIRKS'], named)) context.terminal.print(line);
    context.terminal.print('');
    for (const line of table(['QUIRK', 'THE NODE …'], does)) context.terminal.print(line);
    context.terminal.data({ kinds, quirks });
    return 0;
  },
};

async function knownNode(context: Pick<CommandContext, 'repository'>, id: string): Promise<KnownNode> {
  const node = (await (await context.repository(matchmakerNodes)).nodes()).find((one) => one.id === id);
  if (!node) throw new Fault('not-found', `There is no node "${id}"`);
  return node;
}

/** The token to store, after a check that it can be read; undefined if none was given. */
async function keptToken(
  { settings }: Pick<CommandContext<MatchmakerSettings>, 'settings'>,
  { id, token, tokenFile }: { id: string; token?: string; tokenFile?: string },
): Promise<KeptToken | undefined> {
  if (token !== undefined && tokenFile !== undefined) {
    throw new Fault('invalid', 'Use either --token or --token-file, not both');
  }
  const { key } = settings.exchange;
  if (token !== undefined) return seal(checkedToken(token), id, key);
  if (tokenFile === undefined) return undefined;
  const kept = { file: resolve(tokenFile) };
  await unseal(kept, id, key).catch((cause: unknown) => {
    throw new Fault('invalid', `The file ${tokenFile} cannot be read, or does not hold a token`, { cause });
  });
  return kept;
}

function addressOf({ settings }: Pick<CommandContext<MatchmakerSettings>, 'settings'>, url: string): string {
  try {
    return matchUrl(url, settings.exchange.allowHttp);
  } catch (error) {
    if (!isFault(error)) throw error;
    throw new Fault('invalid', `The node cannot be queried: ${error.message}`, { cause: error });
  }
}
