/**
 * Simulated exomes of a laboratory: families with the alleles that a panel has by realistic frequencies, a ClinVar, terms and holes; and
 * routine releases, in which a few cases get what they must be looked at for. What is assumed:
 * - Sites have frequencies by a spectrum of 1/x: a person carries 0.03 rare (under 1 %) altering alleles in a disease gene. (1000 Genomes,
 *   Nature 526:68, 2015: 10,000 to 12,000 altering sites in a genome, 1 to 4 % of its sites under 0.5 %; disease genes are longer.)
 *   On X there are at most 3/4 as many (of three copies of X there are four of others; less near genes: Nature Genetics 42:830, 2010).
 * - Growth of populations adds alleles of one family, 0.0015 in a gene (gnomAD, Nature 581:434, 2020: some 27 novel coding ones an
 *   exome). 4 % of all are loss of function, one in seven of them here a loss that is rare (1000 Genomes: 149 to 182 in a genome).
 * - Artefacts, which no population has: one in twenty genes has one, of 0.1 to 5 % of the samples.
 * - A person carries some two (likely) pathogenic alleles of recessive genes: 7 % of rare altering sites there; a fifth has no star.
 *   A release adds 4 % of their number and takes 0.3 % (a quarter year; ClinVar's monthly counts of pathogenic records; 4.6 % of all
 *   variants were reclassified in eight years: JAMA Network Open 2024, 3 million individuals). Of those that it adds 97.3 % have a
 *   frequency under 0.01 % (Genome Medicine 9:13, 2017: pathogenic alleles in 77 genes; the more frequent ones are known for long).
 */
import type { Contig } from '../../../../core/genome.js';
import type { Statement } from '../../../../plugins/reviews/contract.js';
import type {
  CarriedAllele,
  CaseEvidence,
  KnownClass,
  OtherCarrier,
} from '../../../../plugins/reviews/evidence/evidence.js';
import { alleleKey } from '../../../../plugins/reviews/statements/statement.js';
import type { PanelGeneOfReport, PanelOfReport } from '../../../../plugins/services/services.js';
import { type Mode, modes, pick, type Random } from './world.js';

interface Allele {
  key: string;
  chromosome: Contig;
  start: number;
  hgnc: number;
  effect: 'high' | 'moderate';
  frequency: number | undefined;
  /** Copies by sample. */
  carriers: Map<string, 1 | 2>;
}

interface Person {
  sample: string;
  case: string;
  role: 'proband' | 'mother' | 'father';
  sex: 'female' | 'male';
  isAffected: boolean;
  terms: readonly string[];
  stamp: number;
}

interface Family {
  name: string;
  persons: Person[];
  isSolved: boolean;
  listed: string[];
  holes: ReadonlySet<number>;
}

export interface Exomes {
  modes: Map<number, Mode>;
  versions: { hgnc: number; mode: Mode }[][];
  alleles: Map<string, Allele>;
  byGene: Map<number, Allele[]>;
  /** Those that are watched, then others, of which no statement was made. */
  families: Family[];
  watched: number;
  people: Map<string, Person>;
  classes: Map<string, { release: number; stars: number }>;
  release: number;
}

/** Of terms some are common: the first of them belongs to a third of the people. */
function someTerms(random: Random): string[] {
  return Array.from({ length: 60 }, (_, i) => i)
    .filter((i) => random() < 0.33 / (1 + i / 3))
    .map((i) => `HP:${1_000_000 + i}`);
}

const isOnX = (hgnc: number) => hgnc % 15 === 0;

const familyAlleles = 0.0015;
const [lowest, density] = [0.00001, 1.5];

