/**
 * The data of a page as JSON: exact counts, zero-based half-open positions, and nothing rounded but percentages. Long
 * lists are generators: see `json.ts`.
 */
import { completeness, type Depths, meanOfTargets, percentOfShare } from '../../measure/measure.js';
import { type List, numberedMembers } from '../../measure/region.js';
import { sentenceOfUnmeasured } from '../../measure/select.js';
import { contradicts } from '../../measure/sex.js';
import type { Texts } from '../../texts/texts.js';
import { isLeftOut, type Measurement, type ReportData } from '../data.js';
import type { TranscriptDrawing } from '../pages/gene-page.js';
import { incompleteIntervals } from '../pages/overview-pages.js';
import {
  countedTargets,
  hasNothing,
  incompleteCount,
  incompleteGroups,
  type ReportParts,
} from '../pages/report-page.js';
import { cautionData } from '../sections/caution.js';
import { panelGroup } from '../sections/cohorts.js';
import { doseData, mitochondriaData } from '../sections/doses.js';
import { copiesData } from '../sections/expected-copies.js';
import { codingGenes, type ReportOrigin } from '../sections/header.js';
import { type GeneCoverage, type IncompleteGenes, isNotExpected } from '../sections/incomplete-genes.js';
import { rowsOfTargets } from '../sections/interval-tables.js';
import { isWithheld, karyotypeData } from '../sections/karyotype-tables.js';
import { requirementData } from '../sections/requirement.js';
import { intervalOfGap, type TargetGaps } from '../sections/target-gaps.js';
import { hsMetricsData, uniformityData } from '../sections/uniformity-tables.js';
import { uniqueData } from '../sections/unique.js';
import { countedApart, placeNames, type ReportTarget } from '../targets.js';
import {
  chartData,
  cohortsData,
  comparedData,
  depthsData,
  findingData,
  namesData,
  panelData,
  placesData,
  samplesAt,
  siteAssayData,
  siteCountsData,
  siteSetsData,
  sitesData,
} from './json.js';

export interface DataParts extends ReportParts {
  drawn?: TranscriptDrawing;
}

export function reportJson(
  data: ReportData,
  parts: DataParts,
  { version, now, id }: ReportOrigin,
  texts: Texts,
): Record<string, unknown> {
  const { request, samples, thresholds, sets, notMeasured, found } = data;
  return {
    page: request.page,
    case: request.caseName ?? null,
    panel: request.panel ?? null,
    ...(data.panel === undefined ? {} : { panel_version: panelData(data, data.panel) }),
    build: request.build,
    interval_type: request.type,
    ...codingFacts(data),
    transcripts: request.transcripts,
    level: request.level,
    thresholds,
    coordinates: 'zero-based, end excluded',
    software: `Trefoil ${version}`,
    made: now.toISOString(),
    ...(id === undefined ? {} : { report_id: id }),
    interval_sets: sets.map(({ kind, release, checksum, loaded, rows }) => ({
      kind,
      release: release ?? null,
      checksum,
      loaded: loaded.toISOString(),
      rows,
    })),
    ...bedData(data),
    genes_found: found.map(({ asked, by, genes }) => ({
      asked,
      by,
      genes: genes.map(({ ensembl, hgnc, symbol }) => ({ ensembl, hgnc, symbol })),
    })),
    genes_not_found: notMeasured.map((one) => ({
      gene: one.asked,
      reason: one.reason,
      message: sentenceOfUnmeasured(one),
    })),
    warnings: data.quality.warnings.map(({ code, message, samples: names }) => ({ code, message, samples: names })),
    not_checked: data.quality.sexNotChecked.map((name) => ({ sample: name, what: 'declared_sex' })),
    samples_not_included: data.notIncluded.map(({ asked, fileName, fault }) => ({
      name: asked.name,
      file: fileName,
      code: fault.code,
      message: fault.public,
    })),
    ...requirementData(data, parts.requirement),
    samples: samplesData(data, parts),
    ...(data.comparison === undefined ? {} : { cohorts: cohortsData(data.comparison, samples) }),
    ...(data.known === undefined
      ? {}
      : { known_site_sets: siteSetsData(data.known), ...siteAssayData(data.known, data, texts) }),
    ...(request.page === 'overview' ? { incomplete_intervals: incompleteData(data) } : {}),
    intervals: intervalsData(data),
    ...(data.names && { names: namesData(data, data.names) }),
    ...(data.panelPlaces?.measured.length && {
      panel_regions: placesData(data, data.panelPlaces, parts.placeGaps ?? []),
    }),
    ...(data.caution && cautionData(data.caution)),
    ...(parts.genes === undefined ? {} : { incomplete_genes: genesData(parts.genes, data) }),
    ...(parts.charts === undefined ? {} : { runs: parts.charts.map(chartData) }),
    ...(parts.gaps === undefined ? {} : { gaps: gapsData(parts.gaps.list, data) }),
    ...(data.known === undefined ? {} : { known_sites: sitesData(data.known, data) }),
    ...(parts.drawn === undefined ? {} : { plot: plotData(parts.drawn, samples) }),
  };
}

