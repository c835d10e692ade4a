/**
 * Random worlds for the rules of reviews: families with genotypes, versions of a panel, classes, coverage, matches and terms, as plain
 * facts; and the changes of which each may make findings. `evidenceOf` says of a case what services would.
 */
import type { Contig } from '../../../../core/genome.js';
import type { StatedAllele, Statement } from '../../../../plugins/reviews/contract.js';
import type {
  CarriedAllele,
  CaseEvidence,
  CommonKnowledge,
  KnownClass,
  PersonGenotype,
} from '../../../../plugins/reviews/evidence/evidence.js';
import type { RunTools } from '../../../../plugins/reviews/run/run.js';
import { alleleKey } from '../../../../plugins/reviews/statements/statement.js';
import type { PanelGeneOfReport, PanelOfReport } from '../../../../plugins/services/services.js';

/** How a gene causes disease, and how PanelApp words it. */
export const modes = {
  dominant: 'MONOALLELIC, autosomal or pseudoautosomal, NOT imprinted',
  recessive: 'BIALLELIC, autosomal or pseudoautosomal',
  both: 'BOTH monoallelic and biallelic, autosomal or pseudoautosomal',
  'x recessive': 'X-LINKED: hemizygous mutation in males, biallelic mutations in females',
  'x dominant':
    'X-LINKED: hemizygous mutation in males, monoallelic mutations in females may cause disease (may be less severe, later onset than males)',
  unknown: 'Unknown',
} as const;
export type Mode = keyof typeof modes;

export interface PanelEntry {
  hgnc: number;
  mode: Mode;
  confidence: 'green' | 'amber' | 'red';
  core: boolean;
}

export interface WorldAllele {
  chromosome: Contig;
  start: number;
  hgnc: number;
  /** `none`: nobody annotated it. */
  effect: 'high' | 'moderate' | 'low' | 'none';
  /** Whether it is in coding bases or splice sites, by the transcripts of now. */
  coding: boolean;
  frequency: number | undefined;
}

export interface WorldPerson {
  sample: string;
  role: 'proband' | 'mother' | 'father' | 'relative';
  isAffected: boolean;
  sex: 'female' | 'male' | 'unknown';
}

export interface WorldCase {
  name: string;
  persons: WorldPerson[];
  patient: string;
  byPhenotype: boolean;
  version: number;
  conclusion: 'negative' | 'uncertain' | 'solved';
  listed: { allele: string; isBasis: boolean }[];
}

export interface World {
  /** Oldest first; the last is the latest that is signed. */
  versions: PanelEntry[][];
  alleles: Map<string, WorldAllele>;
  cases: WorldCase[];
  /** Copies by sample and allele; `unknown` where the sample is not covered. Samples without calls are missing. */
  calls: Map<string, { stamp: number; copies: Map<string, 1 | 2 | 'unknown'> }>;
  classes: Map<string, { isPathogenic: boolean; stars: number }>;
  release: number;
  /** Exons that a sample does not cover, by their start. */
  coverage: Map<string, { standing: number; holes: { hgnc: number; start: number; isAlone: boolean }[] }>;
  matches: Map<string, { id: string; hgnc: number; isClosed: boolean }[]>;
  terms: Map<string, string[]>;
  /** Genes of terms. */
  byTerm: Map<string, PanelEntry[]>;
  /** Pairs of alleles of which files state the phase. */
  phases: { sample: string; one: string; other: string; phase: 'cis' | 'trans' }[];
  /** Carriers that no statement names. */
  strangers: { sample: string; case: string; allele: string; copies: 1 | 2; isAffected: boolean; terms: string[] }[];
  /** Carriers of listed alleles beyond those. */
  crowd: Map<string, number>;
}

export type Random = () => number;

/** Mulberry32. */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

export function pick<Value>(random: Random, of: readonly Value[]): Value {
  return of[Math.floor(random() * of.length)] as Value;
}

const genes = [1, 2, 3, 4, 5, 6, 7, 8];
const isOnX = (hgnc: number) => hgnc > 6;
const allTerms = ['HP:0000001', 'HP:0000002', 'HP:0000003', 'HP:0000004'];
const someTerms = (random: Random) => allTerms.filter(() => random() < 0.35);

