/**
 * What callers may name: files below directories, URLs on hosts and objects in buckets. One rule for every plugin, of three
 * parts: the places that the plugin's settings list; how these are divided among tenants; and what of them the caller reaches,
 * which `filesOf` decides by the right that the caller uses. A plugin has one `Places` and opens what callers name by it alone.
 */
import { normalize, relative } from 'node:path';
import { isFault } from './fault.js';
import { fileUnder, isSameOrWithin, isWithin, namedUnder, type OpenFile, openFound, openUnder } from './files/open.js';
import { type Stored, storedFile } from './files/source.js';
import type { AllowedHost } from './outgoing/reach.js';
import type { S3 } from './outgoing/s3/s3.js';
import { isS3, withinBuckets } from './outgoing/s3/settings.js';
import type { Holding, Right } from './policy/policy.js';
import { type Tenant, thingsOfTenant } from './policy/tenants.js';
import { placeOf } from './text.js';

declare const permitted: unique symbol;

/**
 * The real path of a file, the URL or the name of an object in S3 that a caller named and may use. Only `Places` makes one, in
 * core/places.ts: what opens something for a caller takes no other text.
 */
export type PermittedName = string & { readonly [permitted]: true };

export type FileTenant = Pick<Tenant, 'roots' | 'urls'>;
type TenantPlaces = readonly FileTenant[];
/**
 * Everything, what belongs to no tenant, only what belongs to these tenants, or only what is named by exactly these texts.
 */
export type FileReach = 'everything' | 'undivided' | TenantPlaces | { readonly files: readonly string[] };
/** Whether a file may be used, by its absolute path without links resolved, or its URL; asked before the file is looked up. */
export type MayUse = (named: string) => Promise<boolean>;

export interface PlaceOptions {
  /** Configured directories. */
  roots: readonly string[];
  /** What is allowed for the host of a URL, undefined if it is not configured; no URL may be named if omitted. */
  allowed?(url: URL): AllowedHost | undefined;
  /** Beginnings of the names of objects in S3; none if omitted. */
  buckets?: readonly string[];
  /** No object is reached if omitted. */
  s3?: S3 | undefined;
  /** All tenants; what belongs to none is for callers that reach everything, or what is undivided. */
  tenants: readonly FileTenant[];
}

/** Where a path may be: the directory under which it must really be, and those below it where it must not. */
interface AllowedFolder {
  root: string;
  named: string;
  except: readonly string[];
}

/**
 * A name is judged by its text first, and nothing outside of the reach is looked up: neither the answer nor its timing
 * reveals what others have. Under a tenant's directory, links lead only to other files of that directory, for every caller
 * and for background work: what a tenant registers never shows the files of another.
 */
export class Places {
  readonly #roots: readonly string[];
  readonly #allowed: NonNullable<PlaceOptions['allowed']>;
  readonly #buckets: readonly string[];
  readonly #s3: S3 | undefined;
  /** The directories and the URLs of all tenants, the longest first. */
  readonly #divided: readonly string[];
  readonly #urls: readonly string[];

  constructor({ roots, allowed = () => undefined, buckets = [], s3, tenants }: PlaceOptions) {
    this.#roots = roots;
    this.#allowed = allowed;
    this.#buckets = s3 === undefined ? [] : buckets;
    this.#s3 = s3;
    const longestFirst = (a: string, b: string) => b.length - a.length;
    this.#divided = [...new Set(tenants.flatMap((tenant) => this.#rootsOf(tenant)))].sort(longestFirst);
    this.#urls = [...new Set(tenants.flatMap(({ urls }) => urls))].sort(longestFirst);
  }

