/** Gathers what is known of cases, many at once, from what other plugins offer; each part that was not looked at says why. */
import { isFault, type PluginContext } from '../../../core/plugin.js';
import type { KnowledgeReader, PanelOfReport, PanelsService, PatientMatch, Services } from '../../services/services.js';
import type { ReviewRepository, Statement } from '../contract.js';
import {
  carriedAllele,
  classesOf,
  listedKeys,
  phasesOfCase,
  placesToCover,
  possiblyAbsent,
  variantsOfCase,
} from './case-calls.js';
import { ChangedSamples } from './changed-samples.js';
import { commonKnowledge } from './common.js';
import type {
  AlleleGene,
  CarriedAllele,
  CaseCoverage,
  CaseEvidence,
  CaseMatch,
  ChangedCases,
  CoverageHole,
  Gather,
  Gatherer,
  KnownCase,
  Looked,
  PassingRules,
  PersonCalls,
  Unlooked,
} from './evidence.js';
import { type AskedPlace, CoverageQuestions } from './holes.js';
import { type EvidenceSources, grouped, KnownGenes } from './known-genes.js';
import type { KnownVariant } from './known-variant.js';
import { type PanelPair, PanelVersions, panelPair } from './panel-versions.js';

export interface GatherTools {
  /** Finds the services of other plugins. */
  find<Key extends keyof Services>(key: Key): Services[Key] | undefined | Promise<Services[Key] | undefined>;
  tenants: Pick<NonNullable<PluginContext<unknown>['tenants']>, 'all'> | undefined;
  repository: Pick<ReviewRepository, 'list'>;
  rules: PassingRules;
  /** Whether an allele is so frequent here that it is taken for an artefact. */
  isCommon(allele: Pick<CarriedAllele, 'local'>): boolean;
  /** The alleles of a case that pass by the rules: they alone are compared with other cases. */
  passing(statement: Statement, evidence: CaseEvidence): Iterable<CarriedAllele>;
}

/** A case, before anything is read of its genes. */
interface OpenCase {
  statement: Statement;
  before: Looked<PanelOfReport>;
  now: Looked<PanelOfReport>;
  pair: PanelPair;
}

/** Alleles of a case, with the persons who are known to be covered there among those who may lack it. */
interface OpenAllele {
  one: KnownVariant;
  genes: readonly AlleleGene[];
  covered: Set<string>;
}

/** Tenants and builds of which genes are kept from one call to the next. */
const mostKept = 2;

