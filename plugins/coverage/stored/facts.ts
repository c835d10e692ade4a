/** What is recorded of a report when it is kept, and the words by which it is found. */
import { isUrl } from '../../../core/files.js';
import { isS3 } from '../../../core/outgoing.js';
import { fileNameOf } from '../domain/examine.js';
import type { FormSample } from '../form/rows.js';
import { isReported } from '../panels/panel.js';
import { sampleName } from '../recording.js';
import { showsAneuploidy } from '../report/karyotype-table.js';
import type { ReportData } from '../report/report-data.js';
import type { KeptFacts, KeptSample } from './contract.js';
import { fileWord, nameKey, panelWord, word } from './words.js';

export type MeasuredFacts = Omit<KeptFacts, 'software' | 'language' | 'by' | 'shared' | 'parts'>;

export function factsOf(data: ReportData): MeasuredFacts {
  const { request, panel, samples, sets } = data;
  const measured = new Map(samples.map(({ sample, fingerprint }) => [sample.name, fingerprint]));
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
    sets: sets.map(({ kind, release, checksum, loaded }) => ({
      ...{ kind, checksum, loaded: loaded.toISOString() },
      ...(release !== undefined && { release }),
    })),
    samples: request.samples.map((sample) => keptSample(sample, measured.get(sample.name))),
    genes: measuredGenes(data).size,
    missing: missingNames(data).size,
    ...(showsAneuploidy(data) && { aneuploidy: true }),
  };
}

function keptSample({ name, registration, path, track }: FormSample, fingerprint: string | undefined): KeptSample {
  return {
    ...{ name, file: plainPlace(path) },
    ...(registration && { registration: registration.id }),
    ...(track !== undefined && { track }),
    ...(fingerprint !== undefined && { fingerprint }),
  };
}

/** A path, or a name in S3, as it is; a URL without user, query and fragment, which may be secrets that open it. */
export function plainPlace(text: string): string {
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

export function wordsOf(data: ReportData): string[] {
  const { request, panel, samples } = data;
  const words = new Set<string>();
  for (const name of measuredGenes(data)) words.add(word('gene', name));
  for (const name of missingNames(data)) words.add(word('missing', name));
  if (panel !== undefined) {
    const all = request.page === 'gene_overview' ? [] : panel.genes;
    for (const gene of all) {
      if (!isReported(gene, panel.confidence)) words.add(word('left', `HGNC:${gene.hgnc}`));
    }
    words
      .add(panelWord(panel.panel))
      .add(panelWord(`${panel.panel}@${panel.version}`))
      .add(panelWord(panel.name));
  }
  if (request.panel !== undefined) words.add(panelWord(request.panel));
  for (const { name, path, registration } of request.samples) {
    const person = registration?.id ?? name;
    words.add(word('person', person)).add(fileWord(plainPlace(path)));
    for (const one of [person, name]) words.add(word('sample', one));
    if (registration !== undefined) continue;
    // A form may call a person by any name; the file of the sample is often named after its id.
    const file = sampleName(path, undefined);
    words.add(word('person', file)).add(word('sample', file));
  }
  for (const { sample, fileName } of samples) {
    if (sample.registration === undefined) words.add(word('sample', fileName));
  }
  return [...words];
}
