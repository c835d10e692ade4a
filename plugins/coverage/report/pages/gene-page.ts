/**
 * One gene: its depth along a transcript in each sample, with links to genome browsers, then each transcript and exon in
 * numbers.
 */
import { Fault } from '../../../../core/plugin.js';
import { type Build, codingParts, type TranscriptWithExons } from '../../contract.js';
import type { Depths } from '../../measure/measure.js';
import { lengthOfRegions, type Region } from '../../measure/region.js';
import type { GeneTarget } from '../../measure/select.js';
import { choose, chooseNamed } from '../../measure/transcripts.js';
import { type DepthBin, depthProfile } from '../../measure/uniformity.js';
import type { MeasuringServices } from '../../services.js';
import type { Texts } from '../../texts/texts.js';
import type { Measurement, ReportData } from '../data.js';
import { entryOfGene } from '../panel.js';
import { binsOfSpan, type GeneLayout, geneDrawing, geneLayout, genePlot } from '../plots/gene.js';
import { cautionSections, cautionTables } from '../sections/caution.js';
import {
  cohortCell,
  cohortCells,
  cohortColumn,
  cohortColumns,
  cohortExplanations,
  cohortSections,
} from '../sections/cohorts.js';
import { asMarked, asPrinted, isHalved, markOfPlaces, targetCells } from '../sections/expected-copies.js';
import { codingNote } from '../sections/header.js';
import { intervalTable } from '../sections/interval-tables.js';
import { countCell, placeText, type ReportTarget, thresholdColumns } from '../targets.js';
import { type Cell, type PageContent, type PageLink, type PageSection, type PageTable, textCell } from '../view.js';

/** A transcript as it is drawn, with what was found along it. */
export interface TranscriptDrawing {
  transcript: TranscriptWithExons;
  layout: GeneLayout;
  /** By sample, then by piece of the layout. */
  bins: readonly (readonly (readonly DepthBin[])[])[];
  /** By sample, below the coverage threshold. */
  gaps: readonly (readonly Region[])[];
  /** By sample, below the threshold by which its values are marked on pages and paper. */
  marked: readonly (readonly Region[])[];
}

/** Every distinct exon of the selected transcripts, to be measured along with them. */
export function exonsOfTargets(selected: readonly GeneTarget[]): GeneTarget[] {
  const places = new Map<string, GeneTarget>();
  for (const { gene, transcript } of selected) {
    for (const exon of transcript?.exons ?? []) {
      const key = placeText(exon);
      if (!places.has(key) && transcript !== undefined) places.set(key, { gene, transcript, exon, regions: [exon] });
    }
  }
  return [...places.values()];
}

/**
 * The requested transcript, or the one by whose id the gene was requested; else the longest of those that the panel names, or
 * that the rule `preferred` chooses.
 */
function drawnTranscript(data: ReportData): TranscriptWithExons {
  const { request, selected } = data;
  const all = selected.flatMap(({ transcript, exon }) =>
    transcript === undefined || exon !== undefined ? [] : [transcript],
  );
  const wanted = request.transcript?.replace(/\.\d+$/, '').toUpperCase();
  const named = wanted === undefined ? undefined : all.find(({ ensembl }) => ensembl === wanted);
  const asked = data.found.flatMap((answer) => (answer.by === 'transcript' ? answer.asked : []));
  const ofName = chooseNamed(all, asked).chosen;
  const ofPanel = chooseNamed(all, entryOfGene(data)?.transcripts ?? []).chosen;
  const found = named ?? longest(ofName) ?? longest(ofPanel) ?? longest(choose(all, 'preferred'));
  if (found === undefined) throw new Fault('unprocessable', 'The gene has no transcript with exons');
  return found;
}

function longest(transcripts: readonly TranscriptWithExons[]): TranscriptWithExons | undefined {
  return transcripts.toSorted((a, b) => lengthOfRegions(b.exons) - lengthOfRegions(a.exons))[0];
}

/** Measures what the drawing shows. */
export async function drawTranscript(
  services: MeasuringServices,
  data: ReportData,
  signal: AbortSignal,
): Promise<TranscriptDrawing> {
  const { samples, request } = data;
  const transcript = drawnTranscript(data);
  const layout = geneLayout(transcript, genePlot.left, genePlot.right);
  const { chromosome, exons } = transcript;
  const pieces = layout.pieces.map((piece) => ({ start: piece.start, end: piece.end, bins: binsOfSpan(piece) }));
  const bins = await Promise.all(
    samples.map(({ source }) => depthProfile(services.sources, source, { chromosome, pieces, signal })),
  );
  const gapsOf = async (some: readonly Measurement[], gapsBelow: number): Promise<(readonly Region[])[]> => {
    if (some.length === 0) return [];
    const measured = await services.measure({
      samples: some.map(({ source }) => source),
      targets: [{ regions: exons }],
      thresholds: [],
      build: request.build,
      gapsBelow,
      signal,
    });
    return measured.samples.map(({ targets }) => targets[0]?.gaps ?? []);
  };
  const gaps = await gapsOf(samples, request.level);
  const kinds = data.placeKinds?.[targetOfTranscript(data, transcript)] ?? 0;
  const halved = asPrinted(data).samples.map((one) => isHalved(data, one, kinds));
  const ofHalved = await gapsOf(
    samples.filter((_, i) => halved[i]),
    data.half?.depth ?? request.level,
  );
  const marked = gaps.map((own, i) => (halved[i] ? (ofHalved.shift() ?? []) : own));
  return { transcript, layout, bins, gaps, marked };
}

