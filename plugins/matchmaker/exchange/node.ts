/**
 * What operators say of a node and of a client: id, label, address and media type, which are checked, the token, which is
 * sealed, and quirks.
 */
import { readFile } from 'node:fs/promises';
import { Fault, seal as sealText, unseal as unsealText } from '../../../core/plugin.js';
import { thisNode } from '../matches/contract.js';
import type { KeptToken } from './contract.js';
import { vendorType } from './protocol.js';

export function checkedNodeId(id: string): string {
  // Records tell by this name whose patient they hold.
  if (id === thisNode.id) throw new Fault('invalid', `"${id}" is the id of this node itself; choose another id`);
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(id)) return id;
  throw new Fault('invalid', 'The id of a node must have 1 to 100 letters, digits, dots, dashes and underscores');
}

export function isClientId(id: string): boolean {
  return /^[^\s\p{Cc}]{1,200}$/u.test(id);
}

export function checkedClientId(id: string): string {
  if (isClientId(id)) return id;
  throw new Fault('invalid', 'The id of a client must have 1 to 200 characters and no blanks');
}

export function checkedLabel(label: string): string {
  if (!/^[^\p{Cc}]{1,255}$/u.test(label))
    throw new Fault('invalid', 'The label of a node must have 1 to 255 characters');
  return label;
}

export function checkedType(type: string): string {
  if (!/^application\/([\w.-]+\+)?json$/.test(type)) {
    throw new Fault('invalid', `"${type}" is not a media type such as ${vendorType('1.0')} or application/json`);
  }
  return type;
}

/**
 * The endpoint `/match` of a node, from its base URL or whole URL (a node appends `/match` to the base URL of its partner:
 * mme-apis, join-protocol.md). Throws `invalid` if the text is not such a URL, or not https although that is required.
 */
export function matchUrl(text: string, allowHttp: boolean): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.hash !== '') {
    throw new Fault('invalid', 'The address of a node must be an https URL');
  }
  if (url.username !== '' || url.password !== '')
    throw new Fault('invalid', 'The address of a node must not contain a user name or password');
  refuseHttp(url, allowHttp);
  if (!/\/match\/?$/.test(url.pathname)) url.pathname = `${url.pathname.replace(/\/+$/, '')}/match`;
  return url.href;
}

export function refuseHttp(url: URL, allowHttp: boolean): void {
  if (url.protocol === 'https:' || allowHttp) return;
  throw new Fault(
    'invalid',
    'its address is http, without encryption, which the setting exchange.allowHttp does not allow',
  );
}

// The tokens we send to other nodes: stored encrypted, or read from a file each time they are used.

const purpose = 'trefoil matchmaker nodes';

/** A token is sent as a header, of at most 255 characters (mme-apis, join-protocol.md). */
export function checkedToken(token: string): string {
  if (!/^[\x21-\x7e]{1,255}$/.test(token)) {
    throw new Fault('invalid', 'A token must have 1 to 255 printable ASCII characters and no blanks');
  }
  return token;
}

/** Bound to the node, so that it cannot be decrypted in another node's row. Throws `invalid` if there is no key. */
export function seal(token: string, node: string, key: string | undefined): KeptToken {
  if (key === undefined) {
    throw new Fault(
      'invalid',
      'Tokens of nodes are stored encrypted, and no key is configured: set MATCHMAKER_KEY (exchange.key), or use --token-file',
    );
  }
  return { sealed: sealText(token, { secret: key, purpose, about: node }) };
}

/** The token itself. Throws `unavailable`, with a sentence for operators, if it cannot be read. */
export async function unseal(kept: KeptToken, node: string, key: string | undefined): Promise<string> {
  if ('file' in kept) {
    try {
      return checkedToken((await readFile(kept.file, 'utf8')).trim());
    } catch (cause) {
      throw new Fault('unavailable', 'the file of its token cannot be read, or does not hold a token', { cause });
    }
  }
  if (key === undefined) throw new Fault('unavailable', 'its token is encrypted, and no key is configured');
  try {
    return unsealText(kept.sealed, { secret: key, purpose, about: node });
  } catch (cause) {
    throw new Fault('unavailable', 'its token was encrypted with another key', { cause });
  }
}