/** `more` genes are not in the first version; the first of them is dominant. */
export function simulatedExomes(random: Random, cases: number, genes: number, more: number): Exomes {
  const mode = (): Mode =>
    pick(random, [...Array(11).fill('recessive'), ...Array(8).fill('dominant'), 'both', 'unknown'] as Mode[]);
  const all = Array.from({ length: genes + more }, (_, i) => ({
    hgnc: i + 1,
    mode: isOnX(i + 1) ? ('x recessive' as const) : i === genes ? 'dominant' : mode(),
  }));
  const exomes: Exomes = {
    modes: new Map(all.map((gene) => [gene.hgnc, gene.mode])),
    ...{ versions: [all.slice(0, genes)], alleles: new Map(), byGene: new Map(all.map(({ hgnc }) => [hgnc, []])) },
    ...{ families: [], watched: cases, people: new Map(), classes: new Map(), release: 1 },
  };
  for (let i = 0; i < 1.5 * cases; i++) addFamily(exomes, random, `F${i}`);
  for (const { hgnc } of all) {
    // By a spectrum of 1/x the logarithms of frequencies are uniform.
    const sites = density * (isOnX(hgnc) ? 0.75 : 1) * Math.log(0.5 / lowest);
    for (let i = 0; i < sites; i++) {
      const frequency = lowest * (0.5 / lowest) ** random();
      const allele = addAllele(exomes, random, hgnc, frequency);
      for (const family of exomes.families) inherit(family, allele, random);
    }
    if (random() < 0.05) {
      const [artefact, share] = [addAllele(exomes, random, hgnc, undefined), 0.001 * 50 ** random()];
      for (const { sample } of exomes.people.values()) if (random() < share) artefact.carriers.set(sample, 1);
    }
  }
  for (const family of exomes.families) addFamilyAlleles(exomes, random, family, all);
  for (const [key, allele] of exomes.alleles) {
    if (mayBePathogenic(exomes, allele) && random() < 0.07) raise(exomes, random, key);
  }
  return exomes;
}

function addFamily(exomes: Exomes, random: Random, name: string): Family {
  const isTrio = random() < 0.4;
  const terms = someTerms(random);
  const roles = isTrio ? (['proband', 'mother', 'father'] as const) : (['proband'] as const);
  const persons = roles.map((role): Person => {
    const sex = role === 'proband' ? pick(random, ['female', 'male'] as const) : role === 'mother' ? 'female' : 'male';
    const isAffected = role === 'proband';
    return { sample: `${name}-${role}`, case: name, role, sex, isAffected, terms: isAffected ? terms : [], stamp: 1 };
  });
  // The same genes are badly covered in all, and one or two in one alone.
  const holes = new Set(
    Array.from({ length: 600 }, (_, i) => i + 1).filter((hgnc) => random() < (hgnc % 20 === 0 ? 0.9 : 0.005)),
  );
  const family = { name, persons, isSolved: random() < 0.3, listed: [], holes };
  exomes.families.push(family);
  for (const person of persons) exomes.people.set(person.sample, person);
  return family;
}

function addAllele(exomes: Exomes, random: Random, hgnc: number, frequency: number | undefined): Allele {
  const chromosome: Contig = isOnX(hgnc) ? 'X' : '1';
  const start = hgnc * 100_000 + exomes.alleles.size;
  const key = alleleKey({ chromosome, start, reference: 'A', alternate: 'T' });
  const effect = random() < 0.04 ? 'high' : 'moderate';
  const allele: Allele = { key, chromosome, start, hgnc, effect, frequency, carriers: new Map() };
  exomes.alleles.set(key, allele);
  exomes.byGene.get(hgnc)?.push(allele);
  return allele;
}

/** Chromosomes of parents are drawn, those of children are theirs. */
function inherit({ persons }: Family, { chromosome, carriers, frequency = 0 }: Allele, random: Random): void {
  const drawn = () => random() < frequency;
  const [proband, mother, father] = persons as [Person, Person?, Person?];
  const ofMother = [drawn(), drawn()];
  const isSon = chromosome === 'X' && proband.sex === 'male';
  const ofFather = chromosome === 'X' ? [drawn()] : [drawn(), drawn()];
  const inherited = [pick(random, ofMother), ...(isSon ? [] : [pick(random, ofFather)])];
  for (const [person, copies] of [
    [proband, inherited],
    [mother, ofMother],
    [father, ofFather],
  ] as const) {
    const count = copies.filter(Boolean).length;
    if (person && count > 0) carriers.set(person.sample, count === 2 ? 2 : 1);
  }
}

