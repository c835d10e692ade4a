/** Compares the registered samples of a report with their cohorts. */
import { Comparison, type TargetGroup } from '../comparison/compare.js';
import { mapped } from '../domain/list.js';
import type { Region } from '../domain/region.js';
import type { MeasuringServices } from '../services.js';
import { exonicLength, exonicRegions, isCoding } from './coding.js';
import type { GapColumns } from './gaps.js';
import type { IncompleteGenes } from './incomplete-genes.js';
import { isIncomplete, isLeftOut, type Measurement, type ReportData } from './report-data.js';
import type { ReportTarget } from './target.js';

/** Which targets are compared: those of an export of gaps are compared gap by gap. */
export type ComparedTargets = 'all' | 'incomplete' | 'none';

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
  genes: IncompleteGenes | undefined,
  signal: AbortSignal,
): Promise<Comparison | undefined> {
  const { request, level } = data;
  // Values of cohorts are those of exons: coding bases are compared by the exons of their transcripts.
  const isOfCoding = request.type === 'coding';
  const targets = isOfCoding ? mapped(data.targets, (target) => ({ regions: exonicRegions(target) })) : data.targets;
  const samples = data.samples.flatMap(({ sample: { name, registration }, depths, fingerprint }) => {
    if (registration === undefined) return [];
    return [
      {
        ...{ name, id: registration.id, isSameFile: fingerprint === registration.fingerprint },
        depths: depths.beside.exonic?.targets ?? depths.targets,
      },
    ];
  });
  if (samples.length === 0 || request.type === 'custom_intervals') return undefined;
  const places: number[] = [];
  for (let at = 0; at < targets.length && which !== 'none'; at++) {
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
    targets,
    places,
    groups: which === 'all' && request.page === 'report' ? groupsOf(data, places, genes) : [],
  };
  return Comparison.of(services.cohorts, question, signal);
}

/** The genes of the report's table, and all targets together. */
function groupsOf(data: ReportData, places: readonly number[], genes: IncompleteGenes | undefined): TargetGroup[] {
  const byGene = new Map<string, { places: number[]; length: number }>();
  for (const { group, length, exonic } of genes ?? []) {
    byGene.set(group, { places: [], length: exonic?.length ?? length });
  }
  for (const at of places) byGene.get(data.targets.at(at)?.group ?? '')?.places.push(at);
  const isOfCoding = data.request.type === 'coding';
  const whole = data.bases ?? data.samples[0]?.depths.pooled.length ?? 0;
  const all = { name: wholePanel, places, length: isOfCoding ? exonicLength(data.targets) : whole };
  const lacking = data.samples.find(({ copies }) => copies?.lacksY);
  const others = lacking && {
    name: withoutY,
    places: places.filter((at) => !isLeftOut(data, lacking, at)),
    length: isOfCoding
      ? exonicLength([...data.targets].filter((_, at) => !isLeftOut(data, lacking, at)))
      : lacking.depths.pooled.length,
  };
  return [...[...byGene].map(([name, gene]) => ({ name, ...gene })), all, ...(others ? [others] : [])];
}

/** Compares the intervals of these gaps, if anything is compared. */
export async function compareGaps(
  { comparison }: ReportData,
  gaps: Iterable<{ target: ReportTarget; gaps: readonly (readonly Region[])[] }> | GapColumns,
  signal: AbortSignal,
): Promise<void> {
  if (comparison === undefined) return;
  const intervals: (readonly Region[])[] = [];
  for (const { target, gaps: bySample } of gaps) {
    for (const gap of bySample.flat()) intervals.push(intervalOfGap(target, gap));
  }
  await comparison.addGaps(intervals, signal);
}

/** The interval that decides of which kind a gap is: the exon with most of its bases, else the whole target. */
export function intervalOfGap(target: ReportTarget, gap: Region): readonly Region[] {
  const { model, regions } = target;
  if (model === undefined) return regions;
  const shared = (exon: Region) => Math.min(exon.end, gap.end) - Math.max(exon.start, gap.start);
  // Splice bases belong to the exon that is nearest.
  const some = isCoding(target) ? model.exons.slice() : model.exons.filter((exon) => shared(exon) > 0);
  const [best] = some.sort((a, b) => shared(b) - shared(a));
  return best === undefined ? regions : [best];
}
