/**
 * The genes and regions of a report as a FHIR document states them, and the names that FHIR R4 and the guide HL7 Genomics
 * Reporting (STU3) give to what it states.
 */
import { Fault } from '../../../../../core/plugin.js';
import type { Build, Gene } from '../../../contract.js';
import { completeness, percentOfShare } from '../../../measure/measure.js';
import { type List, numberedMembers, type Region, RegionColumns } from '../../../measure/region.js';
import { Pace } from '../../../measure/work-queue.js';
import type { Texts } from '../../../texts/texts.js';
import type { ReportData } from '../../data.js';
import { type IncompleteGenes, isNotExpected } from '../../sections/incomplete-genes.js';
import type { TargetGaps } from '../../sections/target-gaps.js';

interface CodedGene {
  coding: [Coding];
  text?: string;
}

interface CodedGenes {
  studied: CodedGene[];
  called: CodedGene[];
  /** Also those that are covered in part, which their text says. */
  uncalled: CodedGene[];
}

/** Of one sample. Each studied gene is either called or uncalled. */
export function codedGenes(data: ReportData, incomplete: IncompleteGenes, sample: number, texts: Texts): CodedGenes {
  const coverage = new Map<string, ExpectedGeneShare>();
  for (const [at, { group, lengths, reached }] of numberedMembers(incomplete)) {
    const isExpected = !isNotExpected(incomplete, at, data.samples[sample]);
    coverage.set(group, { length: lengths[sample] ?? 0, reached: reached[sample] ?? 0, isExpected });
  }
  const coded: CodedGenes = { studied: [], called: [], uncalled: [] };
  for (const gene of selectedGenes(data)) {
    const code: CodedGene = { coding: [geneCoding(gene)] };
    coded.studied.push(code);
    const own = coverage.get(gene.symbol ?? gene.ensembl);
    if (own === undefined || (own.isExpected && own.reached === own.length)) coded.called.push(code);
    else coded.uncalled.push({ ...code, text: partText(gene, own, data.request.level, texts) });
  }
  return coded;
}

/** Each once, though it may have several positions. */
function selectedGenes({ selected }: ReportData): Iterable<Gene> {
  return new Map(selected.map(({ gene }) => [gene.ensembl, gene])).values();
}

interface ExpectedGeneShare {
  length: number;
  reached: number;
  /** Whether the sample can have the gene. */
  isExpected: boolean;
}

function partText(gene: Gene, { length, reached, isExpected }: ExpectedGeneShare, level: number, texts: Texts): string {
  const { fhir, number, decimal, depth, copies } = texts;
  if (!isExpected) return plainText(`${gene.symbol ?? gene.ensembl}: ${copies.notExpected}`);
  const percent = decimal(percentOfShare(completeness({ length, reached: [reached] }, 0)));
  return plainText(fhir.part(gene.symbol ?? gene.ensembl, number(reached), number(length), percent, depth(level)));
}

// The regions of a report that a sample covers at the coverage threshold, and those that it does not.

/** Regions of all files of one document together: each is text within the document. */
const mostRegions = 2_000_000;

/** Regions that are written before other requests get their turn. */
const atOnce = 2000;

/** Every base of the report once. */
export async function studiedRegions({ targets, samples }: ReportData, gaps: List<TargetGaps>): Promise<RegionColumns> {
  const regions = new RegionColumns(targets.length);
  const pace = new Pace();
  for (const [i, target] of numberedMembers(targets)) {
    if (i % atOnce === 0) await pace.turn();
    for (const region of target.regions) regions.push(region);
  }
  const studied = regions.union();
  let below = 0;
  for (const [i, one] of numberedMembers(gaps)) {
    if (i % atOnce === 0) await pace.turn();
    for (const own of one.gaps) below += own.length;
  }
  // A gap that splits a region leaves one more of them that is covered.
  if (studied.length * (1 + samples.length) + 2 * below > mostRegions) {
    const most = mostRegions.toLocaleString('en');
    throw new Fault(
      'too-large',
      `The report has more than ${most} regions, which FHIR documents may have at most; choose fewer, or the format bed or json`,
    );
  }
  return studied;
}

/** Every base below the threshold once. */
export async function uncalledRegions(gaps: List<TargetGaps>, sample: number): Promise<RegionColumns> {
  const regions = new RegionColumns();
  const pace = new Pace();
  for (const [i, one] of numberedMembers(gaps)) {
    if (i % atOnce === 0) await pace.turn();
    for (const gap of one.gaps[sample] ?? []) regions.push(gap);
  }
  return regions.union();
}

/** BED lines, zero-based half-open, after a comment. */
export async function bedText(comment: string, regions: Iterable<Region>): Promise<{ text: string; regions: number }> {
  const pace = new Pace();
  let text = `# ${comment}\n`;
  let count = 0;
  for (const { chromosome, start, end } of regions) {
    text += `${chromosome}\t${start}\t${end}\n`;
    count += 1;
    if (count % atOnce === 0) await pace.turn();
  }
  return { text, regions: count };
}

// Names that FHIR R4 and the guide HL7 Genomics Reporting (STU3) give to what a report states.

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

interface Coding {
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
export function plainText(text: string): string {
  return text.replace(/[^\S\r\n\t]/g, ' ');
}

export const percentUnit = { unit: '%', system: 'http://unitsofmeasure.org', code: '%' } as const;
