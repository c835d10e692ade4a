/** Keeps a page that was made for a request: what is recorded of it, and the words by which it is found. */
import { isUrl } from '../../../../core/files.js';
import { isS3 } from '../../../../core/outgoing.js';
import type { Principal } from '../../../../core/plugin.js';
import type { IntervalSet } from '../../contract.js';
import { sampleName } from '../../http/access/recording.js';
import { fileNameOf } from '../../measure/examine.js';
import type { Texts } from '../../texts/texts.js';
import type { Measurement, ReportData } from '../data.js';
import type { FormFields, FormSample } from '../form/fields.js';
import { fieldsAgain, type PageRequest } from '../form/request.js';
import { jsonText } from '../formats/json.js';
import { type DataParts, reportJson } from '../formats/report-json.js';
import { isReported } from '../panel.js';
import type { ReportOrigin } from '../sections/header.js';
import { showsAneuploidy } from '../sections/karyotype-tables.js';
import type { PageView, TableExtent } from '../view.js';
import type { KeptFacts, KeptSample } from './contract.js';
import type { CompressedText, KeptReports } from './kept.js';
import { fileWord, nameKey, panelWord, searchWord } from './search.js';

export interface KeepingPage {
  /** Under which it is kept. */
  id: string;
  /** Who asked for it. */
  by: string | undefined;
  /** Shared datasets with whose samples it compares. */
  shared: readonly string[];
  /** The request with the version of the panel that was used, and the form as it was sent. */
  request: PageRequest;
  sent: FormFields;
}

/** A page as it was made, whatever its format. */
interface PageToKeep {
  data: ReportData;
  parts: DataParts;
  view(extent: TableExtent): PageView;
}

/** The owner of a token; a person as the identity provider names them. */
export function requesterOfCaller(caller: Principal): string {
  const issuer = caller.kind === 'subject' ? caller.issuer : undefined;
  return issuer === undefined ? caller.owner : `${caller.owner} (${issuer})`;
}

/** Returns the JSON text as it was kept. */
export function keepPage(
  kept: KeptReports,
  { data, parts, view }: PageToKeep,
  { id, by, shared, request, sent }: KeepingPage,
  making: ReportOrigin & { texts: Texts },
): Promise<CompressedText> {
  const { texts, version, now } = making;
  const samples = request.samples.map(({ path, unique, ...sample }) => ({
    ...{ ...sample, path: plainPlace(path) },
    ...(unique && { unique: { ...unique, path: plainPlace(unique.path) } }),
  }));
  const fields = fieldsAgain({ ...request, samples }, sent);
  const file = { view: view('file'), fields };
  // These pages show a part of a long table, with buttons for the next: without them, as much as a file has.
  const isPaged = request.page === 'overview' || request.page === 'mane_overview';
  return kept.keep({
    id,
    made: now,
    facts: {
      ...keptFacts(data),
      software: version,
      language: texts.language,
      shared,
      ...(by !== undefined && { by }),
    },
    words: wordsOf(data),
    json: jsonText(reportJson(data, parts, making, texts)),
    page: isPaged ? file : { view: view('page'), fields },
    file,
  });
}

// What is recorded of a report when it is kept, and the words by which it is found.

type MeasuredFacts = Omit<KeptFacts, 'software' | 'language' | 'by' | 'shared' | 'parts'>;

function keptFacts(data: ReportData): MeasuredFacts {
  const { request, panel, samples, sets, caution } = data;
  const measured = new Map(samples.map((one) => [one.sample.name, one]));
  return {
    page: request.page,
    build: request.build,
    level: request.level,
    thresholds: request.thresholds,
    ...(request.caseName !== undefined && { caseName: request.caseName }),
    ...(request.panel !== undefined && { panelName: request.panel }),
    ...(panel && {
      panel: {
        panel: panel.panel,
        version: panel.version,
        sha256: panel.sha256,
        state: panel.state,
        ...(panel.names !== undefined && { names: panel.names }),
      },
    }),
    sets: sets.map((set) => ({ kind: set.kind, ...keptSet(set) })),
    ...(caution && { caution: caution.sets.map((set) => ({ name: set.name, ...keptSet(set) })) }),
    samples: request.samples.map((sample) => keptSample(sample, measured.get(sample.name))),
    genes: measuredGenes(data).size,
    missing: missingNames(data).size,
    ...(showsAneuploidy(data) && { aneuploidy: true }),
  };
}

