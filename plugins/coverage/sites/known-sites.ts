/** The service `coverage/known-sites@1`: what sets of known variants say of alleles, and of genes. */
import type { Assembly } from '../../../core/genome.js';
import type { KnownRecord, KnownSitesService, PlaceOfSite, PlainAllele } from '../../services/coverage.js';
import type { FoundSite, SiteRepository, SiteSet } from '../contract.js';
import { sizeIn } from '../d4/index.js';

/** Bases beyond an allele in which its records are looked for: in a repeat a source may write it so far away. */
const reach = 1000;
/** Places that are read together. */
const together = 500;

/** `maxShrink`: a file with fewer sites than this fraction less is refused. */
export function knownSitesService(
  repository: Pick<SiteRepository, 'sets' | 'find'>,
  maxShrink: number,
): KnownSitesService {
  return {
    async sets(build) {
      const own = (await repository.sets()).filter((set) => set.build === build);
      return own.map(({ name, release, loaded, sites }) => ({ name, release, loaded, sites }));
    },

    async classesOf(build, alleles, { form = trimmed, signal }) {
      const keys = alleles.map((allele) => keyOf(form(allele)));
      const found = new Map<string, KnownRecord[]>(keys.map((key) => [key, []]));
      const places = alleles.map(({ chromosome, start, reference }) => {
        return { chromosome, start: Math.max(0, start - reach), end: start + reference.length + reach };
      });
      for await (const { allele, record } of recordsAt(repository, build, { places, genes: [] }, signal)) {
        found.get(keyOf(form(allele)))?.push(record);
      }
      return keys.map((key) => found.get(key) ?? []);
    },

    async within(build, wanted, signal) {
      const found: (KnownRecord & PlainAllele & PlaceOfSite)[] = [];
      for await (const { allele, record, place } of recordsAt(repository, build, wanted, signal)) {
        found.push({ ...record, ...allele, ...place });
      }
      return found;
    },

    async assuming(file) {
      const { sitesWith } = await import('./file-sites.js');
      return knownSitesService(await sitesWith(repository, file, maxShrink), maxShrink);
    },
  };
}

interface SiteAllele {
  allele: PlainAllele;
  record: KnownRecord;
  place: PlaceOfSite;
}

type WantedSites = Parameters<KnownSitesService['within']>[1];

/** Each record once; one with several alternates once for each. */
async function* recordsAt(
  repository: Pick<SiteRepository, 'find'>,
  build: Assembly,
  { places, genes }: WantedSites,
  signal: AbortSignal,
): AsyncGenerator<SiteAllele> {
  // Sites that name a gene may be within a place, too.
  const named = new Set<string>();
  if (genes.length > 0) {
    const { sets, sites } = await repository.find(build, { places: [], genes }, { signal });
    for (const site of sites) {
      named.add(JSON.stringify(site));
      yield* allelesOf(site, sets, build);
    }
  }
  const all = joined(places);
  let last: PlaceOfRead | undefined;
  for (let from = 0; from < all.length; from += together) {
    const some = all.slice(from, from + together);
    const { sets, sites } = await repository.find(build, { places: some, genes: [] }, { signal });
    for (const site of sites) {
      // One that reaches from the places that were read before is of these.
      const isKnown = last?.chromosome === site.chromosome && site.start < last.end;
      if (isKnown || (named.size > 0 && named.has(JSON.stringify(site)))) continue;
      yield* allelesOf(site, sets, build);
    }
    last = some.at(-1);
  }
}

type PlaceOfRead = WantedSites['places'][number];

/** By the name of the chromosome and start; those that touch as one. */
function joined(places: readonly PlaceOfRead[]): PlaceOfRead[] {
  const sorted = [...places].sort(
    (one, other) =>
      (one.chromosome < other.chromosome ? -1 : Number(one.chromosome > other.chromosome)) || one.start - other.start,
  );
  const found: PlaceOfRead[] = [];
  for (const { chromosome, start, end } of sorted) {
    const last = found.at(-1);
    if (last?.chromosome === chromosome && start <= last.end) last.end = Math.max(last.end, end);
    else found.push({ chromosome, start, end });
  }
  return found;
}

function* allelesOf(site: FoundSite, sets: readonly SiteSet[], build: Assembly): Generator<SiteAllele> {
  const { set, chromosome, start, end, reference, alternate, significance, stars, id, genes } = site;
  const size = sizeIn(build, chromosome) ?? end;
  const place = { covers: { start: Math.max(0, start - 1), end: Math.max(end, Math.min(size, end + 1)) } };
  const record: KnownRecord = {
    ...{ set, release: sets.find(({ name }) => name === set)?.release ?? '', genes },
    ...(significance !== undefined && { significance }),
    ...(stars !== undefined && { stars }),
    ...(id !== undefined && { id }),
  };
  for (const one of alternate.split(',')) {
    yield {
      allele: { chromosome, start, reference: reference.toUpperCase(), alternate: one.toUpperCase() },
      record,
      place,
    };
  }
}

/** Without bases that reference and alternate share, the last ones first, down to one base of each. */
function trimmed({ chromosome, start, reference, alternate }: PlainAllele): PlainAllele {
  let [from, shared] = [0, 0];
  const shorter = Math.min(reference.length, alternate.length);
  while (shared < shorter - 1 && reference.at(-1 - shared) === alternate.at(-1 - shared)) shared++;
  while (from < shorter - 1 - shared && reference[from] === alternate[from]) from++;
  return {
    chromosome,
    start: start + from,
    reference: reference.slice(from, reference.length - shared),
    alternate: alternate.slice(from, alternate.length - shared),
  };
}

function keyOf({ chromosome, start, reference, alternate }: PlainAllele): string {
  return `${chromosome}-${start}-${reference}-${alternate}`;
}