/** Genes are kept as long as they stay as they are: one gatherer serves all runs of a process. */
export function gatherer(tools: GatherTools): Gatherer {
  const kept = new Map<string, KnownGenes>();

  /** `asked`: tenants and builds of which the run asks all cases, if it does; those that it meets are added. */
  async function gathered(
    panels: PanelVersions,
    asked: Set<string> | undefined,
    statements: readonly Statement[],
    signal: AbortSignal,
  ) {
    const found = new Map<Statement, KnownCase>();
    const callability = await tools.find('coverage/callability@1');
    const shared = {
      beacon: await tools.find('beacon/carried-alleles@1'),
      structures: await tools.find('coverage/gene-structures@1'),
      sites: await tools.find('coverage/known-sites@1'),
    };
    for (const [name, group] of grouped(statements, nameOf)) {
      const [{ owner, build }] = group as [Statement, ...Statement[]];
      const own = owner === undefined ? callability : callability?.ofTenants([owner]);
      const sources: EvidenceSources = { ...shared, callability: own };
      const changes = new ChangedSamples(tools.isCommon, asked?.has(name) === false);
      const known = kept.get(name) ?? new KnownGenes(sources, readerOf(owner), build, tools.rules, changes);
      asked?.add(name);
      kept.delete(name);
      kept.set(name, known);
      for (const oldest of kept.keys()) if (kept.size > mostKept) kept.delete(oldest);
      const evidence = await evidenceOfGroup({ ...tools, panels }, sources, known, group, signal);
      const common = await commonKnowledge(tools, group, evidence);
      for (const [i, statement] of group.entries())
        found.set(statement, { evidence: evidence[i] as CaseEvidence, common });
    }
    return statements.map((statement) => found.get(statement) as KnownCase);
  }

  // One call at a time: they share what they read.
  let last: Promise<unknown> = Promise.resolve();
  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const next = last.then(work);
    last = next.catch(() => {});
    return next;
  }

  /** `asked`: those that the run, which asks all of their cases, has met. */
  function takeChanged(asked: Set<string>): ChangedCases {
    const carriedIn = (known: KnownGenes) => (sample: string) => known.carriedBy(sample).map(({ variant }) => variant);
    const taken = new Map([...kept].map(([name, known]) => [name, known.changes.take(carriedIn(known))] as const));
    return {
      has(statement) {
        const samples = taken.get(nameOf(statement));
        return samples === undefined || statement.persons.some(({ sample }) => samples.has(sample));
      },
      giveBack() {
        for (const name of new Set([...asked, ...taken.keys()])) kept.get(name)?.changes.giveBack(taken.get(name));
      },
    };
  }

  return () => {
    let panels: PanelVersions | undefined;
    let asked: Set<string> | undefined;
    const gather: Gather = (statements, signal) =>
      inTurn(async () => {
        panels ??= new PanelVersions(await tools.find('panels/versions@1'), tools);
        return gathered(panels, asked, statements, signal);
      });
    gather.takeChanged = (all, signal) =>
      inTurn(async () => {
        for (const known of all ? [] : kept.values()) await known.renew(signal);
        asked = new Set();
        return takeChanged(asked);
      });
    return gather;
  };
}

function nameOf({ owner, build }: Pick<Statement, 'owner' | 'build'>): string {
  return JSON.stringify([owner, build]);
}

function readerOf(owner: string | undefined): KnowledgeReader {
  return owner === undefined ? 'operator' : { tenant: owner };
}

/** Of cases of one tenant and build. */
async function evidenceOfGroup(
  tools: GatherTools & { panels: PanelVersions },
  sources: EvidenceSources,
  known: KnownGenes,
  group: readonly Statement[],
  signal: AbortSignal,
): Promise<CaseEvidence[]> {
  const { panels } = tools;
  const cases: OpenCase[] = [];
  for (const statement of group) cases.push(await openCase(panels, statement));
  const genes = new Map([...new Set(cases.map(({ pair }) => pair))].flatMap((pair) => [...pair.genes]));
  const read = await orUnavailable(
    known.read(
      genes,
      group.flatMap(({ alleles }) => alleles),
      signal,
    ),
  );
  const matches = await orUnavailable(matchesOf(tools, group));
  const open = cases.map((one) => openAlleles(one, known));
  const coverage = await orUnavailable(coverageOf(sources, known, cases, open, signal));
  return cases.map((one, i): CaseEvidence => {
    const { statement, before, now } = one;
    const own = open[i] as OpenAllele[];
    const keys = own.map(({ one: { key } }) => key);
    const knowing = { known, names: listedKeys(statement, known) };
    const alleles = own.map((each) => carriedAllele(statement, knowing, each, (sample) => each.covered.has(sample)));
    return {
      case: statement.case,
      panel: { before, now },
      samples: personCalls(statement, known),
      calls: read.why ? read : callsOf(one, sources, known, alleles),
      phases: phasesOfCase(statement, knowing, new Set(keys)),
      classes: read.why ? read : classesOf(statement.alleles, sources, knowing, keys),
      releases: known.releases,
      coverage: coverage.why ? coverage : (coverage.value[i] as Looked<CaseCoverage>),
      matches: matches.why ? matches : (matches.value.get(statement) ?? { why: 'no-patient' }),
      byTerms: { why: 'no-plugin' },
      terms: termsOf(statement, sources, known),
      isAligned: known.isAligned,
    };
  });
}

