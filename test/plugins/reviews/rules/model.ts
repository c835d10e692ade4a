/**
 * Which findings a case must have, and no others: written from the sentences of what reviews promise, with nested loops over the facts of
 * a world, and apart from the rules. A finding is named by its reason, gene and allele. Alleles of which none fits alone are one finding
 * for each reason and gene: the first that changed, by position, then all others with which any that changed may make a pair.
 */
import {
  copiesOf,
  localOf,
  type Mode,
  type PanelEntry,
  ploidyOf,
  type World,
  type WorldAllele,
  type WorldCase,
  type WorldPerson,
} from './world.js';

/** The case was entered in the world of `then`; what is asked is asked in that of `now`. */
export function expectedFindings(then: World, now: World, one: WorldCase): Set<string> {
  const found = new Set<string>();
  const pairs = new Map<string, Pairs>();
  const add = (reason: string, key: string, gene: PanelEntry, by: By) => {
    const { isAlone, partners } = fitOf(now, one, key, gene, by);
    const name = `${reason} ${gene.hgnc}`;
    if (isAlone) found.add(`${name} ${key}`);
    else {
      const of = pairs.get(name) ?? { changed: [], partners: new Set() };
      pairs.set(name, { changed: [...of.changed, key], partners: new Set([...of.partners, ...partners]) });
    }
  };
  const versionThen = now.versions[one.version] ?? [];
  const latest = now.versions.at(-1) ?? [];
  const isNewer = now.versions.length - 1 > one.version;
  const everywhere = [...latest, ...versionThen.filter(({ hgnc }) => !latest.some((gene) => gene.hgnc === hgnc))];

  // Of solved cases only what they rest on is asked.
  for (const { allele, isBasis } of one.listed)
    if (isBasis && then.classes.get(allele)?.isPathogenic && !now.classes.get(allele)?.isPathogenic)
      found.add(`lowered - ${allele}`);
  if (one.conclusion === 'solved') return found;

  const isRecalled = one.persons.some(({ sample }) => now.calls.get(sample)?.stamp !== then.calls.get(sample)?.stamp);
  const probandThen = then.coverage.get(`${one.name}-proband`);
  const probandNow = now.coverage.get(`${one.name}-proband`);

  for (const [key, allele] of now.alleles) {
    for (const gene of everywhere) {
      if (gene.hgnc !== allele.hgnc) continue;
      const former = versionThen.find(({ hgnc }) => hgnc === gene.hgnc);
      const passesNow = passes(now, one, key, gene);

      // A newer version adds the gene, turns it green, or changes its inheritance so that the allele passes.
      if (isNewer && latest.includes(gene) && passesNow) {
        const isAdded = former === undefined;
        const isGreen = former !== undefined && former.confidence !== 'green' && gene.confidence === 'green';
        const isOther = former !== undefined && former.mode !== gene.mode && !passes(now, one, key, former);
        if (isAdded || isGreen || isOther) add('panel', key, gene, 'rare');
      }

      // A set raises the allele: to pathogenic with a star, or without one as a second allele of a recessive gene.
      const classNow = now.classes.get(key);
      const classThen = then.classes.get(key);
      const wasTrusted = classThen?.isPathogenic && classThen.stars > 0;
      if (classNow?.isPathogenic && classNow.stars > 0 && !wasTrusted && fits(now, one, key, gene, 'pathogenic'))
        add('raised', key, gene, 'pathogenic');
      if (
        classNow?.isPathogenic &&
        classNow.stars === 0 &&
        !classThen?.isPathogenic &&
        fits(now, one, key, gene, 'second')
      )
        add('raised', key, gene, 'second');

      // Calls were replaced, or those of a relative arrived: new, de novo now, or in trans now.
      if (former && isRecalled && passes(now, one, key, former)) {
        const passed = passes(then, one, key, former);
        const isDeNovo = deNovo(now, one, key) && !(passed && deNovo(then, one, key));
        let isTrans = false;
        for (const other of now.alleles.keys())
          if (other !== key && inTransPair(now, one, key, other, former))
            if (
              !(passed && inTransPair(then, one, key, other, former)) &&
              !(passes(then, one, other, former) && inTransPair(then, one, other, key, former))
            )
              isTrans = true;
        if (!passed || isDeNovo || isTrans) add('calls', key, former, 'rare');
      }

      // Nobody annotated it, and it is in coding bases now.
      if (
        former &&
        !isRecalled &&
        allele.effect === 'none' &&
        passes(now, one, key, former) &&
        !passes(then, one, key, former)
      )
        add('transcript', key, former, 'rare');

      // Two or more unrelated affected cases with shared phenotype, none of them solved otherwise, since observations grew: what is in
      // an added gene is listed as that.
      if (passesNow && former) {
        const cases = sharing(now, one, key, gene);
        const casesThen = everywhereThen(then, one).flatMap((formerly) =>
          formerly.hgnc === gene.hgnc && passes(then, one, key, formerly) ? sharing(then, one, key, formerly) : [],
        );
        if (cases.some((name) => !casesThen.includes(name))) add('recurrence', key, gene, 'rare');
      }

      // One pathogenic allele of a recessive gene with uncovered coding bases, if one of the two is news.
      const holes = probandNow?.holes.filter(({ hgnc }) => hgnc === gene.hgnc) ?? [];
      const newHoles = holes.filter(
        ({ start }) => !probandThen?.holes.some((hole) => hole.hgnc === gene.hgnc && hole.start === start),
      );
      const isRecessive = ['recessive', 'both', 'x recessive', 'unknown'].includes(gene.mode);
      const isCarried = one.persons.some((person) => person.isAffected && (copiesOf(now, person, key) ?? 0) > 0);
      if (holes.length > 0 && isRecessive && isCarried && classNow?.isPathogenic && classNow.stars > 0)
        if (!fits(now, one, key, gene, 'pathogenic') && (!wasTrusted || newHoles.length > 0))
          found.add(`hole ${gene.hgnc} ${key}`);
    }
  }

  // A hole of this sample alone, in a core gene.
  for (const gene of latest)
    for (const hole of probandNow?.holes ?? [])
      if (gene.core && hole.hgnc === gene.hgnc && hole.isAlone)
        if (!probandThen?.holes.some(({ hgnc, start }) => hgnc === hole.hgnc && start === hole.start))
          found.add(`hole ${gene.hgnc} -`);

  // Holes of the report are covered now, until calls are replaced.
  const isProbandRecalled =
    now.calls.get(`${one.name}-proband`)?.stamp !== then.calls.get(`${one.name}-proband`)?.stamp;
  if (probandNow?.standing !== probandThen?.standing && !isProbandRecalled)
    for (const hole of probandThen?.holes ?? [])
      if (!probandNow?.holes.some(({ hgnc, start }) => hgnc === hole.hgnc && start === hole.start))
        found.add('covered - -');

  // A listed allele is common now.
  for (const { allele } of one.listed)
    if (one.persons.some((person) => person.isAffected && (copiesOf(now, person, allele) ?? 0) > 0))
      if (
        isCommon(now, allele) &&
        !(
          isCommon(then, allele) &&
          one.persons.some((person) => person.isAffected && (copiesOf(then, person, allele) ?? 0) > 0)
        )
      )
        found.add(`common - ${allele}`);

  // A match that is not closed, in a gene with a passing allele.
  for (const { id, hgnc, isClosed } of now.matches.get(one.patient) ?? [])
    if (!isClosed && !then.matches.get(one.patient)?.some((match) => match.id === id))
      for (const gene of everywhere)
        for (const key of now.alleles.keys())
          if (gene.hgnc === hgnc && passes(now, one, key, gene)) found.add(`match ${hgnc} ${id}`);

  // Terms changed, and a panel that was chosen by them now includes a gene.
  const terms = now.terms.get(`${one.name}-proband`) ?? [];
  const termsThen = then.terms.get(`${one.name}-proband`) ?? [];
  if (one.byPhenotype && [...terms].sort().join() !== [...termsThen].sort().join())
    for (const term of terms)
      for (const gene of now.byTerm.get(term) ?? [])
        if (!versionThen.some(({ hgnc }) => hgnc === gene.hgnc))
          for (const key of now.alleles.keys()) if (passes(now, one, key, gene)) add('terms', key, gene, 'rare');

  const order = [...now.alleles.keys()];
  for (const [name, { changed, partners }] of pairs) {
    const lead = order.find((key) => changed.includes(key)) as string;
    const others = new Set([...changed, ...partners].filter((key) => key !== lead));
    found.add([`${name} ${lead}`, ...[...others].sort()].join(' + '));
  }
  return found;
}

