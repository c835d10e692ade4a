/**
 * Asks statements again: gathers what is known, takes baselines of new statements, computes findings, and reconciles them with those
 * that are stored. It may run for all statements or those that a change touched, again after any failure, and beside another run.
 */
import { setImmediate } from 'node:timers/promises';
import { step } from '../../../core/plugin.js';
import type { Services } from '../../services/services.js';
import type {
  Baseline,
  CaseFinding,
  CaseKey,
  ComputedCase,
  ComputedFinding,
  ReviewRepository,
  Statement,
  Touched,
} from '../contract.js';
import type { CaseEvidence, ChangedCases, Gather, Gatherer, KnownCase, PassingRules } from '../evidence/evidence.js';
import { type GatherTools, gatherer } from '../evidence/gather.js';
import { type AskGenes, askingGenes, formerGenes } from '../evidence/panel-genes.js';
import { PanelVersions } from '../evidence/panel-versions.js';
import { baselineOf } from '../rules/baseline.js';
import type { FoundFinding } from '../rules/drafts.js';
import { findingsOf } from '../rules/findings.js';
import { GeneRows, HoleRows } from '../rules/groups.js';
import { defaultRules, isCommon, passingAlleles } from '../rules/passing.js';
import { situationOf } from '../rules/situation.js';
import type { ReviewSettings } from '../settings.js';
import { Guard, type GuardRules, guardRules } from './guard.js';

export interface RunTools {
  repository: ReviewRepository;
  gather: Gatherer;
  genesNow: AskGenes;
  versions(): Promise<Pick<PanelVersions, 'of'>>;
  rules: PassingRules;
  guard: GuardRules;
  now(): Date;
}

export interface AssumingTools extends RunTools {
  /** Asks these services in the place of others. */
  assuming(services: Partial<Services>): RunTools;
}

/** In a server or a command. */
export function runTools(
  { repository, now, find, tenants }: Pick<GatherTools, 'find' | 'tenants'> & Pick<RunTools, 'repository' | 'now'>,
  { populationFrequency }: ReviewSettings,
): AssumingTools {
  const rules = { ...defaultRules, populationFrequency };
  const toolsOf = (finding: GatherTools['find']): RunTools => {
    const passing: GatherTools['passing'] = (statement, evidence) => passingAlleles(statement, evidence, rules);
    const common: GatherTools['isCommon'] = (allele) => isCommon(allele, rules);
    const gathering = { find: finding, tenants, repository, rules, passing, isCommon: common };
    const versions = async () => new PanelVersions(await finding('panels/versions@1'), { tenants });
    const asking = { gather: gatherer(gathering), genesNow: askingGenes(gathering), versions };
    return { repository, ...asking, rules, guard: guardRules, now };
  };
  return { ...toolsOf(find), assuming: (services) => toolsOf((key) => services[key] ?? find(key)) };
}

/** All statements that are watched if all are omitted. */
export interface RunScope {
  touched?: Touched | undefined;
  /** Those that changes of calls and annotations concern. */
  changed?: true | undefined;
  case?: CaseKey | undefined;
  /** Only rows about genes of panels: no evidence of cases is gathered. */
  genes?: true | undefined;
}

export interface RunControl {
  signal: AbortSignal;
  /** 0 to 1. */
  progress?(fraction: number): void;
  giveWay?(): Promise<void>;
}

export interface RunResult {
  cases: number;
  opened: number;
  gone: number;
  /** Ids of changes that wait for a person. */
  held: string[];
  /** Cases that have no baseline yet: something could not be read now, or another run took it meanwhile. */
  unlooked: number;
}

/** Statements that are read together, and whose evidence is in memory together. */
export const [portion, slice] = [500, 50];

export async function run(tools: RunTools, scope: RunScope, control: RunControl): Promise<RunResult> {
  const gather = tools.gather();
  const isPart = scope.touched ?? scope.case ?? scope.genes;
  const changed = isPart ? undefined : await gather.takeChanged?.(!scope.changed, control.signal);
  try {
    return await runWith({ ...tools, gather }, scope, scope.changed && changed, control);
  } catch (error) {
    changed?.giveBack();
    throw error;
  }
}