/** Throws all but faults of something that does not respond now. */
async function orUnavailable<Value>(
  work: Promise<Value>,
): Promise<{ value: Value; why?: undefined } | { why: 'unavailable' }> {
  try {
    return { value: await work };
  } catch (error) {
    if (isFault(error) && error.code === 'unavailable') return { why: 'unavailable' };
    throw error;
  }
}

async function openCase(panels: PanelVersions, statement: Statement): Promise<OpenCase> {
  const { before, now } = await panels.of(statement);
  return { statement, before, now, pair: panelPair(before.value, now.value) };
}

// Calls.

function openAlleles({ statement, pair }: OpenCase, known: KnownGenes): OpenAllele[] {
  return [...variantsOfCase(statement, known, pair.genes)].map(([one, own]) => ({
    one,
    genes: own,
    covered: new Set(),
  }));
}

function personCalls({ persons }: Statement, known: KnownGenes): Map<string, PersonCalls> {
  return new Map(
    persons.flatMap(({ sample }) => {
      const state = known.samples.get(sample);
      if (state === undefined) return [];
      const { stamp, searched, sex, annotations } = state;
      return [[sample, { stamp, searched, sex, annotations }] as const];
    }),
  );
}

function callsOf(
  { statement, before, now }: OpenCase,
  { beacon }: EvidenceSources,
  known: KnownGenes,
  alleles: readonly CarriedAllele[],
): Looked<readonly CarriedAllele[]> {
  if (beacon === undefined) return { why: 'no-plugin' };
  if (before.why && now.why) return { why: 'no-panel' };
  const called = statement.persons.flatMap(({ isAffected, sample }) => {
    const state = isAffected ? known.samples.get(sample) : undefined;
    return state && (state.searched.small || state.searched.structural) ? [state] : [];
  });
  if (called.length === 0) return { why: 'no-calls' };
  const isAnnotated = called.some(({ annotations }) => annotations.length > 0);
  if (!isAnnotated && !known.hasStructures) return { why: 'not-annotated' };
  return { value: alleles };
}

function termsOf({ persons }: Statement, { beacon }: EvidenceSources, known: KnownGenes): Looked<readonly string[]> {
  if (beacon === undefined) return { why: 'no-plugin' };
  const proband = persons.find(({ role }) => role === 'proband');
  const state = proband && known.samples.get(proband.sample);
  return state ? { value: state.phenotypes } : { why: 'no-calls' };
}

// Coverage.

/** For each case; adds to its alleles who is covered there. */
async function coverageOf(
  { callability: service }: EvidenceSources,
  known: KnownGenes,
  cases: readonly OpenCase[],
  open: readonly (readonly OpenAllele[])[],
  signal: AbortSignal,
): Promise<Looked<CaseCoverage>[]> {
  if (service === undefined) return cases.map(() => ({ why: 'no-plugin' }));
  const samples = [...new Set(cases.flatMap(({ statement }) => statement.persons.map(({ sample }) => sample)))];
  const stated = (await service.standings?.(samples)) ?? [];
  const standings = new Map(
    samples.flatMap((sample, i) => (stated[i] === undefined ? [] : [[sample, stated[i]] as const])),
  );
  const found = new Map<OpenCase, Looked<CaseCoverage>>();
  const numbered = cases.map((one, i) => ({ one, alleles: open[i] ?? [] }));
  for (const group of grouped(numbered, ({ one }) => String(one.statement.thresholds[0])).values()) {
    const threshold = group[0]?.one.statement.thresholds[0] as number;
    const questions = new CoverageQuestions(service, known, threshold, signal);
    const holes = await questions.holesOf(
      group.map(({ one }) => {
        const sample = probandOf(one.statement);
        const { lists, genes, now } = one.pair;
        const former = one.statement.baseline?.holes;
        const isNews = ({ hgnc, start, site }: CoverageHole) =>
          former !== undefined &&
          now.get(hgnc)?.core === true &&
          !former.some((hole) => hole.hgnc === hgnc && hole.start === start && hole.site === site);
        return { sample, standing: standings.get(sample), lists, genes, isNews };
      }),
      known.coverage,
    );
    for (const [i, { one }] of group.entries()) {
      const proband = probandOf(one.statement);
      const own = holes[i];
      const persons = one.statement.persons.map(({ sample }) => sample);
      const { assay } = known.samples.get(proband) ?? {};
      found.set(
        one,
        own === undefined
          ? { why: known.hasStructures ? 'no-coverage' : 'no-genes' }
          : {
              value: {
                ...own,
                threshold,
                standings: Object.fromEntries(
                  persons.flatMap((id) => (standings.has(id) ? [[id, standings.get(id) as string]] : [])),
                ),
                ...(assay !== undefined && { assay }),
              },
            },
      );
    }
    await markCovered(questions, known, group);
  }
  return cases.map((one) => found.get(one) as Looked<CaseCoverage>);
}

