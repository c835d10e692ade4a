/**
 * The head of every page: what was requested, which bases are counted, the samples, the data that were used, and warnings and
 * notes above the numbers.
 */
import type { CdsOpen, IntervalSet } from '../../contract.js';
import { fileNameOf } from '../../measure/examine.js';
import type { Depths } from '../../measure/measure.js';
import type { QualityWarning, UnmeasuredSample } from '../../measure/quality.js';
import { cdsOpenOf } from '../../measure/transcripts.js';
import type { KnownSites } from '../../sites/report-sites.js';
import type { Texts } from '../../texts/texts.js';
import { type Measurement, notMeasuredText, type ReportData } from '../data.js';
import {
  countCell,
  countedApart,
  cutList,
  depthCells,
  isNonCoding,
  shareCell,
  thresholdColumns,
  withUnique,
} from '../targets.js';
import { type Cell, type Fact, type PageNotice, type PageSection, type PageTable, textCell } from '../view.js';
import { panelFacts, panelNotices, panelTitle, requestedText, transcriptRule } from './panel-sections.js';
import { uniqueNotices } from './unique.js';

export interface ReportOrigin {
  version: string;
  now: Date;
  /** Under which the report is kept, if it is. */
  id?: string | undefined;
}

export function headerFacts(data: ReportData, { version, now, id }: ReportOrigin, texts: Texts): Fact[] {
  const { request, panel, targets, sets, beds, known, caution } = data;
  const { header } = texts;
  const { build, level, thresholds, type, genes } = request;
  const custom = type === 'custom_intervals';
  // The gene page also measures the exons of its transcripts, which were not requested.
  const asked = request.page === 'gene_overview' ? [...targets].filter(({ exon }) => exon === undefined) : targets;
  const count = header.targetCount(asked.length, texts.targets[type]);
  const ofPanel = panel !== undefined && request.page !== 'gene_overview';
  const requested = custom
    ? count
    : ofPanel
      ? requestedText(data, panel, count, texts)
      : header.genesAsked(genes.length, count);
  const facts: Fact[] = [
    ...panelFacts(data, texts),
    { label: header.build, text: build },
    { label: header.requested, text: requested },
  ];
  facts.push({ label: texts.counted.label, text: countedFact(data, texts), long: type === 'coding' });
  if (!custom && type !== 'genes') facts.push({ label: header.transcripts, text: transcriptRule(data, texts) });
  facts.push({ label: header.level, text: texts.depth(level) });
  facts.push({ label: header.thresholds, text: thresholds.map(texts.depth).join(', ') });
  for (const { name, label, lines, checksum } of beds) {
    const { content } = texts.limits;
    const shown = beds.length > 1 ? label : name;
    const text = content.bedText(shown, content.manyNames(lines), shortenedChecksum(checksum));
    facts.push({ label: content.bed, text });
  }
  if (sets.length > 0) facts.push({ label: header.sets, text: setsText(sets, texts) });
  if (known !== undefined) facts.push({ label: texts.sites.fact, text: siteSetsText(known, texts) });
  const cautions = caution?.sets.map((set) => setText(set.name, set, texts));
  if (cautions !== undefined)
    facts.push({ label: texts.caution.title, text: cautions.join('; '), long: cautions.length > 1 });
  facts.push({ label: header.method, text: header.methodText, long: true });
  facts.push({ label: header.software, text: header.version(version) });
  facts.push({ label: header.made, text: `${now.toISOString().slice(0, 16).replace('T', ' ')} UTC` });
  if (id !== undefined) facts.push({ label: texts.kept.id, text: id });
  return facts;
}

function shortenedChecksum(checksum: string): string {
  return checksum.replace(/^(\w+:\w{12})\w*$/, '$1');
}

/** `Genes: Ensembl 115, loaded 2026-11-20, sha256:0a0a0a0a0a0a`. */
export function setText(what: string, set: Pick<IntervalSet, 'release' | 'loaded' | 'checksum'>, texts: Texts): string {
  return texts.header.set(what, set.release, set.loaded.toISOString().slice(0, 10), shortenedChecksum(set.checksum));
}

