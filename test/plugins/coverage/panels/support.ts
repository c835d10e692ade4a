/** A server with three small genes, two samples, and panels in every state. */
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveForTest, type TestServer } from '../../../../core/testing.js';
import { coverage, type IntervalRepository, type Strand } from '../../../../plugins/coverage/contract.js';
import { type PanelVersion, panels } from '../../../../plugins/panels/contract.js';
import type { PanelContent, PanelGene } from '../../../../plugins/panels/versions/content.js';
import {
  draftVersion,
  retiredVersion,
  sentBack,
  signedVersion,
  submittedVersion,
} from '../../../../plugins/panels/versions/lifecycle.js';
import { sendTo } from '../../../support/http.js';
import { chromosomesOf, writeD4 } from '../support/d4.js';

const day = (date: number) => new Date(Date.UTC(2026, 10, date, 10));
const anna = { by: 'anna', at: day(1) };
const bo = { by: 'bo', at: day(3) };

export const geneA: PanelGene = { hgnc: 101, symbol: 'GENA', confidence: 'green', inheritance: 'AD' };
export const geneB: PanelGene = { hgnc: 102, symbol: 'OLDB', confidence: 'amber' };
export const geneC: PanelGene = { hgnc: 103, symbol: 'GENC', confidence: 'red' };
/** On Y, of which the samples have nothing. */
export const geneY: PanelGene = { hgnc: 104, symbol: 'GENY', confidence: 'green' };
/** No interval set has it. */
export const nowhere: PanelGene = { hgnc: 999, symbol: 'NOWHERE', confidence: 'green' };

export function contentOf(genes: PanelGene[], more: Partial<PanelContent> = {}): PanelContent {
  const source = { kind: 'person' as const, name: 'anna', read: anna.at.toISOString() };
  return { name: 'Kidney tumours', genes, source, names: '2026-11-01', ...more };
}

export function draft(panel: string, version: string, content: PanelContent): PanelVersion {
  return draftVersion(panel, version, content, anna);
}

/** Signed by anna on 2 November and by bo on 3 November. */
export function signedOff(panel: string, version: string, content: PanelContent): PanelVersion {
  const review = submittedVersion(draft(panel, version, content), anna);
  return signedVersion(signedVersion(review, review.digest, 2, { by: 'anna', at: day(2) }), review.digest, 2, bo);
}

export const others: PanelContent['others'] = [
  { kind: 'region', name: '16p11.2 loss', confidence: 'green', place: '16:29500000-30100000' },
  { kind: 'str', name: 'FMR1_CGG', confidence: 'amber' },
];
const ninth = contentOf([{ ...geneA, transcripts: ['NM_000112.1', 'NM_000199'] }, geneB, nowhere], { others });
const tenth = contentOf([...ninth.genes, geneC], { others });

/**
 * `kidney`: 1.8 is retired, 1.9 and 1.10 are signed off, 2 is a draft with an entry without a gene, and 3 is in review.
 * `heart@1` is signed off. `empty@1` has no genes but those that are red. `sketch@1` is a draft.
 */
export const versions: readonly PanelVersion[] = [
  retiredVersion(signedOff('kidney', '1.8', contentOf([geneA])), bo),
  signedOff('kidney', '1.9', ninth),
  signedOff('kidney', '1.10', tenth),
  sentBack(submittedVersion(draft('kidney', '2', contentOf([geneA])), anna), bo),
  draft('kidney', '2.1', contentOf([geneA], { unmapped: [{ given: 'LOST', why: 'unknown', confidence: 'green' }] })),
  submittedVersion(draft('kidney', '3', contentOf([geneA])), anna),
  signedOff('heart', '1', contentOf([geneB], { name: 'Heart' })),
  signedOff('red', '1', contentOf([geneC], { name: 'Red' })),
  draft('sketch', '1', contentOf([geneA])),
];

/** 0-based, half-open, on chromosome 21 of GRCh38. The second exon of the longer transcript of GENA has depth 5, the others 30. */
export const exons = {
  first: { start: 10_000_000, end: 10_000_100 },
  second: { start: 10_002_000, end: 10_002_050 },
  geneB: { start: 10_100_000, end: 10_100_200 },
  geneC: { start: 10_200_000, end: 10_200_300 },
};
/** Outside of the pseudoautosomal regions. */
const exonY = { start: 7_000_000, end: 7_000_100 };

const none = { refseqMrna: [], refseqMrnaPredicted: [], refseqNcrna: [], maneSelect: [], manePlusClinical: [] };

