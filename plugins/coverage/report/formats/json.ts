/**
 * Cohorts, panels, control charts and known sites as JSON, nothing rounded; and the text of long lists, in pieces, with pauses
 * for other requests.
 */
import type { Comparison } from '../../cohorts/compare.js';
import { type ChartRun, type Drift, hasDrifted, type RunChart } from '../../cohorts/runs.js';
import type { CohortStatement } from '../../cohorts/statistics.js';
import type { GapFinding, TargetComparison } from '../../cohorts/target-comparison.js';
import { completeness, type Depths, isComplete, percentOfShare } from '../../measure/measure.js';
import { type List, numberedMembers } from '../../measure/region.js';
import { Pace } from '../../measure/work-queue.js';
import { type KnownSites, kindOfHole } from '../../sites/report-sites.js';
import type { Texts } from '../../texts/texts.js';
import { isLeftOut, type Measurement, type ReportData } from '../data.js';
import { type LineNames, namesLayer } from '../form/bed-lines.js';
import { ofLayer } from '../layers.js';
import { geneId, genesBeside, type PanelUse, panelReference, type ReportPanel, uncoveredEntries } from '../panel.js';
import type { PanelPlaces } from '../panel-places.js';
import { ofPlaces } from '../sections/panel-places.js';
import { notStoredText } from '../sections/site-tables.js';
import type { TargetGaps } from '../sections/target-gaps.js';

/** Least length of one piece, in characters. Much longer strings would stay in memory until a full garbage collection. */
const pieceLength = 32_768;

/** An object whose long lists are generators. */
export async function* jsonText(data: Readonly<Record<string, unknown>>): AsyncGenerator<string> {
  let text = '{';
  for (const [i, [key, value]] of Object.entries(data).entries()) {
    text += `${i === 0 ? '' : ','}${JSON.stringify(key)}:`;
    if (isGenerator(value)) {
      yield text;
      yield* listText(value);
      text = '';
    } else text += JSON.stringify(value);
  }
  yield `${text}}`;
}

export async function* listText(values: Iterable<unknown>): AsyncGenerator<string> {
  const pace = new Pace();
  let text = '[';
  let separator = '';
  for (const value of values) {
    text += separator + JSON.stringify(value);
    separator = ',';
    if (text.length < pieceLength) continue;
    yield text;
    text = '';
    await pace.turn();
  }
  yield `${text}]`;
}

function isGenerator(value: unknown): value is Generator<unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Symbol.iterator in value;
}

// Figures of a sample as JSON: exact counts, and nothing rounded but percentages.

/** By name, what is stated of a target in each sample that has it in its file. */
export function samplesAt(
  data: ReportData,
  at: number,
  figures: (found: Depths, isExpected: boolean, unique: Depths | undefined) => object,
) {
  const own = data.samples.flatMap((one): [string, unknown][] => {
    const { name } = one.sample;
    const found = one.depths.targets.at(at);
    if (found === undefined) return [];
    const isExpected = !isLeftOut(data, one, at);
    const stated = {
      ...(!isExpected && { not_expected: true }),
      ...figures(found, isExpected, one.depths.unique?.targets.at(at)),
    };
    return [[name, { ...stated, ...comparedData(data.comparison?.ofTarget(name, at)) }]];
  });
  return Object.fromEntries(own);
}

/** Of what a sample cannot have, counts alone: it is neither covered nor not. `unique` are the depths of the same bases by unique reads. */
export function depthsData(
  depths: Depths,
  thresholds: readonly number[],
  isExpected: boolean,
  unique?: Depths,
): object {
  const byThreshold = <Value>(value: (i: number) => Value) =>
    Object.fromEntries(thresholds.map((threshold, i) => [String(threshold), value(i)]));
  return {
    length: depths.length,
    mean_coverage: isExpected || depths.length > 0 ? depths.mean : null,
    bases_at: byThreshold((i) => depths.reached[i] ?? 0),
    completeness: byThreshold((i) => (isExpected ? completeness(depths, i) : null)),
    completeness_percent: byThreshold((i) => (isExpected ? percentOfShare(completeness(depths, i)) : null)),
    complete_at: isExpected ? thresholds.filter((_, i) => isComplete(depths, i)) : [],
    ...(unique && { unique: depthsData(unique, thresholds, isExpected) }),
  };
}

