/**
 * A report as a FHIR R4 collection by the guide HL7 Genomics Reporting (STU3): for each sample a genomic study with one
 * analysis, whose extension names the regions that were studied, called and uncalled. It names samples, not people; only
 * quality warnings may state a sex.
 */
import { createHash, randomUUID } from 'node:crypto';
import { Fault } from '../../../../../core/plugin.js';
import { completeness, percentOfShare } from '../../../measure/measure.js';
import { difference, type Region } from '../../../measure/region.js';
import type { Texts } from '../../../texts/texts.js';
import type { Measurement, ReportData } from '../../data.js';
import { asPrinted, copiesLines } from '../../sections/expected-copies.js';
import { countedText, headerFacts, openNotices, type ReportOrigin, siteSetsText } from '../../sections/header.js';
import { limitationsOfReport } from '../../sections/limitations.js';
import { panelMark, panelNotices, panelTitle } from '../../sections/panel-sections.js';
import { twoDecimals } from '../../targets.js';
import type { DataParts } from '../report-json.js';
import {
  bedText,
  buildCoding,
  codedGenes,
  codings,
  extensions,
  percentUnit,
  plainText,
  profiles,
  studiedRegions,
  uncalledRegions,
} from './content.js';

type FhirResource = Readonly<Record<string, unknown>> & { resourceType: string };

/** A member of the collection, by which others refer to it. */
interface BundleEntry {
  fullUrl: string;
  resource: FhirResource;
}

/**
 * As JSON text, in pieces, with pauses for other requests. Throws `unprocessable` for a report without intervals, and `too-large`
 * for one with too many regions.
 */
export async function fhirText(
  data: ReportData,
  { genes, gaps }: Pick<DataParts, 'genes' | 'gaps'>,
  making: ReportOrigin,
  texts: Texts,
): Promise<AsyncGenerator<string>> {
  if (genes === undefined || gaps === undefined) throw new Fault('unprocessable', texts.warnings.nothing);
  const report = { data, genes, gaps: gaps.list, making, texts };
  // Before anything is sent, since it may refuse the report.
  const studied = await studiedRegions(data, gaps.list);
  return bundleText(report, studied);
}

async function* bundleText(report: BundleContent, studied: Iterable<Region>): AsyncGenerator<string> {
  const { making, texts } = report;
  const timestamp = making.now.toISOString();
  const head = { resourceType: 'Bundle', language: texts.language, type: 'collection', timestamp };
  let before = `${JSON.stringify(head).slice(0, -1)},"entry":[`;
  for await (const one of entriesOf(report, studied)) {
    yield before + JSON.stringify(one);
    before = ',';
  }
  yield ']}';
}

interface BundleContent {
  data: ReportData;
  genes: Required<DataParts>['genes'];
  gaps: Required<DataParts>['gaps']['list'];
  making: ReportOrigin;
  texts: Texts;
}

async function* entriesOf(report: BundleContent, regions: Iterable<Region>): AsyncGenerator<BundleEntry> {
  const { data, making } = report;
  const device = bundleEntry({
    resourceType: 'Device',
    deviceName: [{ name: 'Trefoil', type: 'user-friendly-name' }],
    version: [{ value: making.version }],
  });
  yield device;
  const studied = await bedFile(report, 'studied', regions, device);
  if (studied !== undefined) yield studied;
  for (const [i, measurement] of data.samples.entries()) {
    yield* sampleEntries(report, i, measurement, { device, studied, regions });
  }
}

interface SharedEntries {
  device: BundleEntry;
  studied: BundleEntry | undefined;
  regions: Iterable<Region>;
}

async function* sampleEntries(
  report: BundleContent,
  at: number,
  measurement: Measurement,
  { device, studied, regions }: SharedEntries,
): AsyncGenerator<BundleEntry> {
  const { data, gaps, genes, making, texts } = report;
  const { sample } = measurement;
  const specimen = bundleEntry({
    resourceType: 'Specimen',
    identifier: [{ value: sample.registration?.id ?? sample.name }],
  });
  const below = await uncalledRegions(gaps, at);
  const called = await bedFile(report, 'called', difference(regions, below), device);
  const uncalled = await bedFile(report, 'uncalled', below, device);
  const depths = depthFile(measurement, texts);
  const coded = codedGenes(data, genes, at, texts);
  const analysis = bundleEntry({
    resourceType: 'Procedure',
    meta: { profile: [profiles.analysis] },
    extension: [
      { url: extensions.method, valueCodeableConcept: { coding: [codings.sequencing] } },
      { url: extensions.build, valueCodeableConcept: { coding: [buildCoding(data.request.build)] } },
      { url: extensions.title, valueString: plainText(titleOf(data, texts)) },
      { url: extensions.specimen, valueReference: referenceTo(specimen) },
      metricsOf(data, measurement, texts),
      {
        url: extensions.regions,
        extension: [
          { url: 'description', valueString: plainText(texts.fhir.regions(texts.depth(data.request.level))) },
          ...sliceOf('studied', coded.studied, studied),
          ...sliceOf('called', coded.called, called),
          ...sliceOf('uncalled', coded.uncalled, uncalled),
        ],
      },
      { url: extensions.device, extension: [{ url: 'device', valueReference: referenceTo(device) }] },
      {
        url: extensions.input,
        extension: [
          { url: 'file', valueReference: referenceTo(depths) },
          { url: 'type', valueCodeableConcept: { coding: [codings.otherFile] } },
        ],
      },
    ],
    status: 'completed',
    category: { coding: [codings.laboratory] },
    subject: unknownSubject(texts),
    performedDateTime: making.now.toISOString(),
    performer: [{ actor: referenceTo(device) }],
    note: notesOf(report, at, measurement),
  });
  yield bundleEntry({
    resourceType: 'Procedure',
    meta: { profile: [profiles.study] },
    extension: [{ url: extensions.analysis, valueReference: referenceTo(analysis) }],
    status: 'completed',
    category: { coding: [codings.laboratory] },
    subject: unknownSubject(texts),
    ...(sample.analysed === undefined ? {} : { performedDateTime: sample.analysed }),
  });
  yield analysis;
  for (const one of [specimen, depths, called, uncalled]) if (one !== undefined) yield one;
}