/** The target of a transcript; −1 if it is not a target. */
function targetOfTranscript({ selected }: ReportData, { ensembl }: TranscriptWithExons): number {
  return selected.findIndex(({ transcript, exon }) => transcript?.ensembl === ensembl && exon === undefined);
}

export function geneContent(data: ReportData, drawn: TranscriptDrawing, texts: Texts): PageContent {
  return {
    sections: () => geneSections(data, drawn, texts),
    tables: [
      { name: 'intervals', make: () => intervalTable(data, texts) },
      ...(data.caution === undefined ? [] : cautionTables(data.caution, texts)),
    ],
  };
}

function geneSections(data: ReportData, drawn: TranscriptDrawing, texts: Texts): PageSection[] {
  const { request, selected } = data;
  const targets = [...data.targets];
  const places = new Map(targets.map((target, i) => [keyOfTarget(target), i]));
  const order = selected
    .map((target, at) => ({ target, at }))
    .filter(({ target }) => target.exon === undefined)
    .sort((a, b) => rankOf(targets[a.at], drawn) - rankOf(targets[b.at], drawn) || a.at - b.at);
  const sections: PageSection[] = [
    ...cohortSections(data, texts),
    { kind: 'heading', id: 'plot', title: texts.gene.plot, text: texts.gene.plotCaption(drawn.transcript.ensembl) },
    ...drawings(data, drawn, texts),
    ...(data.caution === undefined ? [] : cautionSections(data, data.caution, texts, 'page')),
    {
      kind: 'heading',
      id: 'transcripts',
      title: texts.gene.transcripts,
      text: [texts.gene.external, ...codingNote(data, texts)].join(' '),
    },
  ];
  for (const { target, at } of order) {
    const { transcript } = target;
    const shown = targets[at];
    if (transcript === undefined || shown === undefined) continue;
    const isDrawn = transcript.ensembl === drawn.transcript.ensembl;
    sections.push({
      kind: 'heading',
      id: `transcript-${at}`,
      title: transcript.ensembl,
      badges: [
        ...(shown.maneSelect ? [texts.mane.select] : []),
        ...(shown.manePlusClinical ? [texts.mane.plusClinical] : []),
        ...shown.refseq,
      ],
      text: describeTranscript(transcript, shown, texts),
      links: browserLinks(request.build, shown.place, texts),
      transcript: { id: transcript.ensembl, drawn: isDrawn },
    });
    const tablesOf = (seen: ReportData): PageSection[] => [
      { kind: 'table', bare: true, table: transcriptTable(seen, at, texts) },
      {
        kind: 'table',
        bare: true,
        open: isDrawn,
        summary: texts.gene.exons(transcript.exons.length),
        table: exonTable(seen, transcript, places, texts),
      },
    ];
    sections.push(...asMarked(data, tablesOf));
  }
  return [...sections, ...cohortExplanations(data, texts)];
}

/** The drawn transcript first, then MANE, then RefSeq, then all others. */
function rankOf(target: ReportTarget | undefined, drawn: TranscriptDrawing): number {
  if (target === undefined) return 5;
  if (target.transcript === drawn.transcript.ensembl) return 0;
  if (target.maneSelect) return 1;
  if (target.manePlusClinical) return 2;
  return target.refseq.length > 0 ? 3 : 4;
}

function keyOfTarget({ place, exon }: ReportTarget): string {
  return exon === undefined ? '' : placeText(place);
}

function describeTranscript(transcript: TranscriptWithExons, { place }: ReportTarget, texts: Texts): string {
  const coding = codingParts(transcript);
  const parts = [
    placeText(place),
    texts.gene.exons(transcript.exons.length),
    texts.gene.size(lengthOfRegions(transcript.exons)),
  ];
  const codingBases = (coding ?? []).reduce((sum, { start, end }) => sum + end - start, 0);
  parts.push(coding === undefined ? texts.gene.notCoding : texts.gene.coding(codingBases));
  if (transcript.strand !== undefined) parts.push(transcript.strand === 1 ? texts.gene.forward : texts.gene.reverse);
  return parts.join(' · ');
}

