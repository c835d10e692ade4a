/**
 * Which changes make findings of a case: the table of changes, one rule each. A finding depends on the statement, what was so already
 * when it was entered, and what is known now; on no event, and on no order of events.
 */
import type { PanelGeneOfReport } from '../../services/services.js';
import { alleleKey, type Reason } from '../contract.js';
import type { CarriedAllele, CaseEvidence, CoverageHole, KnownClass, Looked } from '../evidence/evidence.js';
import { grouped } from '../evidence/known-genes.js';
import { classText, type Draft, type FoundFinding, findingsFrom } from './drafts.js';
import { inheritanceOf } from './inheritance.js';
import { type GeneOfCase, isPathogenic, isTrusted, nameOf, type Passing } from './passing.js';
import { recurrences, sharingCases } from './recurrence.js';
import type { Situation } from './situation.js';

interface Rule {
  reason: Reason;
  /** What has to be looked at. */
  needs(evidence: CaseEvidence): readonly Looked<unknown>[];
  find(situation: Situation): Draft[];
}

const rules: readonly Rule[] = [
  {
    reason: 'panel',
    needs: ({ panel, calls }) => [panel.before, panel.now, calls],
    find(situation) {
      const { statement, evidence, before, now, genes, alleles } = situation;
      if (evidence.panel.now.value?.version === evidence.panel.before.value?.version) return [];
      return among(now, genes).flatMap((gene): Draft[] => {
        const former = before.get(gene.hgnc);
        const isNewGreen = gene.confidence === 'green' && former?.confidence !== 'green';
        const isOther = former && !isNewGreen;
        if (isOther && String(gene.inheritance) === String(former.inheritance)) return [];
        const facts = { before: former ? panelFacts(former) : { confidence: 'absent' }, now: panelFacts(gene) };
        const rests = [former?.confidence, gene.confidence, inheritanceOf(gene.inheritance).ways];
        const change = `panel ${statement.panel.panel}@${evidence.panel.now.value?.version}`;
        const found = alleles.passing(gene).filter(({ allele }) => !(isOther && alleles.passes(allele, former)));
        return found.map((passing) => {
          const others = former ? [] : sharingCases(situation, passing.allele, gene);
          return { passing, isNewGreen, ...facts, others, rests, change };
        });
      });
    },
  },
  {
    reason: 'raised',
    needs: ({ panel, calls, classes }) => [panel.before, panel.now, calls, classes],
    find({ evidence, baseline, genes, alleles }) {
      const raised = (evidence.calls.value ?? []).flatMap((allele) => {
        const former = baseline.pathogenic[allele.key] ?? [];
        const classes = alleles.classesOf(allele).filter((one) => one.from === 'set' && isPathogenic(one));
        const isTold = classes.some(isTrusted);
        const wasSo = former.some(({ stars }) => !isTold || stars !== 0);
        return classes.length === 0 || wasSo ? [] : [{ allele, former, classes, isTold }];
      });
      return raised.flatMap(({ allele, former, classes, isTold }) =>
        genes.flatMap((gene): Draft[] => {
          const passing = alleles.passes(allele, gene, { isPathogenic: true, ...(!isTold && { isSecondOnly: true }) });
          if (!passing) return [];
          const before = { class: former.map(classText).join('; ') || 'absent' };
          const now = { class: classes.map(classText).join('; ') };
          const [{ by, release }] = classes as [KnownClass, ...KnownClass[]];
          return [{ passing, before, now, rests: classRests(classes), change: `${by} ${release}` }];
        }),
      );
    },
  },
  {
    reason: 'lowered',
    needs: ({ classes }) => [classes],
    find({ statement, baseline, evidence }) {
      return statement.alleles.flatMap((allele): Draft[] => {
        if (!allele.isBasis) return [];
        const key = alleleKey(allele);
        const classes = evidence.classes.value?.get(key) ?? [];
        // A set that is not loaded any more says nothing, and has withdrawn nothing.
        const lowered = (baseline.pathogenic[key] ?? []).filter(
          ({ by }) => evidence.releases[by] !== undefined && !classes.some((one) => one.by === by && isPathogenic(one)),
        );
        if (lowered.length === 0) return [];
        const now = lowered.map(({ by }) => {
          const of = classes.filter((one) => one.by === by);
          return of.length > 0 ? of.map(classText).join('; ') : `${by} ${evidence.releases[by]}: absent`;
        });
        const before = { class: lowered.map(classText).join('; ') };
        const rests = [lowered.map(({ by }) => by), classRests(classes)];
        const [change] = lowered.map(({ by }) => `${by} ${evidence.releases[by]}`);
        return [{ about: [key], allele, before, now: { class: now.join('; ') }, rests, priority: 1, change }];
      });
    },
  },
  {
    reason: 'covered',
    needs: ({ coverage }) => [coverage],
    find({ baseline, evidence, alleles, recalled }) {
      const { proband: sample } = alleles.family;
      const standing = evidence.coverage.value?.standings[sample];
      const holes = evidence.coverage.value?.holes ?? [];
      if (standing === undefined || standing === baseline.coverage[sample] || recalled.includes(sample)) return [];
      const filled = holesBeside(holes, baseline.holes);
      if (filled.length === 0) return [];
      const names = filled.map((hole) => `HGNC:${hole.hgnc} ${placeText(hole)}`);
      const now = { coverage: `covered, not yet called: ${names.join(', ')}` };
      return [{ about: [], before: { coverage: 'not covered' }, now, rests: names, priority: 4 }];
    },
  },
  {
    reason: 'calls',
    needs: ({ panel, calls }) => [panel.before, calls],
    find({ baseline, before, genes, alleles, recalled }) {
      if (recalled.length === 0) return [];
      const [passed, deNovo, trans] = [baseline.passing, baseline.deNovo, baseline.trans].map((list) => new Set(list));
      return among(before, genes).flatMap((gene) =>
        alleles.passing(gene).flatMap((passing): Draft[] => {
          const name = nameOf(passing);
          const isNew = !passed?.has(name);
          const isDeNovo = passing.origin === 'de novo' && !deNovo?.has(name);
          const isTrans = transPairs(passing).some((pair) => !trans?.has(pair));
          if (!isNew && !isDeNovo && !isTrans) return [];
          const what = [isNew && 'new', isDeNovo && 'de novo', isTrans && 'trans'].filter((one) => one !== false);
          const [before, now] = [{ calls: isNew ? 'absent' : 'known' }, { calls: what.join(', ') }];
          return [{ passing, before, now, rests: what }];
        }),
      );
    },
  },
  { reason: 'recurrence', needs: ({ panel, calls }) => [panel.before, panel.now, calls], find: recurrences },
  {
    reason: 'match',
    needs: ({ panel, calls, matches }) => [panel.before, panel.now, calls, matches],
    find({ baseline, evidence, genes, alleles }) {
      const matches = evidence.matches.value ?? [];
      const open = matches.filter(({ id, status }) => isOpen(status) && !baseline.matches.includes(id));
      return open.flatMap((match) =>
        genes.flatMap((gene): Draft[] => {
          const found = match.genes.includes(gene.hgnc) ? alleles.passing(gene) : [];
          const [passing] = found;
          if (!passing) return [];
          const rests = found.map(({ allele }) => allele.key);
          const now = { match: `${match.node}: ${match.status}` };
          return [{ about: [match.id, gene.hgnc], passing, before: { match: 'absent' }, now, rests, priority: 6 }];
        }),
      );
    },
  },
  {
    reason: 'terms',
    needs: ({ panel, calls, terms, byTerms }) => [panel.before, calls, terms, byTerms],
    find({ statement, baseline, evidence, before, alleles }) {
      const terms = evidence.terms.value ?? [];
      const isChanged = terms.length !== baseline.terms.length || terms.some((term) => !baseline.terms.includes(term));
      if (!statement.panel.byPhenotype || !isChanged) return [];
      const added = (evidence.byTerms.value ?? []).filter(({ hgnc }) => !before.has(hgnc));
      const facts = { before: { terms: baseline.terms.join(', ') }, now: { terms: terms.join(', ') }, rests: [] };
      return added.flatMap((gene) => alleles.passing(gene).map((passing) => ({ passing, ...facts })));
    },
  },
  {
    reason: 'hole',
    needs: ({ panel, calls, classes, coverage }) => [panel.before, panel.now, calls, classes, coverage],
    find(situation) {
      const { baseline, evidence, genes, now } = situation;
      const { holes = [] } = evidence.coverage.value ?? {};
      const [ofGenes, news] = [grouped(holes, ({ hgnc }) => hgnc), new Set(holesBeside(baseline.holes, holes))];
      return genes.flatMap((gene): Draft[] => {
        const open = ofGenes.get(gene.hgnc) ?? [];
        if (open.length === 0) return [];
        const added = open.filter((hole) => news.has(hole));
        const places = open.map(placeText);
        const before = { coverage: added.length === open.length ? 'covered, or not of the panel' : 'not covered' };
        const drafts: Draft[] = [];
        const draft = { gene, before, now: { coverage: `not covered: ${places.join(', ')}` }, rests: places };
        if (open.some(({ site }) => site === undefined))
          for (const { allele, isNews } of loneAlleles(situation, gene))
            if (isNews || added.some(({ site }) => site === undefined))
              drafts.push({ about: [gene.hgnc, allele.key], ...draft, carried: allele, priority: 3 });
        if (now.get(gene.hgnc)?.core && added.some(({ isAlone }) => isAlone))
          drafts.push({ about: [gene.hgnc], ...draft, priority: 4 });
        return drafts;
      });
    },
  },
  {
    reason: 'transcript',
    needs: ({ panel, calls }) => [panel.before, calls],
    find({ baseline, before, genes, alleles, recalled }) {
      if (recalled.length > 0) return [];
      const passed = new Set(baseline.passing);
      const facts = {
        before: { transcripts: 'not in coding bases' },
        now: { transcripts: 'in coding bases' },
        rests: [],
      };
      const found = among(before, genes).flatMap((gene) => alleles.passing(gene));
      return found
        .filter((passing) => passing.unknown.includes('consequence') && !passed.has(nameOf(passing)))
        .map((passing) => ({ passing, ...facts }));
    },
  },
];