function entry(random: Random, hgnc: number): PanelEntry {
  const mode = isOnX(hgnc)
    ? pick(random, ['x recessive', 'x dominant', 'unknown'] as const)
    : pick(random, ['dominant', 'recessive', 'recessive', 'both', 'unknown'] as const);
  return { hgnc, mode, confidence: pick(random, ['green', 'green', 'amber', 'red'] as const), core: random() < 0.5 };
}

export function randomWorld(random: Random, cases = 4): World {
  const alleles = new Map<string, WorldAllele>();
  for (const hgnc of genes)
    for (let number = 0; number < 4; number++) {
      const effect = pick(random, ['high', 'moderate', 'moderate', 'low', 'none'] as const);
      const place = { chromosome: (isOnX(hgnc) ? 'X' : String(hgnc)) as Contig, start: 1000 * hgnc + 10 * number };
      const frequency = pick(random, [undefined, 0, 0.000001, 0.001, 0.005, 0.05]);
      const key = alleleKey({ ...place, reference: 'A', alternate: 'T' });
      alleles.set(key, { ...place, hgnc, effect, coding: random() < 0.7, frequency });
    }
  const world: World = {
    versions: [
      genes.slice(0, 5).map((hgnc) => entry(random, hgnc)),
      genes.slice(1, 7).map((hgnc) => entry(random, hgnc)),
    ],
    alleles,
    cases: [],
    calls: new Map(),
    classes: new Map(),
    release: 1,
    coverage: new Map(),
    matches: new Map(),
    terms: new Map(),
    byTerm: new Map(),
    phases: [],
    strangers: [],
    crowd: new Map(),
  };
  const entries = genes.map((hgnc) => entry(random, hgnc));
  for (const term of allTerms)
    world.byTerm.set(
      term,
      entries.filter(() => random() < 0.3),
    );
  for (let number = 0; number < cases; number++) addCase(world, random, `case-${number}`);
  for (const key of alleles.keys()) if (random() < 0.2) classify(world, random, key);
  return world;
}

function addCase(world: World, random: Random, name: string): void {
  const person = (role: WorldPerson['role'], isAffected: boolean, sex: WorldPerson['sex']) =>
    ({ sample: `${name}-${role}`, role, isAffected, sex }) as const;
  const persons: WorldPerson[] = [
    person('proband', true, pick(random, ['female', 'male', 'male', 'unknown'] as const)),
  ];
  if (random() < 0.7) persons.push(person('mother', random() < 0.1, 'female'));
  if (random() < 0.6) persons.push(person('father', random() < 0.1, 'male'));
  if (random() < 0.3) persons.push(person('relative', random() < 0.6, pick(random, ['female', 'male'] as const)));
  for (const { sample } of persons) {
    if (random() < 0.8) recall(world, random, sample);
    recover(world, random, sample);
  }
  world.terms.set(`${name}-proband`, someTerms(random));
  world.cases.push({
    name,
    persons,
    patient: `patient of ${name}`,
    byPhenotype: random() < 0.4,
    version: Math.floor(random() * world.versions.length),
    conclusion: pick(random, ['negative', 'negative', 'uncertain', 'solved'] as const),
    listed: [...world.alleles.keys()]
      .filter(() => random() < 0.08)
      .map((allele) => ({ allele, isBasis: random() < 0.6 })),
  });
}

function recall(world: World, random: Random, sample: string): void {
  const copies = new Map<string, 1 | 2 | 'unknown'>();
  const before = world.calls.get(sample);
  for (const key of world.alleles.keys()) {
    const known = before?.copies.get(key);
    if (before && random() < 0.7) {
      if (known !== undefined) copies.set(key, known);
      continue;
    }
    const draw = random();
    if (draw < 0.25) copies.set(key, 1);
    else if (draw < 0.32) copies.set(key, 2);
    else if (draw < 0.42) copies.set(key, 'unknown');
  }
  world.calls.set(sample, { stamp: (before?.stamp ?? 0) + 1, copies });
  world.phases = world.phases.filter((pair) => pair.sample !== sample);
  for (const hgnc of genes) {
    const [one, other] = [...world.alleles].flatMap(([key, allele]) => (allele.hgnc === hgnc ? [key] : []));
    if (one !== undefined && other !== undefined && random() < 0.3)
      world.phases.push({ sample, one, other, phase: pick(random, ['cis', 'trans'] as const) });
  }
}