/** `ClinVar 2026-11, loaded 2026-11-20, sha256:0a0a0a0a0a0a`, one for each set. */
export function siteSetsText({ sets }: KnownSites, texts: Texts): string {
  return sets
    .map(({ name, release, loaded, checksum }) =>
      texts.sites.set(name, release, loaded.toISOString().slice(0, 10), shortenedChecksum(checksum)),
    )
    .join('; ');
}

/** Sets that were loaded from one file are listed together. */
function setsText(sets: ReportData['sets'], texts: Texts): string {
  const groups = new Map<string, { kinds: string[]; set: ReportData['sets'][number] }>();
  for (const set of sets) {
    const key = `${set.release} ${set.checksum}`;
    const group = groups.get(key) ?? { kinds: [], set };
    group.kinds.push(texts.sets[set.kind]);
    groups.set(key, group);
  }
  return [...groups.values()].map(({ kinds, set }) => setText(kinds.join(', '), set, texts)).join('; ');
}

/** All requested samples, in their order; those that could not be measured with the reason. */
export function sampleTable({ request, samples, notIncluded }: ReportData, texts: Texts): PageTable {
  const { header } = texts;
  const none = (value: string | undefined) => ({ text: value ?? '–', value: value ?? '' });
  const hasSex = request.samples.some(({ sex }) => sex !== undefined);
  const withFile = (cell: Cell, unique: string | undefined, quality?: number): Cell =>
    unique === undefined ? cell : { ...cell, unique, below: [texts.unique.file(unique, quality)] };
  const measured = new Map(samples.map((one) => [one.sample.name, one]));
  const missing = new Map(notIncluded.map((one) => [one.asked.name, one]));
  return {
    name: 'samples',
    title: header.samples,
    caption: `${header.noFingerprintNote} ${header.coordinates}`,
    columns: [
      { key: 'sample', title: header.sample },
      { key: 'case', title: header.group },
      { key: 'analysed', title: header.analysed },
      ...(hasSex ? [{ key: 'declared_sex', title: header.declared }] : []),
      ...withUnique(
        [
          { key: 'file', title: header.file, weight: 1.6 },
          { key: 'fingerprint', title: header.fingerprint, weight: 1.2 },
        ],
        samples,
      ),
      ...(missing.size > 0 ? [{ key: 'not_included', title: header.notIncluded, weight: 2.4 }] : []),
    ],
    rows: request.samples.map((sample): Cell[] => [
      textCell(sample.name),
      none(sample.caseName),
      none(sample.analysed),
      ...(hasSex ? [none(sample.sex === undefined ? undefined : texts.sexes[sample.sex])] : []),
      withFile(
        textCell(fileNameOf(sample.path)),
        sample.unique && fileNameOf(sample.unique.path),
        sample.unique?.quality,
      ),
      withFile(none(measured.get(sample.name)?.fingerprint), measured.get(sample.name)?.unique?.fingerprint),
      ...(missing.size > 0 ? [reasonCell(missing.get(sample.name), texts)] : []),
    ]),
  };
}

function reasonCell(missing: UnmeasuredSample | undefined, texts: Texts): Cell {
  if (missing === undefined) return { text: texts.header.included, value: '' };
  const reason = failureText(missing, texts);
  return { text: reason, value: reason, tone: 'bad' };
}

/** Why a sample could not be measured. */
function failureText({ fault }: UnmeasuredSample, { header }: Texts): string {
  return fault.code === 'not-found' ? header.noFile : fault.public;
}

export function titleOfPage({ request, selected }: ReportData, texts: Texts): string {
  if (request.page !== 'gene_overview') return texts.pages[request.page];
  const gene = selected[0]?.gene;
  return texts.gene.title(gene?.symbol ?? gene?.ensembl ?? request.genes.join(', '));
}

export function subtitleOfReport(data: ReportData, texts: Texts): string {
  const { caseName } = data.request;
  const panel = panelTitle(data);
  return [
    caseName === undefined ? '' : `${texts.header.case}: ${caseName}`,
    panel === undefined ? '' : `${texts.header.panel}: ${panel}`,
  ]
    .filter(Boolean)
    .join(' · ');
}