/** Alleles of a gene that fit with another one alone: those that changed, and all that may be the other. */
interface Pairs {
  changed: string[];
  partners: Set<string>;
}

function everywhereThen(then: World, one: WorldCase): PanelEntry[] {
  const latest = then.versions.at(-1) ?? [];
  return [
    ...latest,
    ...(then.versions[one.version] ?? []).filter(({ hgnc }) => !latest.some((gene) => gene.hgnc === hgnc)),
  ];
}

function passes(world: World, one: WorldCase, key: string, gene: PanelEntry): boolean {
  return fits(world, one, key, gene, 'rare');
}

/** The ways of a mode: how many alleles are needed, how rare, of which sex. */
const ways: Record<Mode, readonly { alleles: 1 | 2; most: number; of?: 'men' | 'women' }[]> = {
  dominant: [{ alleles: 1, most: 0.00001 }],
  recessive: [{ alleles: 2, most: 0.01 }],
  both: [
    { alleles: 1, most: 0.00001 },
    { alleles: 2, most: 0.01 },
  ],
  unknown: [
    { alleles: 1, most: 0.00001 },
    { alleles: 2, most: 0.01 },
  ],
  'x recessive': [
    { alleles: 2, most: 0.01, of: 'men' },
    { alleles: 2, most: 0.01, of: 'women' },
  ],
  'x dominant': [
    { alleles: 2, most: 0.00001, of: 'men' },
    { alleles: 1, most: 0.00001, of: 'women' },
  ],
};