// Samples beside their cohorts as JSON: nothing rounded, and no names of other samples.

/** One entry for each registered sample. */
export function cohortsData({ cohorts }: Comparison, samples: readonly Measurement[]) {
  return samples.flatMap(({ sample: { name } }) => {
    const cohort = cohorts.get(name);
    if (cohort === undefined) return [];
    const { state, assays, isPooled, sex, n, sameSex, shared, checksum } = cohort;
    const others = shared && { shared_samples: shared.n, shared_same_sex: shared.sameSex };
    const counts = { samples: n, same_sex: sameSex, ...others };
    return [{ sample: name, state, assays, pooled: isPooled, sex, ...counts, checksum: checksum ?? null }];
  });
}

/** The member `cohort` beside the figures of a sample; nothing if it is not compared there. */
export function comparedData(found: TargetComparison | undefined) {
  if (found === undefined) return {};
  const { n, isOfOneSex, depth, completeness } = found;
  return {
    cohort: {
      samples: n,
      of_one_sex: isOfOneSex,
      ...(depth === undefined
        ? {}
        : {
            normalised_depth: {
              own: depth.own,
              ratio: depth.ratio ?? null,
              z: depth.z ?? null,
              ...statementData(depth.statement),
            },
          }),
      ...(completeness === undefined
        ? {}
        : { completeness: { own: completeness.own, ...statementData(completeness.statement) } }),
    },
  };
}

function statementData(statement: CohortStatement) {
  if ('values' in statement) return { values: statement.values };
  const { median, low, high, percentile } = statement;
  return { median, p5: low, p95: high, percentile: percentile ?? null };
}

export function findingData({ kind, isUsual, depth }: GapFinding) {
  return { kind, usually_poor: isUsual, ratio: depth?.ratio ?? null, z: depth?.z ?? null };
}

// The version of a panel as JSON, with what became of its entries.

/** Which version was used. */
export function panelVersionData(panel: ReportPanel) {
  const { version, name, state, sha256, names, signedOff, newer } = panel;
  return {
    reference: panelReference(panel),
    id: panel.panel,
    version,
    name,
    state,
    sha256,
    gene_names: names ?? null,
    signed_off: signedOff === undefined ? null : { at: signedOff.at.toISOString(), by: [...signedOff.by] },
    newer: newer === undefined ? null : { version: newer.version, genes_that_differ: newer.genes },
    confidence: panel.confidence,
  };
}

/** The same, with its genes and, unless the page is that of a gene, what became of its entries. */
export function panelData(data: ReportData, panel: ReportPanel) {
  return {
    ...panelVersionData(panel),
    genes: panel.genes.map((gene) => ({
      hgnc: geneId(gene),
      symbol: gene.symbol,
      confidence: gene.confidence,
      inheritance: gene.inheritance ?? null,
      transcripts: gene.transcripts ?? [],
    })),
    ...(data.request.page === 'gene_overview' ? {} : entriesData(data)),
  };
}

/** What of the panel was not measured, or not as it says, and which genes were measured beside it. */
export function entriesData(use: PanelUse) {
  return {
    genes_beside: genesBeside(use),
    not_covered: uncoveredEntries(use).map(({ kind, name, hgnc, place, why }) => ({
      kind,
      name,
      hgnc: hgnc === undefined ? null : `HGNC:${hgnc}`,
      place: place ?? null,
      reason: why.code,
      ...('text' in why ? { message: why.text } : {}),
    })),
    transcripts_not_as_wanted: use.unmet.map(({ asked, wanted, loaded }) => {
      return { gene: asked, wanted, measured: loaded ?? null };
    }),
  };
}

// Names of lines of BED files.

export function* namesData(data: ReportData, { targets, linesOf }: LineNames): Generator<unknown> {
  const layer = ofLayer(data, namesLayer, targets);
  for (const [at, { group: name }] of numberedMembers(targets)) {
    const samples = samplesAt(layer, at, (found, isExpected, unique) =>
      depthsData(found, layer.thresholds, isExpected, unique),
    );
    yield { name, lines: linesOf(at), samples };
  }
}

// Regions and repeats of a panel.

