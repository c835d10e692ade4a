/** Compares the registered samples of a report with their cohorts. */
import { Comparison, type TargetGroup } from '../../cohorts/compare.js';
import type { MeasuringServices } from '../../services.js';
import { isIncomplete, isLeftOut, type Measurement, type ReportData } from '../data.js';
import type { PageRequest } from '../form/request.js';

/** Which targets are compared: those of an export of gaps are compared gap by gap. */
export type ComparedTargets = 'all' | 'incomplete' | 'none';

/** The overview shows the incomplete intervals alone, the other pages all. */
export function comparedTargetsOf(page: PageRequest['page'], compared: ComparedTargets): ComparedTargets {
  return compared === 'incomplete' && page !== 'overview' ? 'all' : compared;
}

/** Genes that are compared as wholes, with the distinct bases of each. */
type ComparedGenes = Iterable<{ group: string; length: number }>;

/** The name of the group of all targets; no gene has it. */
const wholePanel = '';
/** The same without what a sample without Y cannot have. */
const withoutY = ' without Y';

/** The group of the targets that the totals of a sample are of. */
export function panelGroup(one: Measurement | undefined): string {
  return one?.copies?.lacksY ? withoutY : wholePanel;
}

/** Undefined if no sample is registered, or if the targets are lines of a BED file, of which no values are stored. */
export async function comparisonOf(
  services: Pick<MeasuringServices, 'cohorts' | 'members' | 'shared'>,
  data: ReportData,
  which: ComparedTargets,
  genes: ComparedGenes | undefined,
  signal: AbortSignal,
): Promise<Comparison | undefined> {
  const { request, level } = data;
  const samples = data.samples.flatMap(({ sample: { name, registration }, depths, fingerprint }) => {
    if (registration === undefined) return [];
    const isSameFile = fingerprint === registration.fingerprint;
    return [{ name, id: registration.id, isSameFile, depths: depths.targets }];
  });
  if (samples.length === 0 || request.type === 'custom_intervals') return undefined;
  const places: number[] = [];
  for (let at = 0; at < data.targets.length && which !== 'none'; at++) {
    if (which === 'all' || isIncomplete(data, at)) places.push(at);
  }
  const question = {
    build: request.build,
    threshold: request.level,
    level,
    samples,
    members: await services.members(request.build, signal),
    shared: await services.shared(request.build, signal),
    isPooled: request.poolAssays,
    targets: data.targets,
    places,
    groups: which === 'all' && request.page === 'report' ? groupsOf(data, places, genes) : [],
  };
  return Comparison.of(services.cohorts, question, signal);
}

/** The genes of the report's table, and all targets together. */
function groupsOf(data: ReportData, places: readonly number[], genes: ComparedGenes | undefined): TargetGroup[] {
  const byGene = new Map<string, { places: number[]; length: number }>();
  for (const { group, length } of genes ?? []) byGene.set(group, { places: [], length });
  for (const at of places) byGene.get(data.targets.at(at)?.group ?? '')?.places.push(at);
  const all = { name: wholePanel, places, length: data.bases ?? data.samples[0]?.depths.pooled.length ?? 0 };
  const lacking = data.samples.find(({ copies }) => copies?.lacksY);
  const others = lacking && {
    name: withoutY,
    places: places.filter((at) => !isLeftOut(data, lacking, at)),
    length: lacking.depths.pooled.length,
  };
  return [...[...byGene].map(([name, gene]) => ({ name, ...gene })), all, ...(others ? [others] : [])];
}
