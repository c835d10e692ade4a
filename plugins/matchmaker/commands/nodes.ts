/** `add node`, `update node`, `remove node`, `list node`, `test node`: the nodes that we ask. */
import { resolve } from 'node:path';
import { type Command, type CommandContext, table } from '../../../core/commands.js';
import { Fault, isFault } from '../../../core/plugin.js';
import { type KeptToken, type KnownNode, matchmakerNodes, type Patient, type PeerNode } from '../contract.js';
import { statements } from '../http/answers.js';
import { vendorType } from '../http/media.js';
import { checkedLabel, checkedNodeId, checkedType } from '../nodes/checked.js';
import { checkedToken, seal, unseal } from '../nodes/seal.js';
import { matchUrl } from '../nodes/url.js';
import type { MatchmakerSettings } from '../settings.js';
import { many } from './text.js';

interface NodeOptions {
  id: string;
  label?: string;
  token?: string;
  tokenFile?: string;
  matchingUrl?: string;
  acceptedContent?: string;
  contact?: string;
  enable?: boolean;
  disable?: boolean;
}

const idOption = { flags: '-i, --id <id>', description: 'id of the node', required: true } as const;
const tokenOptions = [
  { flags: '-t, --token <token>', description: 'the token that the node knows us by; it is kept encrypted' },
  { flags: '--token-file <file>', description: 'a file with the token instead, which is read when it is used' },
] as const;
const contactOption = { flags: '-c, --contact <contact>', description: 'who is responsible for it' } as const;
const typeOption = {
  flags: '-a, --accepted_content <type>',
  aliases: ['--accepted-content'],
  description: 'media type of what it is sent',
} as const;
const urlOption = {
  flags: '-m, --matching_url <url>',
  aliases: ['--matching-url', '-u', '--url'],
  description: 'its address, with or without /match at its end',
} as const;

/** Options of two words keep their underscore, whatever spelling was typed. */
function optionsOf(options: Readonly<Record<string, unknown>>): NodeOptions {
  const { matching_url: matchingUrl, accepted_content: acceptedContent, ...rest } = options;
  return { matchingUrl, acceptedContent, ...rest } as unknown as NodeOptions;
}

export const addNode: Command<MatchmakerSettings> = {
  name: 'add node',
  summary: 'Connect another node, to be asked about our patients',
  description:
    'From now on the node is asked about each patient that is added or changed. The key that encrypts its token is the ' +
    'variable MATCHMAKER_KEY or the setting exchange.key.',
  examples: [
    'add node --id partner --label "The partner" --matching_url https://mme.example.org/match --token …',
    'add node --id partner --label "The partner" --matching_url https://mme.example.org --token-file /run/secrets/partner',
  ],
  options: [
    idOption,
    { flags: '-l, --label <text>', description: 'what it is called; the id where absent' },
    ...tokenOptions,
    { ...urlOption, required: true },
    { ...typeOption, default: vendorType('1.0') },
    contactOption,
    { flags: '--disable', description: 'do not ask it yet' },
  ],
  async run(context, input) {
    const options = optionsOf(input.options);
    const { id, label = id, matchingUrl = '', acceptedContent = vendorType('1.0'), contact, disable } = options;
    checkedNodeId(id);
    const token = await keptToken(context, options);
    if (!token) throw new Fault('invalid', 'Please give the token that the node knows us by: --token or --token-file');
    await (await context.repository(matchmakerNodes)).add({
      id,
      label: checkedLabel(label),
      url: addressOf(context, matchingUrl),
      contentType: checkedType(acceptedContent),
      contact,
      token,
      enabled: disable !== true,
      created: context.now(),
    });
    context.terminal.print(`Inserted node with ID "${id}" into database collection nodes`);
    context.terminal.data({ id });
    return 0;
  },
};

export const updateNode: Command<MatchmakerSettings> = {
  name: 'update node',
  summary: 'Change what is known of a node, or whether it is asked',
  examples: ['update node --id partner --disable', 'update node --id partner --token …'],
  options: [
    idOption,
    { flags: '-l, --label <text>', description: 'what it is called' },
    ...tokenOptions,
    urlOption,
    typeOption,
    contactOption,
    { flags: '--enable', description: 'ask it from now on' },
    { flags: '--disable', description: 'do not ask it any more' },
  ],
  async run(context, input) {
    const options = optionsOf(input.options);
    const { label, matchingUrl, acceptedContent, contact, enable, disable } = options;
    if (enable && disable) throw new Fault('invalid', 'Either --enable or --disable, not both');
    const { state: _, ...old } = await knownNode(context, options.id);
    const token = await keptToken(context, options);
    const node: PeerNode = {
      ...old,
      label: label === undefined ? old.label : checkedLabel(label),
      url: matchingUrl === undefined ? old.url : addressOf(context, matchingUrl),
      contentType: acceptedContent === undefined ? old.contentType : checkedType(acceptedContent),
      contact: contact ?? old.contact,
      token: token ?? old.token,
      enabled: enable === true || (old.enabled && disable !== true),
    };
    await (await context.repository(matchmakerNodes)).replace(node);
    context.terminal.print(`Node "${node.id}" was updated`);
    context.terminal.data({ id: node.id, enabled: node.enabled });
    return 0;
  },
};