// How servers of the exchange depart from its specification or from each other, as data that operators choose for a node.
// `dialect.ts` does what a quirk says. What every node gets and may send (empty members, other media types in responses,
// members of its own) needs no quirk: see `dialect.ts` and `ask.ts`.

/** By name: what we do for a node that has the quirk. */
export const quirks = {
  'version-1.0':
    'accepts version 1.0 only: Content-Type and Accept are exactly its media type, and no disclaimer or terms are sent',
  'form-content-type': 'wants the JSON of a query declared as application/x-www-form-urlencoded',
  'genes-only': 'ignores features: they are not sent, and a patient without genes is not sent at all',
  'observed-only': 'counts a feature with observed "no" as present: such features are not sent',
  'known-terms':
    'fails on a term that its ontology does not have: terms are sent under their current ids, others are left out',
  'gene-symbols': 'knows genes by their symbols: the symbol is sent as the id of a gene',
  'plain-assembly': 'compares assemblies as text: GRCh37.p13 is sent as GRCh37',
  'starts-at-1': 'counts bases from 1: starts of variants are sent one higher, and read one lower',
  labels: 'wants names: features are sent with the labels of the ontology in use',
  'contact-name': 'refuses an empty contact.name: the institution or the address is sent instead',
  'one-address': 'refuses several addresses in contact.href: the first is sent',
  'no-extensions': 'refuses members whose names begin with "_": none are sent',
  'score-100': 'states scores from 0 to 100: they are divided by 100',
  'masked-features': 'states HP:0000118 for features that it does not disclose: they are left out',
  slow: 'may take minutes: background queries wait up to exchange.slowSeconds, and never delay other nodes',
} as const satisfies Readonly<Record<string, string>>;

export type Quirk = keyof typeof quirks;

/** The quirks of kinds of servers, as far as they are known. */
export const kinds = {
  'reference-server': ['version-1.0'],
  patientmatcher: ['version-1.0', 'observed-only', 'known-terms', 'plain-assembly'],
  seqr: ['version-1.0', 'starts-at-1'],
  matchbox: ['version-1.0', 'form-content-type'],
  phenomecentral: ['masked-features'],
  genematcher: ['slow'],
} as const satisfies Readonly<Record<string, readonly Quirk[]>>;

export type NodeKind = keyof typeof kinds;

const isQuirk = (name: string): name is Quirk => Object.hasOwn(quirks, name);
const isKind = (name: string): name is NodeKind => Object.hasOwn(kinds, name);

/**
 * The quirks of a node, those of its kind included. Throws `unavailable` for a name that a later version of this program
 * stored: without what it says, the node could get more than it should.
 */
export function quirksOfNames(names: readonly string[] = []): ReadonlySet<Quirk> {
  return new Set(
    names.flatMap((name): readonly Quirk[] => {
      if (isKind(name)) return kinds[name];
      if (isQuirk(name)) return [name];
      throw new Fault('unavailable', `was not queried: this version does not know its quirk "${name}"`);
    }),
  );
}

/** Names of quirks and of kinds of servers, separated by commas or blanks, without repetitions. Throws `invalid`. */
export function checkedQuirks(text: string): string[] {
  const names = [...new Set(text.toLowerCase().split(/[\s,]+/))].filter((name) => name !== '');
  if (names.length === 1 && names[0] === 'none') return [];
  const unknown = names.find((name) => !isKind(name) && !isQuirk(name));
  if (unknown === undefined && names.length > 0) return names;
  const what = unknown === undefined ? 'No quirk is named' : `"${unknown}" is neither a quirk nor a kind of server`;
  throw new Fault(
    'invalid',
    `${what}: choose "none", kinds (${Object.keys(kinds).join(', ')}) or quirks (${Object.keys(quirks).join(', ')})`,
  );
}