/** What one case should be looked at for, and which reasons could be looked at. */
export function findingsOf(situation: Situation): { reasons: Reason[]; found: FoundFinding[] } {
  const { statement, evidence } = situation;
  const looked = rules.filter(({ reason, needs }) => {
    const isFixed = reason === 'terms' && !statement.panel.byPhenotype;
    return isFixed || needs(evidence).every(({ why }) => why === undefined);
  });
  // Of solved cases it is only asked whether what they rest on still holds.
  const asked = statement.conclusion === 'solved' ? looked.filter(({ reason }) => reason === 'lowered') : looked;
  return {
    reasons: looked.map(({ reason }) => reason),
    found: asked.flatMap(({ reason, find }) => findingsFrom(situation, reason, find(situation))),
  };
}

/** (Likely) pathogenic alleles of which a person has one copy in a recessive gene, and no second allele that is known. */
function loneAlleles({ baseline, alleles }: Situation, gene: GeneOfCase): { allele: CarriedAllele; isNews: boolean }[] {
  const sexes = inheritanceOf(gene.inheritance).ways.filter(({ needs, of }) => needs === 'all' && of !== 'men');
  if (sexes.length === 0) return [];
  return alleles.of(gene).flatMap((allele) => {
    if (!alleles.classesOf(allele).some(isTrusted) || alleles.passes(allele, gene, { isPathogenic: true })) return [];
    const wasKnown = baseline.pathogenic[allele.key]?.some(({ stars }) => stars !== 0) ?? false;
    return [{ allele, isNews: !wasKnown }];
  });
}