type RunningTools = Omit<RunTools, 'gather'> & { gather: Gather };

/** `only`: of the cases of the scope. */
async function runWith(
  tools: RunningTools,
  scope: RunScope,
  only: ChangedCases | undefined,
  control: RunControl,
): Promise<RunResult> {
  const { repository } = tools;
  const at = tools.now();
  if (scope.genes) {
    for (const [kind, rows] of await geneRows(tools, control)) await repository.replaceGroups(kind, rows, at);
    return { cases: 0, opened: 0, gone: 0, held: [], unlooked: 0 };
  }
  const watched = await repository.countWatched(at);
  const guard = new Guard(await repository.held(), watched, tools.guard, at);
  const result: RunResult = { cases: 0, opened: 0, gone: 0, held: [], unlooked: 0 };
  const [holes, genes] = [new HoleRows(), new GeneRows()];
  const former: RunNotes['former'] = new Map();
  let waiting: AskedCase[] = [];

  /** Stores cases none of whose findings still depends on how many cases a change touches. */
  async function settle(cases: readonly AskedCase[], isOver: boolean): Promise<AskedCase[]> {
    for (const one of cases) one.found = one.found.filter(({ isNew, change }) => !isNew || !guard.holds(change));
    const depends = (one: AskedCase) => one.found.some(({ isNew, change }) => isNew && !guard.isAgreed(change));
    const later = isOver ? [] : cases.filter(depends);
    const ready = isOver ? cases : cases.filter((one) => !depends(one));
    for (let from = 0; from < ready.length; from += portion) {
      const computed = ready.slice(from, from + portion).map(({ found, ...rest }): ComputedCase => {
        return { ...rest, findings: found.map(({ finding }) => finding) };
      });
      for (const { opened, gone } of await repository.replaceFindings(computed, at)) {
        result.opened += opened.length;
        result.gone += gone.length;
      }
      step('reviews.run.replaced');
    }
    return later;
  }

  for await (const all of portionsOf(tools, scope, at, control.signal)) {
    const statements = only ? all.filter((one) => !one.isLookedAt || only.has(one)) : all;
    const cases: AskedCase[] = [];
    for (let from = 0; from < statements.length; from += slice) {
      await control.giveWay?.();
      await setImmediate();
      const some = statements.slice(from, from + slice);
      const notes = { holes, genes, former };
      cases.push(...(await computedCases(tools, some, notes, control.signal)));
    }
    result.unlooked += statements.length - cases.length;
    result.cases += statements.length;
    for (const { owner, case: name, found } of cases)
      for (const { finding, change, isNew } of found)
        if (isNew) guard.add(change, { ...(owner !== undefined && { owner }), case: name }, finding.reason);
    waiting = await settle([...waiting, ...cases], false);
    control.progress?.(watched === 0 ? 1 : Math.min(result.cases / watched, 1));
  }
  for (const change of guard.held()) {
    await repository.hold(change);
    result.held.push(change.id);
    step('reviews.run.held');
  }
  await settle(waiting, true);
  // What waits and would add nothing any more, such as a version of a panel that a newer one replaced, waits for nobody.
  const isFull = (scope.touched ?? scope.case ?? only) === undefined;
  if (isFull) {
    for (const id of guard.outdated()) await repository.settle(id);
    // Rows are about all cases: a run over some of them leaves the number of the others alone.
    if (holes.isComplete) await repository.replaceGroups('hole', holes.rows(), at);
    for (const [kind, rows] of await genes.rows(tools.genesNow, await repository.groups({})))
      await repository.replaceGroups(kind, rows, at);
  }
  return result;
}

/** Rows about genes of panels, by kind. */
export async function geneRows(
  { repository, genesNow, versions: open, now }: Pick<RunTools, 'repository' | 'genesNow' | 'versions' | 'now'>,
  { signal, giveWay }: RunControl,
): ReturnType<GeneRows['rows']> {
  const [genes, versions] = [new GeneRows(), await open()];
  for await (const statements of portionsOf({ repository }, {}, now(), signal)) {
    await giveWay?.();
    for (const statement of statements) genes.add(statement, await versions.of(statement));
  }
  return genes.rows(genesNow, await repository.groups({}));
}