function recover(world: World, random: Random, sample: string): void {
  const holes = genes
    .filter(() => random() < 0.3)
    .map((hgnc) => ({ hgnc, start: 1000 * hgnc + 500 * Math.floor(random() * 2), isAlone: random() < 0.4 }));
  world.coverage.set(sample, { standing: (world.coverage.get(sample)?.standing ?? 0) + 1, holes });
}

function classify(world: World, random: Random, key: string): void {
  if (world.classes.has(key) && random() < 0.5) world.classes.delete(key);
  else world.classes.set(key, { isPathogenic: random() < 0.75, stars: Math.floor(random() * 3) });
}

/** The changes of the table, by name; each says which samples it touches, `all` if it may touch any case. */
export const changes: Readonly<Record<string, (world: World, random: Random) => readonly string[] | 'all'>> = {
  panel(world, random) {
    const latest = world.versions.at(-1) ?? [];
    const kept = latest.map((one) => (random() < 0.4 ? entry(random, one.hgnc) : one)).filter(() => random() < 0.9);
    const added = genes.filter((hgnc) => !latest.some((one) => one.hgnc === hgnc) && random() < 0.4);
    world.versions.push([...kept, ...added.map((hgnc) => entry(random, hgnc))]);
    return 'all';
  },
  classes(world, random) {
    world.release += 1;
    for (const key of world.alleles.keys()) if (random() < 0.3) classify(world, random, key);
    return 'all';
  },
  coverage(world, random) {
    const samples = world.cases
      .flatMap(({ persons }) => persons.map(({ sample }) => sample))
      .filter(() => random() < 0.3);
    for (const sample of samples) recover(world, random, sample);
    return samples;
  },
  calls(world, random) {
    const samples = world.cases
      .flatMap(({ persons }) => persons.map(({ sample }) => sample))
      .filter(() => random() < 0.3);
    for (const sample of samples) recall(world, random, sample);
    return 'all';
  },
  observations(world, random) {
    for (let number = 0; number < 4; number++) {
      const name = `stranger-${world.strangers.length}`;
      const allele = pick(random, [...world.alleles.keys()]);
      const isAffected = random() < 0.8;
      const same = random() < 0.2 ? (world.strangers.at(-1)?.case ?? name) : name;
      const copies = random() < 0.5 ? 1 : 2;
      world.strangers.push({ sample: name, case: same, allele, copies, isAffected, terms: someTerms(random) });
    }
    for (const key of world.alleles.keys()) if (random() < 0.05) world.crowd.set(key, 20);
    return 'all';
  },
  matches(world, random) {
    for (const { patient } of world.cases) {
      const rows = world.matches.get(patient) ?? [];
      for (const row of rows) if (random() < 0.3) row.isClosed = !row.isClosed;
      if (random() < 0.4) rows.push({ id: `${patient} ${rows.length}`, hgnc: pick(random, genes), isClosed: false });
      world.matches.set(patient, rows);
    }
    return 'all';
  },
  terms(world, random) {
    const samples = [...world.terms.keys()].filter(() => random() < 0.4);
    for (const sample of samples) world.terms.set(sample, someTerms(random));
    return 'all';
  },
  transcripts(world, random) {
    for (const allele of world.alleles.values()) if (random() < 0.2) allele.coding = !allele.coding;
    return 'all';
  },
};

/** Of gene names and transcripts nothing is known. */
export const noGenes: Pick<RunTools, 'genesNow' | 'versions'> = {
  genesNow: async () => ({ names: undefined, transcripts: undefined }),
  versions: async () => ({ of: async () => ({ before: { why: 'no-plugin' }, now: { why: 'no-plugin' } }) }),
};

export function copyOf(world: World): World {
  return structuredClone(world);
}

