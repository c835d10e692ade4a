/** Compares a registered sample with others (its file, and its calls), and says what was found. */
import type { Tenant } from '../../../core/plugin.js';
import type {
  CallsFigures,
  NestedFigures,
  NewFinding,
  RegisteredSample,
  SampleFinding,
  SampleRepository,
} from '../contract.js';
import type { Warning } from '../measure/measure.js';
import type { CoverageSources } from '../measure/sources.js';
import { type CallsTools, compareCalls } from './calls-fit.js';
import type { CheckControl } from './changes.js';
import { type FileComparisonTools, nestedFilesOf } from './nested-files.js';

export interface ComparisonTools extends FileComparisonTools, CallsTools {
  samples: Pick<SampleRepository, 'find' | 'list' | 'runs' | 'runsFrom' | 'note' | 'findings'>;
}

/** Samples and datasets of two tenants are not compared. */
export function comparingOf({
  tenants,
  ...tools
}: Omit<ComparisonTools, 'areOfOneTenant' | 'sources'> & {
  sources: CoverageSources;
  tenants: readonly Tenant[];
}): ComparisonTools {
  const areOf = (tenant: Tenant, paths: readonly string[]) => {
    const own = tools.sources.within([tenant]);
    return paths.every((path) => own.has(path));
  };
  const areOfOneTenant: ComparisonTools['areOfOneTenant'] = (dataset, paths) =>
    tenants.length === 0 ||
    tenants.some((one) => (dataset === undefined || one.datasets.includes(dataset)) && areOf(one, paths));
  return { ...tools, areOfOneTenant };
}

/** Compares a sample whose check succeeded, unless that was done since; calls again unless they fitted, as they may be others by now. */
export async function compareSample(
  sample: RegisteredSample,
  control: CheckControl,
  tools: ComparisonTools,
): Promise<void> {
  const { samples } = tools;
  if (sample.state !== 'ready') return;
  const known = (await samples.findings([sample.id])).filter((finding) => finding.sample === sample.id);
  const isCompared = known.some(({ kind }) => kind === 'nested');
  if (isCompared && !known.some(({ kind, figures }) => kind === 'calls' && figures?.outcome !== 'fits')) return;
  if (!isCompared) {
    const nested = await nestedFilesOf(sample, tools, control);
    const found = nested.map(({ other: { id, revision }, ...figures }) => ({ other: { id, revision }, figures }));
    // Without figures if there is none: it is not looked for again.
    await samples.note(sample, 'nested', found.length > 0 ? found : [{}]);
  }
  await compareCalls(sample, tools, control.signal);
}

export interface FindingWarning extends Warning {
  /** The other sample that it names. */
  other?: string;
}

/**
 * What holds of samples, by id, in sentences. Other samples, which are of the same tenant, are named only if `seen` finds them;
 * if it is omitted, only if they are among these.
 */
export async function findingWarnings(
  ids: readonly string[],
  samples: Pick<SampleRepository, 'findings'>,
  seen?: Pick<SampleRepository, 'find'>,
): Promise<ReadonlyMap<string, readonly FindingWarning[]>> {
  const found = await samples.findings(ids);
  const named = found.flatMap(({ sample, other }) => (other === undefined ? [] : [sample, other.id]));
  const visible = new Set(seen === undefined ? ids : (await seen.find([...new Set(named)])).map(({ id }) => id));
  const warnings = new Map<string, Map<string, FindingWarning>>(ids.map((id) => [id, new Map()]));
  for (const finding of found) {
    const { sample, other, kind } = finding;
    const sides =
      other === undefined || kind === 'calls'
        ? [[sample, other?.id]]
        : [
            [sample, other.id],
            [other.id, sample],
          ];
    for (const [id = '', beside] of sides) {
      const shown = beside !== undefined && visible.has(beside) ? beside : undefined;
      const warning = warningOf(finding, id, shown);
      if (warning === undefined) continue;
      warnings.get(id)?.set(warning.message, { ...warning, ...(shown !== undefined && { other: shown }) });
    }
  }
  return new Map([...warnings].map(([id, own]) => [id, [...own.values()]]));
}

function warningOf(finding: SampleFinding, id: string, other: string | undefined): Warning | undefined {
  if (finding.figures === undefined) return undefined;
  if (finding.kind === 'calls') {
    const { outcome, reason } = finding.figures;
    const code = outcome === 'elsewhere' ? 'calls-elsewhere' : reason === 'none' ? 'calls-misfit' : 'calls-untold';
    return outcome === 'fits' ? undefined : { code, message: callsSentence(finding.figures, other) };
  }
  return { code: 'nested-file', message: nestedSentence(finding.figures, id, other) };
}

function nestedSentence({ inner, share, places }: NestedFigures, id: string, other = 'another sample'): string {
  const [one, whole] = inner === id ? ['This file', `that of ${other}`] : [`The file of ${other}`, 'this one'];
  const percent = (100 * share).toFixed(share < 0.1 ? 1 : 0);
  return (
    `${one} was made from ${whole}, or both from the same reads: it covers no base that the other does not, and has ${percent} % of its ` +
    `depth with less scatter than files of two samples have (${places} places). This shows whose file it is, not whose ` +
    'sample: were samples mixed up?'
  );
}

/** The other sample is named if it is given. */
export function callsSentence(
  { dataset, outcome, reason = 'none', places, own = 0, best = 0 }: CallsFigures,
  other?: string,
): string {
  const at = `at ${places} places`;
  const [ofOwn, ofBest] = [own, best].map((correlation) => correlation.toFixed(2).replace('-', '−'));
  if (outcome === 'fits') return `The calls of dataset ${dataset} fit the coverage file: r = ${ofOwn} ${at}`;
  if (outcome === 'elsewhere') {
    const whose = other === undefined ? 'another sample of the assay' : `sample ${other}`;
    const how = best > own ? 'better than' : 'as well as';
    return (
      `The depths of the calls of dataset ${dataset} fit the coverage file of ${whose} ${how} its own: r = ${ofBest}, own ` +
      `${ofOwn}, ${at}. Were samples mixed up?`
    );
  }
  const reasons = {
    few: `only ${places} places can be compared`,
    uniform: 'too many places have one depth, as capped depths do',
    alone: 'no other sample of its assay and build is registered',
    none: `the calls fit neither it (r = ${ofOwn}) nor another of the assay (at most ${ofBest}) ${at}`,
  };
  return `Whether the calls of dataset ${dataset} belong to the coverage file could not be told: ${reasons[reason]}`;
}

/** What another plugin is told of calls. */
export function callsFitOf(id: string, { other, figures }: NewFinding<'calls'>, names: boolean) {
  if (figures === undefined) return [];
  const { outcome } = figures;
  return [{ sample: id, outcome, message: callsSentence(figures, names ? other?.id : undefined) }];
}
