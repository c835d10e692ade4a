/** Denominators counted sample by sample and base by base, and small populations to count. */
import type {
  Allele,
  Assembly,
  BeaconRepository,
  CalledAllele,
  Contig,
  SampleChange,
  Sex,
} from '../../../../plugins/beacon/contract.js';
import type { DatasetDenominator } from '../../../../plugins/beacon/counts/denominator.js';
import type { RegisteredSex } from '../../../../plugins/beacon/counts/population.js';
import type { Random } from '../../../conformance/core.js';
import type { Stretch } from '../../coverage/callability/support.js';
import type { DepthAt } from './depths.js';
import { add } from './observed.js';
import { dataset } from './serve.js';

const now = new Date('2026-05-05T05:05:05.000Z');

/** Alleles with the carriers that a model knows by name. */
export interface Called {
  called: CalledAllele[];
  /** Copies by name, of each allele; -1 of a sample whose genotype was not called. */
  carried: Map<string, number>[];
}

/** A quarter of the searched samples carries each allele; of the others a share was not called. */
export function carriersOf(asked: readonly Allele[], all: readonly Person[], random: Random, share = 0): Called {
  const searched = all.filter(({ small }) => small);
  const carried = asked.map(() => new Map<string, number>());
  const called = asked.map((site, i): CalledAllele => {
    const carriers: [number, number][] = [];
    const uncalled: number[] = [];
    for (const [n, { name }] of searched.entries()) {
      if (!random.chance(0.25)) {
        if (share === 0 || !random.chance(share)) continue;
        uncalled.push(n);
        carried[i]?.set(name, -1);
        continue;
      }
      const copies = random.int(1, 2);
      carriers.push([n, copies]);
      carried[i]?.set(name, copies);
    }
    return { ...site, carriers, uncalled };
  });
  return { called: called.filter(({ carriers, uncalled = [] }) => carriers.length + uncalled.length > 0), carried };
}

export function allele(contig: Contig, position: number, reference: string, alternate: string): Allele {
  const start = position - 1;
  const kind = reference.length === alternate.length ? 'SNP' : 'INS';
  return { contig, start, end: start + reference.length, reference, alternate, kind, structural: false };
}

/** First and last base of the pseudo-autosomal regions, one-based, as the reports of the assemblies state them. */
const pars: Record<Assembly, Record<'X' | 'Y', [number, number][]>> = {
  GRCh37: {
    X: [[60001, 2699520], [154931044, 155260560]],
    Y: [[10001, 2649520], [59034050, 59363566]],
  },
  GRCh38: {
    X: [[10001, 2781479], [155701383, 156030895]],
    Y: [[10001, 2781479], [56887903, 57217415]],
  },
}; // biome-ignore format: a line for each chromosome

/** One-based; 'unknown' where it depends on a sex that is not known. */
function copiesOf(assembly: Assembly, contig: Contig, position: number, sex: Sex): number | 'unknown' {
  if (contig === 'MT') return 1;
  if (contig !== 'X' && contig !== 'Y') return 2;
  const isPar = pars[assembly][contig].some(([first, last]) => first <= position && position <= last);
  if (isPar) return contig === 'X' ? 2 : 0;
  if (sex === 'unknown') return 'unknown';
  if (contig === 'X') return sex === 'female' ? 2 : 1;
  return sex === 'female' ? 0 : 1;
}

/** Places at the borders of each region, and insertions and deletions beside SNVs. */
export function sites(assembly: Assembly): Allele[] {
  const borders = (['X', 'Y'] as const).flatMap((contig) =>
    pars[assembly][contig].flatMap(([first, last]) =>
      [first - 1, first, last, last + 1].map((position) => allele(contig, position, 'A', 'C')),
    ),
  );
  return [
    ...borders.filter(({ contig, start }) => contig === 'X' || start < 50_000_000),
    allele('1', 1000, 'A', 'C'),
    allele('1', 1000, 'A', 'AGG'),
    allele('1', 1000, 'ACT', 'A'),
    allele('1', 1000, 'AC', 'GT'),
    allele('1', 1, 'A', 'AT'),
    allele('X', 31_000_000, 'CTT', 'C'),
    allele('Y', 8_000_000, 'C', 'CT'),
    allele('MT', 1, 'G', 'GA'),
    allele('MT', 16569, 'G', 'A'),
    allele('MT', 16568, 'AG', 'A'),
  ];
}

/** A one-based inclusive range. */
function basesOf({ contig, start, reference, alternate }: Allele): [number, number] {
  const last = contig === 'MT' ? 16569 : 1e9;
  const more = reference.length === alternate.length ? 0 : 1;
  return [Math.max(1, start + 1 - more), Math.min(last, start + reference.length + more)];
}

/** Depths of 0 to 12, half of them 10 or more, from the name and the place alone. */
export const hashed: DepthAt = (sample, contig, position) => {
  let hash = position * 2654435761;
  for (const letter of sample + contig) hash = Math.imul(hash ^ letter.charCodeAt(0), 16777619);
  hash ^= hash >>> 15;
  return (hash >>> 0) % 13 > 2 ? 10 + (hash % 2) : 9;
};

