/**
 * How servers of the exchange depart from its specification or from each other, as data that operators choose for a node.
 * `dialect.ts` does what a quirk says. What every node gets and may send (empty members, other media types in responses,
 * members of its own) needs no quirk: see `outgoing.ts` and `answer.ts`.
 */
import { Fault } from '../../../core/plugin.js';

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
export function quirksOf(names: readonly string[] = []): ReadonlySet<Quirk> {
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