// Warnings and notes above the numbers.

/** Entries of one list at most. */
const mostListed = 30;

export function noticesOfReport(data: ReportData, texts: Texts): PageNotice[] {
  const { request, found, notMeasured, quality } = data;
  const { warnings } = texts;
  const notices: PageNotice[] = panelNotices(data, texts);
  if (notMeasured.length > 0) {
    const list = notMeasured.map((one) => notMeasuredText(one, warnings));
    notices.push({ text: warnings.notMeasuredTitle(notMeasured.length), list: cutList(list, mostListed, texts) });
  }
  if (request.type === 'custom_intervals' && request.genes.length > 0) notices.push({ text: warnings.bedIgnoresGenes });
  if (request.orExons && request.type === 'exons') notices.push({ text: texts.counted.fellBack(request.build) });
  notices.push(...openNotices(data, texts));
  for (const { asked, by, genes } of found) {
    if (by !== 'previous' && by !== 'alias') continue;
    const symbol = genes[0]?.symbol ?? genes[0]?.ensembl ?? '';
    notices.push({ text: warnings.renamed(asked, symbol, warnings.by[by]) });
  }
  if (data.samples.some(({ unique }) => unique !== undefined)) notices.push(...uniqueNotices(data, texts));
  for (const warning of quality.warnings) notices.push(qualityNotice(warning, quality.warnings, texts));
  return notices;
}

function qualityNotice(warning: QualityWarning, all: readonly QualityWarning[], texts: Texts): PageNotice {
  const { warnings } = texts;
  const { code, samples, sexes, targets, compared } = warning;
  if (sexes !== undefined) {
    const [declared, predicted] = [texts.sexes[sexes.declared], texts.sexes[sexes.predicted]];
    return { text: warnings.sexMismatch(samples.join(', '), declared, predicted) };
  }
  if (targets !== undefined) {
    const isDoubted = all.some((one) => one.sexes !== undefined && samples.some((name) => one.samples.includes(name)));
    const names = cutList(targets, mostListed, texts).join(', ');
    const sentence = code === 'shared-reads' ? warnings.sharedReads(names) : warnings.yOfFemale(names, isDoubted);
    return { text: warnings.ofSamples(samples, sentence) };
  }
  if (compared !== undefined) return { text: warnings.sameFile[compared](samples) };
  return measuredNotice(warning, texts);
}

/** What could not be checked: with it, no page says that there are no quality warnings. */
export function uncheckedNotes({ quality: { sexNotChecked } }: ReportData, { warnings }: Texts): string[] {
  return sexNotChecked.length === 0 ? [] : [warnings.sexNotChecked(sexNotChecked)];
}

/** In the words of the language; if these are general, followed by the English message with its details. */
function measuredNotice({ code, message, samples }: QualityWarning, { warnings }: Texts): PageNotice {
  const sentence = warnings.measured[code];
  if (samples.length === 0) return { text: sentence === '' ? message : sentence };
  return sentence === ''
    ? { text: warnings.ofSamples(samples, message) }
    : { text: warnings.ofSamples(samples, sentence), list: [message] };
}

// Coding and splice bases apart, and which bases a page counts, in words.

export function codingSections(data: ReportData, texts: Texts): PageSection[] {
  return data.request.type === 'coding' ? [{ kind: 'table', table: codingTable(data, texts) }] : [];
}

/** Coding and splice bases apart and together, for each sample. */
export function codingTable(data: ReportData, texts: Texts): PageTable {
  const { samples, thresholds, level, request } = data;
  const { counted: words } = texts;
  return {
    name: 'coding',
    title: words.title,
    caption: words.caption(request.splice),
    columns: [
      { key: 'sample', title: texts.header.sample, weight: 1.3 },
      { key: 'counted', title: words.column, weight: 1.8 },
      { key: 'bases', title: texts.gene.bases, numeric: true },
      { key: 'mean_coverage', title: texts.metrics.mean, numeric: true },
      ...thresholdColumns(data, texts),
    ],
    rows: samples.flatMap(({ sample, depths }): Cell[][] => {
      const { coding, splice, nonCoding } = countedApart(depths);
      const unique = depths.unique && { ...countedApart(depths.unique), together: depths.unique.pooled };
      const rows = [
        ['coding', coding],
        ['splice', splice],
        ...(nonCoding.length === 0 ? [] : [['nonCoding', nonCoding] as const]),
        ['together', depths.pooled],
      ] as const;
      return rows.map(([kind, own], i) => [
        textCell(sample.name, { again: i > 0 }),
        textCell(words.kinds[kind]),
        countCell(own.length, texts),
        ...(own.length === 0
          ? Array.from({ length: 1 + thresholds.length }, (): Cell => ({ text: '–', value: '' }))
          : depthCells(own, thresholds.length, level, texts, unique?.[kind])),
      ]);
    }),
  };
}

