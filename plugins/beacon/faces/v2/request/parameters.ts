/** Names of request parameters, and their values under one name. */
import type { SentParameters } from './request.js';
import { invalid, shown, textOf, wholeOf, wholesOf } from './values.js';

const readers = { text: textOf, whole: wholeOf, wholes: wholesOf };

/** The parameters that an entry type takes, by name, each with the reader of its value. */
export type ParameterNames = Readonly<Record<string, keyof typeof readers>>;

/** Other spellings of parameters: the paths of the specification's OpenAPI files differ from its schemas. */
const synonyms: Readonly<Record<string, string>> = { geneid: 'geneId', allele: 'genomicAlleleShortForm' };

/** Parameters for which an empty text is a value: no bases. */
const mayBeEmpty = new Set(['referenceBases', 'alternateBases']);

/** Collects parameters from one or several places of a request; throws an `invalid` fault if two of them differ. */
export class Parameters {
  readonly #names: ParameterNames;
  readonly #found = new Map<string, { value: SentParameters[string]; sent: string }>();
  #empty: string | undefined;

  constructor(names: ParameterNames) {
    this.#names = names;
  }

  takes(sent: string): boolean {
    return Object.hasOwn(this.#names, canonicalName(sent));
  }

  add(sent: string, value: unknown): void {
    const name = canonicalName(sent);
    const kind = Object.hasOwn(this.#names, name) ? this.#names[name] : undefined;
    if (!kind) throw unknown(sent, Object.keys(this.#names));
    if (value === '' && !mayBeEmpty.has(name)) {
      this.#empty ??= sent;
      return;
    }
    const read = readers[kind](sent, value);
    const known = this.#found.get(name);
    if (known && String(known.value) !== String(read)) {
      throw invalid(`${sent} is ${shown(read)}, and ${known.sent} ${shown(known.value)}: give one of them`);
    }
    this.#found.set(name, { value: read, sent });
  }

  /** Forms send empty values of what was not filled in. With nothing filled in, all variants would be found: a wrong yes. */
  get all(): SentParameters {
    if (this.#empty !== undefined && this.#found.size === 0) {
      throw invalid(`${this.#empty} is empty: give it a value, or leave it out`);
    }
    return Object.fromEntries([...this.#found].map(([name, { value }]) => [name, value]));
  }
}

function canonicalName(sent: string): string {
  return Object.hasOwn(synonyms, sent) ? (synonyms[sent] as string) : sent;
}

/** The fault for a parameter that is not taken: ignoring it would answer a wider question than was asked. */
export function unknown(name: string, known: readonly string[]) {
  const similar = known.find((one) => one.toLowerCase() === name.toLowerCase());
  const names = [...known].sort().join(', ');
  const hint = similar ? `Did you mean ${similar}?` : `Accepted are ${names || 'none'}`;
  return invalid(`Unknown parameter ${shown(name)}. ${hint}`);
}

/** Refuses credentials in a query string: servers and proxies log addresses. */
export function refuseCredentials(names: readonly string[]): void {
  if (!names.includes('access_token')) return;
  throw invalid(
    'access_token is not taken from the address, which is logged: send the token in the header Authorization',
  );
}