/** Positions are zero-based half-open. `gaps` are those of `ofPlaces`. */
export function* placesData(data: ReportData, places: PanelPlaces, gaps: List<TargetGaps>): Generator<unknown> {
  const layer = ofPlaces(data, places);
  const gapsAt = new Map([...gaps].map((one) => [one.at, one.gaps]));
  for (const [at, { entry, target, counted, genes }] of places.measured.entries()) {
    const { kind, name, confidence, core = false, detail = null } = entry;
    const samples = samplesAt(layer, at, (found, isExpected, unique) =>
      depthsData(found, layer.thresholds, isExpected, unique),
    );
    for (const [i, one] of layer.samples.entries()) {
      const list = isLeftOut(layer, one, at) ? [] : (gapsAt.get(at)?.[i] ?? []);
      Object.assign(samples[one.sample.name] as object, { gaps: list.map(({ start, end }) => [start, end]) });
    }
    yield {
      ...{ kind, name, confidence, core, detail },
      ...(kind === 'str' && { repeat_length: 'not measured' }),
      ...target.place,
      ...{ counted, genes, regions: target.regions.map(({ start, end }) => [start, end]), samples },
    };
  }
}

// Control charts as JSON: nothing rounded.

/** Without samples: reports are read by callers who may not see which others are registered. */
export function chartData({ assay, counted, places, runs }: RunChart) {
  return { assay, counted, exons: places, runs: runs.map(runData) };
}

export function runData({ run, day, samples, medianZ, share, earlier, drift }: ChartRun) {
  return {
    run,
    day,
    samples: samples.length,
    median_z: medianZ,
    share_beyond_3: share,
    earlier_samples: earlier,
    drift: { median_z: driftData(drift.medianZ), share_beyond_3: driftData(drift.share) },
  };
}

function driftData(drift: Drift) {
  const { distance, test, rules } = drift;
  return {
    drifted: hasDrifted(drift),
    distance: distance ?? null,
    mann_whitney_u: test?.u ?? null,
    mann_whitney_p: test?.p ?? null,
    westgard: [...rules],
  };
}

// Known sites as JSON: zero-based half-open positions, and nothing rounded.

export function siteSetsData({ sets }: KnownSites) {
  return sets.map(({ name, release, source, checksum, loaded, sites }) => {
    return { name, release, source, checksum, loaded: loaded.toISOString(), sites };
  });
}

/** Why it is not stated, or only of a part of the samples, whether the assay usually covers the sites; nothing if it is stated of all. */
export function siteAssayData({ notStored }: KnownSites, { request }: ReportData, texts: Texts) {
  if (notStored === undefined) return {};
  const { samples, of, thresholds } = notStored;
  return {
    known_sites_assay: {
      samples: of,
      not_stored: samples,
      stored_thresholds: thresholds,
      message: notStoredText(notStored, request.level, texts),
    },
  };
}

/** How many sites a sample could have shown. */
export function siteCountsData(known: KnownSites | undefined, sample: number) {
  const counts = known?.samples[sample]?.counts;
  return known === undefined || counts === undefined ? {} : { known_sites: { sites: known.sites.length, ...counts } };
}

/** Every site in the genes, with its state in each sample. */
export function* sitesData(known: KnownSites, { samples }: ReportData): Generator<unknown> {
  for (const [at, { site, of }] of known.sites.entries()) {
    yield {
      source: site.set,
      id: site.id ?? null,
      hgvs: site.hgvs ?? null,
      genes: of.map(({ symbol, ensembl }) => symbol ?? ensembl),
      chromosome: site.chromosome,
      start: site.start,
      end: site.end,
      reference: site.reference,
      alternate: site.alternate,
      significance: site.significance ?? null,
      stars: site.stars ?? null,
      samples: Object.fromEntries(
        samples.map(({ sample: { name } }, i) => {
          const depths = known.samples[i];
          const usual = known.usual(name, at);
          return [
            name,
            {
              state: depths?.state(at),
              minimum_depth: depths?.min(at),
              ...(usual === undefined
                ? {}
                : { assay: { samples: usual.n, callable: usual.covered, hole: kindOfHole(usual) } }),
            },
          ];
        }),
      ),
    };
  }
}