function addFamilyAlleles(exomes: Exomes, random: Random, family: Family, genes: readonly { hgnc: number }[]): void {
  const [proband, ...parents] = family.persons as [Person, ...Person[]];
  for (const { hgnc } of genes) {
    if (random() >= familyAlleles) continue;
    const { chromosome, carriers } = addAllele(exomes, random, hgnc, undefined);
    carriers.set(proband.sample, 1);
    const from = chromosome === 'X' && proband.sex === 'male' ? parents[0] : pick(random, parents);
    // One in seventy is new in the child.
    if (from && random() < 0.985) carriers.set(from.sample, 1);
  }
}

/** An allele of a dominant gene is rarer if it is classified so: frequency is evidence against it. */
function mayBePathogenic({ modes: of }: Exomes, { hgnc, frequency = 1 }: Allele): boolean {
  return frequency < (of.get(hgnc) === 'dominant' ? 0.0001 : 0.005);
}

function raise({ classes, release }: Exomes, random: Random, key: string): void {
  classes.set(key, { release, stars: random() < 0.2 ? 0 : pick(random, [1, 1, 2]) });
}

/** What was planted: a case with the reason and the allele. */
export type Planted = [name: string, reason: string, key: string];

/** A quarter year: ClinVar, a version of the panel with the genes that it lacked, calls of a few samples; and what is planted. */
export function routineRelease(exomes: Exomes, random: Random, genes: number, planted: number): Planted[] {
  const { alleles, classes, families, watched, versions } = exomes;
  exomes.release += 1;
  const known = classes.size;
  for (const key of [...classes.keys()]) if (random() < 0.003) classes.delete(key);
  const candidates = [...alleles].filter(([key, allele]) => !classes.has(key) && mayBePathogenic(exomes, allele));
  const rare = candidates.filter(([, { frequency = 1 }]) => frequency < 0.0001);
  for (let i = 0; i < 0.04 * known; i++) raise(exomes, random, pick(random, random() < 0.973 ? rare : candidates)[0]);

  const [first = []] = versions;
  const added = [...exomes.byGene.keys()].filter((hgnc) => !first.some((gene) => gene.hgnc === hgnc)).slice(0, genes);
  versions.push([...first, ...added.map((hgnc) => ({ hgnc, mode: exomes.modes.get(hgnc) as Mode }))]);

  // New families, and a few watched ones whose calls are replaced: one in a thousand alleles is another.
  for (let i = 0; i < watched / 50; i++) {
    const family = addFamily(exomes, random, `new-${i}`);
    for (const allele of alleles.values()) {
      if (allele.frequency !== undefined) inherit(family, allele, random);
    }
    addFamilyAlleles(exomes, random, family, versions.at(-1) ?? []);
  }
  const open = families.slice(0, watched).filter(({ isSolved }) => !isSolved);
  for (let i = 0; i < watched / 100; i++) recall(exomes, random, pick(random, open));

  const found: Planted[] = [];
  const dominant = first.filter((gene) => gene.mode === 'dominant');
  const plant = (hgnc: number, { persons }: Family) => {
    const { key, carriers } = addAllele(exomes, random, hgnc, undefined);
    carriers.set(persons[0]?.sample ?? '', 1);
    return key;
  };
  for (let i = 0; i < planted; i++) {
    const { hgnc } = pick(random, dominant);
    const family = open[i * 5] as Family;
    const [proband] = family.persons as [Person];
    const key = plant(pick(random, [hgnc, hgnc]), family);
    proband.stamp += 1;
    found.push([family.name, 'calls', key]);
  }
  return found;
}