interface AskedCase extends Omit<ComputedCase, 'findings'> {
  /** `isNew`: it would come onto the list. */
  found: (FoundFinding & { isNew: boolean })[];
}

/** The watched statements of a scope, some at a time. */
export async function* portionsOf(
  { repository }: Pick<RunTools, 'repository'>,
  { touched, case: key }: RunScope,
  at: Date,
  signal: AbortSignal,
  size = portion,
): AsyncGenerator<Statement[]> {
  if (key !== undefined) {
    const statement = await repository.find(key);
    if (statement && isWatched(statement, at)) yield [statement];
    return;
  }
  let statements: Statement[] = [];
  for await (const statement of repository.watched(at, touched, signal)) {
    statements.push(statement);
    if (statements.length < size) continue;
    yield statements;
    statements = [];
  }
  if (statements.length > 0) yield statements;
}

export function isWatched({ recontact }: Pick<Statement, 'recontact'>, at: Date): boolean {
  return recontact === 'yes' || (recontact !== 'no' && recontact > at);
}

/** What a run notes of all its cases. */
interface RunNotes {
  holes: HoleRows;
  genes: GeneRows;
  /** By build and content of a version. */
  former: Map<string, NonNullable<Baseline['genes']>>;
}

async function computedCases(
  tools: RunningTools,
  statements: readonly Statement[],
  { holes, genes, former }: RunNotes,
  signal: AbortSignal,
): Promise<AskedCase[]> {
  const { repository, rules, now } = tools;
  const moment = now();
  /** What is so already of the genes of a version; each is asked once in a run. */
  async function genesOf({ build }: Statement, { value: panel }: CaseEvidence['panel']['before']) {
    if (!panel) return undefined;
    const key = `${build} ${panel.sha256}`;
    const found = former.get(key) ?? formerGenes(await tools.genesNow(panel, build));
    former.set(key, found);
    return { genes: found };
  }
  const gathered = await tools.gather(statements, signal);
  const computed: { statement: Statement; reasons: ComputedCase['reasons']; found: FoundFinding[] }[] = [];
  for (const [number, statement] of statements.entries()) {
    const { evidence, common } = gathered[number] as KnownCase;
    if (statement.conclusion !== 'solved') holes.add(statement, evidence);
    genes.add(statement, evidence.panel);
    const taken = statement.baseline ?? baselineOf(statement, evidence, rules, common, now());
    if (!taken) continue;
    const baseline = statement.baseline ?? { ...taken, ...(await genesOf(statement, evidence.panel.before)) };
    if (!statement.baseline) {
      // Another run may have taken one meanwhile: then that run computes the findings.
      if (!(await repository.takeBaseline(statement, statement.revision, baseline))) continue;
      step('reviews.run.baseline');
    }
    computed.push({ statement, ...findingsOf(situationOf(statement, baseline, evidence, rules, common)) });
  }
  const stored = await storedFindings(
    repository,
    computed.flatMap(({ found }) => found.map(({ finding }) => finding.id)),
  );
  return computed.map(({ statement: { owner, case: name, revision }, reasons, found }) => ({
    ...(owner !== undefined && { owner }),
    case: name,
    revision,
    gathered: moment,
    reasons,
    found: found.map((one) => ({ ...one, isNew: isNew(one.finding, stored.get(one.finding.id)) })),
  }));
}

/** Whether it would come onto the list: what is decided and has not changed stays away. */
export function isNew({ rests }: ComputedFinding, stored: CaseFinding | undefined): boolean {
  return stored === undefined || (stored.state === 'gone' && stored.decision?.rests !== rests);
}

export async function storedFindings(
  repository: Pick<ReviewRepository, 'findings'>,
  ids: readonly string[],
): Promise<Map<string, CaseFinding>> {
  const found = new Map<string, CaseFinding>();
  const most = 500;
  for (let from = 0; from < ids.length; from += most) {
    const some = ids.slice(from, from + most);
    for (const finding of await repository.findings({ ids: some, limit: most })) found.set(finding.id, finding);
  }
  return found;
}
