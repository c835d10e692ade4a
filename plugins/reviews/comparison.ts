/**
 * What a reader may know of a case now beside what was so when it was reported: the panel, coverage, how often its alleles were
 * seen, and phenotype terms. Each is asked of another plugin with the reader's rights when a page is opened; what cannot be told
 * has its reason.
 */
import { isFault, type PluginContext, type Principal } from '../../core/plugin.js';
import type { AlleleCounts, Services } from '../services/services.js';
import { alleleKey, type BuildAllele, type CaseFinding, type Hole, type Statement } from './contract.js';

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
  reader: CaseReader,
  statement: Statement,
  findings: readonly CaseFinding[],
): Promise<CaseComparison> {
  const all = [...findings.flatMap(({ allele, evidence }) => [allele ?? [], evidence.second ?? []].flat())];
  const places = new Map([...all, ...statement.alleles].map((place) => [alleleKey(place), place]));
  const alleles = [...places.values()];
  const [panel, coverage, standing, counts, matches, terms] = await Promise.all([
    panelNow(find('panels/versions@1'), reader, statement),
    coverageNow(find('coverage/covered-samples@1'), reader, statement, alleles),
    standingNow(find('coverage/callability@1'), statement),
    countsNow(find('beacon/counts@1'), reader, statement, alleles),
    matchesNow(find('matchmaker/matches@1'), reader, statement),
    find<Services['matchmaker/phenotypes@1']>('matchmaker/phenotypes@1')?.terms(statement.terms),
  ]);
  const { baseline } = statement;
  const isSame = standing !== undefined && baseline?.coverage[standing.sample] === standing.text;
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
}

function touches(hole: Hole, { chromosome, start, reference }: BuildAllele): boolean {
  return hole.chromosome === chromosome && hole.start < start + Math.max(1, reference.length) && start < hole.end;
}

async function panelNow(
  panels: Services['panels/versions@1'] | undefined,
  { principal }: CaseReader,
  { panel: { panel, version } }: Statement,
): Promise<CaseComparison['panel']> {
  if (panels === undefined) return { why: 'no-plugin' };
  const newer = await panels.newerThan(panel, version, principal);
  if (newer) return { value: { version: newer.version, genes: newer.differences.length } };
  const own = await panels.versionOf(`${panel}@${version}`, principal);
  return own === undefined ? { why: 'no-panel' } : { value: undefined };
}

/** What tells whether the coverage of the proband's sample is that of before; undefined if it is unknown. */
async function standingNow(
  coverage: Services['coverage/callability@1'] | undefined,
  statement: Statement,
): Promise<{ sample: string; text: string } | undefined> {
  const sample = probandOf(statement);
  if (sample === undefined) return undefined;
  const [text] = (await coverage?.standings?.([sample])) ?? [];
  return text === undefined ? undefined : { sample, text };
}

function probandOf({ persons }: Pick<Statement, 'persons'>): string | undefined {
  return persons.find(({ role }) => role === 'proband')?.sample;
}

interface CoverageNow {
  holes: ComparedHoles;
  /** By place in the list of alleles: whether the proband's sample covers it. */
  alleles: readonly boolean[];
}

async function coverageNow(
  coverage: Services['coverage/covered-samples@1'] | undefined,
  { principal, id, signal }: CaseReader,
  { build, thresholds, persons, baseline }: Statement,
  alleles: readonly BuildAllele[],
): Promise<Compared<CoverageNow>> {
  if (coverage === undefined) return { why: 'no-plugin' };
  const holes = baseline?.holes ?? [];
  const [threshold = 1] = thresholds;
  const sample = probandOf({ persons });
  if (sample === undefined || holes.length + alleles.length > mostPlaces) return { why: 'too-many' };
  const stretches = [
    ...holes,
    ...alleles.map(({ chromosome, start, reference }) => ({
      chromosome,
      start,
      end: start + Math.max(1, reference.length),
    })),
  ];
  const places = stretches.map(({ chromosome, start, end }) => ({ chromosome, intervals: [{ start, end }] }));
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

async function matchesNow(
  matchmaker: Services['matchmaker/matches@1'] | undefined,
  { principal, id }: CaseReader,
  { patient }: Statement,
): Promise<CaseComparison['matches']> {
  if (patient === undefined) return undefined;
  if (matchmaker === undefined) return { why: 'no-plugin' };
  const found = (await matchmaker.matchesOf({ principal, id }, [patient])).get(patient);
  return found === undefined ? { why: 'no-patient' } : { value: found.map((one) => one.id) };
}

async function countsNow(
  beacon: Services['beacon/counts@1'] | undefined,
  { principal, id, signal }: CaseReader,
  { build }: Statement,
  alleles: readonly BuildAllele[],
): Promise<Compared<readonly (readonly AlleleCounts[] | undefined)[]>> {
  if (beacon === undefined) return { why: 'no-plugin' };
  if (alleles.length === 0) return { value: [] };
  const counts = await beacon.counts({ principal, id }, build, alleles, signal);
  return counts.some((one) => one && one.length > 0) ? { value: counts } : { why: 'no-dataset' };
}
