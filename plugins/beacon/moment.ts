/**
 * The reads of beacon@1 that an adapter may leave to us: they derive from the alleles of one moment. An adapter overrides those
 * that it answers faster.
 */
import { Fault } from '../../core/storage.js';
import {
  type Allele,
  type Assembly,
  alleleKey,
  byAllele,
  type Contig,
  type CountedAllele,
  widened,
} from './domain/allele.js';
import { type AlleleQuery, trimmedStart } from './domain/allele-query.js';
import { leastFraction } from './domain/fractions.js';
import { alleleAt, Genotypes, isSite, mostTelling, siteOf } from './domain/genotypes.js';
import { Allowance, type DatasetAlleles, type FoundAllele, type NamedCarrier, Tally } from './domain/hits.js';
import { matches } from './domain/matching.js';
import { isAskedFor, Observed, type ObservedQuestion } from './domain/observation.js';
import {
  defaultWindow,
  isInsertion,
  nearest,
  queryAround,
  type StructuralQuestion,
  windowOf,
} from './domain/similar.js';
import type {
  BeaconMoment,
  BeaconReads,
  BeaconRepository,
  BeaconStorage,
  BeaconUpkeep,
  DatasetDescription,
  StoredAllele,
  StoredAlleles,
} from './repository.js';

const portionSize = 1000;

const noUpkeep: BeaconUpkeep = {
  fragmented: async () => [],
  compact: async () => 0,
  sweep: async () => 0,
  leftovers: async () => 0,
  rewriteAlleles: async () => undefined,
};

/**
 * The whole repository: what an adapter brings, with defaults for what it leaves out. Throws an `unprocessable` fault if it
 * leaves out reads and `moment`, too.
 */
export function beaconOf(storage: BeaconStorage): BeaconRepository {
  const defaults = {
    ...readsOf((work, signal) => (storage as { moment: MomentReader }).moment(work, signal)),
    ...noUpkeep,
  };
  const left = Object.entries(defaults).filter(([verb]) => storage[verb as keyof typeof defaults] === undefined);
  const reads = left.map(([verb]) => verb).filter((verb) => !(verb in noUpkeep));
  if (storage.moment === undefined && reads.length > 0) {
    throw new Fault('unprocessable', `The storage lacks verbs of beacon@1: moment, or else ${reads.join(', ')}`);
  }
  return Object.assign(storage, Object.fromEntries(left)) as BeaconRepository;
}

type MomentReader = NonNullable<BeaconStorage['moment']>;