function* intervalsData(data: ReportData): Generator<unknown> {
  for (const [at, target] of numberedMembers(data.targets)) {
    const coding = target.coding?.map(({ start, end }) => [start, end]);
    const samples = samplesAt(data, at, (found, isExpected, unique) =>
      depthsData(found, data.thresholds, isExpected, unique),
    );
    yield Object.assign(targetData(target), coding === undefined ? {} : { coding }, { samples });
  }
}

/** The rows of the overview, in its order; `intervals` has them among all others, with every threshold. */
function* incompleteData(data: ReportData): Generator<unknown> {
  const { level } = data;
  for (const { target, at } of rowsOfTargets(data, incompleteIntervals(data))) {
    const { gene, interval, transcript, exon, chromosome, start, end } = targetData(target);
    const { length = 0 } = data.samples[0]?.depths.targets.at(at) ?? {};
    const samples = samplesAt(data, at, (found, isExpected, unique) => {
      const shareOf = (depths: Depths) => (isExpected ? percentOfShare(completeness(depths, level)) : null);
      return {
        ...{ bases_at_level: found.reached[level] ?? 0, percent: shareOf(found) },
        ...(unique && { unique_bases_at_level: unique.reached[level] ?? 0, unique_percent: shareOf(unique) }),
      };
    });
    yield { gene, interval, transcript, exon, chromosome, start, end, length, samples };
  }
}

/** Distinct bases of each gene with incomplete coverage, and those at or above the coverage threshold. */
function* genesData(genes: IncompleteGenes, { samples, comparison }: ReportData): Generator<unknown> {
  for (const [gene, one] of numberedMembers(genes)) {
    const { group, length, lengths, reached, unique, coding, exonic, isNonCoding } = one;
    const own = samples.map((one, i): [string, unknown] => {
      const isExpected = !isNotExpected(genes, gene, one);
      const without = length - (lengths[i] ?? length);
      return [
        one.sample.name,
        {
          ...(!isExpected && { not_expected: true }),
          ...(without > 0 && { not_expected_bases: without }),
          ...partData('', { lengths, reached }, i, isExpected),
          ...(unique?.[i] !== undefined &&
            partData('unique_', { lengths, reached: unique.map(Number) }, i, isExpected)),
          ...partData('coding_', coding, i, isExpected),
          ...partData('exonic_', exonic, i, isExpected),
          ...comparedData(comparison?.ofGroup(one.sample.name, group)),
        },
      ];
    });
    const parts = { coding_length: coding?.length, exonic_length: exonic?.length, non_coding: isNonCoding };
    const beside = exonic === undefined ? {} : parts;
    yield { gene: group, length, ...beside, samples: Object.fromEntries(own) };
  }
}

/** Of all counted bases, of the coding bases alone, or of all exonic ones. There is no percentage of bases that a sample cannot have. */
function partData(
  name: '' | 'unique_' | 'coding_' | 'exonic_',
  part: Pick<GeneCoverage, 'lengths' | 'reached'> | undefined,
  i: number,
  isExpected: boolean,
) {
  if (part === undefined) return {};
  const length = part.lengths[i] ?? 0;
  return {
    [`${name}bases_at_level`]: part.reached[i] ?? 0,
    [`${name}percent`]:
      length === 0 || !isExpected ? null : percentOfShare(completeness({ length, reached: part.reached }, i)),
  };
}

function* samplesData(data: ReportData, parts: DataParts): Generator<unknown> {
  for (let i = 0; i < data.samples.length; i++) yield sampleData(data, i, parts);
}

function sampleData(data: ReportData, i: number, { curves, uniformity }: DataParts) {
  const { samples, thresholds } = data;
  const one = samples[i] as Measurement;
  const { sample, fileName, fingerprint, depths, sex } = one;
  const [incomplete, counted] = [incompleteCount(data, i), countedTargets(data, i)];
  const curve = curves?.[i];
  const isHidden = isWithheld(data, i, data.seesAneuploidy === true);
  const isExpected = !hasNothing(data, i);
  return {
    name: sample.name,
    case_name: sample.caseName ?? null,
    analysis_date: sample.analysed ?? null,
    file: fileName,
    fingerprint,
    ...(one.unique && uniqueData(data, one)),
    ...depthsData(depths.pooled, thresholds, isExpected, depths.unique?.pooled),
    ...(data.request.type === 'coding' ? { counted: apartData(data, one, isExpected) } : {}),
    ...comparedData(data.comparison?.ofGroup(sample.name, panelGroup(one))),
    mean_of_intervals: isExpected ? meanOfTargets(depths, (at) => !isLeftOut(data, one, at)) : null,
    fully_covered_percent: counted > 0 ? percentOfShare((counted - incomplete) / counted) : isExpected ? 0 : null,
    ...(depths.unique &&
      counted > 0 && {
        unique_fully_covered_percent: percentOfShare((counted - incompleteCount(data, i, depths.unique)) / counted),
      }),
    intervals: counted,
    incompletely_covered: incomplete,
    incompletely_covered_genes: incompleteGroups(data, i),
    ...copiesData(data, one),
    ...siteCountsData(data.known, i),
    ...(sex === undefined
      ? {}
      : {
          x_coverage: isHidden ? null : sex.xCoverage,
          y_coverage: isHidden ? null : sex.yCoverage,
          autosome_coverage: sex.autosomeCoverage,
          x_ratio: isHidden ? null : (sex.xRatio ?? null),
          y_ratio: isHidden ? null : (sex.yRatio ?? null),
          predicted_sex: sex.sex,
          declared_sex: sample.sex ?? null,
          sex_mismatch: sample.sex !== undefined && contradicts(sex.sex, sample.sex),
        }),
    ...karyotypeData(data, i),
    ...hsMetricsData(data, sample.name),
    ...doseData(data.doses?.get(sample.name)),
    ...mitochondriaData(data, i),
    ...uniformityData(uniformity?.[i]),
    ...(curve === undefined ? {} : { cumulative_coverage: { depths: curve.depths, shares: curve.shares } }),
  };
}