function keptSet({ release, checksum, loaded }: Pick<IntervalSet, 'release' | 'checksum' | 'loaded'>) {
  return { checksum, loaded: loaded.toISOString(), ...(release !== undefined && { release }) };
}

function keptSample({ name, registration, path, track, unique }: FormSample, measured?: Measurement): KeptSample {
  const { fingerprint } = measured ?? {};
  const second = measured?.unique?.fingerprint;
  return {
    ...{ name, file: plainPlace(path) },
    ...(registration && { registration: registration.id }),
    ...(track !== undefined && { track }),
    ...(fingerprint !== undefined && { fingerprint }),
    ...(unique && {
      unique: {
        file: plainPlace(unique.path),
        ...(second !== undefined && { fingerprint: second }),
        ...(unique.quality !== undefined && { quality: unique.quality }),
      },
    }),
  };
}

/** A path, or a name in S3, as it is; a URL without user, query and fragment, which may be secrets that open it. */
function plainPlace(text: string): string {
  if (!isUrl(text) || isS3(text)) return text;
  if (!URL.canParse(text)) return fileNameOf(text);
  const url = new URL(text);
  return `${url.origin}${url.pathname}`;
}

/** `HGNC:7436`, or the symbol or Ensembl id if a gene has no HGNC id. */
function measuredGenes({ selected }: ReportData): Set<string> {
  return new Set(
    selected.map(({ gene: { hgnc, symbol, ensembl } }) =>
      hgnc === undefined ? nameKey(symbol ?? ensembl) : `HGNC:${hgnc}`,
    ),
  );
}

/** Requested names, and entries of the panel, for which nothing was measured. */
function missingNames({ notMeasured, panel, request }: ReportData): Set<string> {
  // The page of a gene shows one gene, whatever the panel has.
  const unmapped = request.page === 'gene_overview' ? [] : (panel?.unmapped ?? []);
  return new Set([...notMeasured.map(({ asked }) => nameKey(asked)), ...unmapped.map(({ given }) => nameKey(given))]);
}

function wordsOf(data: ReportData): string[] {
  const { request, panel, samples } = data;
  const words = new Set<string>();
  for (const name of measuredGenes(data)) words.add(searchWord('gene', name));
  for (const name of missingNames(data)) words.add(searchWord('missing', name));
  if (panel !== undefined) {
    const all = request.page === 'gene_overview' ? [] : panel.genes;
    for (const gene of all) {
      if (!isReported(gene, panel.confidence)) words.add(searchWord('left', `HGNC:${gene.hgnc}`));
    }
    words
      .add(panelWord(panel.panel))
      .add(panelWord(`${panel.panel}@${panel.version}`))
      .add(panelWord(panel.name));
  }
  if (request.panel !== undefined) words.add(panelWord(request.panel));
  for (const { name, path, unique, registration } of request.samples) {
    const person = registration?.id ?? name;
    if (unique !== undefined) words.add(fileWord(plainPlace(unique.path)));
    words.add(searchWord('person', person)).add(fileWord(plainPlace(path)));
    for (const one of [person, name]) words.add(searchWord('sample', one));
    if (registration !== undefined) continue;
    // A form may call a person by any name; the file of the sample is often named after its id.
    const file = sampleName(path, undefined);
    words.add(searchWord('person', file)).add(searchWord('sample', file));
  }
  for (const { sample, fileName } of samples) {
    if (sample.registration === undefined) words.add(searchWord('sample', fileName));
  }
  return [...words];
}