function readsOf(moment: MomentReader): BeaconReads {
  return {
    search: (query, ids, { limit, signal } = {}) =>
      moment(async (stored) => {
        const allowance = new Allowance(limit);
        const hits = [];
        for (const { id } of await datasetsOfAssembly(stored, query.assembly, ids)) {
          const tally = new Tally();
          for await (const { allele, portions } of matchingAlleles(stored, id, query, signal)) {
            const carriers = portions.flatMap((portion) => portion.carriers);
            allowance.take(allele, carriers.length);
            tally.add(allele, carriers);
          }
          if (tally.alleles > 0) hits.push({ dataset: id, ...tally.counts() });
        }
        return hits;
      }, signal),

    present: (query, ids, { most = Number.POSITIVE_INFINITY, signal } = {}) =>
      moment(async (stored) => {
        const found: string[] = [];
        for (const { id } of await datasetsOfAssembly(stored, query.assembly, ids)) {
          if (found.length >= most) break;
          for await (const _ of matchingAlleles(stored, id, query, signal)) {
            found.push(id);
            break;
          }
        }
        return found;
      }, signal),

    found: (query, ids, { limit, carriers: named = false, signal }) =>
      moment(async (stored) => {
        const [ofAlleles, ofCarriers] = [new Allowance(limit, 'alleles'), new Allowance(limit)];
        const found: DatasetAlleles[] = [];
        for (const { id } of await datasetsOfAssembly(stored, query.assembly, ids)) {
          const alleles: FoundAllele[] = [];
          for await (const one of matchingAlleles(stored, id, query, signal)) {
            const carriers = one.portions.flatMap((portion) => portion.carriers);
            ofAlleles.take(one.allele, 1);
            if (named) ofCarriers.take(one.allele, carriers.length);
            alleles.push({
              ...whole(one),
              samples: carriers.length,
              ...(named && { named: carriers.sort(byCarrierName) }),
            });
          }
          if (alleles.length > 0) found.push({ dataset: id, alleles: alleles.sort(byAllele) });
        }
        return found;
      }, signal),

    observe: (assembly, questions, ids, { signal, ...requested } = {}) =>
      moment(async (stored) => {
        const found = questions.map((): ReturnType<typeof observationOf>[] => []);
        for (const { id, counting } of await datasetsOfAssembly(stored, assembly, ids)) {
          const samples = await stored.samples(id);
          const numbers = new Map(samples.map(({ name }, number) => [name, number]));
          const observed = new Observed(samples);
          const { window = defaultWindow, minimumHeteroplasmy } = counting ?? {};
          const sequences = await byStart(
            stored,
            id,
            questions.filter(({ type }) => type === 'sequence'),
            signal,
          );
          for (const [i, question] of questions.entries()) {
            signal?.throwIfAborted();
            const least = leastFraction(question.contig, minimumHeteroplasmy);
            const isAsked = (one: Allele) => isAskedFor(one, question, assembly, window);
            const candidates =
              question.type === 'sequence'
                ? sequences(question)
                : allelesAround(stored, id, assembly, question, window, signal);
            for await (const { allele, portions, uncalled } of candidates) {
              for (const portion of portions) {
                if (!isAsked(widened(allele, portion))) continue;
                const percents = new Map(portion.fractions);
                for (const [name, copies] of portion.carriers) {
                  observed.add(numbers.get(name) ?? -1, copies, percents.get(name), least);
                }
              }
              if (isAsked(allele)) for (const name of uncalled) observed.miss(numbers.get(name) ?? -1);
            }
            found[i]?.push(observationOf(id, assembly, question, observed, requested));
          }
        }
        return found;
      }, signal),

    fractions: (id, alleles, { signal } = {}) =>
      moment(async (stored) => {
        const stands = await byStart(stored, id, alleles, signal);
        return alleles.map((allele) => {
          const key = alleleKey(allele);
          const same = stands(allele).filter((one) => alleleKey(one.allele) === key);
          return new Map(same.flatMap(({ portions }) => portions.flatMap(({ fractions = [] }) => fractions)));
        });
      }, signal),

    nearby: (id, question, { reach, limit, signal }) =>
      moment(async (stored) => {
        const [dataset] = await stored.datasets([id]);
        const found: CountedAllele[] = [];
        if (dataset === undefined) return found;
        for await (const one of matchingAlleles(stored, id, queryAround(dataset.assembly, question, reach), signal)) {
          found.push({ ...one.allele, calls: callsOfAllele(one) });
        }
        return nearest(found, question, limit);
      }, signal),

    genotypes: (id, sites, { signal } = {}) =>
      moment(async (stored) => {
        if ((await stored.datasets([id])).length === 0) return undefined;
        const samples = await stored.samples(id);
        const numbers = new Map(samples.map(({ name }, number) => [name, number]));
        const genotypes = new Genotypes(samples.length, sites.length);
        const stands = await byStart(stored, id, sites, signal);
        for (const [place, site] of sites.entries()) {
          const key = alleleKey(alleleAt(site));
          for (const { allele, portions } of stands(site)) {
            if (alleleKey(allele) !== key) continue;
            for (const [name, copies] of portions.flatMap(({ carriers }) => carriers)) {
              genotypes.set(numbers.get(name) ?? -1, place, copies);
            }
          }
        }
        return { samples, genotypes };
      }, signal),

    commonSites: (id, most) =>
      moment(async (stored) => {
        const found: CountedAllele[] = [];
        for await (const one of carried(stored, id)) if (isSite(one.allele)) found.push(whole(one));
        const calls = found.map((allele) => allele.calls);
        const { length } = await stored.samples(id);
        return mostTelling(calls, length, most).map((place) => siteOf(found[place] as Allele));
      }),

    examples: (id, structural, limit) =>
      moment(async (stored) => {
        const found: Allele[] = [];
        if (limit < 1) return found;
        for await (const one of carried(stored, id)) {
          if (one.allele.structural !== structural) continue;
          found.push(wholeAllele(one));
          if (found.length >= limit) break;
        }
        return found;
      }),

    eachAllele: (id, take, { after, signal } = {}) =>
      moment(async (stored) => {
        await existingDatasets(stored, id);
        let portion: CountedAllele[] = [];
        for await (const one of carried(stored, id, { after, signal })) {
          portion.push(whole(one));
          if (portion.length < portionSize) continue;
          if ((await take(portion)) === false) return;
          portion = [];
        }
        if (portion.length > 0) await take(portion);
      }, signal),

    recount: (id) =>
      moment(async (stored) => {
        await existingDatasets(stored, id);
        const counts = { alleles: 0, calls: 0, samples: (await stored.samples(id)).length };
        for await (const one of carried(stored, id)) {
          counts.alleles++;
          counts.calls += callsOfAllele(one);
        }
        return counts;
      }),
  };
}