/** The member `bed_file`, or with labels `bed_files` of a report with several. */
function bedData({ beds }: ReportData) {
  const isOne = beds.length === 1;
  const files = beds.map(({ name = null, label, checksum, lines }) => {
    return { name, ...(!isOne && { label }), checksum, lines };
  });
  return files.length === 0 ? {} : isOne ? { bed_file: files[0] } : { bed_files: files };
}

/** How the bases of a report by coding bases are counted. */
function codingFacts(data: ReportData) {
  const { request } = data;
  if (request.type !== 'coding') return request.orExons ? { coding_bases: 'unknown' } : {};
  const { nonCoding, open } = codingGenes(data);
  return {
    splice_bases: request.splice,
    non_coding_genes: nonCoding,
    incomplete_coding_sequences: open.map(({ gene, transcript, open: missing }) => ({ gene, transcript, missing })),
  };
}

function apartData({ thresholds }: ReportData, one: Measurement, isExpected: boolean) {
  const { coding, splice, nonCoding } = countedApart(one.depths);
  const unique = one.depths.unique && countedApart(one.depths.unique);
  return {
    coding: depthsData(coding, thresholds, isExpected, unique?.coding),
    splice: depthsData(splice, thresholds, isExpected, unique?.splice),
    non_coding: depthsData(nonCoding, thresholds, isExpected, unique?.nonCoding),
  };
}

function targetData({
  group,
  id,
  transcript,
  exon,
  refseq,
  maneSelect,
  manePlusClinical,
  place,
  regions,
  file,
}: ReportTarget) {
  return {
    gene: group,
    interval: id,
    transcript: transcript ?? null,
    exon: exon ?? null,
    refseq,
    mane_select: maneSelect,
    mane_plus_clinical: manePlusClinical,
    chromosome: place.chromosome,
    start: place.start,
    end: place.end,
    regions: regions.map(({ start, end }) => [start, end]),
    ...(file !== undefined && { bed_file: file }),
  };
}

function* gapsData(gaps: List<TargetGaps>, data: ReportData): Generator<unknown> {
  for (const one of gaps) yield* gapData(one, data);
}

/** `exon` is the number of the gap's exon; null if unknown, or if the gap spans adjacent exons. */
function gapData({ target, at, gaps }: TargetGaps, data: ReportData) {
  const { samples, comparison, caution } = data;
  const namesOf = placeNames(target);
  return gaps.flatMap((list, i) => {
    const one = samples[i];
    if (one === undefined || isLeftOut(data, one, at)) return [];
    return list.map((gap) => {
      const { exon, coding } = namesOf(gap);
      const finding = comparison?.ofGap(one.sample.name, intervalOfGap(target, gap));
      return {
        gene: target.group,
        interval: target.id,
        transcript: target.transcript ?? null,
        exon: /^\d+$/.test(exon) ? Number(exon) : null,
        coding: coding ?? null,
        sample: one.sample.name,
        chromosome: gap.chromosome,
        start: gap.start,
        end: gap.end,
        length: gap.end - gap.start,
        ...(caution && { caution: caution.namesAt(gap) }),
        ...(finding === undefined ? {} : { finding: findingData(finding) }),
      };
    });
  });
}

function plotData({ transcript, layout, bins, gaps }: TranscriptDrawing, samples: readonly Measurement[]) {
  return {
    transcript: transcript.ensembl,
    reverse: layout.reverse,
    coding: layout.coding?.map(({ start, end }) => [start, end]) ?? null,
    pieces: layout.pieces.map(({ kind, start, end, rank }) => ({ kind, start, end, rank: rank ?? null })),
    samples: samples.map(({ sample }, i) => ({
      name: sample.name,
      bins: (bins[i] ?? []).map((own) => own.map(({ start, end, mean, min }) => ({ start, end, mean, min }))),
      gaps: (gaps[i] ?? []).map(({ start, end }) => [start, end]),
    })),
  };
}