/** `rare`: as passing is defined; `pathogenic`: without frequency and consequence; `second`: that only with another allele. */
type By = 'rare' | 'pathogenic' | 'second';

function fits(world: World, one: WorldCase, key: string, gene: PanelEntry, by: By): boolean {
  const { isAlone, partners } = fitOf(world, one, key, gene, by);
  return isAlone || partners.size > 0;
}

/** Whether the allele is enough in some affected person, and the alleles with one of which it is. */
function fitOf(
  world: World,
  one: WorldCase,
  key: string,
  gene: PanelEntry,
  by: By,
): { isAlone: boolean; partners: Set<string> } {
  const allele = world.alleles.get(key) as WorldAllele;
  const partners = new Set<string>();
  let isAlone = false;
  for (const person of one.persons) {
    const copies = copiesOf(world, person, key) ?? 0;
    if (allele.hgnc !== gene.hgnc || !person.isAffected || copies === 0) continue;
    for (const { alleles, most, of } of ways[gene.mode]) {
      if (of === 'men' && person.sex === 'female') continue;
      if (of === 'women' && person.sex === 'male') continue;
      if (by === 'rare' && !isSuspect(world, key, most)) continue;
      const ploidy = ploidyOf(allele, person);
      const isWhole = alleles === 1 || ploidy === undefined || copies === ploidy;
      if (isWhole && by !== 'second') isAlone = true;
      if (alleles === 1 || of === 'men') continue;
      for (const other of world.alleles.keys()) if (isSecond(world, one, person, key, other, most)) partners.add(other);
    }
  }
  return { isAlone, partners };
}

function isSecond(
  world: World,
  one: WorldCase,
  person: WorldPerson,
  key: string,
  other: string,
  most: number,
): boolean {
  if (other === key || world.alleles.get(other)?.hgnc !== world.alleles.get(key)?.hgnc) return false;
  if ((copiesOf(world, person, other) ?? 0) === 0 || phase(world, one, person, key, other) === 'cis') return false;
  const known = world.classes.get(other);
  return (known?.isPathogenic === true && known.stars > 0) || isSuspect(world, other, most);
}

/** Both count for the gene in a way that needs two, of one affected person, and are known to be in trans. */
function inTransPair(world: World, one: WorldCase, key: string, other: string, gene: PanelEntry): boolean {
  if (world.alleles.get(key)?.hgnc !== gene.hgnc) return false;
  for (const person of one.persons) {
    if (!person.isAffected || (copiesOf(world, person, key) ?? 0) === 0) continue;
    for (const { alleles, most, of } of ways[gene.mode]) {
      if (alleles === 1 || of === 'men' || (of === 'women' && person.sex === 'male')) continue;
      if (!isSuspect(world, key, most) || !isSecond(world, one, person, key, other, most)) continue;
      if (phase(world, one, person, key, other) === 'trans') return true;
    }
  }
  return false;
}