async function existingDatasets(stored: BeaconMoment, id: string): Promise<void> {
  if ((await stored.datasets([id])).length === 0) throw new Fault('not-found', `There is no dataset "${id}"`);
}

/** Those of the datasets that exist and have the assembly, by id. */
async function datasetsOfAssembly(
  stored: BeaconMoment,
  assembly: Assembly,
  ids: readonly string[],
): Promise<DatasetDescription[]> {
  const found = await stored.datasets([...new Set(ids)]);
  return found.filter((one) => one.assembly === assembly).sort((one, other) => (one.id < other.id ? -1 : 1));
}

async function* carried(stored: BeaconMoment, id: string, which?: StoredAlleles): AsyncGenerator<StoredAllele> {
  for await (const one of stored.alleles(id, which)) {
    which?.signal?.throwIfAborted();
    if (one.portions.length > 0) yield one;
  }
}

/** The alleles that match a query, with those portions of their carriers with whose statements they do. */
async function* matchingAlleles(
  stored: BeaconMoment,
  id: string,
  query: AlleleQuery,
  signal: AbortSignal | undefined,
): AsyncGenerator<StoredAllele> {
  for await (const one of carried(stored, id, { query, signal })) {
    const portions = one.portions.filter((portion) => matches(widened(one.allele, portion), query));
    if (portions.length > 0) yield { ...one, portions };
  }
}

/** Of all its carriers. */
export function callsOfAllele({ portions }: Pick<StoredAllele, 'portions'>): number {
  return portions.reduce((sum, { carriers }) => carriers.reduce((calls, [, copies]) => calls + copies, sum), 0);
}

function wholeAllele({ allele, portions }: StoredAllele): Allele {
  return portions.reduce((one, portion) => widened(one, portion), allele);
}

/** With its calls, and the widest ranges that the imports of its carriers gave. */
function whole(one: StoredAllele): CountedAllele {
  return { ...wholeAllele(one), calls: callsOfAllele(one) };
}

function byCarrierName([one]: NamedCarrier, [other]: NamedCarrier): number {
  return one < other ? -1 : 1;
}

type AlleleStart = Pick<Allele, 'contig' | 'start'>;

/** The alleles that start at each of the places, as they are stored or without the bases that reference and alternate share. */
async function byStart(
  stored: BeaconMoment,
  id: string,
  places: readonly AlleleStart[],
  signal: AbortSignal | undefined,
): Promise<(place: AlleleStart) => readonly StoredAllele[]> {
  const starts = new Map<Contig, Set<number>>();
  for (const { contig, start } of places) starts.set(contig, (starts.get(contig) ?? new Set()).add(start));
  const found = new Map<string, StoredAllele[]>();
  if (starts.size > 0) {
    for await (const one of stored.alleles(id, { starts, signal })) {
      const { contig, start } = one.allele;
      for (const place of new Set([start, trimmedStart(one.allele) ?? start])) {
        const there = found.get(`${contig}:${place}`) ?? [];
        there.push(one);
        found.set(`${contig}:${place}`, there);
      }
    }
  }
  return ({ contig, start }) => found.get(`${contig}:${start}`) ?? [];
}

/** Whatever may answer a question; what joins two places may come once for each of them. */
async function* allelesAround(
  stored: BeaconMoment,
  id: string,
  assembly: Assembly,
  question: StructuralQuestion,
  most: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<StoredAllele> {
  const { contig, start, end, mate, kind } = question;
  const window = windowOf(question, most);
  const near = (position: number) => ({ min: position - window, max: position + window });
  const queries: AlleleQuery[] =
    mate === undefined
      ? [{ assembly, contig, start: near(start), ...(!isInsertion(kind) && { end: near(end) }) }]
      : [
          { assembly, contig, start: near(start), mate },
          { assembly, contig: mate, start: near(end), mate: contig },
        ];
  for (const query of queries) yield* stored.alleles(id, { query, signal });
}

function observationOf(
  dataset: string,
  assembly: Assembly,
  { type, contig, start }: ObservedQuestion,
  observed: Observed,
  requested: Parameters<Observed['result']>[1],
) {
  return { dataset, ...observed.result({ assembly, contig, start, type }, requested) };
}
