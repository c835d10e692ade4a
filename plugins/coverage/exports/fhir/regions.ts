/** The regions of a report that a sample covers at the coverage threshold, and those that it does not. */
import { Fault } from '../../../../core/plugin.js';
import { type List, numbered } from '../../domain/list.js';
import { Pace } from '../../domain/pace.js';
import type { Region } from '../../domain/region.js';
import { RegionColumns } from '../../domain/region-columns.js';
import type { TargetGaps } from '../../report/gaps.js';
import type { ReportData } from '../../report/report-data.js';

/** Regions of all files of one document together: each is text within the document. */
const mostRegions = 2_000_000;

/** Regions that are written before other requests get their turn. */
const atOnce = 2000;

/** Every base of the report once. */
export async function studiedRegions({ targets, samples }: ReportData, gaps: List<TargetGaps>): Promise<RegionColumns> {
  const regions = new RegionColumns(targets.length);
  const pace = new Pace();
  for (const [i, target] of numbered(targets)) {
    if (i % atOnce === 0) await pace.turn();
    for (const region of target.regions) regions.push(region);
  }
  const studied = regions.union();
  let below = 0;
  for (const [i, one] of numbered(gaps)) {
    if (i % atOnce === 0) await pace.turn();
    for (const own of one.gaps) below += own.length;
  }
  // A gap that splits a region leaves one more of them that is covered.
  if (studied.length * (1 + samples.length) + 2 * below > mostRegions) {
    const most = mostRegions.toLocaleString('en');
    throw new Fault(
      'too-large',
      `The report has more than ${most} regions, which FHIR documents may have at most; choose fewer, or the format bed or json`,
    );
  }
  return studied;
}

/** Every base below the threshold once. */
export async function uncalledRegions(gaps: List<TargetGaps>, sample: number): Promise<RegionColumns> {
  const regions = new RegionColumns();
  const pace = new Pace();
  for (const [i, one] of numbered(gaps)) {
    if (i % atOnce === 0) await pace.turn();
    for (const gap of one.gaps[sample] ?? []) regions.push(gap);
  }
  return regions.union();
}

/** BED lines, zero-based half-open, after a comment. */
export async function bedText(comment: string, regions: Iterable<Region>): Promise<{ text: string; regions: number }> {
  const pace = new Pace();
  let text = `# ${comment}\n`;
  let count = 0;
  for (const { chromosome, start, end } of regions) {
    text += `${chromosome}\t${start}\t${end}\n`;
    count += 1;
    if (count % atOnce === 0) await pace.turn();
  }
  return { text, regions: count };
}
