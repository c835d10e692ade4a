/** Rights: what callers may be allowed to do, as plugins declare it. */

/**
 * What people may do, in the words of the configuration: `read` what was computed over many people, `report` on single
 * samples, see `incidental` findings in them, `load` data, and `admin`, which changes what others may see.
 */
export const parts = ['read', 'report', 'incidental', 'load', 'admin'] as const;

export type Part = (typeof parts)[number];

/** One right. `Thing` is what it is about, such as a dataset; a right without `of` covers all or nothing. */
export interface Right<Thing = unknown> {
  /** `plugin:verb`, such as `beacon:read`. An API token with this scope has the right, for every thing. */
  readonly scope: string;
  /** What it allows, in a few words for the API description and error messages: "Query protected datasets". */
  readonly summary: string;
  /**
   * The kind of thing that the right may be limited to: an API token with the scope `beacon:read:<id>` has it for that
   * thing alone. Everything after the second colon is the id, colons included.
   */
  readonly of?: { readonly noun: string; id(thing: Thing): string };
  /**
   * The part of the rights of people and tenants to which it belongs (`auth.roles`, `auth.tenants`). If omitted, no claim
   * of an identity provider grants it: only an API token with the scope has it.
   */
  readonly part?: Part;
  /** Whether every caller has the right for this thing, also without credentials; no thing is open if omitted. */
  open?(thing: Thing): boolean;
  /** Whether every bona fide researcher has it (`Subject.researcher`); no thing is open to them if omitted. */
  openToResearchers?(thing: Thing): boolean;
}

/** Keeps the type of the thing. Throws a TypeError unless the scope reads `plugin:verb`. */
export function defineRight<Thing = unknown>(right: Right<Thing>): Right<Thing> {
  if (!/^[a-z][a-z0-9-]*:[a-z][a-z0-9-]*$/.test(right.scope)) {
    throw new TypeError(`The scope of a right reads plugin:verb, such as beacon:read; got "${right.scope}"`);
  }
  return Object.freeze(right);
}

/** The scopes that grant a right, for people: "`beacon:read` or `beacon:read:<dataset>`". */
export function scopesFor({ scope, of }: Right): string {
  return of === undefined ? `\`${scope}\`` : `\`${scope}\` or \`${scope}:<${of.noun}>\``;
}