async function loadGenes(repository: IntervalRepository): Promise<void> {
  const place = { chromosome: '21', strand: 1 as Strand } as const;
  const genes = [
    { id: 101, symbol: 'GENA', start: exons.first.start, end: exons.second.end },
    { id: 102, symbol: 'GENB', ...exons.geneB },
    { id: 103, symbol: 'GENC', ...exons.geneC },
    { id: 104, symbol: 'GENY', ...exonY, chromosome: 'Y' as const },
  ].map(({ id, ...gene }) => ({ ...place, ...gene, ensembl: `ENSG00000000${id}`, hgnc: id }));
  const transcripts = [
    { id: 111, gene: 101, parts: [exons.first], references: { ...none, maneSelect: ['NM_000111.2'] } },
    { id: 112, gene: 101, parts: [exons.first, exons.second], references: { ...none, refseqMrna: ['NM_000112.3'] } },
    { id: 121, gene: 102, parts: [exons.geneB], references: { ...none, maneSelect: ['NM_000121.1'] } },
    { id: 131, gene: 103, parts: [exons.geneC], references: { ...none, maneSelect: ['NM_000131.1'] } },
    {
      id: 141,
      gene: 104,
      parts: [exonY],
      references: { ...none, maneSelect: ['NM_000141.1'] },
      chromosome: 'Y' as const,
    },
  ].map(({ id, gene, parts, references, chromosome = place.chromosome }) => {
    const ensembl = `ENST00000000${id}`;
    const own = { ...place, chromosome, gene: `ENSG00000000${gene}` };
    const [start, end] = [parts[0]?.start ?? 0, parts.at(-1)?.end ?? 0];
    const isManeSelect = references.maneSelect.length > 0;
    const transcript = { ...own, ensembl, start, end, references, isManeSelect, isManePlusClinical: false };
    const exonsOf = parts.map((part, i) => ({
      ...own,
      ...part,
      ensembl: `ENSE0000000${id}${i}`,
      transcript: ensembl,
      rank: i + 1,
    }));
    return { transcript, exons: exonsOf };
  });
  const rows = async function* () {
    yield {
      genes,
      transcripts: transcripts.map(({ transcript }) => transcript),
      exons: transcripts.flatMap((one) => one.exons),
    };
  };
  const sets = (['genes', 'transcripts', 'exons'] as const).map((kind) => ({ kind, build: 'GRCh38' as const }));
  const record = { source: 'test', checksum: `sha256:${'0'.repeat(64)}`, read: genes.length, skipped: {} };
  await repository.load({ sets, rows: rows(), accept: () => record }, day(1));
}

function writeSample(path: string): void {
  const { second, ...full } = exons;
  const runs = [
    ...Object.values(full).map(({ start, end }) => ({ chromosome: '21', begin: start, end, depth: 30 })),
    { chromosome: '21', begin: second.start, end: second.end, depth: 5 },
    { chromosome: 'X', begin: 100_000_000, end: 102_000_000, depth: 30 },
  ];
  writeD4(path, { chromosomes: chromosomesOf('GRCh38', { names: ['21', 'X', 'Y'] }), runs });
}

export interface PanelWorld {
  server: TestServer;
  /** Sends the form of a page, by default with one sample at 20×, exonic bases, and returns the response. */
  ask(page: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<Response>;
  /** The same as JSON. Throws unless the status is the expected one. */
  json<Body>(page: string, fields: Record<string, string>, status?: number): Promise<Body>;
  close(): Promise<void>;
}

export interface WorldOptions {
  /** Whether the panels plugin is enabled. */
  withPanels?: boolean;
  /** Further sections of the configuration; the samples' files are in the folder. */
  settings?: (folder: string) => Record<string, unknown>;
  coverage?: Record<string, unknown>;
}

export async function openPanelWorld({
  withPanels = true,
  settings,
  coverage: more,
}: WorldOptions = {}): Promise<PanelWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'trefoil-panels-'));
  for (const name of ['child', 'mother']) writeSample(join(folder, `${name}.d4`));
  const server = await serveForTest({
    plugins: { coverage: { roots: [folder], ...more }, ...(withPanels && { panels: {} }) },
    ...(settings && { settings: settings(folder) }),
    jobs: false,
  });
  await loadGenes(server.repository(coverage));
  if (withPanels) for (const version of versions) await server.repository(panels).add(version);
  const ask: PanelWorld['ask'] = (page, fields, headers = {}) =>
    sendTo(`${server.url}/${page}`, {
      headers,
      form: {
        samples: JSON.stringify([{ name: 'child', coverage_file_path: 'child.d4', sex: 'female' }]),
        ...{ build: 'GRCh38', interval_type: 'transcripts', default_level: '20', completeness_thresholds: '10,20' },
        ...fields,
      },
    });
  return {
    server,
    ask,
    async json<Body>(page: string, fields: Record<string, string>, status = 200) {
      const response = await ask(page, { ...fields, format: 'json' });
      const text = await response.text();
      if (response.status !== status) throw new Error(`${response.status}: ${text.slice(0, 500)}`);
      return JSON.parse(text) as Body;
    },
    async close() {
      await server.close();
      await rm(folder, { recursive: true });
    },
  };
}