function isSuspect(world: World, key: string, most: number): boolean {
  const { effect, coding, frequency } = world.alleles.get(key) as WorldAllele;
  if (frequency !== undefined && frequency > most) return false;
  if (isCommon(world, key)) return false;
  return effect === 'high' || effect === 'moderate' || (effect === 'none' && coding);
}

function isCommon(world: World, key: string): boolean {
  const { carriers, samples } = localOf(world, key);
  return carriers >= 10 && carriers / (2 * samples) > 0.01;
}

function parent(one: WorldCase, role: 'mother' | 'father'): WorldPerson | undefined {
  return one.persons.find((person) => person.role === role);
}

/** Copies of a parent; undefined if the parent is not of the case, or it is not known. */
function ofParent(world: World, one: WorldCase, role: 'mother' | 'father', key: string): number | undefined {
  const person = parent(one, role);
  return person && copiesOf(world, person, key);
}

function deNovo(world: World, one: WorldCase, key: string): boolean {
  const proband = one.persons[0] as WorldPerson;
  if ((copiesOf(world, proband, key) ?? 0) === 0) return false;
  const isSonOnX = ploidyOf(world.alleles.get(key) as WorldAllele, proband) === 1;
  return ofParent(world, one, 'mother', key) === 0 && (isSonOnX || ofParent(world, one, 'father', key) === 0);
}

function phase(
  world: World,
  one: WorldCase,
  person: WorldPerson,
  key: string,
  other: string,
): 'cis' | 'trans' | undefined {
  if (ploidyOf(world.alleles.get(key) as WorldAllele, person) === 1) return 'cis';
  if (copiesOf(world, person, key) === 2 || copiesOf(world, person, other) === 2) return 'trans';
  const stated = world.phases.find(
    (pair) => pair.sample === person.sample && [pair.one, pair.other].sort().join() === [key, other].sort().join(),
  )?.phase;
  if (person.role !== 'proband') return stated;
  const from = [key, other].map((inherited) => {
    const [mother, father] = (['mother', 'father'] as const).map((role) => ofParent(world, one, role, inherited));
    if (mother === undefined || father === undefined) return undefined;
    if (mother > 0 && father === 0) return 'mother';
    return father > 0 && mother === 0 ? 'father' : undefined;
  });
  if (from[0] === undefined || from[1] === undefined) return stated;
  return from[0] === from[1] ? 'cis' : 'trans';
}

/** The other cases in which it fits, affected and with a term in common; none if one of them is solved by something else. */
function sharing(world: World, one: WorldCase, key: string, gene: PanelEntry): string[] {
  const terms = world.terms.get(`${one.name}-proband`) ?? [];
  const found = new Set<string>();
  const isEnough = ways[gene.mode].some(({ alleles, most }) => alleles === 1 && isSuspect(world, key, most));
  for (const other of world.cases) {
    if (other.name === one.name) continue;
    for (const person of other.persons) {
      if ((copiesOf(world, person, key) ?? 0) === 0) continue;
      if (!isEnough && !isWhole(world, person, key)) continue;
      const isLike = (world.terms.get(`${other.name}-proband`) ?? []).some((term) => terms.includes(term));
      if (!person.isAffected || !isLike) continue;
      if (other.conclusion === 'solved' && !other.listed.some(({ allele, isBasis }) => isBasis && allele === key))
        return [];
      found.add(other.name);
    }
  }
  for (const stranger of world.strangers)
    if (stranger.allele === key && (isEnough || stranger.copies === 2)) {
      const isLike = stranger.isAffected && stranger.terms.some((term) => terms.includes(term));
      if (isLike) found.add(stranger.case);
    }
  return [...found];
}

/** No copy of the gene may be intact: all have the allele, or another that is looked at is carried, too. */
function isWhole(world: World, person: WorldPerson, key: string): boolean {
  const allele = world.alleles.get(key) as WorldAllele;
  const ploidy = ploidyOf(allele, person);
  if (ploidy === undefined || copiesOf(world, person, key) === ploidy) return true;
  for (const [other, { hgnc, effect, coding, frequency }] of world.alleles) {
    if (other === key || hgnc !== allele.hgnc || !copiesOf(world, person, other)) continue;
    if (world.classes.get(other)?.isPathogenic) return true;
    const isRare = frequency === undefined || frequency <= 0.01;
    if (isRare && (effect === 'high' || effect === 'moderate' || (effect === 'none' && coding))) return true;
  }
  return false;
}