/** The small print of tables of transcripts, if the form asks for coding bases and some are known. */
export function codingNote({ request, samples, level, thresholds }: ReportData, texts: Texts): string[] {
  const isShown = (samples[0]?.depths.beside.codingOfTranscript?.pooled.length ?? 0) > 0;
  return isShown ? [texts.counted.belowTranscripts(texts.depth(thresholds[level] ?? 0), request.splice)] : [];
}

/** The small print below the percentage of a transcript's exonic bases: that of its coding bases, alone and with splice bases. */
export function codingBelow(
  { request: { splice }, level }: Pick<ReportData, 'request' | 'level'>,
  { depths: { beside } }: Measurement,
  at: number,
  texts: Texts,
): string[] {
  const { share } = texts.counted;
  const [coding, withSplice] = [beside.codingOfTranscript?.targets.at(at), beside.withSplice?.targets.at(at)];
  if (coding === undefined || withSplice === undefined || coding.length === 0) return [];
  const textOf = (depths: Depths) => shareCell(depths, level, texts).text;
  return [share.coding(textOf(coding)), ...(splice === 0 ? [] : [share.withSplice(textOf(withSplice))])];
}

/** Genes by how they are counted: those measured by their exons, and those whose coding sequence is not complete. */
export function codingGenes({ targets, request }: Pick<ReportData, 'targets' | 'request'>): {
  nonCoding: string[];
  open: { gene: string; transcript: string; open: CdsOpen }[];
} {
  if (request.type !== 'coding') return { nonCoding: [], open: [] };
  const [nonCoding, open] = [new Set<string>(), new Map<string, { gene: string; transcript: string; open: CdsOpen }>()];
  for (const target of targets) {
    const { group: gene, transcript, model } = target;
    if (isNonCoding(target)) nonCoding.add(gene);
    const missing = model === undefined ? undefined : cdsOpenOf(model);
    if (missing !== undefined && transcript !== undefined) open.set(transcript, { gene, transcript, open: missing });
  }
  return { nonCoding: [...nonCoding].sort(), open: [...open.values()] };
}

/** `Coding bases with 8 splice bases`, `Exons`: which bases of its intervals a page counts. */
export function countedText({ request }: Pick<ReportData, 'request'>, texts: Texts): string {
  return request.type === 'coding' ? texts.counted.fact(request.splice) : texts.types[request.type];
}

/** The same, with the genes that are counted by their exons. */
export function countedFact(data: ReportData, texts: Texts): string {
  const { nonCoding } = codingGenes(data);
  const ofExons =
    nonCoding.length === 0 ? [] : [texts.counted.ofExons(cutList(nonCoding, mostListed, texts).join(', '))];
  return [countedText(data, texts), ...ofExons].join('; ');
}

/** Coding sequences that are incomplete in the gene set. */
export function openNotices(data: ReportData, texts: Texts): PageNotice[] {
  const { open } = codingGenes(data);
  if (open.length === 0) return [];
  const list = open.map((one) => `${one.gene} (${one.transcript}): ${texts.counted.openEnds[one.open]}`);
  return [{ text: texts.counted.open(open.length), list: cutList(list, mostListed, texts) }];
}

/** `coding+8`, `exons`: the same in exports. */
export function countedKey({ request: { type, splice } }: Pick<ReportData, 'request'>): string {
  return type === 'coding' ? `coding+${splice}` : type;
}