function bundleEntry(resource: FhirResource): BundleEntry {
  return { fullUrl: `urn:uuid:${randomUUID()}`, resource };
}

function referenceTo({ fullUrl, resource }: BundleEntry): { reference: string; type: string } {
  return { reference: fullUrl, type: resource.resourceType };
}

/** The server knows samples, not patients. */
function unknownSubject({ fhir }: Texts) {
  return { extension: [{ url: extensions.absent, valueCode: 'unknown' }], display: fhir.subject };
}

function sliceOf(url: string, genes: readonly object[], file: BundleEntry | undefined): object[] {
  return [
    ...genes.map((valueCodeableConcept) => ({ url, valueCodeableConcept })),
    ...(file === undefined ? [] : [{ url, valueReference: referenceTo(file) }]),
  ];
}

function titleOf(data: ReportData, texts: Texts): string {
  const title = [texts.pages.report, panelMark(data.panel, texts)].filter(Boolean).join(' · ');
  return [title, panelTitle(data)].filter(Boolean).join(': ');
}

function metricsOf(data: ReportData, { depths: { pooled } }: Measurement, texts: Texts) {
  const { level, request } = data;
  const covered = percentOfShare(completeness(pooled, level));
  return {
    url: extensions.metrics,
    extension: [
      // Nothing was measured of a sample that cannot have any of the intervals.
      ...(pooled.length === 0
        ? []
        : [
            { url: 'read-depth', valueQuantity: { value: twoDecimals(pooled.mean), unit: 'x' } },
            { url: 'sequencing-coverage', valueQuantity: { value: covered, ...percentUnit } },
          ]),
      {
        url: 'metrics-description',
        valueString: plainText(
          texts.fhir.metrics(texts.number(pooled.length), texts.depth(request.level), countedText(data, texts)),
        ),
      },
    ],
  };
}

/** What the report is made from and its limitations, of this sample alone. */
function notesOf({ data, making, texts }: BundleContent, at: number, measurement: Measurement): { text: string }[] {
  const own = { ...data, samples: [measurement], notIncluded: [] };
  const facts = headerFacts(data, making, texts).filter(({ label }) => label !== texts.header.method);
  const all = [
    facts.map(({ label, text }) => `${label}: ${text}`).join('; '),
    ...[...panelNotices(data, texts), ...openNotices(data, texts)].map(({ text, list = [] }) =>
      [text, list.join('; ')].filter(Boolean).join(' '),
    ),
    ...sitesNote(data, at, texts),
    ...warningTexts(data, measurement.sample.name),
    ...copiesLines(asPrinted({ ...own, half: undefined }), texts),
    ...limitationsOfReport(own, texts).map(([term, text]) => `${term}: ${text}`),
  ];
  return all.map((text) => ({ text: plainText(text) }));
}

function warningTexts({ quality }: ReportData, sample: string): string[] {
  const own = quality.warnings.filter(({ samples }) => samples.length === 0 || samples.includes(sample));
  return own.map(({ message }) => message);
}

function sitesNote({ known, request }: ReportData, at: number, texts: Texts): string[] {
  const counts = known?.samples[at]?.counts;
  if (known === undefined || counts === undefined || known.sites.length === 0) return [];
  const { fhir, number, depth } = texts;
  const [callable, all] = [number(counts.callable), number(known.sites.length)];
  return [fhir.sites(siteSetsText(known, texts), callable, all, depth(request.level))];
}

/** Undefined if there are no regions. */
async function bedFile(
  { data: { request }, making, texts }: BundleContent,
  kind: 'studied' | 'called' | 'uncalled',
  regions: Iterable<Region>,
  device: BundleEntry,
): Promise<BundleEntry | undefined> {
  const { build, level } = request;
  const description = plainText(texts.fhir.files[kind](build, texts.depth(level)));
  const { text, regions: count } = await bedText(description, regions);
  if (count === 0) return undefined;
  const bytes = Buffer.from(text);
  return bundleEntry({
    resourceType: 'DocumentReference',
    meta: { profile: [profiles.file] },
    status: 'current',
    date: making.now.toISOString(),
    author: [referenceTo(device)],
    description,
    content: [
      {
        attachment: {
          contentType: 'text/x-bed',
          data: bytes.toString('base64'),
          size: bytes.length,
          // FHIR prescribes SHA-1.
          hash: createHash('sha1').update(bytes).digest('base64'),
          title: `${kind}.${build}.${level}x.bed`,
          creation: making.now.toISOString(),
        },
        format: codings.bed,
      },
    ],
  });
}

/** The D4 file: its name and fingerprint, not its place. */
function depthFile({ fileName, fingerprint }: Measurement, { fhir }: Texts): BundleEntry {
  return bundleEntry({
    resourceType: 'DocumentReference',
    meta: { profile: [profiles.file] },
    identifier: [{ value: fingerprint }],
    status: 'current',
    description: fhir.depths,
    content: [{ attachment: { title: fileName }, format: codings.otherFile }],
  });
}