/** These genes, as one version of the panel has them. */
export function among(
  version: ReadonlyMap<number, PanelGeneOfReport>,
  genes: readonly GeneOfCase[],
): PanelGeneOfReport[] {
  return genes.flatMap(({ hgnc }) => version.get(hgnc) ?? []);
}

type KnownHole = Omit<CoverageHole, 'isAlone'>;

/** Those that are not among the known ones: of the same gene and kind, and with a base in common. */
function holesBeside<Hole extends KnownHole>(known: readonly KnownHole[], holes: readonly Hole[]): Hole[] {
  const ofGenes = grouped(known, ({ hgnc }) => hgnc);
  const isKnown = ({ hgnc, site, start, end }: Hole) =>
    ofGenes.get(hgnc)?.some((one) => one.site === site && one.start < end && start < one.end);
  return holes.filter((hole) => !isKnown(hole));
}

const placeText = ({ chromosome, start, end }: Pick<CoverageHole, 'chromosome' | 'start' | 'end'>) =>
  `${chromosome}:${start + 1}-${end}`;

/** Rows of triage that a person has not closed. */
function isOpen(status: string): boolean {
  return status !== 'irrelevant' && status !== 'solved';
}

/** Names of the pairs that it makes with alleles in trans. */
export function transPairs({ allele, gene, partners }: Passing): string[] {
  const others = partners.filter(({ phase }) => phase === 'trans');
  return others.map((other) => `${[allele.key, other.allele.key].sort().join(' ')} ${gene.hgnc}`);
}

function panelFacts({ confidence, inheritance }: { confidence: string; inheritance?: string }): Draft['now'] {
  return { confidence, ...(inheritance !== undefined && { inheritance }) };
}

/** Who calls the allele pathogenic, without the release, which changes with each load. */
function classRests(classes: readonly KnownClass[]): string[] {
  return classes
    .filter(isPathogenic)
    .map(({ by, level }) => `${by}: ${level}`)
    .sort();
}
