/** Where the files that requests name may be: configured directories and hosts, divided among tenants. */
import { type OpenFile, openFound, openUnder } from '../files/open.js';
import { fileUnder, isSameOrWithin, isWithin, namedUnder } from '../files/roots.js';
import { isS3, withinBuckets } from '../outgoing/s3/name.js';
import type { Tenant } from '../policy/tenants.js';
import type { AllowedHost } from './hosts.js';

export type FileTenant = Pick<Tenant, 'roots' | 'urls'>;
/** Everything, only the files of these tenants, or only files that are named by exactly these texts. */
export type FileReach = 'everything' | readonly FileTenant[] | { readonly files: readonly string[] };
type Divided = readonly FileTenant[];
/** Whether a file may be used, by its absolute path without links resolved, or its URL; asked before the file is looked up. */
export type MayUse = (named: string) => Promise<boolean>;

export interface PlaceOptions {
  /** Configured directories. */
  roots: readonly string[];
  /** What is allowed for the host of a URL; undefined if it is not configured. */
  allowed(url: URL): AllowedHost | undefined;
  /** Beginnings of the names of objects in S3; none if omitted. */
  buckets?: readonly string[];
  /** All tenants; files of none are for callers that reach everything. */
  tenants: readonly FileTenant[];
}

/**
 * A path is judged by its text first, and no file outside of the reach is looked up: neither the answer nor its timing
 * reveals what others have. Under a tenant's directory, links lead only to other files of that directory, for every caller
 * and for background work: what a tenant registers never shows the files of another.
 */
export class Places {
  readonly #roots: readonly string[];
  readonly #allowed: PlaceOptions['allowed'];
  readonly #buckets: readonly string[];
  /** The directories and the URLs of all tenants, the longest first. */
  readonly #divided: readonly string[];
  readonly #urls: readonly string[];

  constructor({ roots, allowed, buckets = [], tenants }: PlaceOptions) {
    this.#roots = roots;
    this.#allowed = allowed;
    this.#buckets = buckets;
    const longestFirst = (a: string, b: string) => b.length - a.length;
    this.#divided = [...new Set(tenants.flatMap((tenant) => tenant.roots))].sort(longestFirst);
    this.#urls = [...new Set(tenants.flatMap(({ urls }) => urls))].sort(longestFirst);
  }

  /** The directories in which a caller may name files. */
  rootsIn(reach: FileReach): readonly string[] {
    if (reach === 'everything') return this.#roots;
    if (isExact(reach)) return [];
    return reach.flatMap(({ roots }) => roots).filter((own) => this.#roots.some((root) => isSameOrWithin(root, own)));
  }

  /**
   * Whether a registered file is in reach, by the text of its path or URL, which holds for the whole server: a relative path is
   * in reach only if it is so in every configured directory. Reads no file.
   */
  has(text: string, reach: FileReach): boolean {
    if (reach === 'everything') return true;
    if (isExact(reach)) return reach.files.includes(text);
    if (isUrl(text)) return this.#urlIn(text, reach) !== undefined;
    const own = this.rootsIn(reach);
    const all = namedUnder(this.#roots, text);
    return all.length > 0 && all.every(({ named }) => own.some((root) => isWithin(root, named)));
  }

  /** Whether a file that was used earlier is in reach, by the same text, and may be used; it need not exist any more. */
  async reaches(text: string, reach: FileReach, may?: MayUse): Promise<boolean> {
    const named = isUrl(text) ? [{ named: text }] : namedUnder(this.#roots, text);
    if (may === undefined) return this.has(text, reach);
    const answers = await allowed(named, may);
    return this.has(text, reach) && named.length > 0 && answers.length === named.length;
  }

  /** The real path of the file, or the URL; undefined if it does not exist or is out of reach. */
  async find(text: string, reach: FileReach, may?: MayUse): Promise<string | undefined> {
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
    for (const { root, named } of await allowed(places, may)) {
      const found = await openUnder([root], named);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Opens a real path that `find` returned, if it has not been replaced by a link to elsewhere. */
  openFound(real: string): Promise<OpenFile | undefined> {
    return openFound(this.#roots, real, this.#divided);
  }

  /** Whether a redirect may be followed: not from one tenant's files, or from none's, to those of another. */
  mayFollow(from: URL, to: URL): boolean {
    return this.#ownerOf(to.href) === undefined || this.#ownerOf(from.href) === this.#ownerOf(to.href);
  }

  /** Where the path may be, and the directory under which it must really be: the innermost one of a tenant, if there is one. */
  #named(text: string, reach: 'everything' | Divided): { root: string; named: string }[] {
    const limits = reach === 'everything' ? undefined : this.rootsIn(reach);
    const found = new Map<string, string>();
    // A relative path means first what it means for the whole server.
    for (const { root, named } of namedUnder([...this.#roots, ...(limits ?? [])], text)) {
      if (found.has(named) || limits?.some((one) => isWithin(one, named)) === false) continue;
      found.set(named, this.#divided.find((one) => isWithin(one, named)) ?? root);
    }
    return [...found].map(([named, root]) => ({ root, named }));
  }

  async #found(
    text: string,
    reach: FileReach,
    may: MayUse | undefined,
  ): Promise<{ named: string; real: string } | undefined> {
    if (isExact(reach)) return reach.files.includes(text) ? this.#found(text, 'everything', may) : undefined;
    if (isUrl(text)) {
      const url = this.#urlIn(text, reach);
      const [found] = await allowed(url === undefined ? [] : [{ named: url, real: url }], may);
      return found;
    }
    for (const { root, named } of await allowed(this.#named(text, reach), may)) {
      const real = await fileUnder([root], named);
      if (real !== undefined) return { named, real };
    }
    return undefined;
  }

  /** The URL in its usual form, or the name in S3, which is taken as it is written. */
  #urlIn(text: string, reach: 'everything' | Divided): string | undefined {
    if (isS3(text)) {
      if (!withinBuckets(this.#buckets, text)) return undefined;
      return reach === 'everything' || reach.some(({ urls }) => withinBuckets(urls, text)) ? text : undefined;
    }
    if (!URL.canParse(text)) return undefined;
    const url = new URL(text);
    url.hash = '';
    if (this.#allowed(url) === undefined) return undefined;
    if (reach === 'everything') return url.href;
    // A host may take these for slashes and dots, and so leave the directory that the beginning of the URL names.
    if (/%2f|%5c|%2e|\\/i.test(url.pathname)) return undefined;
    return reach.some(({ urls }) => urls.some((begin) => url.href.startsWith(begin))) ? url.href : undefined;
  }

  #ownerOf(href: string): string | undefined {
    return this.#urls.find((begin) => href.startsWith(begin));
  }
}

/** All are asked about at once, whichever of them exist. */
async function allowed<Place extends { named: string }>(
  places: readonly Place[],
  may: MayUse | undefined,
): Promise<readonly Place[]> {
  if (may === undefined) return places;
  const answers = await Promise.all(places.map(({ named }) => may(named)));
  return places.filter((_, i) => answers[i] === true);
}

function isExact(reach: FileReach): reach is Exclude<FileReach, 'everything' | Divided> {
  return reach !== 'everything' && 'files' in reach;
}

export function isUrl(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
}