function probandOf({ persons }: Statement): string {
  return (persons.find(({ role }) => role === 'proband') as Statement['persons'][number]).sample;
}

async function markCovered(
  questions: CoverageQuestions,
  known: KnownGenes,
  group: readonly { one: OpenCase; alleles: readonly OpenAllele[] }[],
): Promise<void> {
  const asked: (AskedPlace & { allele: OpenAllele })[] = [];
  for (const { one, alleles } of group) {
    for (const allele of alleles) {
      const samples = possiblyAbsent(one.statement, known, allele.one);
      for (const sample of samples) allele.covered.add(sample);
      if (samples.length > 0) for (const place of placesToCover(allele.one)) asked.push({ allele, samples, place });
    }
  }
  const covered = await questions.coveredAt(asked);
  for (const [i, { allele, samples }] of asked.entries()) {
    for (const sample of samples) if (!covered[i]?.has(sample)) allele.covered.delete(sample);
  }
}

// Matches.

async function matchesOf(
  { find }: Pick<GatherTools, 'find'>,
  group: readonly Statement[],
): Promise<Map<Statement, Looked<readonly CaseMatch[]>>> {
  const service = await find('matchmaker/matches@1');
  const why = (reason: Unlooked) => ({ why: reason }) as const;
  if (service === undefined) return new Map(group.map((statement) => [statement, why('no-plugin')]));
  const patients = [...new Set(group.flatMap(({ patient }) => patient ?? []))];
  const found = await service.matchesOf(readerOf(group[0]?.owner), patients);
  const words = [...new Set([...found.values()].flatMap((matches) => matches.flatMap(({ genes }) => genes)))];
  const ids = await hgncIdsOf(await find('panels/versions@1'), words);
  const caseMatch = ({ id, genes, status, node, path }: PatientMatch): CaseMatch => {
    return { ...{ id, status, node, path }, genes: [...new Set(genes.flatMap((word) => ids.get(word) ?? []))] };
  };
  return new Map(
    group.map((statement) => {
      const own = statement.patient === undefined ? undefined : found.get(statement.patient);
      return [statement, own ? { value: own.map(caseMatch) } : why('no-patient')];
    }),
  );
}

/** HGNC ids that words mean for certain: those of ids without gene names, too. */
async function hgncIdsOf(
  panels: PanelsService | undefined,
  words: readonly string[],
): Promise<Map<string, readonly number[]>> {
  const known = (await panels?.idsOf(words)) ?? [];
  return new Map(
    words.map((word, i) => {
      const [, number] = /^HGNC:(\d+)$/i.exec(word) ?? [];
      return [word, known[i]?.length ? known[i] : number === undefined ? [] : [Number(number)]];
    }),
  );
}