  /** The directories in which a caller may name files. */
  rootsIn(reach: FileReach): readonly string[] {
    if (reach === 'everything' || reach === 'undivided') return this.#roots;
    if (isExact(reach)) return [];
    return [...new Set(reach.flatMap((tenant) => this.#rootsOf(tenant)))];
  }

  /**
   * Whether a registered file is in reach, by the text of its path or URL, which holds for the whole server: a relative path is
   * in reach only if it is so in every configured directory. Reads no file.
   */
  has(text: string, reach: FileReach): boolean {
    if (reach === 'everything') return true;
    if (isExact(reach)) return reach.files.includes(text);
    if (isUrl(text)) return this.#urlIn(text, reach) !== undefined;
    const all = namedUnder(this.#roots, text);
    return all.length > 0 && all.every(({ named }) => this.#isIn(named, reach));
  }

  /**
   * Beginnings of the places (`placeOf`) of all files for which `has` is true, and of few others; undefined if it is not limited to
   * some tenants or names. For storages, which cannot ask `has`.
   */
  begins(reach: FileReach): readonly string[] | undefined {
    if (reach === 'everything' || reach === 'undivided') return undefined;
    if (isExact(reach)) return reach.files.map(placeOf);
    const own = this.rootsIn(reach);
    // A relative path is one of a configured directory; how those that leave it continue is unknown.
    const ways = own.flatMap((root) => this.#roots.map((one) => relative(one, root)));
    const relatives = ways.flatMap((way) => (way === '' ? [''] : way.startsWith('..') ? [] : [`${way}/`]));
    const urls = reach.flatMap((tenant) => tenant.urls);
    return [...new Set([...own.map((root) => normalize(`${root}/`)), ...relatives, '../', ...urls])];
  }

  /** Whether a file that was used earlier is in reach, by the same text, and may be used; it need not exist any more. */
  async reaches(text: string, reach: FileReach, may?: MayUse): Promise<boolean> {
    const named = isUrl(text) ? [{ named: text }] : namedUnder(this.#roots, text);
    if (may === undefined) return this.has(text, reach);
    const answers = await allowed(named, may);
    return this.has(text, reach) && named.length > 0 && answers.length === named.length;
  }

  /** The real path of the file, or the URL; undefined if it does not exist or is out of reach. */
  async find(text: string, reach: FileReach, may?: MayUse): Promise<PermittedName | undefined> {
    return (await this.#found(text, reach, may))?.real;
  }

  /** The text under which such a file is registered, so that it names the same file for every caller. */
  async registered(text: string, reach: FileReach, may?: MayUse): Promise<string | undefined> {
    const found = await this.#found(text, reach, may);
    return found && (this.has(text, reach) ? text : found.named);
  }

  /** Opens a file; undefined if it does not exist, is out of reach or is named by a URL. */
  async open(text: string, reach: FileReach, may?: MayUse): Promise<OpenFile | undefined> {
    const places = isUrl(text) || isExact(reach) ? [] : this.#named(text, reach);
    for (const { root, named, except } of await allowed(places, may)) {
      const found = await openUnder([root], named, { except });
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /**
   * Opens a file or an object in S3, as it is stored; undefined if it does not exist, is out of reach or has another URL. Throws
   * `unavailable` if the object storage fails.
   */
  async stored(text: string, reach: FileReach): Promise<Stored | undefined> {
    if (!isS3(text)) {
      const file = await this.open(text, reach);
      return file && storedFile(file);
    }
    const name = await this.find(text, reach);
    if (name === undefined) return undefined;
    return this.#s3?.stored(name).catch((cause: unknown) => {
      if (isFault(cause) && cause.code === 'unprocessable') return undefined;
      throw cause;
    });
  }

  /** Opens a real path that `find` returned, if it has not been replaced by a link to elsewhere. */
  openFound(real: string): Promise<OpenFile | undefined> {
    return openFound(this.#roots, real, this.#divided);
  }

  /** Whether a redirect may be followed: not from one tenant's files, or from none's, to those of another. */
  mayFollow(from: URL, to: URL): boolean {
    return this.#ownerOf(to.href) === undefined || this.#ownerOf(from.href) === this.#ownerOf(to.href);
  }

  /** What of a tenant's directories is configured: a whole one, or the configured ones within it. */
  #rootsOf({ roots }: FileTenant): readonly string[] {
    return roots.flatMap((own) =>
      this.#roots.some((root) => isSameOrWithin(root, own)) ? own : this.#roots.filter((root) => isWithin(own, root)),
    );
  }

  /** Whether an absolute path without links resolved is in reach. */
  #isIn(named: string, reach: 'everything' | 'undivided' | TenantPlaces): boolean {
    if (reach === 'everything') return true;
    if (reach === 'undivided') return !this.#divided.some((one) => isWithin(one, named));
    return this.rootsIn(reach).some((one) => isWithin(one, named));
  }

  /** Where the path may be: really under the innermost directory of a tenant, if there is one. */
  #named(text: string, reach: 'everything' | 'undivided' | TenantPlaces): AllowedFolder[] {
    const except = reach === 'undivided' ? this.#divided : [];
    const found = new Map<string, AllowedFolder>();
    // A relative path means first what it means for the whole server.
    for (const { root, named } of namedUnder([...this.#roots, ...this.rootsIn(reach)], text)) {
      if (found.has(named) || !this.#isIn(named, reach)) continue;
      found.set(named, { root: this.#divided.find((one) => isWithin(one, named)) ?? root, named, except });
    }
    return [...found.values()];
  }

  async #found(
    text: string,
    reach: FileReach,
    may: MayUse | undefined,
  ): Promise<{ named: string; real: PermittedName } | undefined> {
    if (isExact(reach)) return reach.files.includes(text) ? this.#found(text, 'everything', may) : undefined;
    if (isUrl(text)) {
      const url = this.#urlIn(text, reach);
      const [found] = await allowed(url === undefined ? [] : [{ named: url, real: permit(url) }], may);
      return found;
    }
    for (const { root, named, except } of await allowed(this.#named(text, reach), may)) {
      const real = await fileUnder([root], named, except);
      if (real !== undefined) return { named, real: permit(real) };
    }
    return undefined;
  }

  /** The URL in its usual form, or the name in S3, which is taken as it is written. */
  #urlIn(text: string, reach: 'everything' | 'undivided' | TenantPlaces): string | undefined {
    if (isS3(text)) {
      if (!withinBuckets(this.#buckets, text)) return undefined;
      if (reach === 'everything') return text;
      if (reach === 'undivided') return withinBuckets(this.#urls, text) ? undefined : text;
      return reach.some(({ urls }) => withinBuckets(urls, text)) ? text : undefined;
    }
    if (!URL.canParse(text)) return undefined;
    const url = new URL(text);
    url.hash = '';
    if (this.#allowed(url) === undefined) return undefined;
    if (reach === 'everything') return url.href;
    // A host may take these for slashes and dots, and so leave the directory that the beginning of the URL names.
    if (/%2f|%5c|%2e|\\/i.test(url.pathname)) return undefined;
    if (reach === 'undivided') return this.#ownerOf(url.href) === undefined ? url.href : undefined;
    return reach.some(({ urls }) => urls.some((begin) => url.href.startsWith(begin))) ? url.href : undefined;
  }

  #ownerOf(href: string): string | undefined {
    return this.#urls.find((begin) => href.startsWith(begin));
  }
}

/** Every name that a caller may use is made here. */
function permit(name: string): PermittedName {
  return name as PermittedName;
}

/** All are asked about at once, whichever of them exist. */
async function allowed<Named extends { named: string }>(
  places: readonly Named[],
  may: MayUse | undefined,
): Promise<readonly Named[]> {
  if (may === undefined) return places;
  const answers = await Promise.all(places.map(({ named }) => may(named)));
  return places.filter((_, i) => answers[i] === true);
}

function isExact(reach: FileReach): reach is { readonly files: readonly string[] } {
  return typeof reach === 'object' && 'files' in reach;
}

export function isUrl(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
}

/**
 * What a caller reaches by a right that it holds for a thing of tenants, such as a dataset: everything by a right for everything;
 * as a member, what belongs to those of its tenants that have the thing; by an API token for the thing, what belongs to the
 * tenants that have it or, if none has it, what belongs to no tenant. Without tenants nothing is divided.
 */
export function filesOf<Thing>(
  holding: Holding,
  { of }: Pick<Right<Thing>, 'of'>,
  thing: Thing,
  tenants: readonly Tenant[],
): FileReach {
  if (holding === 'everything') return 'everything';
  const owners = tenants.filter((tenant) => of !== undefined && thingsOfTenant(tenant, of.noun).includes(of.id(thing)));
  if (holding !== 'thing') return owners.filter(({ name }) => holding.includes(name));
  if (owners.length > 0) return owners;
  return tenants.length === 0 ? 'everything' : 'undivided';
}