function drawings(data: ReportData, drawn: TranscriptDrawing, texts: Texts): PageSection[] {
  const { request, half } = data;
  const { transcript, layout, bins, marked } = drawn;
  const deepest = axisEnd(bins, request.level);
  const at = targetOfTranscript(data, transcript);
  // A drawing is the same on a screen and on paper.
  return asPrinted(data).samples.map((one, i): PageSection => {
    const { sample, depths } = one;
    const mark = markOfPlaces(data, one, data.placeKinds?.[at] ?? 0, texts);
    const { badges, isExpected } = mark;
    const level = mark.isHalved && half !== undefined ? half.depth : request.level;
    const thresholds = [...new Set([...data.thresholds, level])].sort((a, b) => a - b);
    const own = isExpected ? (marked[i] ?? []) : [];
    const mean = texts.measuredDepth((at < 0 ? undefined : depths.targets.at(at))?.mean ?? 0);
    return {
      kind: 'drawing',
      id: `depth-${i}`,
      title: badges.length === 0 ? sample.name : texts.copies.of(sample.name, badges.join(', ')),
      drawing: geneDrawing({
        layout,
        bins: bins[i] ?? [],
        gaps: own,
        sample: i,
        deepest,
        thresholds,
        level,
        texts,
        title: texts.gene.plotOf(sample.name, transcript.ensembl),
        description: isExpected
          ? texts.gene.plotText(sample.name, transcript.exons.length, mean, own.length, texts.depth(level))
          : texts.copies.of(sample.name, texts.copies.notExpected),
      }),
    };
  });
}

/** High enough for the exons and the coverage threshold; introns may be cut off. */
function axisEnd(bins: TranscriptDrawing['bins'], level: number): number {
  const means = bins.flat(2).map(({ mean }) => mean);
  return Math.max(level * 1.25, 1.1 * means.reduce((most, mean) => Math.max(most, mean), 0), 1);
}

function transcriptTable(data: ReportData, at: number, texts: Texts): PageTable {
  const { samples, targets, comparison } = data;
  const id = targets.at(at)?.id ?? '';
  return {
    name: id,
    title: texts.gene.tableOf(id),
    caption: '',
    columns: [
      { key: 'sample', title: texts.header.sample, weight: 1.6 },
      { key: 'mean_coverage', title: texts.metrics.mean, numeric: true },
      ...thresholdColumns(data, texts),
      ...cohortColumns(data, texts),
    ],
    rows: samples.flatMap((one): Cell[][] => {
      const { sample } = one;
      if (one.depths.targets.at(at) === undefined) return [];
      const beside = cohortCells(data, comparison?.ofTarget(sample.name, at), texts);
      return [[textCell(sample.name), ...targetCells(data, one, at, texts), ...beside]];
    }),
  };
}

function exonTable(
  data: ReportData,
  transcript: TranscriptWithExons,
  places: ReadonlyMap<string, number>,
  texts: Texts,
): PageTable {
  const { samples, comparison } = data;
  const rows = transcript.exons.flatMap((exon) => {
    const at = places.get(placeText(exon));
    if (at === undefined) return [];
    return samples.flatMap((one, s): Cell[][] => {
      const { sample } = one;
      const own: Depths | undefined = one.depths.targets.at(at);
      if (own === undefined) return [];
      const again = s > 0;
      return [
        [
          { text: texts.gene.exon(exon.rank), value: exon.rank, again },
          textCell(placeText(exon), { again }),
          { ...countCell(own.length, texts), again },
          textCell(sample.name),
          ...targetCells(data, one, at, texts),
          ...cohortCell(data, comparison?.ofTarget(sample.name, at), texts),
        ],
      ];
    });
  });
  return {
    name: `${transcript.ensembl}-exons`,
    title: `${transcript.ensembl}: ${texts.gene.exons(transcript.exons.length)}`,
    caption: '',
    columns: [
      { key: 'exon', title: texts.gene.exonColumn },
      { key: 'place', title: texts.overview.place, weight: 2 },
      { key: 'bases', title: texts.gene.bases, numeric: true, weight: 0.8 },
      { key: 'sample', title: texts.header.sample, weight: 1.3 },
      { key: 'mean_coverage', title: texts.metrics.mean, numeric: true },
      ...thresholdColumns(data, texts),
      ...cohortColumn(data, texts),
    ],
    rows,
  };
}

// Links to genome browsers at a region. They pass on the build and the region, and nothing about samples.

function browserLinks(build: Build, { chromosome, start, end }: Region, texts: Texts): PageLink[] {
  const ucsc = new URL('https://genome.ucsc.edu/cgi-bin/hgTracks');
  ucsc.searchParams.set('db', build === 'GRCh37' ? 'hg19' : 'hg38');
  // The chrM of hg19 is an older sequence than MT of GRCh37.
  const own = chromosome === 'MT' && build === 'GRCh38' ? 'M' : chromosome;
  ucsc.searchParams.set('position', `chr${own.replace(/^chr/i, '')}:${start + 1}-${end}`);
  const ensembl = new URL(build === 'GRCh37' ? 'https://grch37.ensembl.org' : 'https://www.ensembl.org');
  ensembl.pathname = '/Homo_sapiens/Location/View';
  ensembl.searchParams.set('r', `${chromosome}:${start + 1}-${end}`);
  return [
    { text: texts.gene.browser, href: ucsc.href },
    { text: texts.gene.ensembl, href: ensembl.href },
  ];
}