/** Copies that a person has of a place. */
export function ploidyOf(allele: WorldAllele, { sex }: Pick<WorldPerson, 'sex'>): 1 | 2 | undefined {
  if (allele.chromosome !== 'X' || sex === 'female') return 2;
  return sex === 'male' ? 1 : undefined;
}

/** What a person carries: 1 or 2 copies; 0 if the place was searched and covered; undefined if that is not known. */
export function copiesOf(world: World, person: WorldPerson, key: string): 0 | 1 | 2 | undefined {
  const calls = world.calls.get(person.sample);
  if (!calls) return undefined;
  const copies = calls.copies.get(key) ?? 0;
  if (copies === 'unknown') return undefined;
  return copies === 2 && ploidyOf(world.alleles.get(key) as WorldAllele, person) === 1 ? 1 : copies;
}

/** Carriers and samples of everybody. */
export function localOf(world: World, key: string): { carriers: number; samples: number } {
  const people = world.cases.flatMap(({ persons }) => persons);
  const carriers =
    people.filter((person) => (copiesOf(world, person, key) ?? 0) > 0).length +
    world.strangers.filter(({ allele }) => allele === key).length +
    (world.crowd.get(key) ?? 0);
  return { carriers, samples: 100 };
}

export function statementOf(world: World, one: WorldCase): Statement {
  return {
    case: one.name,
    revision: 1,
    persons: one.persons,
    build: 'GRCh38',
    panel: { panel: 'p', version: String(one.version), ...(one.byPhenotype && { byPhenotype: true }) },
    thresholds: [20],
    releases: {},
    terms: [],
    patient: one.patient,
    conclusion: one.conclusion,
    alleles: one.listed.map(({ allele, isBasis }) => ({ ...placeOf(world, allele), isBasis })),
    reviewer: 'r',
    decided: new Date('2026-01-01T00:00:00Z'),
    recontact: 'yes',
    stored: new Date('2026-01-01T00:00:00Z'),
    isLookedAt: false,
  };
}

function placeOf(world: World, key: string): Omit<StatedAllele, 'isBasis'> {
  const { chromosome, start } = world.alleles.get(key) as WorldAllele;
  return { chromosome, start, reference: 'A', alternate: 'T' };
}

function geneOf({ hgnc, mode, confidence, core }: PanelEntry): PanelGeneOfReport {
  return { hgnc, symbol: `G${hgnc}`, confidence, inheritance: modes[mode], ...(core && { core: true }) };
}

function panelOf(world: World, version: number): PanelOfReport {
  const entries = (world.versions[version] ?? []).map(geneOf);
  const panel = { panel: 'p', version: String(version), name: 'P', state: 'signed off', sha256: '' } as const;
  return { ...panel, genes: entries, others: [], unmapped: [] };
}

/** What services would say of a case. */
export function evidenceOf(world: World, one: WorldCase): CaseEvidence {
  const classes = new Map<string, KnownClass[]>();
  for (const [key, { isPathogenic, stars }] of world.classes)
    classes.set(key, [
      {
        by: 'ClinVar',
        from: 'set',
        release: String(world.release),
        significance: isPathogenic ? 'Pathogenic' : 'Uncertain',
        level: isPathogenic ? 'pathogenic' : 'other',
        stars,
      },
    ]);
  const proband = one.persons[0] as WorldPerson;
  const { standing, holes } = world.coverage.get(proband.sample) ?? { standing: 0, holes: [] };
  const terms = world.terms.get(proband.sample) ?? [];
  return {
    case: one.name,
    panel: {
      before: { value: panelOf(world, one.version) },
      now: { value: panelOf(world, world.versions.length - 1) },
    },
    samples: new Map(
      one.persons.flatMap(({ sample, sex }) => {
        const calls = world.calls.get(sample);
        const searched = { small: true, structural: false };
        return calls ? [[sample, { stamp: String(calls.stamp), searched, sex, annotations: ['VEP'] }] as const] : [];
      }),
    ),
    calls: { value: [...world.alleles].flatMap(([key, allele]) => carriedAllele(world, one, key, allele) ?? []) },
    phases: world.phases.filter((pair) => one.persons.some(({ sample }) => sample === pair.sample)),
    classes: { value: classes },
    releases: { ClinVar: String(world.release) },
    coverage: {
      value: {
        threshold: 20,
        standings: { [proband.sample]: String(standing) },
        holes: holes.map(({ hgnc, start, isAlone }) => ({
          ...{ hgnc, chromosome: '1' as Contig, start, end: start + 100 },
          ...(isAlone && { isAlone: true }),
        })),
      },
    },
    matches: {
      value: (world.matches.get(one.patient) ?? []).map(({ id, hgnc, isClosed }) => {
        return { id, genes: [hgnc], status: isClosed ? 'irrelevant' : 'new', node: 'n', path: '/' };
      }),
    },
    byTerms: { value: [...new Set(terms.flatMap((term) => world.byTerm.get(term) ?? []))].map(geneOf) },
    terms: { value: terms },
    isAligned: true,
  };
}

