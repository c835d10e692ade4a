/** Names that FHIR R4 and the guide HL7 Genomics Reporting (STU3) give to what a report states. */
import type { Build } from '../../contract.js';

const guide = 'http://hl7.org/fhir/uv/genomics-reporting';

export const profiles = {
  study: `${guide}/StructureDefinition/genomic-study`,
  analysis: `${guide}/StructureDefinition/genomic-study-analysis`,
  file: `${guide}/StructureDefinition/genomic-data-file`,
} as const;

/** Of the analysis, `analysis` apart, which is one of the study. */
export const extensions = {
  analysis: `${guide}/StructureDefinition/genomic-study-analysis-ext`,
  method: `${guide}/StructureDefinition/genomic-study-analysis-method-type`,
  build: `${guide}/StructureDefinition/genomic-study-analysis-genome-build`,
  title: `${guide}/StructureDefinition/genomic-study-analysis-title`,
  specimen: `${guide}/StructureDefinition/genomic-study-analysis-specimen`,
  metrics: `${guide}/StructureDefinition/genomic-study-analysis-metrics`,
  regions: `${guide}/StructureDefinition/genomic-study-analysis-regions`,
  device: `${guide}/StructureDefinition/genomic-study-analysis-device`,
  input: `${guide}/StructureDefinition/genomic-study-analysis-input`,
  absent: 'http://hl7.org/fhir/StructureDefinition/data-absent-reason',
} as const;

export interface Coding {
  system: string;
  code: string;
  display?: string;
}

const formats = `${guide}/CodeSystem/genomic-study-data-format-cs`;

export const codings = {
  laboratory: { system: 'http://terminology.hl7.org/CodeSystem/observation-category', code: 'laboratory' },
  sequencing: { system: `${guide}/CodeSystem/genomic-study-method-type-cs`, code: 'ngs-mps' },
  bed: { system: formats, code: 'bed' },
  /** D4 is not among the formats. */
  otherFile: { system: formats, code: 'custom-file-formats' },
} as const satisfies Record<string, Coding>;

/** Answers of LOINC's list LL1040-6. */
const buildCodes: Readonly<Record<Build, string>> = { GRCh37: 'LA14029-5', GRCh38: 'LA26806-2' };

export function buildCoding(build: Build): Coding {
  return { system: 'http://loinc.org', code: buildCodes[build], display: build };
}

/** By HGNC id with the symbol as display; of a gene that HGNC does not know, by the id of Ensembl or NCBI. */
export function geneCoding({ hgnc, ensembl, symbol }: { hgnc?: number; ensembl: string; symbol?: string }): Coding {
  const display = symbol === undefined ? {} : { display: symbol };
  if (hgnc !== undefined) return { system: 'http://www.genenames.org/geneId', code: `HGNC:${hgnc}`, ...display };
  const ncbi = /^GeneID:(\d+)$/.exec(ensembl)?.[1];
  if (ncbi !== undefined) return { system: 'http://www.ncbi.nlm.nih.gov/gene', code: ncbi, ...display };
  return { system: 'http://www.ensembl.org', code: ensembl, ...display };
}

/** Texts of FHIR have no spaces but plain ones; numbers of some languages do. */
export function plain(text: string): string {
  return text.replace(/[^\S\r\n\t]/g, ' ');
}

export const percentUnit = { unit: '%', system: 'http://unitsofmeasure.org', code: '%' } as const;
