/** The header of every page: what was requested, the samples, and the data that were used. */
import { fileNameOf } from '../domain/examine.js';
import type { NotIncluded } from '../domain/sample.js';
import type { Texts } from '../texts/texts.js';
import { countedFact } from './counted.js';
import { panelFacts, panelTitle, requestedText, transcriptRule } from './panel-header.js';
import type { ReportData } from './report-data.js';
import { siteSetsText } from './site-tables.js';
import { type Cell, type Fact, type Table, text } from './view.js';

export interface Making {
  version: string;
  now: Date;
  /** Under which the report is kept, if it is. */
  id?: string | undefined;
}

export function factsOf(data: ReportData, { version, now, id }: Making, texts: Texts): Fact[] {
  const { request, panel, targets, sets, bed, known } = data;
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
  if (bed !== undefined) {
    const { content } = texts.limits;
    const lines = content.manyNames(bed.lines);
    facts.push({ label: content.bed, text: content.bedText(bed.name, lines, shortened(bed.checksum)) });
  }
  if (sets.length > 0) facts.push({ label: header.sets, text: setsText(sets, texts) });
  if (known !== undefined) facts.push({ label: texts.sites.fact, text: siteSetsText(known, texts) });
  facts.push({ label: header.method, text: header.methodText, long: true });
  facts.push({ label: header.software, text: header.version(version) });
  facts.push({ label: header.made, text: `${now.toISOString().slice(0, 16).replace('T', ' ')} UTC` });
  if (id !== undefined) facts.push({ label: texts.kept.id, text: id });
  return facts;
}

function shortened(checksum: string): string {
  return checksum.replace(/^(\w+:\w{12})\w*$/, '$1');
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
  return [...groups.values()]
    .map(({ kinds, set: { release, loaded, checksum } }) => {
      return texts.header.set(kinds.join(', '), release, loaded.toISOString().slice(0, 10), shortened(checksum));
    })
    .join('; ');
}

/** All requested samples, in their order; those that could not be measured with the reason. */
export function sampleTable({ request, samples, notIncluded }: ReportData, texts: Texts): Table {
  const { header } = texts;
  const none = (value: string | undefined) => ({ text: value ?? '–', value: value ?? '' });
  const hasSex = request.samples.some(({ sex }) => sex !== undefined);
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
      { key: 'file', title: header.file, weight: 1.6 },
      { key: 'fingerprint', title: header.fingerprint, weight: 1.2 },
      ...(missing.size > 0 ? [{ key: 'not_included', title: header.notIncluded, weight: 2.4 }] : []),
    ],
    rows: request.samples.map((sample): Cell[] => [
      text(sample.name),
      none(sample.caseName),
      none(sample.analysed),
      ...(hasSex ? [none(sample.sex === undefined ? undefined : texts.sexes[sample.sex])] : []),
      text(fileNameOf(sample.path)),
      none(measured.get(sample.name)?.fingerprint),
      ...(missing.size > 0 ? [reasonCell(missing.get(sample.name), texts)] : []),
    ]),
  };
}

function reasonCell(missing: NotIncluded | undefined, texts: Texts): Cell {
  if (missing === undefined) return { text: texts.header.included, value: '' };
  const reason = failureText(missing, texts);
  return { text: reason, value: reason, tone: 'bad' };
}

/** Why a sample could not be measured. */
function failureText({ fault }: NotIncluded, { header }: Texts): string {
  return fault.code === 'not-found' ? header.noFile : fault.public;
}

export function subtitleOf(data: ReportData, texts: Texts): string {
  const { caseName } = data.request;
  const panel = panelTitle(data);
  return [
    caseName === undefined ? '' : `${texts.header.case}: ${caseName}`,
    panel === undefined ? '' : `${texts.header.panel}: ${panel}`,
  ]
    .filter(Boolean)
    .join(' · ');
}