function carriedAllele(world: World, one: WorldCase, key: string, allele: WorldAllele): CarriedAllele | undefined {
  const genotypes = new Map<string, PersonGenotype | 'absent' | 'unknown'>();
  for (const person of one.persons) {
    const copies = copiesOf(world, person, key);
    const of = ploidyOf(allele, person);
    genotypes.set(person.sample, copies === undefined ? 'unknown' : copies === 0 ? 'absent' : { copies, of });
  }
  if (!one.persons.some(({ sample, isAffected }) => isAffected && typeof genotypes.get(sample) === 'object'))
    return undefined;
  const { carriers, samples } = localOf(world, key);
  const { hgnc, effect, coding, frequency, chromosome, start } = allele;
  const isTold = effect !== 'none' || coding;
  return {
    ...{ key, chromosome, start, end: start + 1, reference: 'A', alternate: 'T', genotypes },
    genes: [
      { hgnc, symbol: `G${hgnc}`, effect: effect !== 'none' ? effect : isTold ? 'unknown' : 'modifier', terms: [] },
    ],
    ...(frequency !== undefined && { populationFrequency: frequency }),
    local: { carriers, samples, alleleCount: carriers },
    others: othersOf(world, one, key),
  };
}

/** What services would look at: rare enough for any mode, and of some effect, or pathogenic. */
function mayMatter(world: World, key: string): boolean {
  const { effect, coding, frequency = 0 } = world.alleles.get(key) as WorldAllele;
  const isOfEffect = effect === 'none' ? coding : effect !== 'low';
  return world.classes.get(key)?.isPathogenic === true || (isOfEffect && frequency <= 0.01);
}

function othersOf(world: World, one: WorldCase, key: string): CarriedAllele['others'] {
  const ofCases = world.cases.flatMap((other) =>
    other === one
      ? []
      : other.persons.flatMap((person) => {
          const copies = copiesOf(world, person, key) ?? 0;
          const phenotypes = world.terms.get(`${other.name}-proband`) ?? [];
          const of = { sample: person.sample, case: other.name, affected: person.isAffected, phenotypes };
          const allele = world.alleles.get(key) as WorldAllele;
          const more = [...world.alleles].filter(
            ([name, { hgnc }]) => name !== key && hgnc === allele.hgnc && mayMatter(world, name),
          );
          const isWhole =
            copies >= (ploidyOf(allele, person) ?? 1) || more.some(([name]) => copiesOf(world, person, name));
          return copies === 0 ? [] : [{ ...of, copies, whole: isWhole ? [allele.hgnc] : [] }];
        }),
  );
  const ofStrangers = world.strangers.flatMap(({ sample, case: name, allele, copies, isAffected, terms }) => {
    const whole = copies === 2 ? [(world.alleles.get(key) as WorldAllele).hgnc] : [];
    return allele === key ? [{ sample, case: name, affected: isAffected, phenotypes: terms, copies, whole }] : [];
  });
  return [...ofCases, ...ofStrangers];
}

export function commonOf(world: World): CommonKnowledge {
  return {
    isSolvedOtherwise: (sample, key) =>
      world.cases.some(
        ({ conclusion, persons, listed }) =>
          conclusion === 'solved' &&
          persons.some((person) => person.sample === sample) &&
          !listed.some(({ allele, isBasis }) => isBasis && allele === key),
      ),
  };
}