export interface Person {
  name: string;
  coverageId: string;
  stated: Sex;
  /** What the registration says; undefined if it is not registered. */
  registered: RegisteredSex | undefined;
  small: boolean;
}

export function people(random: Random): Person[] {
  const stated = ['female', 'male', 'unknown'] as const;
  return Array.from({ length: random.int(1, 14) }, (_, i) => {
    const sex = random.pick(stated);
    return {
      name: `s${i}`,
      // Some share their depth, some are known by another id.
      coverageId: random.chance(0.2) ? 'shared' : random.chance(0.3) ? `c${i}` : `s${i}`,
      stated: sex,
      registered: random.chance(0.2)
        ? undefined
        : random.pick([sex, sex, 'unknown', 'male', 'female', 'contradicted'] as const),
      small: random.chance(0.9),
    };
  });
}

export type Registrations = ReadonlyMap<string, RegisteredSex>;

export function registrations(all: readonly Person[]): Registrations {
  return new Map(all.flatMap(({ coverageId, registered }) => (registered ? [[coverageId, registered] as const] : [])));
}

/** The sex that all statements on one registered sample agree on. */
function sexOf({ coverageId }: Person, all: readonly Person[], registered: Registrations): Sex {
  const statements = all
    .filter((one) => one.small && one.coverageId === coverageId)
    .map(({ stated }) => stated as RegisteredSex);
  const said = [...statements, registered.get(coverageId) ?? 'unknown'].filter((sex) => sex !== 'unknown');
  if (said.length === 0 || said.includes('contradicted') || new Set(said).size > 1) return 'unknown';
  return said[0] as Sex;
}

/** Sample by sample. */
export function naive(
  site: Allele,
  assembly: Assembly,
  all: readonly Person[],
  copies: ReadonlyMap<string, number>,
  threshold: number,
  depthAt: DepthAt = hashed,
): Omit<DatasetDenominator, 'reasons'> {
  const registered = registrations(all);
  const counts = { total: 0, covered: 0, notCovered: 0, unknown: 0, unknownSex: 0, notCalled: 0 };
  const alleles = {
    carriers: 0,
    homozygotes: 0,
    alleleCount: 0,
    alleleNumber: 0,
    carriersBelowThreshold: 0,
    carriersUnknown: 0,
  };
  const [first, last] = basesOf(site);
  for (const person of all.filter(({ small }) => small)) {
    const ploidy = copiesOf(assembly, site.contig, site.start + 1, sexOf(person, all, registered));
    const called = copies.get(person.name) ?? 0;
    if (ploidy === 0) continue;
    if (called < 0) {
      counts.notCalled++;
      continue;
    }
    counts.total++;
    if (!registered.has(person.coverageId) || ploidy === 'unknown') {
      counts[registered.has(person.coverageId) ? 'unknownSex' : 'unknown']++;
      if (called > 0) alleles.carriersUnknown++;
      continue;
    }
    let isCovered = true;
    for (let at = first; at <= last; at++) isCovered &&= depthAt(person.coverageId, site.contig, at - 1) >= threshold;
    counts[isCovered ? 'covered' : 'notCovered']++;
    if (isCovered || called > 0) alleles.alleleNumber += ploidy;
    if (called === 0) continue;
    alleles.carriers++;
    if (called >= 2 && ploidy === 2) alleles.homozygotes++;
    alleles.alleleCount += Math.min(called, ploidy);
    if (!isCovered) alleles.carriersBelowThreshold++;
  }
  return { threshold, ...counts, alleles };
}

/** Adds the people with the alleles to a new dataset. */
export async function fill(
  repository: BeaconRepository,
  assembly: Assembly,
  all: readonly Person[],
  called: readonly CalledAllele[],
) {
  await repository.addDataset(dataset('ds', { assembly }), now);
  for (const small of [true, false]) {
    const those = all.filter((person) => person.small === small);
    const samples = Object.fromEntries(
      those.map(({ name, coverageId, stated }): [string, SampleChange] => [name, { coverageId, sex: stated }]),
    );
    await add(repository, 'ds', samples, small ? called : [], now, { small, structural: true });
  }
}

/** Depths of the bases around alleles, as `hashed` has them; none elsewhere. */
export function stretchesOf(id: string, asked: readonly Allele[]): Stretch[] {
  const wanted = new Map<string, { contig: Stretch['chromosome']; at: number }>();
  for (const { contig, start, reference } of asked) {
    for (let at = Math.max(0, start - 2); at < start + reference.length + 2; at++) {
      if (contig !== 'MT' || at < 16_569) wanted.set(`${contig}:${at}`, { contig, at });
    }
  }
  const order = ['1', 'X', 'Y', 'MT'];
  return [...wanted.values()]
    .sort((one, other) => order.indexOf(one.contig) - order.indexOf(other.contig) || one.at - other.at)
    .map(({ contig, at }) => ({ chromosome: contig, start: at, depths: [hashed(id, contig, at)] }));
}