export const removeNode: Command<unknown> = {
  name: 'remove node',
  summary: 'Forget a node; what it answered stays',
  options: [idOption],
  async run(context, input) {
    const { id } = input.options as { id: string };
    const removed = await (await context.repository(matchmakerNodes)).remove(id);
    if (!removed) throw new Fault('not-found', `There is no node "${id}"`);
    context.terminal.print('Number of nodes removed: 1');
    context.terminal.data({ id, removed: 1 });
    return 0;
  },
};

export const listNodes: Command<unknown> = {
  name: 'list node',
  summary: 'List the nodes that we ask, and how they fare',
  async run(context) {
    const nodes = await (await context.repository(matchmakerNodes)).nodes();
    const rows = nodes.map(({ id, label, url, enabled, state }) => [
      id,
      label,
      url,
      enabled ? healthOf(state) : 'disabled',
      state.lastSuccess?.toISOString() ?? 'never',
      String(state.owed),
    ]);
    const headings = ['ID', 'LABEL', 'URL', 'STATE', 'LAST ANSWER', 'OWED'];
    const lines = rows.length === 0 ? ['There are no nodes'] : table(headings, rows);
    for (const line of lines) context.terminal.print(line);
    context.terminal.data(
      nodes.map(({ token, created, state: { lastSuccess, lastFailure, ...state }, ...node }) => ({
        ...node,
        token: 'file' in token ? token : 'encrypted',
        created: created.toISOString(),
        ...state,
        lastSuccess: lastSuccess?.toISOString(),
        lastFailure: lastFailure?.toISOString(),
      })),
    );
    return 0;
  },
};

function healthOf({ failures, failure, lastSuccess }: KnownNode['state']): string {
  if (failures > 0) return `${many(failures, 'failure')}: ${failure ?? 'unknown'}`;
  return lastSuccess ? 'answers' : 'not asked yet';
}

/** Nobody's: seizures and a gene. */
const testPatient: Patient = {
  id: 'trefoil-connection-test',
  label: 'Test of the connection, no patient',
  contact: { name: 'Connection test', href: 'mailto:nobody@example.org' },
  features: [{ id: 'HP:0001250', observed: 'yes' }],
  genomicFeatures: [{ gene: { id: 'ENSG00000144285', _geneName: 'SCN1A' } }],
  test: true,
};

export const testNode: Command<MatchmakerSettings> = {
  name: 'test node',
  summary: 'Ask a node about a made-up patient, marked as a test',
  options: [idOption],
  async run(context, input) {
    const { id } = input.options as { id: string };
    const node = await knownNode(context, id);
    const { ask } = await import('../exchange/ask.js');
    const { settings, signal, terminal } = context;
    try {
      const options = { settings: settings.exchange, statements: statements(settings), signal };
      const { patients, dropped } = await ask(node, testPatient, options);
      const ids = patients.map(({ patient }) => patient.id);
      terminal.print(`The node "${id}" answered with ${many(ids.length, 'patient')}`);
      if (dropped !== undefined) terminal.note(`Of its answer, ${dropped}`);
      terminal.data({ id, patients: ids.length, dropped });
      return 0;
    } catch (error) {
      if (!isFault(error)) throw error;
      throw new Fault('unavailable', `The node "${id}" ${error.message}`, { cause: error });
    }
  },
};

async function knownNode(context: Pick<CommandContext, 'repository'>, id: string): Promise<KnownNode> {
  const node = (await (await context.repository(matchmakerNodes)).nodes()).find((one) => one.id === id);
  if (!node) throw new Fault('not-found', `There is no node "${id}"`);
  return node;
}

/** As it is to be kept, and shown to be readable; undefined where none was given. */
async function keptToken(
  { settings }: Pick<CommandContext<MatchmakerSettings>, 'settings'>,
  { id, token, tokenFile }: NodeOptions,
): Promise<KeptToken | undefined> {
  if (token !== undefined && tokenFile !== undefined) {
    throw new Fault('invalid', 'Either --token or --token-file, not both');
  }
  const { key } = settings.exchange;
  if (token !== undefined) return seal(checkedToken(token), id, key);
  if (tokenFile === undefined) return undefined;
  const kept = { file: resolve(tokenFile) };
  await unseal(kept, id, key).catch((cause: unknown) => {
    throw new Fault('invalid', `The file ${tokenFile} cannot be read, or holds no token`, { cause });
  });
  return kept;
}

function addressOf({ settings }: Pick<CommandContext<MatchmakerSettings>, 'settings'>, url: string): string {
  try {
    return matchUrl(url, settings.exchange.allowHttp);
  } catch (error) {
    if (!isFault(error)) throw error;
    throw new Fault('invalid', `The node cannot be asked: ${error.message}`, { cause: error });
  }
}
