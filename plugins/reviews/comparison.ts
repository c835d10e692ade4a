/**
 * What a reader may know of a case now beside what was so when it was reported: the panel, coverage, how often its alleles were
 * seen, and phenotype terms. Each is asked of another plugin with the reader's rights when a page is opened; what cannot be told
 * has its reason.
 */
import { isFault, type PluginContext, type Principal } from '../../core/plugin.js';
import type { AlleleCounts, Services } from '../services/services.js';
import { alleleKey, allelesOf, type BuildAllele, type CaseFinding, type Hole, type Statement } from './contract.js';

export interface CaseReader {
  principal: Principal;
  /** The id of the request, for the audit. */
  id: string;
  signal: AbortSignal;
}

/** Why something was not looked at; texts have a sentence for each. */
type WhyUnlooked = string;

export type Compared<Value> = { value: Value; why?: undefined } | { value?: undefined; why: WhyUnlooked };

export interface ComparedAllele {
  place: BuildAllele;
  /** Whether the proband's sample covers it at the first threshold. */
  before: Compared<boolean>;
  now: Compared<boolean>;
  /** In each dataset of the build of which the reader sees counts. */
  counts: Compared<readonly AlleleCounts[]>;
}

export type ComparedHoles = Record<'exons' | 'sites', { before: number; coveredNow: number }>;

export interface CaseComparison {
  /** The latest signed version that the reader may read, with the number of genes that differ; undefined if none is newer. */
  panel: Compared<{ version: string; genes: number } | undefined>;
  /** Of the exons and known sites that were not covered then: how many are covered now. */
  holes: Compared<ComparedHoles>;
  /** Of the findings and of the statement, each once, by `alleleKey`. */
  alleles: ReadonlyMap<string, ComparedAllele>;
  /** Ids of the matches of the proband's patient; undefined if the statement names none. */
  matches: Compared<readonly string[]> | undefined;
  /** Names of HPO terms by id, as far as they are known. */
  terms: ReadonlyMap<string, string>;
}

/** Most places of one question about coverage. */
const mostPlaces = 10_000;

export async function compareCase(
  { find }: Pick<PluginContext<unknown>, 'find'>,
  { principal, id, signal }: CaseReader,
  statement: Statement,
  findings: readonly CaseFinding[],
): Promise<CaseComparison> {
  const { build, baseline, patient } = statement;
  const sample = statement.persons.find(({ role }) => role === 'proband')?.sample;
  const all: BuildAllele[] = [...findings.flatMap(allelesOf), ...statement.alleles];
  const places = new Map(all.map((place) => [alleleKey(place), place]));
  const alleles = [...places.values()];
  const [panel, coverage, isSame, counts, matches, terms] = await Promise.all([
    panelNow(),
    coverageNow(),
    isCoveredAsBefore(),
    countsNow(),
    matchesNow(),
    find<Services['matchmaker/phenotypes@1']>('matchmaker/phenotypes@1')?.terms(statement.terms),
  ]);
  const known = alleles.map((place, i): [string, ComparedAllele] => {
    const now = coverage.value === undefined ? coverage : { value: coverage.value.alleles[i] === true };
    const isHole = baseline?.holes.some((hole) => touches(hole, place));
    const unknown = { why: baseline ? 'not-stored' : 'no-baseline' };
    const before = isHole ? { value: false } : isSame ? now : unknown;
    return [alleleKey(place), { place, before, now, counts: counts.value ? { value: counts.value[i] ?? [] } : counts }];
  });
  return {
    panel,
    holes: coverage.value ? { value: coverage.value.holes } : coverage,
    alleles: new Map(known),
    matches,
    terms: new Map([...(terms ?? [])].map(([id, { name }]) => [id, name])),
  };

  async function panelNow(): Promise<CaseComparison['panel']> {
    const panels = find<Services['panels/versions@1']>('panels/versions@1');
    if (panels === undefined) return { why: 'no-plugin' };
    const { panel, version } = statement.panel;
    const newer = await panels.newerThan(panel, version, principal);
    if (newer) return { value: { version: newer.version, genes: newer.differences.length } };
    const own = await panels.versionOf(`${panel}@${version}`, principal);
    return own === undefined ? { why: 'no-panel' } : { value: undefined };
  }

  async function isCoveredAsBefore(): Promise<boolean> {
    if (sample === undefined) return false;
    const coverage = find<Services['coverage/callability@1']>('coverage/callability@1');
    const [standing] = (await coverage?.standings?.([sample])) ?? [];
    return standing !== undefined && baseline?.coverage[sample] === standing;
  }

  /** Of the holes, and of each allele whether the proband's sample covers it. */
  async function coverageNow(): Promise<Compared<{ holes: ComparedHoles; alleles: readonly boolean[] }>> {
    const coverage = find<Services['coverage/covered-samples@1']>('coverage/covered-samples@1');
    if (coverage === undefined) return { why: 'no-plugin' };
    const holes = baseline?.holes ?? [];
    const [threshold = 1] = statement.thresholds;
    if (sample === undefined || holes.length + alleles.length > mostPlaces) return { why: 'too-many' };
    const places = [...holes, ...alleles.map(stretchOf)].map(({ chromosome, start, end }) => {
      return { chromosome, intervals: [{ start, end }] };
    });
    const question = { build, threshold, groups: [[sample]], places };
    const answer = await coverage.covered({ principal, id }, question, signal).catch((error: unknown) => {
      if (!isFault(error) || error.code !== 'unavailable') throw error;
      return error.code;
    });
    if (answer === undefined) return { why: 'not-yours' };
    if (answer === 'unavailable') return { why: answer };
    const [unknown] = answer.unknown;
    if (unknown) return { why: unknown.reason };
    const covered = answer.places.map(({ covered: [count = 0] }) => count > 0);
    const outcome = { exons: { before: 0, coveredNow: 0 }, sites: { before: 0, coveredNow: 0 } };
    for (const [i, { site }] of holes.entries()) {
      const part = outcome[site === undefined ? 'exons' : 'sites'];
      part.before += 1;
      if (covered[i]) part.coveredNow += 1;
    }
    return { value: { holes: outcome, alleles: covered.slice(holes.length) } };
  }

  async function matchesNow(): Promise<CaseComparison['matches']> {
    if (patient === undefined) return undefined;
    const matchmaker = find<Services['matchmaker/matches@1']>('matchmaker/matches@1');
    if (matchmaker === undefined) return { why: 'no-plugin' };
    const found = (await matchmaker.matchesOf({ principal, id }, [patient])).get(patient);
    return found === undefined ? { why: 'no-patient' } : { value: found.map((one) => one.id) };
  }

  async function countsNow(): Promise<Compared<readonly (readonly AlleleCounts[] | undefined)[]>> {
    const beacon = find<Services['beacon/counts@1']>('beacon/counts@1');
    if (beacon === undefined) return { why: 'no-plugin' };
    if (alleles.length === 0) return { value: [] };
    const counts = await beacon.counts({ principal, id }, build, alleles, signal);
    return counts.some((one) => one && one.length > 0) ? { value: counts } : { why: 'no-dataset' };
  }
}

/** The reference bases of an allele; one base of an insertion. */
function stretchOf({ chromosome, start, reference }: BuildAllele) {
  return { chromosome, start, end: start + Math.max(1, reference.length) };
}

function touches(hole: Hole, allele: BuildAllele): boolean {
  const { chromosome, start, end } = stretchOf(allele);
  return hole.chromosome === chromosome && hole.start < end && start < hole.end;
}