/** Before the release: alleles that it makes worth a look. */
export function plantedBefore(exomes: Exomes, random: Random, planted: number): { now(): Planted[] } {
  const open = exomes.families.slice(0, exomes.watched).filter(({ isSolved }) => !isSolved);
  const [first = []] = exomes.versions;
  const added = [...exomes.byGene.keys()].find((hgnc) => !first.some((gene) => gene.hgnc === hgnc)) as number;
  const dominant = first.filter((gene) => gene.mode === 'dominant');
  const carried = (family: Family, hgnc: number, frequency?: number) => {
    const allele = addAllele(exomes, random, hgnc, frequency);
    allele.carriers.set(family.persons[0]?.sample ?? '', 1);
    return allele;
  };
  const each = Array.from({ length: planted }, (_, i) => {
    const [raised, newer, shared, lowered] = [1, 2, 3, 4].map((n) => open[i * 5 + n]) as [
      Family,
      Family,
      Family,
      Family,
    ];
    const basis = carried(lowered, pick(random, dominant).hgnc, 0.001);
    lowered.listed.push(basis.key);
    exomes.classes.set(basis.key, { release: 1, stars: 2 });
    return {
      ...{ raised, newer, shared, lowered, basis },
      // Too frequent to pass before.
      classified: carried(raised, pick(random, dominant).hgnc, 0.0005),
      inAdded: carried(newer, added),
      recurrent: carried(shared, pick(random, dominant).hgnc),
    };
  });
  return {
    now: () =>
      each.flatMap(({ raised, newer, shared, lowered, basis, classified, inAdded, recurrent }, i): Planted[] => {
        exomes.classes.set(classified.key, { release: exomes.release, stars: 2 });
        exomes.classes.delete(basis.key);
        const [proband] = shared.persons as [Person];
        const other = addFamily(exomes, random, `like-${i}`).persons[0] as Person;
        other.terms = proband.terms = [...proband.terms, 'HP:0000001'];
        recurrent.carriers.set(other.sample, 1);
        return [
          [raised.name, 'raised', classified.key],
          [newer.name, 'panel', inAdded.key],
          [shared.name, 'recurrence', recurrent.key],
          [lowered.name, 'lowered', basis.key],
        ];
      }),
  };
}

function recall(exomes: Exomes, random: Random, { persons }: Family): void {
  for (const person of persons) {
    person.stamp += 1;
    for (const { carriers } of exomes.alleles.values())
      if (carriers.has(person.sample) && random() < 0.001) carriers.delete(person.sample);
    if (random() < 0.001 * exomes.byGene.size) {
      const rare = [...exomes.alleles.values()].filter(({ frequency }) => frequency !== undefined && frequency < 0.01);
      pick(random, rare).carriers.set(person.sample, 1);
    }
  }
}

// What services would say.

export function statementOf(
  exomes: Exomes,
  { name, persons, isSolved, listed }: Family,
): Omit<Statement, 'stored' | 'isLookedAt'> {
  return {
    ...{ case: name, revision: 1, build: 'GRCh38', thresholds: [20], releases: {}, terms: [], recontact: 'yes' },
    persons: persons.map(({ sample, role, sex, isAffected }) => ({ sample, role, sex, isAffected })),
    panel: { panel: 'p', version: '0' },
    conclusion: isSolved ? 'solved' : 'negative',
    alleles: listed.map((key) => {
      const { chromosome, start } = exomes.alleles.get(key) as Allele;
      return { chromosome, start, reference: 'A', alternate: 'T', isBasis: true };
    }),
    ...{ reviewer: 'r', decided: new Date('2026-01-01T00:00:00Z') },
  };
}

