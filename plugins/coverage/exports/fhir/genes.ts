/** The genes of a report as codes: those that a sample covers fully, and the others with how much of them it covers. */
import type { Gene } from '../../contract.js';
import { numbered } from '../../domain/list.js';
import { completeness, percentOf } from '../../domain/measure.js';
import { type IncompleteGenes, isNotExpected } from '../../report/incomplete-genes.js';
import type { ReportData } from '../../report/report-data.js';
import type { Texts } from '../../texts/texts.js';
import { type Coding, geneCoding, plain } from './terms.js';

interface CodedGene {
  coding: [Coding];
  text?: string;
}

export interface CodedGenes {
  studied: CodedGene[];
  called: CodedGene[];
  /** Also those that are covered in part, which their text says. */
  uncalled: CodedGene[];
}

/** Of one sample. Each studied gene is either called or uncalled. */
export function codedGenes(data: ReportData, incomplete: IncompleteGenes, sample: number, texts: Texts): CodedGenes {
  const coverage = new Map<string, GeneShare>();
  for (const [at, { group, lengths, reached }] of numbered(incomplete)) {
    const isExpected = !isNotExpected(incomplete, at, data.samples[sample]);
    coverage.set(group, { length: lengths[sample] ?? 0, reached: reached[sample] ?? 0, isExpected });
  }
  const coded: CodedGenes = { studied: [], called: [], uncalled: [] };
  for (const gene of genesOf(data)) {
    const code: CodedGene = { coding: [geneCoding(gene)] };
    coded.studied.push(code);
    const own = coverage.get(gene.symbol ?? gene.ensembl);
    if (own === undefined || (own.isExpected && own.reached === own.length)) coded.called.push(code);
    else coded.uncalled.push({ ...code, text: partText(gene, own, data.request.level, texts) });
  }
  return coded;
}

/** Each once, though it may have several positions. */
function genesOf({ selected }: ReportData): Iterable<Gene> {
  return new Map(selected.map(({ gene }) => [gene.ensembl, gene])).values();
}

interface GeneShare {
  length: number;
  reached: number;
  /** Whether the sample can have the gene. */
  isExpected: boolean;
}

function partText(gene: Gene, { length, reached, isExpected }: GeneShare, level: number, texts: Texts): string {
  const { fhir, number, decimal, depth, copies } = texts;
  if (!isExpected) return plain(`${gene.symbol ?? gene.ensembl}: ${copies.notExpected}`);
  const percent = decimal(percentOf(completeness({ length, reached: [reached] }, 0)));
  return plain(fhir.part(gene.symbol ?? gene.ensembl, number(reached), number(length), percent, depth(level)));
}