export function evidenceOf(exomes: Exomes, family: Family): CaseEvidence {
  const { versions, byGene, classes, release } = exomes;
  const panelOf = (version: number): PanelOfReport => {
    const genes = (versions[version] ?? []).map(({ hgnc, mode }): PanelGeneOfReport => {
      return { hgnc, symbol: `G${hgnc}`, confidence: 'green', inheritance: modes[mode] };
    });
    const head = { panel: 'p', version: String(version), name: 'P', state: 'signed off', sha256: '' } as const;
    return { ...head, genes, others: [], unmapped: [] };
  };
  const now = panelOf(versions.length - 1);
  const [proband] = family.persons as [Person];
  const carried = now.genes.flatMap(({ hgnc }) =>
    (byGene.get(hgnc) ?? []).filter(
      (allele) =>
        allele.carriers.has(proband.sample) && (mayMatter(exomes, allele) || family.listed.includes(allele.key)),
    ),
  );
  const classOf = (key: string): KnownClass[] => {
    const known = classes.get(key);
    const of = { by: 'ClinVar', from: 'set', release: String(release), significance: 'Pathogenic' } as const;
    return known ? [{ ...of, level: 'pathogenic', stars: known.stars }] : [];
  };
  const keys = [...carried.map(({ key }) => key), ...family.listed];
  const searched = { small: true, structural: false };
  return {
    case: family.name,
    panel: { before: { value: panelOf(0) }, now: { value: now } },
    samples: new Map(
      family.persons.map(({ sample, stamp, sex }) => [
        sample,
        { stamp: String(stamp), searched, sex, annotations: ['VEP'] },
      ]),
    ),
    calls: { value: carried.map((allele) => carriedAllele(exomes, family, allele)) },
    phases: [],
    classes: { value: new Map(keys.map((key) => [key, classOf(key)])) },
    releases: { ClinVar: String(release) },
    coverage: {
      value: {
        threshold: 20,
        standings: { [proband.sample]: '1' },
        holes: now.genes.flatMap(({ hgnc }) =>
          family.holes.has(hgnc)
            ? [{ hgnc, chromosome: '1' as Contig, start: hgnc * 100_000, end: hgnc * 100_000 + 100 }]
            : [],
        ),
      },
    },
    matches: { value: [] },
    byTerms: { why: 'no-plugin' },
    terms: { value: proband.terms },
    isAligned: true,
  };
}

function mayMatter({ classes }: Exomes, { key, frequency = 0 }: Allele): boolean {
  return frequency <= 0.01 || classes.has(key);
}

function carriedAllele(exomes: Exomes, family: Family, allele: Allele): CarriedAllele {
  const { people, byGene } = exomes;
  const { key, chromosome, start, hgnc, effect, frequency, carriers } = allele;
  const others = [...carriers].flatMap(([sample, copies]): OtherCarrier[] => {
    const { case: name, isAffected, terms, sex } = people.get(sample) as Person;
    if (name === family.name) return [];
    const isOnAll = copies === 2 || (chromosome === 'X' && sex === 'male');
    const more = (byGene.get(hgnc) ?? []).some(
      (other) => other !== allele && other.carriers.has(sample) && mayMatter(exomes, other),
    );
    const whole = isOnAll || more ? [hgnc] : [];
    return [{ sample, case: name, affected: isAffected, phenotypes: terms, copies, whole }];
  });
  let alleleCount = 0;
  for (const copies of carriers.values()) alleleCount += copies;
  return {
    ...{ key, chromosome, start, end: start + 1, reference: 'A', alternate: 'T' },
    genotypes: new Map(
      family.persons.map(({ sample, sex }) => {
        const copies = carriers.get(sample);
        const of = chromosome === 'X' && sex === 'male' ? 1 : 2;
        return [sample, copies === undefined ? 'absent' : { copies, of }];
      }),
    ),
    genes: [{ hgnc, symbol: `G${hgnc}`, effect, terms: [] }],
    ...(frequency !== undefined && { populationFrequency: frequency }),
    local: { carriers: carriers.size, samples: people.size, alleleCount },
    others,
  };
}
